package program

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
)

// An Ending makes the contexts that a cell passes to compiled packages end with the cell. Most
// cells pass context.Background, and the called code would not notice an interrupt.
type Ending struct {
	number int
	cell   context.Context // ends when the cell is stopped
	cancel context.CancelFunc

	given atomic.Bool

	mu     sync.Mutex // not held during methods of a context, which may be the cell's own
	merged map[context.Context]context.Context
	ends   map[context.Context]context.CancelFunc // of the derived contexts
}

// NewEnding returns the Ending of the cell with a number.
func NewEnding(number int) *Ending {
	e := &Ending{number: number, merged: map[context.Context]context.Context{}, ends: map[context.Context]context.CancelFunc{}}
	e.cell, e.cancel = context.WithCancel(context.Background())
	return e
}

// Cell returns the context that only End cancels.
func (e *Ending) Cell() context.Context { return e.cell }

// End ends the contexts of the cell. All are done when it returns.
func (e *Ending) End() {
	e.mu.Lock()
	e.cancel()
	ends := slices.Collect(maps.Values(e.ends))
	e.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

// Given reports whether the cell has passed a context to a compiled package.
func (e *Ending) Given() bool { return e.given.Load() }

// Context derives from ctx a context that also ends when the cell is stopped.
func (e *Ending) Context(ctx context.Context) context.Context {
	e.given.Store(true)
	switch {
	case ctx == nil || ctx.Value(cellKey{}) == e.number || ctx.Err() != nil:
		return ctx
	case ctx == context.Background() || ctx == context.TODO():
		return e.cell
	case ctx.Done() == nil:
		return valued{e.cell, ctx}
	}
	known := reflect.TypeOf(ctx).Kind() == reflect.Pointer
	if merged := e.find(ctx, known); merged != nil {
		return merged
	}
	merged, end := context.WithCancel(ctx)
	e.mu.Lock()
	over := e.cell.Err() != nil
	e.ends[merged] = end
	if known {
		e.merged[ctx] = merged
	}
	e.mu.Unlock()
	if over {
		end()
	}
	context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.ends, merged)
		if known {
			delete(e.merged, ctx)
		}
	})
	return merged
}

// find returns what Context has derived from ctx, if that is known.
func (e *Ending) find(ctx context.Context, known bool) context.Context {
	if !known {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.merged[ctx]
}

// A valued is the context of a cell with the values of another context.
type valued struct {
	context.Context
	values context.Context
}

func (v valued) Value(key any) any {
	if value := v.values.Value(key); value != nil {
		return value
	}
	return v.Context.Value(key)
}

type cellKey struct{}

// A cellContext is the context that a cell knows as its own.
type cellContext struct {
	context.Context
	number int
}

// CellContext returns ctx as the own context of the cell with a number.
func CellContext(ctx context.Context, number int) context.Context {
	return &cellContext{ctx, number}
}

func (c *cellContext) Value(key any) any {
	if key == (cellKey{}) {
		return c.number
	}
	return c.Context.Value(key)
}

func (c *cellContext) String() string { return "nb.Context" }
