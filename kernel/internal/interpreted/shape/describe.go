package shape

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// Carried writes a value of a session type together with the description of its type, by which the
// bridge prints it as the compiled program would.
func (l *Shapes) Carried(text string, t types.Type, pos token.Pos) string {
	l.Pos = pos
	return fmt.Sprintf("%s.Carry(%d, %s)", Bridge, l.Describe(t), text)
}

// Describe tells the bridge about a type, once, and returns the number by which it knows it; 0 is
// for types that need no description.
func (l *Shapes) Describe(t types.Type) int {
	if l.Native(t) {
		return 0
	}
	t = types.Unalias(t)
	key := l.S.TypeNumber(t)
	if id, ok := l.Sent.described[key]; ok {
		if !l.describing[id] {
			l.methods(id, t) // those that were added since
			l.address(id, t)
		}
		return id
	}
	id := l.S.Unique()
	l.Sent.described[key] = id
	l.Later(func() { delete(l.Sent.described, key) })
	kind, elems, fields, embedded := "", []types.Type(nil), []string(nil), []string(nil)
	underlying := t.Underlying()
	if isInstance(t) {
		underlying = l.standIn(t.(*types.Named)).Underlying()
	}
	switch u := underlying.(type) {
	case *types.Struct:
		kind = "struct"
		for i := range u.NumFields() {
			fields = append(fields, u.Field(i).Name())
			elems = append(elems, u.Field(i).Type())
			if u.Field(i).Embedded() {
				embedded = append(embedded, strconv.Itoa(i))
			}
		}
	case *types.Pointer:
		kind, elems = "pointer", []types.Type{u.Elem()}
	case *types.Slice:
		kind, elems = "slice", []types.Type{u.Elem()}
	case *types.Array:
		kind, elems = "array", []types.Type{u.Elem()}
	case *types.Map:
		kind, elems = "map", []types.Type{u.Key(), u.Elem()}
	case *types.Chan:
		kind = "chan"
	case *types.Signature:
		kind = "func"
		for v := range u.Params().Variables() {
			elems = append(elems, v.Type())
		}
		for v := range u.Results().Variables() {
			elems = append(elems, v.Type())
		}
	case *types.Interface:
		kind = "interface"
		for m := range u.Methods() {
			fields = append(fields, m.Name())
		}
	default:
		kind = "basic"
	}
	ids := make([]string, len(elems))
	l.describing[id] = true // which elems may lead back to
	for i, e := range elems {
		ids[i] = strconv.Itoa(l.Describe(e))
	}
	delete(l.describing, id)
	name := RuntimeName(t)
	_, isNamed := t.(*types.Named)
	l.Setup = append(l.Setup, fmt.Sprintf("%s.Describe(%d, %q, %q, %v, []string{%s}, []int{%s})",
		Bridge, id, kind, name, isNamed, quoted(fields), strings.Join(ids, ", ")))
	if len(embedded) > 0 {
		l.Setup = append(l.Setup, fmt.Sprintf("%s.Embed(%d, []int{%s})", Bridge, id, strings.Join(embedded, ", ")))
	}
	l.methods(id, t)
	l.address(id, t)
	return id
}

// address tells the bridge, once, about the pointer type of a type, if it has methods of the
// pointer alone that the bridge calls of values.
func (l *Shapes) address(id int, t types.Type) {
	key := fmt.Sprintf("address %d", id)
	if l.Sent.Made[key] != "" || !worksByAddress(t) {
		return
	}
	l.Note(key, "known")
	l.Setup = append(l.Setup, fmt.Sprintf("%s.Address(%d, %d)", Bridge, id, l.Describe(types.NewPointer(t))))
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strconv.Quote(s)
	}
	return strings.Join(out, ", ")
}
