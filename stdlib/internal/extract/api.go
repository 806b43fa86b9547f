package extract

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// API describes the exports of a package, one line per object, field and method, sorted: importers
// type-check in the same way against two packages with the same description.
func API(pkg *types.Package) []string {
	var lines []string
	qualify := (*types.Package).Path
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		tn, isType := obj.(*types.TypeName)
		if !isType {
			lines = append(lines, types.ObjectString(obj, qualify))
			if c, isConst := obj.(*types.Const); isConst {
				lines = append(lines, name+" = "+value(c.Val()))
			}
			continue
		}
		named, isNamed := tn.Type().(*types.Named)
		if !isNamed {
			lines = append(lines, types.ObjectString(obj, qualify))
			continue
		}
		lines = append(lines, fmt.Sprintf("type %s%s", name, typeParams(named, qualify)))
		switch u := named.Underlying().(type) {
		case *types.Struct:
			for i := range u.NumFields() {
				if f := u.Field(i); f.Exported() {
					lines = append(lines, fmt.Sprintf("field %s.%s %q", name, types.ObjectString(f, qualify), u.Tag(i)))
				}
			}
		default:
			lines = append(lines, fmt.Sprintf("underlying %s %s", name, types.TypeString(u, qualify)))
		}
		if types.Comparable(named) {
			lines = append(lines, "comparable "+name)
		}
		// They include those of embedded fields.
		for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
			if m.Obj().Exported() {
				lines = append(lines, fmt.Sprintf("method %s.%s", name, types.ObjectString(m.Obj(), qualify)))
			}
		}
	}
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, "interface{}", "any")
	}
	slices.Sort(lines)
	return lines
}

// value formats a constant. It rounds floats, because export data hold them in one of several
// forms.
func value(v constant.Value) string {
	if v.Kind() == constant.Float {
		f, _ := constant.Float64Val(v)
		return fmt.Sprint(f)
	}
	return v.ExactString()
}

func typeParams(named *types.Named, qualify types.Qualifier) string {
	var params []string
	for p := range named.TypeParams().TypeParams() {
		params = append(params, p.Obj().Name()+" "+types.TypeString(p.Constraint(), qualify))
	}
	if len(params) == 0 {
		return ""
	}
	return "[" + strings.Join(params, ", ") + "]"
}
