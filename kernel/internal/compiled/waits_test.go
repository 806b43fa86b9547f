package compiled

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

// interrupted runs a cell, interrupts it, and returns when it has ended. The cell says when.
func interrupted(t *testing.T, r *Runner, run func(interrupt func())) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, unitOf(1, func() { run(cancel) }))
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the cell was not stopped")
	}
}

// TestWaits holds that goroutines which wait in all ways end with their cell, by way of their
// deferred calls, some of which wait in turn, and that their channels serve others as before.
func TestWaits(t *testing.T) {
	r := New(Config{})
	never, text, full := make(chan int), make(chan string), make(chan *int, 2)
	var none chan int
	one := 1
	full <- &one
	full <- &one
	var locked sync.Mutex
	locked.Lock()
	var group sync.WaitGroup
	group.Add(1)
	waits := []func(){
		func() { cell.Receive(never) },
		func() { cell.ReceiveOK(text) },
		func() { cell.Receive(none) },
		func() { cell.Send(none, 1) },
		func() { cell.Range(never)(func(int) bool { return true }) },
		func() { cell.Send(full, nil) },
		func() { cell.SendTo[any](make(chan any))(1) },
		func() { cell.Receive(time.After(time.Hour)) },
		func() { cell.Lock(&locked) },
		func() { cell.Wait(&group) },
		func() { defer cell.Receive(never); cell.Receive(never) },
		func() { defer cell.Send(full, nil); defer cell.Receive(text); cell.Receive(never) },
	}
	for main := range waits {
		const each = 50
		var deferred atomic.Int32
		var all, begun sync.WaitGroup
		interrupted(t, r, func(interrupt func()) {
			wait := func(wait func()) {
				defer deferred.Add(1)
				begun.Done()
				wait()
				t.Error("a wait was over")
			}
			begun.Add(len(waits)*each + 1)
			for _, w := range waits {
				for range each {
					all.Go(func() { wait(w) })
				}
			}
			go func() {
				begun.Wait()
				interrupt()
			}()
			wait(waits[main])
		})
		all.Wait()
		if got := deferred.Load(); got != int32(len(waits)*each+1) {
			t.Errorf("%d deferred calls were made", got)
		}
	}
	locked.Unlock()
	group.Done()
	go func() { never <- 5; text <- "a"; close(text); full <- nil }()
	v, s := <-never, <-text
	_, open := <-text
	if a, b, c := <-full, <-full, <-full; v != 5 || s != "a" || open || a != &one || b != &one || c != nil {
		t.Errorf("the channels hold %v %v %v %v %v %v", v, s, open, a, b, c)
	}
}

// TestWaitsOfOthers holds that the stop of a cell leaves the goroutines of others alone which wait
// for the same channel: those of a cell that lives, and those of libraries, which know of no stop.
func TestWaitsOfOthers(t *testing.T) {
	r := New(Config{})
	shared := make(chan int)
	got := make(chan string, 100)
	wait := func(who string) { got <- fmt.Sprint(who, cell.Receive(shared)) }
	run := func(number int, who string) {
		if _, err := r.Run(t.Context(), unitOf(number, func() { go wait(who) })); err != nil {
			t.Error(err)
		}
	}
	run(2, "earlier")
	var stopped sync.WaitGroup
	interrupted(t, r, func(interrupt func()) {
		for range 3 {
			stopped.Go(func() { wait("stopped") })
		}
		go func() { got <- fmt.Sprint("library", <-shared) }()
		run(3, "later")
		interrupt()
		wait("main")
	})
	stopped.Wait()
	for n := range 3 {
		shared <- n
	}
	seen := map[string]bool{}
	for range 3 {
		who := <-got
		seen[who[:len(who)-1]] = true
	}
	if !seen["earlier"] || !seen["later"] || !seen["library"] || len(got) > 0 {
		t.Errorf("%v were served, and %d more", seen, len(got))
	}
}

// TestLateWait holds that a goroutine which a library keeps beyond the stop of its cell ends at its
// next operation.
func TestLateWait(t *testing.T) {
	r := New(Config{})
	blocked, ended := make(chan int), make(chan bool)
	interrupted(t, r, func(interrupt func()) {
		go func() {
			defer close(ended)
			<-blocked // as in a library
			cell.Receive(make(chan int))
		}()
		interrupt()
		cell.Receive(make(chan int))
	})
	blocked <- 1
	<-ended
}

// TestPlaceOfFreedLabel holds that a label which gets the place of a freed one is not taken for it,
// though the cleanup of that has not run yet.
func TestPlaceOfFreedLabel(t *testing.T) {
	all := newTasks(nil)
	defer program.SetLabel(program.Label())
	all.relabel(pprof.Labels())
	freed := weak.Make(&new([64]byte)[0])
	for freed.Value() != nil {
		runtime.GC()
	}
	stopped := newTask(1)
	stopped.halted.Store(true)
	place := uintptr(program.Label())
	all.replace(func(labels map[uintptr]*bearer) { labels[place] = &bearer{task: stopped, label: freed} })
	if b := all.bearer(); b.task != nil {
		t.Errorf("the goroutine is taken for one of cell %d", b.task.cell)
	}
	all.label(bearer{task: stopped})
	if b := all.bearer(); b.task != stopped {
		t.Errorf("the goroutine is taken for one of %v", b.task)
	}
}

// TestStopAtAnyTime interrupts cells at any time while their goroutines send and receive, and
// goroutines of a cell that lives take part: every value that an operation says it has sent is
// received once, and no other.
func TestStopAtAnyTime(t *testing.T) {
	rounds := 20
	if testrun.Long() {
		rounds = 1000
	}
	r := New(Config{})
	for _, size := range []int{0, 1, 5} {
		for range rounds {
			stopAtAnyTime(t, r, size)
		}
	}
}

func stopAtAnyTime(t *testing.T, r *Runner, size int) {
	c := make(chan int64, size)
	var sent, received atomic.Int64
	send := func() {
		for {
			cell.Check()
			v := 1 + rand.Int64N(1000)
			cell.Send(c, v)
			sent.Add(v)
		}
	}
	receive := func() {
		for {
			cell.Check()
			received.Add(cell.Receive(c))
		}
	}
	// A cell that lives takes part, until it is told.
	enough := make(chan bool)
	var living sync.WaitGroup
	if _, err := r.Run(t.Context(), unitOf(2, func() {
		for range 2 {
			living.Go(func() {
				for {
					select {
					case c <- 1:
						sent.Add(1)
					case v := <-c:
						received.Add(v)
					case <-enough:
						return
					}
				}
			})
		}
	})); err != nil {
		t.Fatal(err)
	}
	var stopped sync.WaitGroup
	interrupted(t, r, func(interrupt func()) {
		for range rand.IntN(4) {
			stopped.Go(send)
		}
		for range rand.IntN(4) {
			stopped.Go(receive)
		}
		time.AfterFunc(time.Duration(rand.IntN(300))*time.Microsecond, interrupt)
		receive()
	})
	stopped.Wait()
	close(enough)
	living.Wait()
	close(c)
	for v := range c {
		received.Add(v)
	}
	if sent.Load() != received.Load() {
		t.Errorf("sent %d and received %d", sent.Load(), received.Load())
	}
}
