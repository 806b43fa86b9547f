package assist

import (
	"fmt"
	"go/format"
	"go/types"
	"slices"
	"strings"
)

// maxMembers is how many fields, and how many methods, the declaration of a type shows by default.
const maxMembers = 20

// declare writes the declaration of an object as Go does, without bodies, and with all members of a
// type or only the first.
func (v *view) declare(obj types.Object, all bool) string {
	name := v.qualified(obj)
	switch obj := obj.(type) {
	case *types.PkgName:
		return fmt.Sprintf("package %s // import %q", obj.Imported().Name(), obj.Imported().Path())
	case *types.Builtin:
		return v.doc("builtin", obj.Name()+"()")
	case *types.Nil:
		return "var nil Type"
	case *types.Const:
		if b, ok := obj.Type().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			return fmt.Sprintf("const %s = %s", name, obj.Val())
		}
		return fmt.Sprintf("const %s %s = %s", name, v.spell(obj.Type()), obj.Val())
	case *types.Var:
		if obj.IsField() {
			return fmt.Sprintf("field %s %s", obj.Name(), v.spell(obj.Type()))
		}
		return fmt.Sprintf("var %s %s", name, v.spell(obj.Type()))
	case *types.Func:
		return v.funcDeclaration(obj)
	case *types.TypeName:
		return v.typeDeclaration(obj, all)
	}
	return ""
}

// qualified returns the name of an object, with that of its package unless it is the notebook's.
func (v *view) qualified(obj types.Object) string {
	if obj.Pkg() == nil || obj.Pkg() == v.k.Pkg {
		return obj.Name()
	}
	return obj.Pkg().Name() + "." + obj.Name()
}

func (v *view) spell(t types.Type) string { return types.TypeString(t, v.qualify) }

func (v *view) funcDeclaration(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return "func " + v.qualified(f) + v.signature(f.Signature())
	}
	text := v.spell(recv.Type())
	if recv.Name() != "" {
		text = recv.Name() + " " + text
	}
	return fmt.Sprintf("func (%s) %s%s", text, f.Name(), v.signature(f.Signature()))
}

func (v *view) typeDeclaration(tn *types.TypeName, all bool) string {
	if b, ok := tn.Type().(*types.Basic); ok && tn.IsAlias() { // byte and rune
		return fmt.Sprintf("type %s = %s", tn.Name(), types.Typ[b.Kind()])
	}
	if tn == types.Universe.Lookup("any") {
		return "type any = interface{}"
	}
	if tn.IsAlias() {
		return fmt.Sprintf("type %s = %s", v.qualified(tn), v.spell(types.Unalias(tn.Type())))
	}
	named, ok := tn.Type().(*types.Named)
	if !ok { // a type parameter, or a predeclared type
		return fmt.Sprintf("type %s %s", tn.Name(), v.spell(tn.Type().Underlying()))
	}
	var lines []string
	var open string
	switch u := named.Underlying().(type) {
	case *types.Struct:
		open, lines = "struct", v.fieldLines(u, named.Obj(), all)
	case *types.Interface:
		open, lines = "interface", v.interfaceLines(u, named.Obj(), all)
	default:
		open = v.spell(u)
	}
	// A name with a period cannot be formatted.
	head := "type " + tn.Name() + v.typeParams(named.TypeParams()) + " " + open
	if len(lines) > 0 {
		head += " {\n" + strings.Join(spaced(cutList(lines, all, "fields")), "\n") + "\n}"
	} else if open == "struct" || open == "interface" {
		head += "{}"
	}
	if formatted, err := format.Source([]byte(head)); err == nil {
		head = string(formatted)
	}
	head = strings.Replace(head, "type "+tn.Name(), "type "+v.qualified(tn), 1)

	var methods []string
	for m := range named.Methods() {
		if m.Exported() || m.Pkg() == v.k.Pkg {
			methods = append(methods, v.funcDeclaration(m))
		}
	}
	slices.SortFunc(methods, func(a, b string) int { return strings.Compare(afterReceiver(a), afterReceiver(b)) })
	if len(methods) > 0 {
		head += "\n\n" + strings.Join(cutList(methods, all, "methods"), "\n")
	}
	return head
}

