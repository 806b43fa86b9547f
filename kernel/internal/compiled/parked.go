//go:build go1.26 && !go1.27 && (amd64 || arm64)

package compiled

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"
)

// What follows is the run time's own, as it is in the version of Go that the file is built for:
// runtime2.go and chan.go. Fields that are not named here are left out by their size. The trial
// (trial.go) looks at goroutines of its own before any other is touched, and TestLayout compares
// with what the compiler tells debuggers of the run time.

// A runtimeG is what the run time keeps of a goroutine.
type runtimeG struct {
	low, high  uintptr // the stack
	_          [5]uintptr
	sched      savedRegisters
	_          [4]uintptr
	param      unsafe.Pointer
	status     uint32
	_          uint32
	number     uint64
	_          [2]uintptr
	waitReason uint8
	_          [143]byte
	waiting    *waiter
	_          [3]uintptr
	labels     unsafe.Pointer
}

// savedRegisters are those of a goroutine that does not run.
type savedRegisters struct{ _, _, _, _, _, frame uintptr }

// A waiter is a goroutine's place in the queue of a channel.
type waiter struct {
	g          *runtimeG
	next, prev *waiter
	element    tracedPointer // where a value is sent from, or received to
	_          [2]int64
	_          uint32
	isSelect   bool
	success    bool
	_          uint16
	_          unsafe.Pointer
	waitlink   *waiter
	_          unsafe.Pointer
	channel    tracedPointer
}

// A tracedPointer is a pointer that can be hidden from the garbage collector.
type tracedPointer struct {
	pointer unsafe.Pointer
	address uintptr
}

// A runtimeChannel is what a channel is.
type runtimeChannel struct {
	count, size        uint
	_                  unsafe.Pointer
	_                  uint16
	closed             uint32
	timer, _           unsafe.Pointer // timer is not nil if the channel is that of one
	_                  [2]uint
	receivers, senders waiters
	_                  unsafe.Pointer
	lock               uintptr
}

// waiters is the queue of those who send, or of those who receive.
type waiters struct{ first, last *waiter }

// remove takes w out of the queue. It reports false if somebody else has: then he also readies the
// goroutine.
//
//go:norace
func (q *waiters) remove(w *waiter) bool {
	before, behind := w.prev, w.next
	if before == nil && behind == nil && q.first != w {
		return false
	}
	if before == nil {
		q.first = behind
	} else {
		before.next = behind
	}
	if behind == nil {
		q.last = before
	} else {
		behind.prev = before
	}
	w.next, w.prev = nil, nil
	return true
}

const (
	running = 2 // statuses of goroutines, after that of those that can run
	inCall  = 3 // of the operating system
	waiting = 4
	scanned = 0x1000 // by the garbage collector, besides another

	fromNil   = 15 // reasons to wait: a nil channel to receive from
	toNil     = 16
	noCases   = 17 // of a select statement
	selects   = 18
	receiving = 19
	sending   = 20
	condition = 21
	mutex     = 22
	readLock  = 23
	writeLock = 24
	group     = 25
)

// parked returns w, the place of a goroutine in the queue q, if it waits in a plain operation on a
// channel.
//
//go:norace
func (g *runtimeG) parked() (w *waiter, q *waiters) {
	w = g.waiting
	if !g.waits() || w == nil || w.g != g || w.isSelect || w.waitlink != nil || w.channel.address == 0 {
		return nil, nil
	}
	c := (*runtimeChannel)(w.channel.pointer)
	if uintptr(w.channel.pointer) != w.channel.address {
		return nil, nil
	}
	if g.waitReason == sending {
		return w, &c.senders
	}
	return w, &c.receivers
}

// waits reports whether a goroutine waits for a channel, in no select statement.
//
//go:norace
func (g *runtimeG) waits() bool {
	return atomic.LoadUint32(&g.status) == waiting && (g.waitReason == receiving || g.waitReason == sending)
}

// operation returns the function that does the operation in which a goroutine is parked: the first
// that is not of the run time, nor of the packages that lie between; empty if it is far away.
//
//go:norace
//go:nocheckptr
func (g *runtimeG) operation(between ...string) string {
	const word = unsafe.Sizeof(uintptr(0))
	frame := g.sched.frame
	for range 8 + 4*len(between) {
		if frame < g.low || frame > g.high-2*word || frame%word != 0 {
			return ""
		}
		words := *(**[2]uintptr)(unsafe.Pointer(&frame))
		f := runtime.FuncForPC(words[1] - 1)
		if f == nil {
			return ""
		}
		name := f.Name()
		within := func(pkg string) bool { return strings.HasPrefix(name, pkg+".") }
		if !within("runtime") && !slices.ContainsFunc(between, within) {
			return name
		}
		frame = words[0]
	}
	return ""
}

