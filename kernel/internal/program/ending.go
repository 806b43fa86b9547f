package program

import (
	"context"
	"reflect"
	"sync"
)

// An Ending makes the contexts that a cell gives to compiled packages end with the cell: most cells
// give them context.Background, and what they call would not notice an interrupt.
type Ending struct {
	number int
	cell   context.Context // ends when the cell is stopped

	mu     sync.Mutex
	merged map[context.Context]context.Context
}

// NewEnding returns that of the cell of a number, whose context is given.
func NewEnding(number int, cell context.Context) *Ending {
	return &Ending{number: number, cell: cell, merged: map[context.Context]context.Context{}}
}

// Context returns ctx as one that also ends when the cell is stopped.
func (e *Ending) Context(ctx context.Context) context.Context {
	switch {
	case ctx == nil || ctx.Value(cellKey{}) == e.number || ctx.Err() != nil:
		return ctx
	case ctx == context.Background() || ctx == context.TODO():
		return e.cell
	case ctx.Done() == nil:
		return valued{e.cell, ctx}
	}
	known := reflect.TypeOf(ctx).Kind() == reflect.Pointer
	e.mu.Lock()
	defer e.mu.Unlock()
	if known && e.merged[ctx] != nil {
		return e.merged[ctx]
	}
	merged, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.cell, func() { cancel(context.Cause(e.cell)) })
	if known {
		e.merged[ctx] = merged
	}
	context.AfterFunc(ctx, func() {
		stop()
		e.mu.Lock()
		defer e.mu.Unlock()
		if known {
			delete(e.merged, ctx)
		}
	})
	return merged
}

// A valued is the context of a cell with the values of another one.
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

// CellContext returns ctx as the context that the cell of a number knows as its own.
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
