//go:build go1.26 && !go1.28 && (amd64 || arm64)

package compiled

import (
	"slices"
	"strings"
	"unsafe"
)

// A panicking is the run time's record of a panic while the calls that it passes still exist: its
// _panic in the version of Go for which the file is built.
type panicking struct {
	value any
	older *panicking
	_     [8]uintptr

	recovered, _, exits, _ bool
}

// goroutineState returns the run time's record of the calling goroutine.
func goroutineState() unsafe.Pointer

// Goroutine returns a number that identifies the calling goroutine while it lives.
func Goroutine() uintptr { return uintptr(goroutineState()) }

// panics returns the current panic of the calling goroutine, or nil.
func panics() *panicking {
	const before = 4 * unsafe.Sizeof(uintptr(0)) // its g begins with these words
	return *(**panicking)(unsafe.Add(goroutineState(), before))
}

// stackSize returns the size of the calling goroutine's stack in bytes: its g begins with the
// bounds.
func stackSize() uintptr {
	bounds := (*[2]uintptr)(goroutineState())
	return bounds[1] - bounds[0]
}

// panicMessage words a panic as the Go run time prints it, given its value, which the current
// deferred function has recovered. Earlier panics from whose deferred calls it came precede it.
func panicMessage(value any) string {
	newest := panics()
	if newest == nil || !identical(newest.value, value) {
		return panicText(value)
	}
	// They are on the stack, which may move: only variables on the stack may point to them.
	var all []panicking // the newest first
	for p := newest; p != nil; p = p.older {
		if !p.exits {
			all = append(all, panicking{value: p.value, recovered: p.recovered && p != newest})
		}
	}
	var texts []string
	for i, p := range slices.Backward(all) {
		again := i > 0 && identical(p.value, all[i-1].value)
		switch {
		case i+1 < len(all) && identical(p.value, all[i+1].value):
			// It is worded together with the one before.
		case p.recovered && again:
			texts = append(texts, panicText(p.value)+" [recovered, repanicked]")
		case p.recovered:
			texts = append(texts, panicText(p.value)+" [recovered]")
		default:
			texts = append(texts, panicText(p.value))
		}
	}
	return strings.Join(texts, "\n\tpanic: ")
}

// identical reports whether two values are one and the same.
func identical(a, b any) bool {
	type words [2]uintptr
	return *(*words)(unsafe.Pointer(&a)) == *(*words)(unsafe.Pointer(&b))
}
