package cells

import (
	"context"
	"iter"
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/program"
)

// What the package relies on Go for: goroutines inherit labels, also those that compiled code
// starts; labels are told apart by their address; and one that no goroutine bears any more is
// collected.
func TestBelonging(t *testing.T) {
	forgotten := make(chan int, 10)
	b := newBelonging(func(number int) { forgotten <- number })
	if b.cell() != nil {
		t.Error("a goroutine without a label belongs to a cell")
	}
	first, second := New(1, nil), New(2, nil)
	keep := make(chan struct{})
	var wg sync.WaitGroup
	for _, c := range []*Cell{first, second, New(3, nil)} {
		wg.Go(func() {
			b.adopt(c)
			if b.cell() != c {
				t.Errorf("the label of cell %d is not found: Go has changed how it keeps labels", c.Number)
			}
			inherited := make(chan *Cell)
			go func() {
				go func() {
					inherited <- b.cell()
					if c == first {
						<-keep
					}
				}()
			}()
			if got := <-inherited; got != c {
				t.Errorf("a goroutine of cell %d does not inherit its label: Go has changed that", c.Number)
			}
			ctx, cancel := context.WithCancel(t.Context())
			context.AfterFunc(ctx, func() { inherited <- b.cell() })
			cancel()
			if got := <-inherited; got != c {
				t.Errorf("a goroutine that compiled code starts for cell %d does not inherit its label", c.Number)
			}
			time.AfterFunc(0, b.carry(func() { inherited <- b.cell() }))
			if got := <-inherited; got != c {
				t.Errorf("a function that is carried to another goroutine does not belong to cell %d", c.Number)
			}
			pprof.Do(t.Context(), pprof.Labels("a", "b"), func(context.Context) {
				if b.cell() != nil {
					t.Error("a goroutine with labels of its own belongs to a cell")
				}
			})
		})
	}
	wg.Wait()
	got := map[int]bool{}
	for deadline := time.After(30 * time.Second); len(got) < 2; {
		runtime.GC()
		select {
		case n := <-forgotten:
			got[n] = true
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			t.Fatalf("forgotten: %v, want 2 and 3", got)
		}
	}
	if got[1] || !b.alive(1) || b.alive(2) {
		t.Errorf("forgotten: %v, want 2 and 3", got)
	}
	close(keep)
	testrun.Await(t, "the goroutine is collected", func() bool { runtime.GC(); return !b.alive(1) })
	if n := <-forgotten; n != 1 || len(b.cells) > 0 || len(b.labels) > 0 {
		t.Errorf("forgot %d, has %d labels of %d cells, want 1, 0, 0", n, len(b.cells), len(b.labels))
	}
}

// The coroutine of a library belongs to the cell that made it while that runs, and then to none:
// the main cell is taken for it. A goroutine keeps its cell.
func TestCoroutineOfALibrary(t *testing.T) {
	b := newBelonging(nil)
	first := New(1, nil)
	told := func(deep int) iter.Seq[*Cell] {
		return func(yield func(*Cell) bool) {
			for nested(deep, func() bool { return yield(b.cell()) }) {
			}
		}
	}
	var shallow, deep, passed func() (*Cell, bool)
	asked, answers := make(chan bool), make(chan *Cell)
	made := make(chan bool)
	go func() {
		b.adopt(first)
		shallow, _ = iter.Pull(told(1))
		deep, _ = iter.Pull(told(300))
		passed, _ = iter.Pull(func(yield func(*Cell) bool) {
			c := &program.Coroutine{}
			c.Resume()
			c.Body(func() { told(1)(yield) })
		})
		go func() {
			for range asked {
				answers <- b.cell()
			}
		}()
		made <- true
	}()
	<-made
	for _, ended := range []bool{false, true} {
		want := first
		if ended {
			first.End()
			want = nil
		}
		for name, next := range map[string]func() (*Cell, bool){"shallow": shallow, "deep": deep} {
			if got, _ := next(); got != want {
				t.Errorf("%s, ended %v: the coroutine belongs to %v, want %v", name, ended, got, want)
			}
		}
		if got, _ := passed(); got != first {
			t.Errorf("ended %v: a coroutine whose label is passed on belongs to %v", ended, got)
		}
		asked <- true
		if got := <-answers; got != first {
			t.Errorf("ended %v: the goroutine belongs to %v", ended, got)
		}
	}
}

func nested(depth int, f func() bool) bool {
	if depth == 0 {
		return f()
	}
	return nested(depth-1, f)
}

// TestBelongingOfCollectedLabel gives the labels of a user the place of those of a cell, which the
// garbage collector has freed, and whose cleanup has not been there.
func TestBelongingOfCollectedLabel(t *testing.T) {
	collected := weak.Make(&make([]byte, 64)[0])
	testrun.Await(t, "the label is collected", func() bool { runtime.GC(); return collected.Value() == nil })
	b := newBelonging(nil)
	pprof.Do(t.Context(), pprof.Labels("a", "b"), func(context.Context) {
		b.cells[uintptr(program.Label())] = &bearer{cell: New(1, nil), label: collected}
		if c := b.cell(); c != nil {
			t.Errorf("a goroutine with labels of its own belongs to cell %d", c.Number)
		}
	})
}
