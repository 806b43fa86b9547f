package compiled

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	_ "plugin" // so that the program exports its symbols
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

// newRousing returns a runner that rouses goroutines, and looks at checks only for a short time once
// a stopped cell has ended, which leaves more to rousing.
func newRousing(t *testing.T) *Runner {
	t.Helper()
	r := New(Config{})
	r.tasks.linger = 5 * time.Millisecond
	<-r.tasks.rouser.tried
	if proof.err != nil {
		t.Fatalf("goroutines cannot be roused: %v", proof.err)
	}
	awaitPlain(r)
	t.Cleanup(func() { awaitPlain(r) }) // for what the process has once, others use
	return r
}

// awaitPlain waits until operations on channels wait plainly, and go on to: until no goroutine is
// left that has to end, and no cell is being stopped.
func awaitPlain(r *Runner) {
	awaitRest(r)
	awaitStop()
}

// awaitStop waits until no cell is being stopped.
func awaitStop() {
	for cell.Selecting() {
		time.Sleep(time.Millisecond)
	}
}

// awaitRest waits until no goroutine is left that has to end.
func awaitRest(r *Runner) {
	for {
		r.tasks.rouser.mu.Lock()
		sweeping := r.tasks.rouser.sweeping
		r.tasks.rouser.mu.Unlock()
		if !sweeping {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

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

// whenParked calls f once n goroutines of cells that belong to r wait in plain operations on
// channels.
func whenParked(r *Runner, n int, f func()) {
	labels := func(label uintptr) bool { return (*r.tasks.labels.Load())[label] != nil }
	for {
		if _, _, parked := r.tasks.rouser.census.Load().look(labels); parked >= n {
			f()
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// apart calls f in a goroutine that belongs to no cell.
func apart(f func()) {
	label := program.Label()
	program.SetLabel(nil)
	go f()
	program.SetLabel(label)
}

// Hundreds of goroutines that wait plainly in all ways end with their cell, by way of their deferred
// calls, some of which wait in turn. What they waited for serves others as if they had not been
// there.
func TestRouse(t *testing.T) {
	r := newRousing(t)
	never, text, full := make(chan int), make(chan string), make(chan *int, 2)
	one := 1
	full <- &one
	full <- &one
	waits := []func(){
		func() { cell.Receive(never) },
		func() { cell.ReceiveOK(text) },
		func() { cell.Range(never)(func(int) bool { return true }) },
		func() { cell.Send(full, nil) },
		func() { cell.SendTo[any](make(chan any))(1) },
		func() { cell.Receive(time.After(time.Hour)) },
		func() { cell.Receive(time.Tick(time.Hour)) },
		func() { defer cell.Receive(never); cell.Receive(never) },
		func() { defer cell.Send(full, nil); defer cell.Receive(text); cell.Receive(never) },
	}
	for main := range waits {
		awaitPlain(r)
		const each = 50
		var deferred atomic.Int32
		var all sync.WaitGroup
		interrupted(t, r, func(interrupt func()) {
			for _, wait := range waits {
				for range each {
					all.Add(1)
					go func() {
						defer all.Done()
						defer deferred.Add(1)
						wait()
						t.Error("a wait was over")
					}()
				}
			}
			apart(func() { whenParked(r, len(waits)*each+1, interrupt) })
			defer deferred.Add(1)
			waits[main]()
			t.Error("a wait was over")
		})
		all.Wait()
		if got := deferred.Load(); got != int32(len(waits)*each+1) {
			t.Errorf("%d deferred calls were made", got)
		}
	}
	awaitPlain(r)
	go func() { never <- 5; text <- "a"; close(text); full <- nil }()
	v, s := <-never, <-text
	_, open := <-text
	if a, b, c := <-full, <-full, <-full; v != 5 || s != "a" || open || a != &one || b != &one || c != nil {
		t.Errorf("the channels hold %v %v %v %v %v %v", v, s, open, a, b, c)
	}
}

// Goroutines that wait for a channel together with those of a stopped cell are left alone: those of
// an earlier cell, which lives, and those of libraries, which know of no stop.
func TestRouseLeavesOthers(t *testing.T) {
	r := newRousing(t)
	shared := make(chan int)
	got := make(chan string, 100)
	wait := func(who string) { got <- fmt.Sprint(who, cell.Receive(shared)) }
	if _, err := r.Run(t.Context(), unitOf(1, func() { go wait("earlier") })); err != nil {
		t.Fatal(err)
	}
	interrupted(t, r, func(interrupt func()) {
		for range 3 {
			whenParked(r, 1, func() { go wait("stopped") })
		}
		go func() { got <- fmt.Sprint("library", <-shared) }()
		whenParked(r, 5, func() {})
		if _, err := r.Run(t.Context(), unitOf(2, func() { go wait("later") })); err != nil {
			t.Error(err)
		}
		apart(func() { whenParked(r, 7, interrupt) })
		wait("main")
	})
	awaitStop()
	whenParked(r, 3, func() {})
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

// A goroutine that a library calls back after its cell was stopped ends at its next operation.
func TestRouseLate(t *testing.T) {
	r := newRousing(t)
	blocked, ended := make(chan int), make(chan bool)
	interrupted(t, r, func(interrupt func()) {
		go func() {
			defer close(ended)
			<-blocked // as in a library
			cell.Receive(make(chan int))
		}()
		whenParked(r, 1, interrupt)
		cell.Receive(make(chan int))
	})
	awaitStop()
	blocked <- 1
	<-ended
}

// A label that has got the place of a freed one is not taken for it, though the cleanup of that has
// not run yet.
func TestPlaceOfFreedLabel(t *testing.T) {
	all := newTasks(nil)
	defer program.SetLabel(program.Label())
	all.relabel()
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
	if all.stoppedLabels().has(place) {
		t.Error("the goroutine would be roused")
	}
	all.label(bearer{task: stopped})
	if b := all.bearer(); b.task != stopped || !all.stoppedLabels().has(uintptr(program.Label())) {
		t.Errorf("the goroutine is taken for one of %v", b.task)
	}
}

// Cells are interrupted at any time while their goroutines send and receive, collections of garbage
// run, and goroutines of a cell that lives take part: every value that an operation says it has sent
// is received once, and no other.
func TestRouseAtAnyTime(t *testing.T) {
	rounds := 20
	if testrun.Long() {
		rounds = 3000
	}
	r := newRousing(t)
	for _, processors := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			defer changeProcessors(changeProcessors(processors))
			for _, size := range []int{0, 1, 5} {
				for range rounds {
					anyTime(t, r, size)
					if t.Failed() {
						return
					}
				}
			}
			awaitRest(r)
			if got := changeProcessors(0); got != processors {
				t.Errorf("GOMAXPROCS is %d", got)
			}
		})
	}
}

// changeProcessors is runtime.GOMAXPROCS, but for the number that alone sets for its own time.
func changeProcessors(n int) int {
	processorsMu.Lock()
	defer processorsMu.Unlock()
	return runtime.GOMAXPROCS(n)
}

func anyTime(t *testing.T, r *Runner, size int) {
	c := make(chan *int, size)
	var sent, received atomic.Int64
	var nils atomic.Int32
	send := func() {
		for {
			cell.Check()
			v := 1 + rand.IntN(1000)
			cell.Send(c, &v)
			sent.Add(int64(v))
		}
	}
	take := func(v *int) {
		if v == nil {
			nils.Add(1)
			return
		}
		received.Add(int64(*v))
	}
	receive := func() {
		for {
			cell.Check()
			take(cell.Receive(c))
		}
	}
	var stopped sync.WaitGroup
	start := func(f func()) {
		stopped.Add(1)
		go func() {
			defer stopped.Done()
			f()
		}()
	}
	// A cell that lives takes part, until it is told.
	enough := make(chan bool)
	var living sync.WaitGroup
	if _, err := r.Run(t.Context(), unitOf(2, func() {
		for _, sends := range []bool{false, true} {
			living.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-enough:
						return
					default:
					}
					if v := 1; sends {
						select {
						case c <- &v:
							sent.Add(1)
						case <-enough:
						}
						continue
					}
					select {
					case v := <-c:
						take(v)
					case <-enough:
					}
				}
			})
		}
	})); err != nil {
		t.Fatal(err)
	}
	if rand.IntN(4) == 0 {
		living.Go(runtime.GC)
	}
	senders, receivers := rand.IntN(4), rand.IntN(4)
	after := time.Duration(rand.IntN(300)) * time.Microsecond
	interrupted(t, r, func(interrupt func()) {
		for range senders {
			start(send)
		}
		for range receivers {
			start(receive)
		}
		time.AfterFunc(after, interrupt)
		receive()
	})
	stopped.Wait()
	close(enough)
	living.Wait()
	close(c)
	for v := range c {
		take(v)
	}
	if sent.Load() != received.Load() || nils.Load() > 0 {
		t.Errorf("sent %d, received %d, and %d that nobody has sent", sent.Load(), received.Load(), nils.Load())
	}
	awaitPlain(r)
}
