package cell

import (
	"iter"
	"sync/atomic"
)

// Operations on channels wait in one of two ways. In a select statement with a case for the end of
// the cell, which is twice the time of an operation that waits; or plainly, as the user has written
// it, and then the host takes a goroutine whose cell is stopped out of the channel's queue: it
// rouses it. The operation returns to a function of this file without having been done, and the
// goroutine ends there. The host knows by the names of these functions, Receive, ReceiveOK and Send,
// which goroutines it may rouse; the compiler of cells inlines them.

var (
	// selecting is not 0 while operations wait in select statements: until the host can rouse, and
	// while a cell is being stopped, so that what has not begun to wait need not be roused.
	selecting atomic.Int32
	// roused is the number of goroutines that were roused and do not know it yet.
	roused atomic.Int32
)

func init() { selecting.Store(1) }

// Rouses says that the host rouses goroutines that wait for channels from now on.
func Rouses() { selecting.Add(-1) }

// Roused adds to the number of goroutines that were roused and do not know it yet. While it is not
// 0, operations on channels ask the host after they were done.
func Roused(goroutines int) { roused.Add(int32(goroutines)) }

//go:noinline
func wasRoused() { host().Roused() }

// Receive is <-c. The stop of the cell ends it.
func Receive[T any](c <-chan T) T {
	if c == nil || selecting.Load() != 0 {
		return receiveOneOrStop(c)
	}
	v := <-c
	if roused.Load() != 0 {
		wasRoused()
	}
	return v
}

// ReceiveOK is Receive with two results.
func ReceiveOK[T any](c <-chan T) (T, bool) {
	if c == nil || selecting.Load() != 0 {
		return receiveOrStop(c)
	}
	v, ok := <-c
	if roused.Load() != 0 {
		wasRoused()
	}
	return v, ok
}

//go:noinline
func receiveOneOrStop[T any](c <-chan T) T {
	v, _ := receiveOrStop(c)
	return v
}

// receiveOrStop is ReceiveOK by select statements.
//
//go:noinline
func receiveOrStop[T any](c <-chan T) (T, bool) {
	select {
	case v, ok := <-c:
		return v, ok
	default:
	}
	select {
	case v, ok := <-c:
		return v, ok
	case <-Done():
		Stop()
		panic("not reached")
	}
}

// Send is c <- v. The stop of the cell ends it.
func Send[T any](c chan<- T, v T) {
	if c == nil || selecting.Load() != 0 {
		sendOrStop(c, v)
		return
	}
	c <- v
	if roused.Load() != 0 {
		wasRoused()
	}
}

// sendOrStop is Send by select statements.
//
//go:noinline
func sendOrStop[T any](c chan<- T, v T) {
	select {
	case c <- v:
		return
	default:
	}
	select {
	case c <- v:
	case <-Done():
		Stop()
	}
}

// Selecting reports whether operations wait in select statements.
func Selecting() bool { return selecting.Load() != 0 }

// Range is what a loop over a channel ranges over.
func Range[T any](c <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, ok := ReceiveOK(c)
			if !ok || !yield(v) {
				return
			}
		}
	}
}

// SendTo is Send for a value whose type is not that of the channel's elements: it is found from the
// channel alone.
func SendTo[T any](c chan<- T) func(T) {
	return func(v T) { Send(c, v) }
}