// rousable reports whether a function does operations that can be roused: one of package cell, or
// of the trial.
func rousable(function string) bool {
	name, ok := strings.CutPrefix(function, packagePath)
	name, _, _ = strings.Cut(name, "[") // of type arguments
	switch name {
	case "/cell.Receive", "/cell.ReceiveOK", "/cell.Send", ".(*trial).plainReceive", ".(*trial).plainSend":
		return ok
	}
	return false
}

// A census reads the run time's list of goroutines.
type census struct {
	length *uintptr
	list   *unsafe.Pointer
}

// goroutines returns all there have ever been. None is ever freed; the ended ones have no labels.
//
//go:norace
func (c *census) goroutines() []*runtimeG {
	length := atomic.LoadUintptr(c.length) // before the list, which only grows
	return unsafe.Slice((**runtimeG)(atomic.LoadPointer(c.list)), length)
}

// look counts the goroutines that belong, by their labels, and among them those that wait for
// nothing and those that may be parked. It looks at what changes meanwhile.
//
//go:norace
func (c *census) look(belongs func(label uintptr) bool) (living, active, parked int) {
	for _, g := range c.goroutines() {
		if belongs(uintptr(atomic.LoadPointer(&g.labels))) {
			living++
			switch {
			case g.waits():
				parked++
			case atomic.LoadUint32(&g.status)&^scanned < inCall:
				active++
			}
		}
	}
	return living, active, parked
}

// rouse readies the goroutines that belong, by their labels, and are parked in operations of package
// cell, and returns how many these were.
func (c *census) rouse(belongs func(label uintptr) bool) int {
	taken := c.takeOut(belongs)
	for _, g := range taken {
		unaware.add(unsafe.Pointer(g))
	}
	for _, g := range taken {
		goready(g, 0)
	}
	return len(taken)
}

// takeOut takes the goroutines that belong, by their labels, and are parked in operations of
// package cell, out of the queues of their channels. Each of them must be readied.
//
// belongs must not wait for anything.
func (c *census) takeOut(belongs func(label uintptr) bool) (taken []*runtimeG) {
	alone(func() { taken = c.takeOutAlone(belongs) })
	return taken
}

//go:norace
//go:nocheckptr
func (c *census) takeOutAlone(belongs func(label uintptr) bool) (taken []*runtimeG) {
	for _, g := range c.goroutines() {
		if !belongs(uintptr(g.labels)) {
			continue
		}
		w, q := g.parked()
		if w == nil || !rousable(g.operation()) || !q.remove(w) {
			continue
		}
		// So does the run time once a channel has served a goroutine.
		w.element = tracedPointer{}
		w.success = true
		g.param = unsafe.Pointer(w)
		taken = append(taken, g)
	}
	return taken
}

// alone calls f while no other goroutine runs, and none is within an operation on a channel other
// than parked. f must not wait for anything.
//
// There is one processor then, in Go's sense, and it stays with the calling goroutine. All others
// are where the run time may stop them, which is never while they hold the lock of a channel. It
// waits for a collection of garbage that is under way.
func alone(f func()) {
	processorsMu.Lock()
	defer processorsMu.Unlock()
	for done := false; !done; {
		processors := runtime.GOMAXPROCS(0)
		if processors > 1 {
			processors = runtime.GOMAXPROCS(1)
		}
		procPin()
		if runtime.GOMAXPROCS(0) == 1 { // and no cell has set it meanwhile
			f()
			done = true
		}
		procUnpin()
		if runtime.GOMAXPROCS(0) < processors {
			setProcessors(processors)
		}
	}
}

// ownProcessors is their number as the run time has chosen it for the machine.
var ownProcessors = runtime.GOMAXPROCS(0)

// setProcessors sets their number back. If it is the run time's own, that follows the machine again,
// which it does no more once the number was set.
func setProcessors(n int) {
	if n == ownProcessors && os.Getenv("GOMAXPROCS") == "" {
		runtime.SetDefaultGOMAXPROCS()
		return
	}
	runtime.GOMAXPROCS(n)
}

// Go keeps these functions of its own for others to use, see the run time's proc.go.
//
//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

//go:linkname goready runtime.goready
func goready(g *runtimeG, skip int)
