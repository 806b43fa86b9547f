package shape

import (
	"go/types"
)

// byAddress are the methods by which values encode, decode and show themselves.
var byAddress = []string{
	"MarshalJSON", "MarshalText", "IsZero", "UnmarshalJSON", "UnmarshalText",
	"MimeBundle", "HTML", "Markdown", "LaTeX", "SVG", "PNG", "JPEG",
}

// worksByAddress reports a session type that encodes, decodes or shows itself only
// where it has an address.
func worksByAddress(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || types.IsInterface(named) {
		return false
	}
	values, pointers := types.NewMethodSet(named), types.NewMethodSet(types.NewPointer(named))
	for _, name := range byAddress {
		if pointers.Lookup(nil, name) != nil && values.Lookup(nil, name) == nil {
			return true
		}
	}
	return false
}
