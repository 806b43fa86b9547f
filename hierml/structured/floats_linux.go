package structured

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugeFloats is the number of floats from which large pages are asked for.
const hugeFloats = 1 << 20

// newFloats returns n zeros. Rows of the weights are read in no order, so that most reads of a
// large matrix miss the table of small pages; it asks for large ones.
func newFloats(n int) []float32 {
	data := make([]float32, n)
	if n < hugeFloats {
		return data
	}
	const page = 2 << 20
	start := uintptr(unsafe.Pointer(&data[0]))
	skip := -start % page
	if length := uintptr(n)*4 - skip; length >= page {
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(&data[skip/4])), length/page*page)
		_ = unix.Madvise(bytes, unix.MADV_HUGEPAGE) // a wish: where it cannot be met, small pages do
	}
	return data
}
