package emit

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/state"
)

// describedTypes writes entries of the table of types for those that were described to the
// interpreter, by their numbers: values of them in interfaces can be carried over then. Those that
// the unit has no words for, such as types that are declared in functions, are left out.
func (u *Unit) describedTypes() []string {
	type entry struct {
		number int
		text   string
	}
	var list []entry
	u.Session.Identities.Numbers.Iterate(func(t types.Type, identity any) {
		key, ok := identity.(int)
		if !ok {
			return
		}
		if number, ok := u.Session.Described[key]; ok && number != 0 {
			if text, ok := u.spoken(t); ok {
				list = append(list, entry{number, text})
			}
		}
	})
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.number, b.number) })
	var entries []string
	for _, e := range list {
		entries = append(entries, fmt.Sprintf("\"%d\": %s.TypeFor[%s]()", e.number, u.alias("reflect", "reflect"), e.text))
	}
	return entries
}

// spoken writes a type, if the unit has words for it.
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

// implementations writes lists of values of the session's types as those interfaces that they
// implement, for the interfaces that the session's variables and types are made of.
//
// The compiler tells the types of what interfaces with methods hold by their method tables, of
// which it makes one for a type and an interface. The run time makes another where it converts such
// a value before there is one, as when variables are carried over or types are compiled anew, and
// that of a later cell would not be the same.
func (u *Unit) implementations(set *compilation) []string {
	var concrete, interfaces []types.Type
	seen := map[int]bool{}
	var note func(t types.Type)
	note = func(t types.Type) {
		id := u.Session.Identities.Of(t)
		if seen[id] {
			return
		}
		seen[id] = true
		if i, ok := t.Underlying().(*types.Interface); ok {
			if i.IsMethodSet() && i.NumMethods() > 0 {
				interfaces = append(interfaces, t)
			}
			return
		}
		named, ok := types.Unalias(t).(*types.Named)
		if ok && named.TypeParams().Len() > named.TypeArgs().Len() {
			return
		}
		if ok && state.IsSession(named.Obj()) {
			concrete = append(concrete, t, types.NewPointer(t))
		}
		if ok && !state.IsSession(named.Obj()) {
			return
		}
		switch t := t.Underlying().(type) {
		case *types.Map:
			note(t.Key())
			note(t.Elem())
		case *types.Struct:
			for f := range t.Fields() {
				note(f.Type())
			}
		case interface{ Elem() types.Type }:
			note(t.Elem())
		}
	}
	note(types.Universe.Lookup("error").Type())
	for _, spec := range set.types {
		if !spec.Object.IsAlias() {
			note(spec.Object.Type())
		}
	}
	for _, d := range slices.Concat(set.variables, set.moved, set.renewed) {
		note(d.Object.Type())
	}
	u.Session.Identities.Numbers.Iterate(func(t types.Type, identity any) {
		if key, ok := identity.(int); ok && u.Session.Described[key] != 0 {
			note(t)
		}
	})
	var lists []string
	for _, i := range interfaces {
		var values []string
		for _, t := range concrete {
			if !types.Implements(t, i.Underlying().(*types.Interface)) {
				continue
			}
			if text, ok := u.spoken(t); ok {
				values = append(values, "*new("+text+")")
			}
		}
		if len(values) == 0 {
			continue // the unit would import the package of the interface for nothing
		}
		if iface, ok := u.spoken(i); ok {
			slices.Sort(values)
			lists = append(lists, fmt.Sprintf("[]%s{%s}", iface, strings.Join(values, ", ")))
		}
	}
	slices.Sort(lists)
	return lists
}
