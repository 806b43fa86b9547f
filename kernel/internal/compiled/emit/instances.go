package emit

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/hierml/notebook/kernel/internal/state"
)

// instances are the types and functions in statements of cells that have no declaration: instances
// of generic ones, and struct types. Interfaces may hold values of them.
type instances struct {
	types     typeutil.Map
	functions []functionInstance
}

type functionInstance struct {
	fn   *state.Function
	args *types.TypeList
}

// note adds the instances in the text of a cell.
func (i *instances) note(s *state.Session, info *types.Info) {
	for id, instance := range info.Instances {
		switch obj := info.Uses[id].(type) {
		case *types.TypeName:
			i.types.Set(instance.Type, true)
		case *types.Func:
			if fn := s.FunctionOf(obj); fn != nil && fn.Receiver == nil {
				i.functions = append(i.functions, functionInstance{fn, instance.TypeArgs})
			}
		}
	}
	for _, x := range info.Types {
		if _, ok := x.Type.(*types.Struct); ok && x.IsValue() {
			i.types.Set(x.Type, true)
		}
	}
}

// keepInstances makes the unit contain the instances of its declarations: those types for which
// chosen is true, and those of its functions.
func (u *Unit) keepInstances(chosen func(types.Type) bool) {
	kept, texts := map[string]bool{}, map[string]bool{}
	u.instances.types.Iterate(func(t types.Type, _ any) {
		if !chosen(t) {
			return
		}
		if text, ok := u.spoken(t); ok {
			kept[u.alias("reflect", "reflect")+".TypeFor["+text+"]()"] = true
		}
	})
	for _, i := range u.instances.functions {
		if u.homes[i.fn].path != u.path || i.fn.Pending != nil {
			continue
		}
		var args []string
		for t := range i.args.Types() {
			if text, ok := u.spoken(t); ok && chosen(t) {
				args = append(args, text)
			}
		}
		if len(args) == i.args.Len() {
			texts[u.refer(u.homes[i.fn])+"["+strings.Join(args, ", ")+"]"] = true
		}
	}
	u.kept = slices.Sorted(maps.Keys(kept))
	if len(texts) > 0 {
		kept, list := "kept"+Mark, "[]"+u.predeclared("any")
		u.parts = append(u.parts, fmt.Sprintf("%svar %s %s\n", generated, kept, list))
		u.held = append(u.held, fmt.Sprintf("%s = %s{%s}", kept, list, strings.Join(slices.Sorted(maps.Keys(texts)), ", ")))
	}
}

// mentionsOwn reports whether a type mentions one that the unit declares, and no type parameter.
func (u *Unit) mentionsOwn(t types.Type) bool {
	own := false
	return consists(t, func(obj types.Object) bool {
		own = own || u.homes[obj].path == u.path
		return true
	}) && own
}

// declares reports whether the unit declares all types of the session that a type mentions, and the
// type mentions no type parameter.
func (u *Unit) declares(t types.Type) bool {
	return consists(t, func(obj types.Object) bool { return u.homes[obj].path == u.path })
}

// consists reports whether a type mentions no type parameter, and only chosen types of the session.
func consists(t types.Type, chosen func(types.Object) bool) bool {
	switch t := t.(type) {
	case *types.Basic:
		return t.Info()&types.IsUntyped == 0
	case *types.Alias:
		return consists(types.Unalias(t), chosen)
	case *types.Named:
		if obj := t.Origin().Obj(); state.IsSession(obj) && !chosen(obj) {
			return false
		}
		for arg := range t.TypeArgs().Types() {
			if !consists(arg, chosen) {
				return false
			}
		}
		return true
	case *types.Map:
		return consists(t.Key(), chosen) && consists(t.Elem(), chosen)
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		return consists(t.Elem(), chosen)
	case *types.Struct:
		for f := range t.Fields() {
			if !consists(f.Type(), chosen) {
				return false
			}
		}
		return true
	case *types.Signature:
		return consists(t.Params(), chosen) && consists(t.Results(), chosen)
	case *types.Tuple:
		for v := range t.Variables() {
			if !consists(v.Type(), chosen) {
				return false
			}
		}
		return true
	case *types.Interface:
		return t.Empty()
	}
	return false
}

// spoken writes a type, if the unit can name it.
func (u *Unit) spoken(t types.Type) (text string, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, no := r.(state.Unspoken); !no {
				panic(r)
			}
			text, ok = "", false
		}
	}()
	return u.Typ(t), true
}
