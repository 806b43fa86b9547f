package structured

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// foundSets are the competitors that searches for label sets have found, by block, named in the
// order in which they were.
type foundSets struct {
	lock  sync.Mutex
	found []atomic.Pointer[[]foundSet]
}

// Lasting reports whether ids of competitors have the same meaning in another process with the same
// problem. Ids assigned in the order of the searches do not.
func Lasting(c Competitors) bool {
	switch c := c.(type) {
	case *both:
		return Lasting(c.first) && Lasting(c.second)
	case *Mixed:
		return false
	}
	_, found := c.(interface{ sets(b int) []foundSet })
	return !found
}

func newFoundSets(blocks int) foundSets {
	return foundSets{found: make([]atomic.Pointer[[]foundSet], blocks)}
}

// foundSet is a competitor.
type foundSet struct {
	hash uint64
	cost float64
	// Columns, or for ClosedSets nodes, where the truth and the set differ, in an order that they
	// determine: c where the truth alone has it, ^c where the set alone has it.
	columns []int32
}

func (s *foundSet) setHash() {
	s.hash = 14695981039346656037
	for _, c := range s.columns {
		s.hash = (s.hash ^ uint64(uint32(c))) * 1099511628211
	}
}

// sets returns the competitors of a block found so far.
func (s *foundSets) sets(b int) []foundSet {
	if p := s.found[b].Load(); p != nil {
		return *p
	}
	return nil
}

// Known reports whether the id names a set that a search has found.
func (s *foundSets) Known(b int, id int32) bool { return id >= 0 && int(id) < len(s.sets(b)) }

// Cost returns the loss of a set.
func (s *foundSets) Cost(b int, id int32) float64 { return s.sets(b)[id].cost }

// intern returns the id of a set, which it adds if it is new. set.columns is copied then.
func (s *foundSets) intern(b int, set foundSet) int32 {
	if id := find(s.sets(b), set); id >= 0 {
		return int32(id)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	sets := s.sets(b)
	if id := find(sets, set); id >= 0 {
		return int32(id)
	}
	set.columns = slices.Clone(set.columns)
	sets = append(sets, set)
	s.found[b].Store(&sets)
	return int32(len(sets) - 1)
}

func find(sets []foundSet, set foundSet) int {
	return slices.IndexFunc(sets, func(known foundSet) bool {
		return known.hash == set.hash && known.cost == set.cost && slices.Equal(known.columns, set.columns)
	})
}

// foundWorst is what a search has found to be the worst set of a block. Its violation is infinite
// where scores are no finite numbers.
type foundWorst struct {
	block     int
	set       foundSet
	violation float64
}

// name appends the id of the worst set where n is not zero, its violation above the floor, and the
// id not known.
func (s *foundSets) name(worst *foundWorst, n int, floor float64, known []int32, dst []int32) []int32 {
	if n <= 0 || !(worst.violation > max(floor, 0)) || math.IsInf(worst.violation, 1) {
		return dst
	}
	if id := s.intern(worst.block, worst.set); !slices.Contains(known, id) {
		dst = append(dst, id)
	}
	return dst
}
