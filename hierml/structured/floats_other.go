//go:build !linux

package structured

// newFloats returns n zeros.
func newFloats(n int) []float32 { return make([]float32, n) }
