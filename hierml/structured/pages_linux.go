package structured

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugeBytes is the number of bytes from which large pages are asked for.
const hugeBytes = 4 << 20

// newZeros returns n zeros. Rows of the weights are read in no order, so that most reads of a
// large matrix miss the table of small pages; it asks for large ones.
func newZeros[T int16 | float32](n int) []T {
	data := make([]T, n)
	var zero T
	size := unsafe.Sizeof(zero)
	if uintptr(n)*size < hugeBytes {
		return data
	}
	const page = 2 << 20
	start := uintptr(unsafe.Pointer(&data[0]))
	skip := -start % page
	if length := uintptr(n)*size - skip; length >= page {
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(&data[skip/size])), length/page*page)
		_ = unix.Madvise(bytes, unix.MADV_HUGEPAGE) // a wish: where it cannot be met, small pages do
	}
	return data
}
