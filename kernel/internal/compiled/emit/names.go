package emit

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A setting is the context of text, which decides the names under which it calls functions.
type setting struct {
	info *types.Info
	// outlives says that the text is part of a method: it may run, without being compiled again,
	// after a function that it calls was declared again.
	outlives bool
	// becomes is the type that an expression is converted to, if it is written without its context.
	becomes types.Type
	// leftOut holds the checks for the errors that statements leave out.
	leftOut map[ast.Stmt]leftOut
}

// leftOut is the check for the error that a statement leaves out: the text that takes it, before a
// call or after the left side of an assignment, or in place of that side if aside is set, and the
// text after the statement.
type leftOut struct {
	taken, then string
	aside       bool
}

// text returns the user's text of a node with the names of the unit.
func (u *Unit) text(n ast.Node, p setting, more ...syntax.Edit) string {
	src, start := u.Within(n.Pos())
	end := start + int(n.End()-n.Pos())
	return u.part(n, src, start, end, p, more...)
}

// part returns the text from start to end, which is that of a node.
func (u *Unit) part(n ast.Node, src *syntax.Source, start, end int, p setting, more ...syntax.Edit) string {
	u.locate(n, p.info)
	u.local = declaredWithin(n, p.info)
	defer func() { u.local = nil }()
	all := u.guards(n, p)
	all = append(all, more...)
	var names syntax.Edits
	covered := Covered(all)
	replaced := func(n ast.Node) bool {
		s, offset := u.Within(n.Pos())
		return s == src && covered(offset, offset+int(n.End()-n.Pos()))
	}
	u.rename(n, p, replaced, func(at token.Pos, length int, text string) {
		if s, offset := u.Within(at); s == src {
			names = append(names, syntax.Edit{Start: offset, End: offset + length, Text: text})
		}
	})
	all = append(all, names...)
	all.Sort()
	return all.Apply(src.Text[start:end], start)
}

// Covered returns a function that reports whether an edit replaces a part of a text.
func Covered(all syntax.Edits) func(start, end int) bool {
	replacing := slices.DeleteFunc(slices.Clone(all), func(e syntax.Edit) bool { return e.Start >= e.End })
	slices.SortFunc(replacing, func(a, b syntax.Edit) int { return a.Start - b.Start })
	ends := make([]int, len(replacing)+1) // the last of the first edits
	for i, e := range replacing {
		ends[i+1] = max(ends[i], e.End)
	}
	return func(start, end int) bool {
		before := sort.Search(len(replacing), func(i int) bool { return replacing[i].Start >= end })
		return start < ends[before]
	}
}

// rename finds the names in a node that differ in the unit, except in replaced parts.
func (u *Unit) rename(root ast.Node, p setting, replaced func(ast.Node) bool, replace func(at token.Pos, length int, text string)) {
	literals := 0
	passed := map[*ast.FuncLit]bool{} // to functions that do not keep them
	var stack []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		u.StopIfCancelled()
		if n == nil {
			if lit, ok := stack[len(stack)-1].(*ast.FuncLit); ok && !passed[lit] {
				literals--
			}
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && u.l != nil && u.l.K != nil && u.l.K.Recalled[id.Name] != nil {
				replace(n.Pos(), int(n.End()-n.Pos()), u.recall(u.l.K.Recalled[id.Name].Shown))
				return false
			}
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && !replaced(sel.Sel) {
				if names := check.ParameterNames(n, p.info.Uses[sel.Sel], p.info); names != "" {
					replace(sel.Sel.Pos(), len(sel.Sel.Name), check.InteractLabelled)
					replace(n.Lparen, 1, "("+u.cell("Strings")+"("+names+"), ")
				}
			}
		case *ast.GenDecl:
			if text := u.constants(n, p.info); text != "" {
				replace(n.Pos(), int(n.End()-n.Pos()), text)
				return false
			}
		case *ast.BasicLit:
			u.quoteSource(n, replace)
		case *ast.Ident:
			if replaced(n) {
				break
			}
			if text := u.newName(n, p, literals > 0, stack); text != "" && text != n.Name {
				replace(n.Pos(), len(n.Name), text)
			}
		case *ast.FuncLit:
			passed[n] = literals == 0 && isPassed(n, p.info, stack)
			if !passed[n] {
				literals++
			}
		}
		stack = append(stack, n)
		return true
	})
}

// newName returns the unit's name for an identifier; empty if it stays the same.
func (u *Unit) newName(id *ast.Ident, p setting, literal bool, stack []ast.Node) string {
	src, offset := u.Within(id.Pos())
	if src == nil || !strings.HasPrefix(src.Text[min(offset, len(src.Text)):], id.Name) {
		return "" // a name from the check
	}
	obj := p.info.Uses[id]
	if obj == nil {
		obj = p.info.Defs[id]
	}
	switch obj := obj.(type) {
	case nil:
		return ""
	case *types.PkgName:
		return u.alias(obj.Imported().Path(), obj.Imported().Name())
	case *types.Func:
		if obj.Signature().Recv() != nil {
			return ""
		}
		if fn := u.Session.FunctionOf(obj); fn != nil {
			return u.callee(fn, (p.outlives || literal) && !u.escapes(fn))
		}
	case *types.Var:
		if obj.IsField() {
			return ""
		}
		if d := u.Session.ByObject[obj]; d != nil {
			return u.refer(u.home(d.Lowered))
		}
	case *types.TypeName, *types.Const:
		if u.Session.ByObject[obj] != nil {
			return u.refer(u.home(obj))
		}
		if obj.Parent() == types.Universe && u.names[id.Name] {
			return u.cellType(id.Name)
		}
	}
	if pkg := obj.Pkg(); pkg != nil && !state.IsSession(obj) && obj.Parent() == pkg.Scope() && !isSelected(id, stack) {
		return u.alias(pkg.Path(), pkg.Name()) + "." + obj.Name() // imported with a dot
	}
	return ""
}

