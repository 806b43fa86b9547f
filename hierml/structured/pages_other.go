//go:build !linux

package structured

// newZeros returns n zeros.
func newZeros[T int16 | float32](n int) []T { return make([]T, n) }
