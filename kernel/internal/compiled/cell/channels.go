package cell

import "iter"

// Receive is <-c, and ends when the cell is stopped.
func Receive[T any](c <-chan T) T {
	v, _ := ReceiveOK(c)
	return v
}

// ReceiveOK is Receive with two results.
func ReceiveOK[T any](c <-chan T) (T, bool) {
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

// Send is c <- v, and ends when the cell is stopped.
func Send[T any](c chan<- T, v T) {
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

// Range returns the sequence for a loop over a channel.
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

// SendTo is Send for a value whose type is not that of the channel's elements: the type comes from
// the channel alone.
func SendTo[T any](c chan<- T) func(T) {
	return func(v T) { Send(c, v) }
}
