package structured

import (
	"context"
	"sync/atomic"
)

type followKey struct{}

// Followed returns a context in which Build and Certify report progress. tell is called, perhaps
// concurrently, with the completed share, from 0 to 1, of the pass over the features that computes
// the weights, and of the pass over the examples that evaluates them.
func Followed(ctx context.Context, tell func(evaluating bool, part float64)) context.Context {
	return context.WithValue(ctx, followKey{}, tell)
}

// follower counts what is done of a pass; nil where nobody is told.
type follower struct {
	tell       func(evaluating bool, part float64)
	evaluating bool
	all        int64
	done       atomic.Int64
}

// follow returns the follower that a context has for a pass over a number of features or examples.
func follow(ctx context.Context, evaluating bool, all int) *follower {
	tell, _ := ctx.Value(followKey{}).(func(evaluating bool, part float64))
	if tell == nil || all == 0 {
		return nil
	}
	return &follower{tell: tell, evaluating: evaluating, all: int64(all)}
}

// begin tells that the pass begins.
func (f *follower) begin() {
	if f != nil {
		f.tell(f.evaluating, 0)
	}
}

// add counts n more, and tells of every hundredth.
func (f *follower) add(n int) {
	if f == nil {
		return
	}
	const steps = 100
	done := f.done.Add(int64(n))
	if done*steps/f.all > (done-int64(n))*steps/f.all {
		f.tell(f.evaluating, float64(done)/float64(f.all))
	}
}
