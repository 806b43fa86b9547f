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
