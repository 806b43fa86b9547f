package emit

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"

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
