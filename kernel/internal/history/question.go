package history

import (
	"cmp"
	"slices"
	"time"
)

// records are the cells in a file, for as long as a transaction.
type records interface {
	// Sequence returns the number of the newest session.
	Sequence() uint64
	// newestFirst calls visit with all cells, those of one session before those of the others, and
	// from with those that are at a line of a session or after it, in order, until it returns false.
	newestFirst(own uint64, visit func(stored) bool) error
	from(session uint64, line int, visit func(stored) bool) error
}

// A stored is a cell in a file, good for as long as the transaction.
type stored struct {
	session       uint64
	line          int
	input, output []byte
}

func (s stored) cell() Cell {
	return Cell{Session: int(s.session), Line: s.line, Input: string(s.input), Output: string(s.output)}
}

// defaultTail is how many cells a tail has unless told, as in IPython.
const defaultTail = 10

// Tail returns the last n cells, or the last ten for n <= 0, oldest first. This session comes after
// all others, also those that began later.
func (h *History) Tail(n int) []Cell {
	if n <= 0 {
		n = defaultTail
	}
	return h.last(n, func([]byte) bool { return true })
}

// Search returns the cells whose whole input matches a glob, in the order of Tail: the last n, or
// all for n <= 0. Of cells with equal inputs it returns the newest one alone if unique is set.
func (h *History) Search(pattern string, n int, unique bool) []Cell {
	g := compileGlob(pattern)
	if !unique {
		return h.last(n, g.match)
	}
	seen := make(map[string]bool)
	return h.last(n, func(input []byte) bool {
		if !g.match(input) || seen[string(input)] {
			return false
		}
		seen[string(input)] = true
		return true
	})
}

// last returns the last n cells whose input is wanted, or all for n <= 0.
func (h *History) last(n int, wanted func(input []byte) bool) []Cell {
	var found []Cell
	full := func() bool { return n > 0 && len(found) == n }
	h.disk.Lock()
	defer h.disk.Unlock()
	session, pending := h.settle()
	for _, c := range slices.Backward(pending) {
		if full() {
			break
		}
		if wanted([]byte(c.Input)) {
			found = append(found, c)
		}
	}
	number := h.view(session, func(cells records, _ uint64) error {
		return cells.newestFirst(session, func(s stored) bool {
			if full() {
				return false
			}
			if wanted(s.input) {
				found = append(found, s.cell())
			}
			return true
		})
	})
	slices.Reverse(found)
	return numbered(found, number)
}

// Range returns the cells of one session from the line start to the line before stop, or to the end
// for stop <= 0. Session 0 is this one, -1 the one before it and so on; this session, while it has
// no cells, is the one after the newest.
func (h *History) Range(session, start, stop int) []Cell {
	within := func(line int) bool { return line >= start && (stop <= 0 || line < stop) }
	var found []Cell
	h.disk.Lock()
	defer h.disk.Unlock()
	own, pending := h.settle()
	number := h.view(own, func(cells records, own uint64) error {
		asked := absolute(session, own)
		if asked <= 0 {
			return nil
		}
		return cells.from(uint64(asked), start, func(s stored) bool {
			if s.session != uint64(asked) || !within(s.line) {
				return false
			}
			found = append(found, s.cell())
			return true
		})
	})
	if absolute(session, number) == int(number) {
		for _, c := range pending {
			if within(c.Line) {
				found = append(found, c)
			}
		}
		// Cells of subshells end in any order.
		slices.SortStableFunc(found, func(a, b Cell) int { return cmp.Compare(a.Line, b.Line) })
	}
	return numbered(found, number)
}

// absolute returns the number of a session that may be counted from this one.
func absolute(session int, own uint64) int {
	if session <= 0 {
		session += int(own)
	}
	return session
}

// settle writes what is pending, if there is hope, and returns the number of this session in the
// file, or 0, and the cells that are not in the file. The caller holds disk.
func (h *History) settle() (session uint64, pending []Cell) {
	if h.store != nil {
		h.mu.Lock()
		hopeless := time.Now().Before(h.notBefore)
		h.mu.Unlock()
		if !hopeless {
			h.flush(lockPatience)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session, slices.Clone(h.pending)
}

// view runs f with the cells in the file, if there are any, and the number that this session has or
// would have, and returns that number. The caller holds disk.
func (h *History) view(session uint64, f func(cells records, own uint64) error) uint64 {
	number := max(session, 1)
	if h.store == nil {
		return number
	}
	err := h.store.read(lockPatience, func(cells records) error {
		if session == 0 {
			number = cells.Sequence() + 1
		}
		return f(cells, number)
	})
	if err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.fail(err)
	}
	return number
}

// numbered gives the cells of this session that are not in the file its number.
func numbered(cells []Cell, number uint64) []Cell {
	for i := range cells {
		if cells[i].Session == 0 {
			cells[i].Session = int(number)
		}
	}
	return cells
}
