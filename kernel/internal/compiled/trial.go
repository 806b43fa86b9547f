//go:build go1.26 && !go1.27 && (amd64 || arm64)

package compiled

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"github.com/hierml/notebook/kernel/internal/program"
)

// provenCensus returns a census of this process, if the run time is as it is expected to be:
// goroutines that are parked in operations on channels have been looked at, some have been roused,
// and the others have gone on as if nothing had been.
func provenCensus(all *tasks) (_ *census, err error) {
	at, err := runtimeVariables("runtime.allglen", "runtime.allgptr")
	if err != nil {
		return nil, err
	}
	// What is not where it is expected to be may be no address.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("goroutines cannot be looked at: %v", v)
		}
	}()
	c := &census{length: (*uintptr)(at[0]), list: (*unsafe.Pointer)(at[1])}
	self := (*runtimeG)(goroutineState())
	if !self.isSelf(all.relabel) || !slices.Contains(c.goroutines(), self) {
		return nil, errors.New("the run time keeps goroutines in another way")
	}
	return c, newTrial(c, all).run()
}

// isSelf reports whether g is the calling goroutine.
//
//go:norace
func (g *runtimeG) isSelf(relabel func()) bool {
	local := uintptr(unsafe.Pointer(&g))
	if g.low > local || local >= g.high || g.status != running || goroutine() != strconv.FormatUint(g.number, 10) {
		return false
	}
	defer program.SetLabel(program.Label())
	before := g.labels == program.Label()
	relabel()
	return before && g.labels == program.Label()
}

// A trial has goroutines that wait for two channels: for one to receive, for the other to send.
// Some belong to a task.
type trial struct {
	census  *census
	all     *tasks
	task    *task
	empty   chan int
	full    chan int
	begun   chan *runtimeG
	results chan string
}

func newTrial(c *census, all *tasks) *trial {
	t := &trial{
		census: c, all: all, task: newTask(0),
		empty: make(chan int), full: make(chan int, 1),
		begun: make(chan *runtimeG), results: make(chan string, 16),
	}
	t.full <- 1
	return t
}

// plainReceive and plainSend are operations that may be roused, as those of package cell.

//go:noinline
func (t *trial) plainReceive() string {
	v, ok := <-t.empty
	if unaware.remove(goroutineState()) {
		runtime.Goexit()
	}
	return fmt.Sprint(v, ok)
}

//go:noinline
func (t *trial) plainSend() string {
	t.full <- 3
	if unaware.remove(goroutineState()) {
		runtime.Goexit()
	}
	return "sent"
}

const trialTime = 10 * time.Second

// start starts a goroutine that waits in f, for the channel c, and returns when it does.
func (t *trial) start(labelled bool, c chan int, f func() string) error {
	go func() {
		if labelled {
			t.all.begin(t.task)
		}
		result := "ended"
		defer func() { t.results <- result }()
		t.begun <- (*runtimeG)(goroutineState())
		result = f()
	}()
	g := <-t.begun
	for begun := time.Now(); !g.isParked(c); runtime.Gosched() {
		if time.Since(begun) > trialTime {
			return errors.New("the run time parks goroutines in another way")
		}
	}
	return nil
}

// isParked reports whether g is the last that waits for a channel. It may be about to.
//
//go:norace
func (g *runtimeG) isParked(in chan int) bool {
	if !g.waits() {
		return false
	}
	w, q := g.parked()
	c := *(**runtimeChannel)(unsafe.Pointer(&in))
	return w != nil && uintptr(unsafe.Pointer(c)) == w.channel.address && q.last == w && w.next == nil &&
		q == map[uint8]*waiters{receiving: &c.receivers, sending: &c.senders}[g.waitReason] &&
		(w.prev == nil) == (q.first == w) && g.param == nil &&
		c.count == uint(len(in)) && c.size == uint(cap(in)) && c.closed == 0
}

func (t *trial) run() error {
	receive := func() string { return strconv.Itoa(<-t.empty) }
	send := func() string { t.full <- 2; return "2" }
	for _, w := range []struct {
		labelled bool
		c        chan int
		f        func() string
	}{
		{false, t.empty, receive},
		{true, t.empty, t.plainReceive},
		{true, t.empty, receive},
		{true, t.empty, t.plainReceive},
		{false, t.empty, t.plainReceive},
		{false, t.full, send},
		{true, t.full, t.plainSend},
	} {
		if err := t.start(w.labelled, w.c, w.f); err != nil {
			return err
		}
	}
	t.task.halted.Store(true)
	if n := t.census.rouse(t.all.stoppedLabels().has); n != 3 {
		return fmt.Errorf("%d goroutines can be roused, and not 3", n)
	}
	for v := range 3 {
		t.empty <- v
	}
	_, sent := <-t.full, <-t.full
	want := []string{"ended", "ended", "ended", "0", "1", "2 true", "2"}
	var got []string
	for range want {
		got = append(got, <-t.results)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || sent != 2 || len(t.full) != 0 {
		return fmt.Errorf("roused goroutines end otherwise than expected: %q, and not %q", got, want)
	}
	return nil
}
