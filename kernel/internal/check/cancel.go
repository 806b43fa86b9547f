package check

import (
	"go/types"
	"runtime"
)

// Stopped is what the work on a cell panics with when the cell's context has ended. Who has set
// Checker.Context recovers it.
type Stopped struct{}

// StopIfCancelled ends the work on a cell whose context has ended.
func (c *Checker) StopIfCancelled() {
	if c.Context != nil && c.Context.Err() != nil {
		panic(Stopped{})
	}
}

// sizes returns the sizes of types, which go/types asks for at every constant: it knows no context,
// and ends where one of the functions that it calls does not return.
func (c *Checker) sizes() types.Sizes {
	return cancellableSizes{types.SizesFor("gc", runtime.GOARCH), c}
}

type cancellableSizes struct {
	types.Sizes
	checker *Checker
}

func (h cancellableSizes) Sizeof(t types.Type) int64 {
	h.checker.StopIfCancelled()
	return h.Sizes.Sizeof(t)
}
