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

// A belonging tells which cell a goroutine belongs to. Goroutines inherit nothing in Go except the
// labels for the profiler, so these are used. Only their address matters, not their content.
//
// Goroutines that the run time starts itself, such as those of finalizers, have no label. Nor does
// one that code has given other labels.
type belonging struct {
	// forgotten, if not nil, is called when the last goroutine of the cell with that number is
	// gone. It must not block.
	forgotten func(number int)

	mu     sync.RWMutex
	cells  map[uintptr]*bearer // by the address of the label
	labels map[int]int         // how many labels there are, by the number of the cell
}

// A bearer is what a label says about its goroutines. When they have ended, the label is collected.
// One of the user's own labels may then get its address before the cleanup runs.
type bearer struct {
	cell  *Cell
	label weak.Pointer[byte]
}

func newBelonging(forgotten func(int)) *belonging {
	return &belonging{forgotten: forgotten, cells: map[uintptr]*bearer{}, labels: map[int]int{}}
}

// carry returns a function that calls f on behalf of the cell of the goroutine that calls carry, on
// whatever goroutine it is called. That goroutine keeps the label.
func (b *belonging) carry(f func()) func() {
	label := program.Label()
	return func() {
		program.SetLabel(label)
		f()
	}
}

// adopt makes the calling goroutine belong to the cell, and those that it starts from now on.
func (b *belonging) adopt(c *Cell) {
	b.label(c, pprof.Labels("cell", strconv.Itoa(c.Number)))
}

// renew gives the calling goroutine new labels that identify the same cell, or none. Goroutines
// that it starts from now on inherit them.
func (b *belonging) renew(labels pprof.LabelSet) { b.label(b.cell(), labels) }

// label gives the calling goroutine labels that identify the cell, or none if c is nil.
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

// A dropped is a label that was collected.
type dropped struct {
	label  uintptr
	bearer *bearer
}

func (b *belonging) drop(d dropped) {
	number := d.bearer.cell.Number
	b.mu.Lock()
	if b.cells[d.label] == d.bearer { // and not that of a new label at the same address
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

// cell returns the cell of the calling goroutine, or nil. A coroutine that a library has made with
// iter.Pull keeps the label of the cell that made it. Once that cell has ended, another cell
// resumes the coroutine, and it is not known which.
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

// inCoroutine reports whether the calling goroutine is a coroutine that does not pass on its label
// as program.Coroutine does.
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

// alive reports whether goroutines belong to the cell with that number.
func (b *belonging) alive(number int) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.labels[number] > 0
}
