//go:build !go1.26 || go1.27 || !(amd64 || arm64)

package compiled

// panicMessage words the panic of a value. How other versions of Go keep the panics before it is
// not known.
func panicMessage(value any) string { return panicText(value) }

// stackSize is not known here.
func stackSize() uintptr { return 0 }
