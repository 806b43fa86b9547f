package compiled

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A rouser ends the waits of stopped goroutines in plain operations on channels, see package cell.
// It sweeps: it looks for them among all goroutines of the process, until none is left that has to
// end. A goroutine that is on its way to wait when its task is stopped, or is called by a library
// that does something else at the time, is found by a later sweep.
type rouser struct {
	// census is nil while goroutines cannot be roused. tried is closed when that is settled.
	census atomic.Pointer[census]
	tried  chan struct{}

	mu       sync.Mutex
	sweeping bool
	stops    chan struct{} // has a token if tasks were stopped since it was last looked at
}

func newRouser() rouser {
	return rouser{tried: make(chan struct{}), stops: make(chan struct{}, 1)}
}

// Pauses between sweeps grow from the shortest to the longest while nobody is roused; to that for
// active goroutines while there are some.
const (
	shortestPause = time.Millisecond
	activePause   = 50 * time.Millisecond
	longestPause  = 10 * time.Second
)

// Asleep reports whether no goroutine of a cell can go on: all of them wait for others of them, and
// none for a timer. Only the function of a timer, a signal, or what the kernel is sent can still
// wake one. It reports false where goroutines cannot be looked at; see CannotRouse.
func (r *Runner) Asleep() bool {
	c := r.tasks.rouser.census.Load()
	return c != nil && c.asleep()
}

// stopped is told that goroutines have to end. It does not wait for them.
func (r *rouser) stopped(all *tasks) {
	c := r.census.Load()
	if c == nil {
		return
	}
	select {
	case r.stops <- struct{}{}:
	default:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sweeping {
		r.sweeping = true
		go r.sweep(c, all)
	}
}

// sweep sweeps until there are no goroutines that have to end. While some of them do not wait, they
// are to find that out by themselves, at a check or at an operation: those that are always served
// would never be found waiting.
func (r *rouser) sweep(c *census, all *tasks) {
	program.SetLabel(nil) // which may be that of a goroutine that has to end
	waited := 0           // for goroutines that are active
	for pause := shortestPause; ; {
		all.mu.Lock() // so that each bears a label that is known
		stopped := all.stoppedLabels()
		living, active, parked := c.look(stopped.has)
		all.mu.Unlock()
		wait := min(active, 1)
		cell.Stopping(wait - waited)
		waited = wait
		if living == 0 && r.rest() {
			return
		}
		if active > 0 {
			pause = min(pause, activePause)
		}
		if parked > 0 && c.rouse(stopped.has) > 0 {
			pause = shortestPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
			pause = min(2*pause, longestPause)
		case <-r.stops:
			pause = shortestPause
		}
		timer.Stop()
	}
}

// rest ends the sweeps, unless there were stops meanwhile.
func (r *rouser) rest() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.stops) > 0 {
		return false
	}
	r.sweeping = false
	return true
}

// processorsMu is held while the number of processors, in Go's sense, is not what it is to be.
var processorsMu sync.Mutex

// unaware holds the goroutines that were roused and do not know it yet.
var unaware rousedGoroutines

type rousedGoroutines struct {
	mu         sync.Mutex
	goroutines map[unsafe.Pointer]bool
}

// add is called before the goroutine runs.
func (u *rousedGoroutines) add(g unsafe.Pointer) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.goroutines == nil {
		u.goroutines = map[unsafe.Pointer]bool{}
	}
	u.goroutines[g] = true
	cell.Roused(1)
}

// remove is called by the goroutine. It reports whether it was roused.
func (u *rousedGoroutines) remove(g unsafe.Pointer) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.goroutines[g] {
		return false
	}
	delete(u.goroutines, g)
	cell.Roused(-1)
	return true
}

// proof is what is known of the process: one trial tells.
var proof struct {
	sync.Mutex
	done   bool
	census *census // nil if there is an error
	err    error
}

// prove tries, once in a process, whether goroutines can be roused, by rousing some that belong to
// none but the trial.
func prove(all *tasks) (*census, error) {
	proof.Lock()
	defer proof.Unlock()
	if !proof.done {
		proof.done = true
		if proof.census, proof.err = provenCensus(all); proof.err != nil {
			proof.census = nil
		} else {
			cell.Rouses()
		}
	}
	return proof.census, proof.err
}

// CannotRouse says why operations on channels wait in select statements in this program, which
// takes twice as long; nil if they do not.
func CannotRouse() error {
	_, err := prove(newTasks(nil))
	return err
}

// try settles whether goroutines can be roused. If they cannot, hierml doctor says why.
func (r *rouser) try(all *tasks) {
	defer close(r.tried)
	program.SetLabel(nil)
	if c, err := prove(all); err == nil {
		r.census.Store(c)
		r.stopped(all) // tasks may have been stopped before
	}
}
