package history

import (
	"cmp"
	"slices"
)

// defaultTail is how many cells a tail has by default, as in IPython.
const defaultTail = 10

// Tail returns the last n cells, or the last ten for n <= 0, oldest first. This session comes after
// all others, also those that began later.
func (h *History) Tail(n int) []Cell {
	cells, _ := h.cells()
	if n <= 0 {
		n = defaultTail
	}
	return cells[max(0, len(cells)-n):]
}

// Search returns the cells whose whole input matches a glob, in the order of Tail: the last n, or
// all for n <= 0. If unique is set, it returns only the newest of several cells with equal inputs.
func (h *History) Search(pattern string, n int, unique bool) []Cell {
	match := compileGlob(pattern)
	cells, _ := h.cells()
	seen := make(map[string]bool)
	var found []Cell
	for _, c := range slices.Backward(cells) {
		if n > 0 && len(found) == n {
			break
		}
		if unique && seen[c.Input] || !match(c.Input) {
			continue
		}
		seen[c.Input] = true
		found = append(found, c)
	}
	slices.Reverse(found)
	return found
}

// Range returns the cells of one session from the line start to the line before stop, or to the end
// for stop <= 0. Session 0 is this one, -1 the one before it and so on; this session, while it has
// no cells, is the one after the newest.
func (h *History) Range(session, start, stop int) []Cell {
	cells, own := h.cells()
	if session <= 0 {
		session += own
	}
	return slices.DeleteFunc(cells, func(c Cell) bool {
		return c.Session != session || c.Line < start || stop > 0 && c.Line >= stop
	})
}

// cells returns all cells in the order of Tail, and the number that this session has or would have.
func (h *History) cells() (cells []Cell, own int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.store != nil {
		h.flush(lockPatience)
		var err error
		if cells, err = h.store.read(lockPatience); err != nil {
			h.fail(err)
		}
	}
	if own = h.session; own == 0 {
		own = newest(cells) + 1
	}
	for _, c := range h.pending {
		c.Session = own
		cells = append(cells, c)
	}
	// Cells of subshells end in any order, and a cell that was added twice counts as it was last.
	slices.Reverse(cells)
	slices.SortStableFunc(cells, func(a, b Cell) int {
		switch {
		case a.Session == b.Session:
			return cmp.Compare(a.Line, b.Line)
		case a.Session == own:
			return 1
		case b.Session == own:
			return -1
		}
		return cmp.Compare(a.Session, b.Session)
	})
	return slices.CompactFunc(cells, func(a, b Cell) bool { return a.Session == b.Session && a.Line == b.Line }), own
}
