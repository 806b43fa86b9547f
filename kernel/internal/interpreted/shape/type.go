package shape

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
)

// Typ writes a type. It never depends on what a name means where the text ends up: every name it
// writes is unique in the session.
func (l *Shapes) Typ(t types.Type) string {
	l.C.StopIfCancelled()
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		switch t.Kind() {
		case types.UnsafePointer:
			l.Refuse(l.Pos, "unsafe.Pointer: the interpreter cannot run code that uses it")
		case types.UntypedNil, types.Invalid:
			l.Refuse(l.Pos, "a value without a type cannot be kept")
		}
		// By its kind: byte and uint8 are one type, which must have one name.
		return types.Typ[types.Default(t).(*types.Basic).Kind()].Name()
	case *types.Pointer:
		return "*" + l.Typ(t.Elem())
	case *types.Slice:
		return "[]" + l.Typ(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), l.Typ(t.Elem()))
	case *types.Map:
		return "map[" + l.Typ(t.Key()) + "]" + l.Typ(t.Elem())
	case *types.Chan:
		switch t.Dir() {
		case types.SendOnly:
			return "chan<- " + l.Typ(t.Elem())
		case types.RecvOnly:
			return "<-chan " + l.Typ(t.Elem())
		}
		return "chan (" + l.Typ(t.Elem()) + ")"
	case *types.Signature:
		return "func" + l.Signature(t, false)
	case *types.Struct:
		return l.structType(t)
	case *types.Interface:
		return l.interfaceType(t)
	case *types.Named:
		return l.declaredName(t)
	case *types.TypeParam:
		l.Refuse(l.Pos, "type parameter "+t.Obj().Name()+" outside its function")
	}
	l.Refuse(l.Pos, fmt.Sprintf("the interpreter has no type %s", t))
	return ""
}

// Signature writes parameters and results, with names p0, p1, ... for the parameters if they have
// to have names.
func (l *Shapes) Signature(sig *types.Signature, names bool) string {
	var b strings.Builder
	b.WriteByte('(')
	for i := range sig.Params().Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		if names {
			fmt.Fprintf(&b, "p%d ", i)
		}
		t := sig.Params().At(i).Type()
		if sig.Variadic() && i == sig.Params().Len()-1 {
			if s, ok := t.Underlying().(*types.Slice); ok {
				b.WriteString("..." + l.Typ(s.Elem()))
				continue
			}
		}
		b.WriteString(l.Typ(t))
	}
	b.WriteByte(')')
	b.WriteString(l.Results(sig))
	return b.String()
}

