package guarded_test

import (
	"sync/atomic"
	"testing"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

func TestPanicsReachTheCaller(t *testing.T) {
	var g guarded.Group
	var done atomic.Int32
	for i := range 4 {
		g.Go(func() {
			if i == 2 {
				panic("two")
			}
			done.Add(1)
		})
	}
	if g.Guard(func() { done.Add(1) }) != true {
		t.Error("a function that returns did not")
	}
	defer func() {
		if v := recover(); v != "two" || done.Load() != 4 {
			t.Errorf("panic %v after %d of 4", v, done.Load())
		}
	}()
	g.Wait()
	t.Error("no panic")
}

func TestGuardKeepsAPanic(t *testing.T) {
	var g guarded.Group
	if g.Guard(func() { panic(1) }) {
		t.Error("a function that panicked returned")
	}
	defer func() {
		if v := recover(); v != 1 {
			t.Errorf("panic %v", v)
		}
	}()
	g.Wait()
}

func TestEach(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 50} {
		var done [20]atomic.Int32
		guarded.Each(len(done), workers, func(item int) { done[item].Add(1) })
		for item := range done {
			if n := done[item].Load(); n != 1 {
				t.Errorf("%d workers: item %d was done %d times", workers, item, n)
			}
		}
		guarded.Each(0, workers, func(int) { t.Error("an item of none") })
		func() {
			defer func() {
				if v := recover(); v != "seven" {
					t.Errorf("%d workers: panic %v", workers, v)
				}
			}()
			guarded.Each(20, workers, func(item int) {
				if item == 7 {
					panic("seven")
				}
			})
		}()
	}
}

// Chunks visits every item once, in chunks that do not depend on the number of workers.
func TestChunks(t *testing.T) {
	for _, n := range []int{0, 1, guarded.ChunkSize, 5*guarded.ChunkSize + 3} {
		for _, workers := range []int{0, 1, 3, 50} {
			done := make([]atomic.Int32, n)
			guarded.Chunks(n, workers, func(worker, lo, hi int) {
				if worker < 0 || worker >= guarded.Workers(workers) || lo%guarded.ChunkSize != 0 || hi != min(lo+guarded.ChunkSize, n) {
					t.Errorf("%d items, %d workers: worker %d has items %d to %d", n, workers, worker, lo, hi)
				}
				for item := lo; item < hi; item++ {
					done[item].Add(1)
				}
			})
			for item := range done {
				if times := done[item].Load(); times != 1 {
					t.Errorf("%d items, %d workers: item %d was done %d times", n, workers, item, times)
				}
			}
		}
	}
}
