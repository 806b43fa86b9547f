package shape

import (
	"go/types"
	"slices"

	"github.com/hierml/notebook/kernel/internal/state"
)

// The interpreter completes a type that refers to itself when it is laid out. Of several types that
// refer to each other it takes one for the other. So these are laid out before anything else is
// evaluated, those first that have others in them, and package interpreted corrects what they refer
// to.

// Recursive returns the declared structs that refer to others which refer to them, those that have
// others in them first.
func (l *Shapes) Recursive() []string {
	var structs, recursive []Declared
	for _, d := range l.Declared {
		if _, ok := d.Type.Underlying().(*types.Struct); ok {
			structs = append(structs, d)
		}
	}
	if len(structs) < 2 {
		return nil
	}
	reached := make([]map[types.Type]bool, len(structs))
	for i, d := range structs {
		reached[i] = map[types.Type]bool{}
		reach(d.Type.Underlying(), false, reached[i])
	}
	for i, d := range structs {
		if slices.ContainsFunc(structs, func(e Declared) bool {
			return e != d && reaches(reached[i], e.Type) && reaches(reached[slices.Index(structs, e)], d.Type)
		}) {
			recursive = append(recursive, d)
		}
	}
	var names []string
	var add func(d Declared)
	add = func(d Declared) {
		if slices.Contains(names, d.Name) {
			return
		}
		for _, e := range recursive {
			within := map[types.Type]bool{}
			if reach(e.Type.Underlying(), true, within); e != d && reaches(within, d.Type) {
				add(e)
			}
		}
		names = append(names, d.Name)
	}
	for _, d := range recursive {
		add(d)
	}
	return names
}

func reaches(reached map[types.Type]bool, t types.Type) bool {
	if reached[t] {
		return true
	}
	if named, ok := t.(*types.Named); ok && named.TypeArgs().Len() == 0 {
		return false // it is identical to itself alone
	}
	for r := range reached {
		if types.Identical(r, t) {
			return true
		}
	}
	return false
}

// reach notes the types of the session that a type mentions, or only those whose values are in its
// own.
func reach(t types.Type, values bool, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		if !state.IsSession(named.Obj()) && !InLowered(named) || reaches(seen, t) {
			return
		}
		seen[t] = true
	}
	var parts []types.Type
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			parts = append(parts, f.Type())
		}
	case *types.Array:
		parts = []types.Type{u.Elem()}
	}
	if !values {
		switch u := t.Underlying().(type) {
		case *types.Map:
			parts = []types.Type{u.Key(), u.Elem()}
		case interface{ Elem() types.Type }:
			parts = []types.Type{u.Elem()}
		case *types.Signature:
			for v := range u.Params().Variables() {
				parts = append(parts, v.Type())
			}
			for v := range u.Results().Variables() {
				parts = append(parts, v.Type())
			}
		}
	}
	for _, part := range parts {
		reach(part, values, seen)
	}
}
