package check

import (
	"go/types"
	"runtime"
)

// Stopped is the panic that ends the work on a cell whose context is done. The code that sets
// Checker.Context recovers it.
type Stopped struct{}

// StopIfCancelled ends the work on a cell whose context is done.
func (c *Checker) StopIfCancelled() {
	if c.Context != nil && c.Context.Err() != nil {
		panic(Stopped{})
	}
}

// sizes returns the sizes of types, which go/types asks for at every constant. go/types knows no
// context, but it ends if one of these functions panics.
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
