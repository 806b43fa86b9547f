// Package pages allocates large matrices in large pages of memory, where the system has them. The
// rows of a matrix of weights are read in no order, so with small pages most reads miss the
// processor's table of pages.
package pages

import "unsafe"

const (
	large = 2 << 20
	// minBytes is the size from which Zeros asks for large pages.
	minBytes = 4 << 20
)

// Zeros returns n zeros, in large pages if they take 4 MB or more.
func Zeros[T int16 | float32](n int) []T {
	data := make([]T, n)
	var zero T
	size := unsafe.Sizeof(zero)
	if uintptr(n)*size < minBytes {
		return data
	}
	start := uintptr(unsafe.Pointer(&data[0]))
	skip := -start % large
	if length := uintptr(n)*size - skip; length >= large {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(&data[skip/size])), length/large*large))
	}
	return data
}
