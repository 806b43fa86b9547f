package lower

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
)

// recall writes the values of an output.
func (b *body) recall(out *state.Output) string {
	values := make([]string, len(out.Types))
	for i, t := range out.Types {
		value := fmt.Sprintf("%s.Kept(%d, %d)", shape.Bridge, out.Cell, i)
		switch {
		case types.IsInterface(t):
			values[i] = b.convert(value, types.Universe.Lookup("any").Type(), t, b.l.Pos)
		default:
			typ := b.l.Typ(t)
			values[i] = fmt.Sprintf("func(x interface{}) %s { var v %s; %s.Take(x, &v); return v }(%s)", typ, typ, shape.Bridge, value)
		}
	}
	if len(values) == 1 {
		return values[0]
	}
	list := make([]string, len(values))
	for i, t := range out.Types {
		list[i] = b.l.Typ(t)
	}
	return "func() (" + strings.Join(list, ", ") + ") { return " + strings.Join(values, ", ") + " }()"
}
