package shape

import (
	"fmt"
	"go/types"
	"strings"
)

func Returning(sig *types.Signature, call string) string {
	if sig.Results().Len() > 0 {
		return "return " + call
	}
	return call
}

// forwarded lists the parameters that signature(sig, true) names.
func Forwarded(sig *types.Signature) string {
	args := make([]string, sig.Params().Len())
	for i := range args {
		args[i] = fmt.Sprintf("p%d", i)
	}
	if sig.Variadic() {
		args[len(args)-1] += "..."
	}
	return strings.Join(args, ", ")
}
