package shape

import (
	"go/types"

	"github.com/hierml/notebook/kernel/internal/state"
)

// EmbeddedPath writes the way through embedded fields that a selection takes, as far as it leads
// through types of the session, and returns the type it leads to. What is left of it inside a
// compiled type is found there by its name.
func (l *Shapes) EmbeddedPath(t types.Type, index []int) (text string, reached types.Type, rest *types.Var) {
	for n, i := range index {
		held := t
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return text, t, nil
		}
		if named, ok := types.Unalias(t).(*types.Named); ok && !state.IsSession(named.Obj()) && n < len(index)-1 {
			for _, j := range index[n:] {
				if p, ok := t.Underlying().(*types.Pointer); ok {
					t = p.Elem()
				}
				st := t.Underlying().(*types.Struct)
				rest = st.Field(j)
				t = rest.Type()
			}
			return text, t, rest
		}
		if private(t, st.Field(i)) {
			return text, held, nil
		}
		text += "." + FieldName(st.Field(i))
		t = st.Field(i).Type()
	}
	return text, t, nil
}
