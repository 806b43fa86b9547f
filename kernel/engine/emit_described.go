package engine

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
)

// describedTypes writes entries of the table of types for those that were
// described to the interpreter, by their numbers: values of them in interfaces
// can be carried over then. Those that the unit has no words for, such as
// types that are declared in functions, are left out.
func (u *unit) describedTypes() []string {
	type entry struct {
		number int
		text   string
	}
	var list []entry
	u.session.identities.numbers.Iterate(func(t types.Type, identity any) {
		key, ok := identity.(int)
		if !ok {
			return
		}
		if number, ok := u.session.described[key]; ok && number != 0 {
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
func (u *unit) spoken(t types.Type) (text string, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, no := r.(unspoken); !no {
				panic(r)
			}
			text, ok = "", false
		}
	}()
	return u.typ(t), true
}
