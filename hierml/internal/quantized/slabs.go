package quantized

import (
	"sync"
	"unsafe"

	"github.com/hierml/notebook/hierml/internal/pages"
)

// slabs are pieces of memory of few sizes, for rows and tables. Slabs may be taken and released at
// the same time.
type slabs struct {
	mutex sync.Mutex
	chunk []int16 // rest of the last
	free  map[int][][]int16
}

// slabChunk is the number of numbers that are asked for at a time.
const slabChunk = 32 << 20

// allocate returns a slab of n numbers, of any values.
func (s *slabs) allocate(n int) []int16 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if free := s.free[n]; len(free) > 0 {
		slab := free[len(free)-1]
		s.free[n] = free[:len(free)-1]
		return slab
	}
	if n > len(s.chunk) {
		s.chunk = pages.Zeros[int16](max(slabChunk, n))
	}
	slab := s.chunk[:n:n]
	s.chunk = s.chunk[n:]
	return slab
}

func (s *slabs) release(slab []int16) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.free == nil {
		s.free = make(map[int][][]int16)
	}
	s.free[len(slab)] = append(s.free[len(slab)], slab)
}

// slotsOf returns the memory of numbers as half as many slots.
func slotsOf(numbers []int16) []slot {
	return unsafe.Slice((*slot)(unsafe.Pointer(&numbers[0])), len(numbers)/2)
}

// numbersOf returns the memory of slots as twice as many numbers.
func numbersOf(slots []slot) []int16 {
	return unsafe.Slice((*int16)(unsafe.Pointer(&slots[0])), 2*len(slots))
}

// panelOf returns panelWidth columns of a row from an offset, of a row that has as many.
func panelOf(row *int16, offset int) []int16 {
	return unsafe.Slice(row, offset+panelWidth)[offset:]
}
