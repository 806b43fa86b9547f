//go:build !go1.26 || go1.28 || !(amd64 || arm64)

package compiled

import "strconv"

// panicMessage words the panic of a value. Other versions of Go may keep earlier panics
// differently.
func panicMessage(value any) string { return panicText(value) }

// stackSize is not known here.
func stackSize() uintptr { return 0 }

// Goroutine returns a number that identifies the calling goroutine.
func Goroutine() uintptr {
	n, _ := strconv.ParseUint(goroutine(), 10, 64) // it consists of digits
	return uintptr(n)
}