// home returns the place of a declaration.
func (u *Unit) home(key any) home {
	h, ok := u.homes[key]
	if !ok {
		panic(fmt.Sprintf("the emission knows no place of %v", key))
	}
	return h
}

// isPassed reports whether a function literal is an argument of a standard library function that
// does not call it after it has returned.
func isPassed(lit *ast.FuncLit, info *types.Info, stack []ast.Node) bool {
	if len(stack) == 0 {
		return false
	}
	call, ok := stack[len(stack)-1].(*ast.CallExpr)
	if !ok || call.Fun == ast.Expr(lit) {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Signature().Recv() != nil || !slices.Contains([]string{"sort", "slices", "strings", "bytes"}, f.Pkg().Path()) {
		return false
	}
	for v := range f.Signature().Results().Variables() {
		if _, ok := v.Type().Underlying().(*types.Signature); ok {
			return false // an iterator
		}
	}
	return true
}

func isSelected(id *ast.Ident, stack []ast.Node) bool {
	if len(stack) == 0 {
		return false
	}
	sel, ok := stack[len(stack)-1].(*ast.SelectorExpr)
	return ok && sel.Sel == id
}

// callee returns the name with which the text calls a function.
func (u *Unit) callee(fn *state.Function, outlives bool) string {
	if fn.Pending != nil {
		u.l.Ready(fn)
	}
	if holders := u.holders[fn]; outlives && len(holders) > 0 {
		return u.refer(holders[len(holders)-1].home)
	}
	return u.refer(u.home(fn))
}

// recall writes the values of what a cell showed.
func (u *Unit) recall(out *state.Shown) string {
	kept := func(i int) string {
		return fmt.Sprintf("%s[%s](%d, %d)", u.cell("Kept"), u.Typ(out.Types[i]), out.Cell, i)
	}
	if len(out.Types) == 1 {
		return kept(0)
	}
	list, values := make([]string, len(out.Types)), make([]string, len(out.Types))
	for i, t := range out.Types {
		list[i], values[i] = u.Typ(t), kept(i)
	}
	return "func() (" + strings.Join(list, ", ") + ") { return " + strings.Join(values, ", ") + " }()"
}

// quoteSource writes the source of an earlier cell where the cell refers to it.
func (u *Unit) quoteSource(lit *ast.BasicLit, replace func(at token.Pos, length int, text string)) {
	src, offset := u.Within(lit.Pos())
	if src == nil || !strings.HasPrefix(src.Text[offset:], "In") {
		return
	}
	replace(lit.Pos(), strings.IndexByte(src.Text[offset:], ']')+1, lit.Value)
}

// constants writes a declaration of constants with their values, on its first line, if it repeats
// an expression containing a name that the declaration redefines; otherwise it returns nothing.
func (u *Unit) constants(d *ast.GenDecl, info *types.Info) string {
	if d.Tok != token.CONST {
		return ""
	}
	again := false
	own := map[string]bool{}
	var repeated *ast.ValueSpec
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) > 0 {
			repeated = spec
		} else if repeated != nil {
			ast.Inspect(repeated, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				again = again || ok && own[id.Name] && !slices.Contains(repeated.Names, id)
				return true
			})
		}
		for _, id := range spec.Names {
			own[id.Name] = true
		}
	}
	if !again {
		return ""
	}
	var list []string
	for _, spec := range d.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			c, ok := info.Defs[id].(*types.Const)
			if !ok || c.Val().Kind() == constant.Unknown {
				return ""
			}
			typ := ""
			if basic, ok := c.Type().(*types.Basic); !ok || basic.Info()&types.IsUntyped == 0 {
				typ = " " + u.Typ(c.Type())
			}
			list = append(list, id.Name+typ+" = "+constantText(c.Val(), c.Type()))
		}
	}
	text := u.Text(d)
	return "const (" + strings.Join(list, "; ") + strings.Repeat("\n", strings.Count(text, "\n")) + ")"
}

// constantText writes a constant of a type.
func constantText(v constant.Value, t types.Type) string {
	basic, _ := t.Underlying().(*types.Basic)
	switch v.Kind() {
	case constant.Int:
		switch {
		case basic.Info()&types.IsFloat != 0:
			return v.ExactString() + ".0"
		case basic.Kind() == types.UntypedRune:
			return "('\\x00' + " + v.ExactString() + ")"
		case basic.Info()&types.IsComplex != 0:
			return "(" + v.ExactString() + " + 0i)"
		}
		return v.ExactString()
	case constant.Float:
		text := floatText(v)
		if basic.Info()&types.IsComplex != 0 {
			return "(" + text + " + 0i)"
		}
		return text
	case constant.Complex:
		return "(" + floatText(constant.Real(v)) + " + " + floatText(constant.Imag(v)) + "*1i)"
	case constant.Bool:
		if constant.BoolVal(v) {
			return "(0 == 0)"
		}
		return "(0 != 0)"
	case constant.String:
		return strconv.Quote(constant.StringVal(v))
	}
	return v.ExactString()
}

// floatText writes a number with a fraction, exactly.
func floatText(v constant.Value) string {
	switch x := constant.Val(constant.ToFloat(v)).(type) {
	case *big.Rat:
		return fmt.Sprintf("(%s.0 / %s.0)", x.Num(), x.Denom())
	case *big.Float:
		if x.IsInt() {
			n, _ := x.Int(nil)
			return n.String() + ".0"
		}
		return x.Text('p', 0)
	}
	return constant.ToFloat(v).ExactString() + ".0"
}
