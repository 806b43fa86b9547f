package state

import (
	"go/types"
)

func (s *TypeSpec) Shown(name string, pointer bool) string {
	if pointer {
		return "(*" + name + ")"
	}
	return name
}

// signatureOf returns the signature of a function in its lowered form, with
// the receiver as first parameter.
func SignatureOf(fn *Function) *types.Signature {
	return fn.Info.Defs[fn.Decl.Name].(*types.Func).Signature()
}
