package state

import (
	"go/types"
)

// functionOf returns the function that an object declares, nil for others.
func (s *Session) FunctionOf(obj types.Object) *Function {
	if f, ok := obj.(*types.Func); ok {
		return s.Funcs[f.Origin()]
	}
	return nil
}