func afterReceiver(decl string) string {
	_, name, _ := strings.Cut(decl, ") ")
	return name
}

// cutList keeps the first lines of many.
func cutList(lines []string, all bool, what string) []string {
	if n := len(lines) - maxMembers; !all && n > 1 {
		return append(slices.Clone(lines[:maxMembers]), fmt.Sprintf("// and %d more %s", n, what))
	}
	return lines
}

// spaced returns lines with an empty one before those that have a comment above them.
func spaced(lines []string) []string {
	var out []string
	for i, line := range lines {
		if i > 0 && strings.Contains(line, "\n") {
			out = append(out, "")
		}
		out = append(out, line)
	}
	return out
}

// fieldLines writes the fields that cells can use, with their comments.
func (v *view) fieldLines(u *types.Struct, of *types.TypeName, all bool) []string {
	var lines []string
	hidden := false
	for i := range u.NumFields() {
		f := u.Field(i)
		if !f.Exported() && f.Pkg() != v.k.Pkg {
			hidden = true
			continue
		}
		line := f.Name() + " " + v.spell(f.Type())
		if f.Embedded() {
			line = v.spell(f.Type())
		}
		if tag := u.Tag(i); tag != "" && !strings.Contains(tag, "`") {
			line += " `" + tag + "`"
		}
		lines = append(lines, v.withComment(line, of, f, all))
	}
	if hidden {
		lines = append(lines, "// has unexported fields")
	}
	return lines
}

// interfaceLines writes the methods and the embedded types of an interface.
func (v *view) interfaceLines(u *types.Interface, of *types.TypeName, all bool) []string {
	var lines []string
	for e := range u.EmbeddedTypes() {
		lines = append(lines, v.spell(e))
	}
	hidden := false
	for m := range u.ExplicitMethods() {
		if !m.Exported() && m.Pkg() != v.k.Pkg {
			hidden = true
			continue
		}
		lines = append(lines, v.withComment(m.Name()+v.signature(m.Signature()), of, m, all))
	}
	if hidden {
		lines = append(lines, "// has unexported methods")
	}
	return lines
}

// withComment writes the line of a field or method of a type below its comment, or the first
// paragraph of that.
func (v *view) withComment(line string, of *types.TypeName, member types.Object, all bool) string {
	var text string
	if of.Pkg() != nil && of.Pkg() != v.k.Pkg {
		text = v.doc(of.Pkg().Path(), of.Name()+"."+member.Name())
	} else {
		text = v.commentOn(member)
	}
	text = strings.TrimSpace(text)
	if !all {
		text, _, _ = strings.Cut(text, "\n\n")
	}
	if text == "" {
		return line
	}
	return "// " + strings.ReplaceAll(text, "\n", "\n// ") + "\n" + line
}

// docName returns the key of an object in the documentation of its package; empty for undocumented
// objects.
func docName(obj types.Object) string {
	switch o := obj.(type) {
	case *types.Func:
		recv := o.Signature().Recv()
		if recv == nil {
			return o.Name()
		}
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := t.(*types.Named); ok {
			return named.Obj().Name() + "." + o.Name()
		}
		return ownerName(obj) + "." + o.Name()
	case *types.Var:
		if o.IsField() {
			return ownerName(o.Origin()) + "." + o.Name()
		}
	}
	return obj.Name()
}

// ownerName returns the name of the type in an object's package that declares it as a field or
// method.
func ownerName(member types.Object) string {
	if member.Pkg() == nil {
		return ""
	}
	scope := member.Pkg().Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		switch u := tn.Type().Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				if f == member {
					return name
				}
			}
		case *types.Interface:
			for m := range u.ExplicitMethods() {
				if m == member {
					return name
				}
			}
		}
	}
	return ""
}
