package engine

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A setting is where text stands: what it is part of decides by which name it
// calls functions.
type setting struct {
	info *types.Info
	// outlives says that the text may run after a function that it calls was
	// declared again without being compiled anew: it is part of a method.
	outlives bool
	// becomes is the type that an expression is converted to, if it is written
	// apart from what says so.
	becomes types.Type
	// leftOut is what looks at the errors that statements leave out.
	leftOut map[ast.Stmt]leftOut
}

// leftOut is what looks at the error that a statement leaves out: what takes it,
// in front of a call or behind the left side of an assignment, or in place of
// that side if aside is set, and what follows the statement.
type leftOut struct {
	taken, then string
	aside       bool
}

// text returns the user's text of a node with the names of the unit.
func (u *unit) text(n ast.Node, p setting, more ...edit) string {
	src, start := u.within(n.Pos())
	end := start + int(n.End()-n.Pos())
	return u.part(n, src, start, end, p, more...)
}

// within returns the source of a position, and its offset into the Go that the
// source stands for.
func (c *files) within(pos token.Pos) (*source, int) {
	file := c.fset.File(pos)
	if file == nil || c.sources[file] == nil {
		return nil, 0
	}
	return c.sources[file], file.Offset(pos) - prefixLength
}

// part returns the text from start to end, which is that of a node.
func (u *unit) part(n ast.Node, src *source, start, end int, p setting, more ...edit) string {
	u.locate(n, p.info)
	all := u.guards(n, p)
	all = append(all, more...)
	var names edits
	replaced := func(n ast.Node) bool {
		s, offset := u.within(n.Pos())
		return s == src && covered(all, offset, offset+int(n.End()-n.Pos()))
	}
	u.rename(n, p, replaced, func(at token.Pos, length int, text string) {
		if s, offset := u.within(at); s == src {
			names = append(names, edit{offset, offset + length, text})
		}
	})
	all = append(all, names...)
	all.sort()
	return all.apply(src.text[start:end], start)
}

// covered reports whether an edit replaces a part of a text.
func covered(all edits, start, end int) bool {
	for _, e := range all {
		if e.start < e.end && e.start < end && start < e.end {
			return true
		}
	}
	return false
}

// rename finds the names in a node that the unit calls something else, save those
// in what is replaced anyway.
func (u *unit) rename(root ast.Node, p setting, replaced func(ast.Node) bool, replace func(at token.Pos, length int, text string)) {
	literals := 0
	passed := map[*ast.FuncLit]bool{} // to what does not keep them
	var stack []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			if lit, ok := stack[len(stack)-1].(*ast.FuncLit); ok && !passed[lit] {
				literals--
			}
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && u.l != nil && u.l.k != nil && u.l.k.recalled[id.Name] != nil {
				replace(n.Pos(), int(n.End()-n.Pos()), u.recall(u.l.k.recalled[id.Name].output))
				return false
			}
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && !replaced(sel.Sel) {
				if names := parameterNames(n, p.info.Uses[sel.Sel], p.info); names != "" {
					replace(sel.Sel.Pos(), len(sel.Sel.Name), interactLabelled)
					replace(n.Lparen, 1, "("+names+", ")
				}
			}
		case *ast.BasicLit:
			u.quoteSource(n, replace)
		case *ast.Ident:
			if replaced(n) {
				break
			}
			if text := u.named(n, p, literals > 0, stack); text != "" && text != n.Name {
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

// named returns what the unit calls what an identifier means; empty for what
// keeps its name.
func (u *unit) named(id *ast.Ident, p setting, literal bool, stack []ast.Node) string {
	src, offset := u.within(id.Pos())
	if src == nil || !strings.HasPrefix(src.text[min(offset, len(src.text)):], id.Name) {
		return "" // a name that the check has made
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
		if fn := u.session.functionOf(obj); fn != nil {
			return u.callee(fn, p.outlives || literal)
		}
	case *types.Var:
		if obj.IsField() {
			return ""
		}
		if d := u.session.byObject[obj]; d != nil {
			return u.refer(u.home(d.lowered))
		}
	case *types.TypeName, *types.Const:
		if u.session.byObject[obj] != nil {
			return u.refer(u.home(obj))
		}
	}
	if pkg := obj.Pkg(); pkg != nil && !isSession(obj) && obj.Parent() == pkg.Scope() && !isSelected(id, stack) {
		return u.alias(pkg.Path(), pkg.Name()) + "." + obj.Name() // imported with a dot
	}
	return ""
}

// home returns where something is that was declared.
func (u *unit) home(key any) home {
	h, ok := u.homes[key]
	if !ok {
		panic(fmt.Sprintf("the emission knows no place of %v", key))
	}
	return h
}

// isPassed reports whether a function literal is an argument of a function of
// the standard library that has called it for the last time when it returns.
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

// callee returns what the text calls a function by.
func (u *unit) callee(fn *function, outlives bool) string {
	if fn.pending != "" {
		u.l.ready(fn)
	}
	if holders := u.holders[fn]; outlives && len(holders) > 0 {
		return u.refer(holders[len(holders)-1].home)
	}
	return u.refer(u.home(fn))
}

// recall writes the values of what a cell showed.
func (u *unit) recall(out *output) string {
	kept := func(i int) string {
		return fmt.Sprintf("%s[%s](%d, %d)", u.cell("Kept"), u.typ(out.types[i]), out.cell, i)
	}
	if len(out.types) == 1 {
		return kept(0)
	}
	list, values := make([]string, len(out.types)), make([]string, len(out.types))
	for i, t := range out.types {
		list[i], values[i] = u.typ(t), kept(i)
	}
	return "func() (" + strings.Join(list, ", ") + ") { return " + strings.Join(values, ", ") + " }()"
}

// quoteSource writes what an earlier cell said where the cell mentions it.
func (u *unit) quoteSource(lit *ast.BasicLit, replace func(at token.Pos, length int, text string)) {
	src, offset := u.within(lit.Pos())
	if src == nil || !strings.HasPrefix(src.text[offset:], "In") {
		return
	}
	replace(lit.Pos(), strings.IndexByte(src.text[offset:], ']')+1, lit.Value)
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
