package engine

import (
	"go/ast"
	"go/types"
	"strings"
)

// guardedFunctions are the functions of the standard library that package cell
// has in another form, of the same type: they wait no longer than the cell
// runs, or end the cell and not the worker.
var guardedFunctions = map[string]string{
	"time.Sleep":   "Sleep",
	"os.Exit":      "Exit",
	"syscall.Exit": "Exit",
	"log.Fatal":    "Fatal",
	"log.Fatalf":   "Fatalf",
	"log.Fatalln":  "Fatalln",
}

// guardedMethods are those that package cell has as functions of a pointer.
var guardedMethods = map[string]string{
	"(*sync.Mutex).Lock":     "Lock",
	"(*sync.RWMutex).Lock":   "LockRW",
	"(*sync.RWMutex).RLock":  "RLock",
	"(*sync.WaitGroup).Wait": "Wait",
	"(*sync.Cond).Wait":      "WaitCond",
}

// starters are the functions that call one of their arguments in a goroutine of
// their own, by its index.
var starters = map[string]int{
	"(*sync.WaitGroup).Go":                      0,
	"context.AfterFunc":                         1,
	"(*golang.org/x/sync/errgroup.Group).Go":    0,
	"(*golang.org/x/sync/errgroup.Group).TryGo": 0,
}

// called returns the declared function or method that a call calls, or nil.
func (g *guard) called(call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch x := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	f, _ := g.info.Uses[id].(*types.Func)
	return f
}

// call guards a call that is another one for package cell. It reports whether
// it is.
func (g *guard) call(call *ast.CallExpr) bool {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		g.body(lit.Body, g.enters(lit.Body))
		for _, arg := range call.Args {
			g.walk(arg)
		}
		return true
	}
	f := g.called(call)
	if f == nil {
		return false
	}
	if started, ok := starters[f.FullName()]; ok && len(call.Args) > started {
		g.walk(call.Fun)
		for i, arg := range call.Args {
			if i == started {
				g.started(arg)
			} else {
				g.walk(arg)
			}
		}
		return true
	}
	return g.lock(call, f)
}

// started guards an argument that is called in a goroutine. One that returns
// something must be a literal.
func (g *guard) started(arg ast.Expr) {
	if lit, ok := ast.Unparen(arg).(*ast.FuncLit); ok {
		g.insert(lit.Body.Lbrace+1, " defer "+g.cell("Caught")+"();")
		g.body(lit.Body, true)
		return
	}
	if sig, ok := g.info.TypeOf(arg).Underlying().(*types.Signature); !ok || sig.Results().Len() > 0 {
		g.walk(arg)
		return
	}
	g.insert(arg.Pos(), g.cell("Guard")+"(")
	g.walk(arg)
	g.insert(arg.End(), ")")
}

// lock guards a method that waits. It reports whether the call is one.
func (g *guard) lock(call *ast.CallExpr, f *types.Func) bool {
	function, ok := guardedMethods[f.FullName()]
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	s := g.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	if _, ok := types.Unalias(s.Recv()).(*types.TypeParam); ok {
		return false
	}
	path, pointer := embedding(s)
	begin := g.cell(function) + "("
	if !pointer {
		begin += "&"
	}
	g.insert(call.Pos(), begin)
	g.walk(sel.X)
	g.replace(sel.X.End(), call.End(), path+")")
	return true
}

// embedding returns the fields through which a method is promoted, as they are
// written behind the operand, and whether they end at a pointer.
func embedding(s *types.Selection) (path string, pointer bool) {
	var fields strings.Builder
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		f := t.Underlying().(*types.Struct).Field(i)
		fields.WriteString("." + f.Name())
		t = f.Type()
	}
	_, pointer = t.Underlying().(*types.Pointer)
	return fields.String(), pointer
}

// selector guards a function of a package. It reports whether it is done with
// the selector.
func (g *guard) selector(sel *ast.SelectorExpr) bool {
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	if _, ok := g.info.Uses[id].(*types.PkgName); !ok {
		// Sel is none of the names that identifier is for.
		g.walk(sel.X)
		return true
	}
	if f, ok := g.info.Uses[sel.Sel].(*types.Func); ok {
		if function, ok := guardedFunctions[f.FullName()]; ok {
			g.replace(sel.Pos(), sel.End(), g.cell(function))
		}
	}
	return true
}

// identifier guards a builtin, and a function of a package that is imported
// with a dot.
func (g *guard) identifier(id *ast.Ident) {
	switch obj := g.info.Uses[id].(type) {
	case *types.Func:
		if function, ok := guardedFunctions[obj.FullName()]; ok {
			g.replace(id.Pos(), id.End(), g.cell(function))
		}
	case *types.Builtin:
		switch obj.Name() {
		case "print":
			g.replace(id.Pos(), id.End(), g.cell("Print"))
		case "println":
			g.replace(id.Pos(), id.End(), g.cell("Println"))
		}
	}
}
