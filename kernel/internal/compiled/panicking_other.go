//go:build !go1.26 || go1.28 || !(amd64 || arm64)

package compiled

import "strconv"

// panicMessage words the panic of a value. How other versions of Go keep the panics before it is
// not known.
func panicMessage(value any) string { return panicText(value) }

// stackSize is not known here.
func stackSize() uintptr { return 0 }

// Goroutine returns a number that the calling goroutine has for itself.
func Goroutine() uintptr {
	n, _ := strconv.ParseUint(goroutine(), 10, 64) // it consists of digits
	return uintptr(n)
}
