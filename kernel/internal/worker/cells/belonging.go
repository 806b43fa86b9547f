package cells

import (
	"context"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"weak"

	"github.com/hierml/notebook/kernel/internal/program"
)

// A belonging tells to which cell a goroutine belongs. Go has no values that goroutines inherit,
// except the labels for its profiler. These are taken for it: their content is not looked at, only
// their address.
//
// A goroutine that the run time starts on its own account, as that of a finalizer, bears no label,
// nor does one that has been given others.
type belonging struct {
	// forgotten, if not nil, is called when no goroutine belongs to the cell of that number any
	// more. It must not wait for anything.
	forgotten func(number int)

	mu     sync.RWMutex
	cells  map[uintptr]*bearer // by the address of the label
	labels map[int]int         // how many labels there are, by the number of the cell
}

// A bearer is what a label says of its goroutines. When they have ended the label is collected, and
// one of the user's own may get its place before the cleanup has been here.
type bearer struct {
	cell  *Cell
	label weak.Pointer[byte]
}

func newBelonging(forgotten func(int)) *belonging {
	return &belonging{forgotten: forgotten, cells: map[uintptr]*bearer{}, labels: map[int]int{}}
}

// carry returns f made to belong, on whatever goroutine it is called, to the cell of the goroutine
// that calls carry. A goroutine that gets the label so keeps it.
func (b *belonging) carry(f func()) func() {
	label := program.Label()
	return func() {
		program.SetLabel(label)
		f()
	}
}

// adopt makes the calling goroutine, and those that it starts from now on, belong to the cell.
func (b *belonging) adopt(c *Cell) {
	b.label(c, pprof.Labels("cell", strconv.Itoa(c.Number)))
}

// renew gives the calling goroutine, and those that it starts from now on, labels whose address
// tells the same cell, or none.
func (b *belonging) renew(labels pprof.LabelSet) { b.label(b.cell(), labels) }

// label gives the calling goroutine labels whose address tells the cell, or none if c is nil.
func (b *belonging) label(c *Cell, labels pprof.LabelSet) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), labels))
	if c == nil {
		return
	}
	label := program.Label()
	of := &bearer{cell: c, label: weak.Make((*byte)(label))}
	b.mu.Lock()
	b.cells[uintptr(label)] = of
	b.labels[c.Number]++
	b.mu.Unlock()
	runtime.AddCleanup((*byte)(label), b.drop, dropped{uintptr(label), of})
}

// A dropped is a label that is no more.
type dropped struct {
	label  uintptr
	bearer *bearer
}

func (b *belonging) drop(d dropped) {
	number := d.bearer.cell.Number
	b.mu.Lock()
	if b.cells[d.label] == d.bearer { // and not a new label's that got the place
		delete(b.cells, d.label)
	}
	b.labels[number]--
	last := b.labels[number] == 0
	if last {
		delete(b.labels, number)
	}
	b.mu.Unlock()
	if last && b.forgotten != nil {
		b.forgotten(number)
	}
}

// cell returns the cell of the calling goroutine, nil if it has none. A coroutine that a library
// has made with iter.Pull bears the label of the cell that made it for ever: when that cell has
// ended, another one resumes it, and which one is not known.
func (b *belonging) cell() *Cell {
	label := uintptr(program.Label())
	b.mu.RLock()
	of := b.cells[label]
	b.mu.RUnlock()
	if of == nil || of.label.Value() == nil || of.cell.Ended() && inCoroutine() {
		return nil
	}
	return of.cell
}

// inCoroutine reports whether the calling goroutine is a coroutine whose label is not passed on as
// program.Coroutine does.
func inCoroutine() bool {
	const (
		start  = "runtime.corostart"
		passed = "github.com/hierml/notebook/kernel/internal/program.(*Coroutine).Body"
	)
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			switch f, more = frames.Next(); f.Function {
			case passed:
				return false
			case start:
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// alive reports whether goroutines belong to the cell of that number.
func (b *belonging) alive(number int) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.labels[number] > 0
}
