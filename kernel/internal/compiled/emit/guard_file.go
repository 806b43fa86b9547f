package emit

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check/typed"
)

// Cells do not use the worker's standard files: where one is converted to an interface, or is read
// or written, a value of package standard replaces it. In a conversion to an empty interface it
// stays an *os.File.

// convert finds the standard files that are converted in a node.
func (g *Guard) convert(n ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		g.convertArguments(n)
		g.given(n)
	case *ast.SelectorExpr:
		switch n.Sel.Name {
		case "Read", "Write", "WriteString", "ReadFrom", "WriteTo":
			g.convertFile(n.X)
		}
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			g.convertTo(n.X, g.Info.TypeOf(n.Y))
			g.convertTo(n.Y, g.Info.TypeOf(n.X))
		}
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN && len(n.Lhs) == len(n.Rhs) {
			for i, x := range n.Rhs {
				g.convertTo(x, g.Info.TypeOf(n.Lhs[i]))
				if sel, ok := n.Lhs[i].(*ast.SelectorExpr); ok {
					g.callbackField(g.Info.Uses[sel.Sel], x)
				}
			}
		}
	case *ast.ValueSpec:
		if n.Type != nil {
			for _, x := range n.Values {
				g.convertTo(x, g.Info.TypeOf(n.Type))
			}
		}
	case *ast.SendStmt:
		if c, ok := g.channel(n.Chan); ok {
			g.convertTo(n.Value, c.Elem())
		}
	case *ast.ReturnStmt:
		if len(n.Results) == len(g.results) {
			for i, x := range n.Results {
				g.convertTo(x, g.results[i])
			}
		}
	case *ast.CompositeLit:
		g.convertElements(n)
	}
}

func (g *Guard) convertArguments(call *ast.CallExpr) {
	switch tv := g.Info.Types[call.Fun]; {
	case tv.IsType():
		for _, x := range call.Args {
			g.convertTo(x, tv.Type)
		}
	case tv.IsBuiltin():
		if s, ok := g.typeOf(call).(*types.Slice); ok && !call.Ellipsis.IsValid() {
			for _, x := range call.Args {
				g.convertTo(x, s.Elem())
			}
		}
	default:
		if sig, ok := g.typeOf(call.Fun).Underlying().(*types.Signature); ok {
			for i, x := range call.Args {
				g.convertTo(x, typed.Parameter(sig, i, call.Ellipsis.IsValid()))
			}
		}
	}
}

func (g *Guard) convertElements(lit *ast.CompositeLit) {
	t := g.typeOf(lit).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	for i, x := range lit.Elts {
		pair, _ := x.(*ast.KeyValueExpr)
		if pair != nil {
			x = pair.Value
		}
		switch t := t.(type) {
		case *types.Struct:
			if pair == nil {
				g.convertTo(x, t.Field(i).Type())
				g.callbackField(t.Field(i), x)
			} else if id, ok := pair.Key.(*ast.Ident); ok && g.Info.Uses[id] != nil {
				g.convertTo(x, g.Info.Uses[id].Type())
				g.callbackField(g.Info.Uses[id], x)
			}
		case *types.Map:
			g.convertTo(pair.Key, t.Key())
			g.convertTo(x, t.Elem())
		case interface{ Elem() types.Type }:
			g.convertTo(x, t.Elem())
		}
	}
}

// convertTo records that an expression is converted to type t.
func (g *Guard) convertTo(x ast.Expr, t types.Type) {
	if t == nil || !types.IsInterface(t) || typed.IsEmptyInterface(t) {
		return
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); !ok {
		g.convertFile(x)
	}
}

// convertFile records an expression if it is a standard file.
func (g *Guard) convertFile(x ast.Expr) {
	x = ast.Unparen(x)
	var id *ast.Ident
	switch x := x.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return
	}
	v, ok := g.Info.Uses[id].(*types.Var)
	if !ok || v.IsField() || v.Pkg() == nil || v.Pkg().Path() != "os" {
		return
	}
	switch v.Name() {
	case "Stdin", "Stdout", "Stderr":
		if g.files == nil {
			g.files = map[ast.Expr]bool{}
		}
		g.files[x] = true
	}
}