// Results writes the results of a function with a blank before them, in parentheses where there are
// several.
func (l *Shapes) Results(sig *types.Signature) string {
	n := sig.Results().Len()
	switch n {
	case 0:
		return ""
	case 1:
		return " " + l.Parenthesized(sig.Results().At(0).Type())
	}
	list := make([]string, n)
	for i := range n {
		list[i] = l.Typ(sig.Results().At(i).Type())
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// Parenthesized writes a type such that what follows it is not taken for a part of it.
func (l *Shapes) Parenthesized(t types.Type) string {
	s := l.Typ(t)
	if strings.HasPrefix(s, "func") || strings.HasPrefix(s, "<-") || strings.HasPrefix(s, "chan") {
		return "(" + s + ")"
	}
	return s
}

// structType writes a struct. Embedded fields become ordinary ones: lowered code selects promoted
// fields and methods by their whole path.
func (l *Shapes) structType(t *types.Struct) string {
	var b strings.Builder
	b.WriteString("struct {")
	seen := map[string]bool{}
	for i := range t.NumFields() {
		f := t.Field(i)
		if i > 0 {
			b.WriteByte(';')
		}
		name := FieldName(f)
		if seen[reflected(name)] {
			l.Refuse(l.Pos, fmt.Sprintf("a struct with fields %s and %s: the interpreter cannot tell them apart", f.Name(), "X"+f.Name()))
		}
		seen[reflected(name)] = true
		fmt.Fprintf(&b, " %s %s", name, l.Typ(f.Type()))
		tag := t.Tag(i)
		if !f.Exported() && !f.Embedded() {
			// At run time the field is exported.
			tag = `json:"-"`
		}
		if tag != "" {
			b.WriteString(" " + strconv.Quote(tag))
		}
	}
	b.WriteString(" }")
	return b.String()
}

// FieldName is the name of a field in lowered code.
func FieldName(f *types.Var) string {
	if f.Name() == "_" {
		return fmt.Sprintf("blank__%d", f.Pos())
	}
	return f.Name()
}

// reflected is the name that the interpreter gives a field at run time.
func reflected(name string) string {
	if token.IsExported(name) {
		return name
	}
	return "X" + name
}

// interfaceType writes an interface. Those of the session are erased: a value of one is held as an
// empty interface, and its methods are found by name (iface.go).
func (l *Shapes) interfaceType(t *types.Interface) string {
	if !t.IsMethodSet() {
		l.Refuse(l.Pos, "a constraint cannot be the type of a value")
	}
	return "interface{}"
}

// declaredName writes the name of a declared type.
func (l *Shapes) declaredName(t *types.Named) string {
	obj := t.Obj()
	if obj.Pkg() == nil {
		return obj.Name()
	}
	if !state.IsSession(obj) {
		if t.TypeArgs().Len() > 0 {
			s := l.standIn(t)
			if s == nil {
				l.NoStandIn(obj, l.Pos)
			}
			return l.Typ(s)
		}
		if !obj.Exported() {
			l.Refuse(l.Pos, fmt.Sprintf("a variable of type %s: the interpreter cannot use a type that is private to its package", types.TypeString(t, shortQualifier)))
		}
		if obj.Pkg().Path() == "runtime" && obj.Name() == "TypeAssertionError" {
			l.Refuse(l.Pos, "runtime.TypeAssertionError: in the interpreter, a failed assertion panics with a value that is only a runtime.Error")
		}
		return l.Use(obj.Pkg()) + "." + obj.Name()
	}
	if i, ok := t.Underlying().(*types.Interface); ok {
		return l.interfaceType(i)
	}
	if t.TypeArgs().Len() > 0 {
		return l.hoisted(t)
	}
	if d := l.S.ByObject[obj]; d != nil {
		l.EnsureType(d.Lowered, t)
		return d.Lowered
	}
	return l.hoisted(t)
}

func shortQualifier(p *types.Package) string { return p.Name() }

// Use makes an import available and returns its name.
func (l *Shapes) Use(pkg *types.Package) string {
	alias := l.Sent.alias(pkg, l.S.Numbers)
	if l.C.Foreign(check.PlainPath(pkg.Path())) { // imported while cells were compiled
		l.Refuse(l.Pos, "the interpreter has no package "+pkg.Path())
	}
	if !l.Sent.Imports[pkg.Path()] {
		l.Sent.Imports[pkg.Path()] = true
		l.Later(func() { delete(l.Sent.Imports, pkg.Path()) })
		l.Imports = append(l.Imports, fmt.Sprintf("import %s %q", alias, pkg.Path()))
	}
	return alias
}

// declareType declares a type of the session by a name.
func (l *Shapes) declareType(name string, t types.Type) {
	underlying := t.Underlying()
	if t := endless(underlying, map[types.Type]bool{}); t != nil {
		l.Refuse(t.Obj().Pos(), fmt.Sprintf("type %s refers to itself without a struct in between: the interpreter cannot make such a type", t.Obj().Name()))
	}
	if tangled(underlying, t, true) {
		l.Refuse(l.Pos, fmt.Sprintf("type %s refers to itself in lists of functions, or in the keys of a map: the interpreter cannot make such a type", typed.Shown(t)))
	}
	text := l.Typ(underlying)
	l.Types = append(l.Types, fmt.Sprintf("type %s %s", name, text))
	l.Declared = append(l.Declared, Declared{name, t})
}

// tangled reports a type that is reached from the struct it is within functions that are not
// themselves fields, or within the keys of maps.
func tangled(t, self types.Type, field bool) bool {
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		_, signature := u.Underlying().(*types.Signature)
		return signature && tangled(u.Underlying(), self, field)
	case *types.Struct:
		for i := range u.NumFields() {
			if tangled(u.Field(i).Type(), self, field) {
				return true
			}
		}
	case *types.Signature:
		return !field && state.PartOf(self, u)
	case *types.Map:
		return state.PartOf(self, u.Key()) || tangled(u.Elem(), self, false)
	case interface{ Elem() types.Type }:
		return tangled(u.Elem(), self, false)
	}
	return false
}

// endless returns a session type that is reached from itself without a struct on the way.
func endless(t types.Type, seen map[types.Type]bool) *types.Named {
	any := func(list ...types.Type) *types.Named {
		for _, u := range list {
			if n := endless(u, seen); n != nil {
				return n
			}
		}
		return nil
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if !state.IsSession(t.Obj()) || types.IsInterface(t) {
			return nil
		}
		if seen[t] {
			return t
		}
		seen[t] = true
		defer delete(seen, t)
		return any(t.Underlying())
	case *types.Map:
		return any(t.Key(), t.Elem())
	case interface{ Elem() types.Type }:
		return any(t.Elem())
	case *types.Signature:
		return any(t.Params(), t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if n := any(v.Type()); n != nil {
				return n
			}
		}
	}
	return nil
}

// hoisted declares an instance of a generic type of the session, or a type that is declared inside
// a function: all its uses are by a name that no other type has.
func (l *Shapes) hoisted(t *types.Named) string {
	key := "type " + strconv.Itoa(l.S.TypeNumber(t))
	if name, ok := l.Sent.Made[key]; ok {
		return name
	}
	name := fmt.Sprintf("%s__t%d", state.InternalName(t.Obj().Name()), l.S.Unique())
	l.Note(key, name)
	l.declareType(name, t)
	return name
}

// Zero writes the zero value of a type.
func (l *Shapes) Zero(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return l.Typ(t) + "(false)"
		case u.Info()&types.IsString != 0:
			return l.Typ(t) + `("")`
		case u.Info()&types.IsNumeric != 0:
			return l.Typ(t) + "(0)"
		}
	case *types.Struct, *types.Array:
		return l.Typ(t) + "{}"
	}
	return "nil"
}
