package emit

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
)

// guardedFunctions are the functions of the standard library that package cell replaces by
// functions of the same type. These wait no longer than the cell runs, end the cell and not the
// worker, use the cell's own input and output, or make a coroutine that belongs to the cell that
// resumes it.
var guardedFunctions = map[string]string{
	"time.Sleep":   "Sleep",
	"os.Exit":      "Exit",
	"syscall.Exit": "Exit",
	"log.Fatal":    "Fatal",
	"log.Fatalf":   "Fatalf",
	"log.Fatalln":  "Fatalln",
	"fmt.Print":    "FmtPrint",
	"fmt.Printf":   "FmtPrintf",
	"fmt.Println":  "FmtPrintln",
	"fmt.Scan":     "FmtScan",
	"fmt.Scanf":    "FmtScanf",
	"fmt.Scanln":   "FmtScanln",
	"iter.Pull":    "Pull",
	"iter.Pull2":   "Pull2",
}

// standardFunctions are those that package standard replaces.
var standardFunctions = map[string]string{
	"time.AfterFunc":          "AfterFunc",
	"flag.Parse":              "ParseCommandLine",
	"os/signal.Notify":        "Notify",
	"os/signal.NotifyContext": "NotifyContext",
	"os/signal.Stop":          "StopSignals",
	"os/signal.Ignore":        "IgnoreSignals",
	"os/signal.Reset":         "ResetSignals",

	"runtime/pprof.Do":                 "DoLabelled",
	"runtime/pprof.SetGoroutineLabels": "SetLabels",
}

// gobFunctions are those that package gobnames replaces.
var gobFunctions = map[string]string{
	"encoding/gob.Register":     "Register",
	"encoding/gob.RegisterName": "RegisterName",
}

// guardedMethods are the methods of a pointer or an interface that package cell has as functions.
var guardedMethods = map[string]string{
	"(*sync.Mutex).Lock":     "Lock",
	"(*sync.RWMutex).Lock":   "LockRW",
	"(*sync.RWMutex).RLock":  "RLock",
	"(*sync.WaitGroup).Wait": "Wait",
	"(*sync.Cond).Wait":      "WaitCond",
	"(sync.Locker).Lock":     "LockAny",
	"(*log.Logger).Fatal":    "LoggerFatal",
	"(*log.Logger).Fatalf":   "LoggerFatalf",
	"(*log.Logger).Fatalln":  "LoggerFatalln",
}

// standardMethods are the methods of a pointer that package standard has as functions.
var standardMethods = map[string]string{
	"(*flag.FlagSet).Parse":  "ParseFlags",
	"(*os.File).Read":        "Read",
	"(*os.File).Write":       "Write",
	"(*os.File).WriteString": "WriteString",
}

// starters are the functions that call one of their arguments in a new goroutine, by its index.
var starters = map[string]int{
	"(*sync.WaitGroup).Go":                      0,
	"context.AfterFunc":                         1,
	"(*golang.org/x/sync/errgroup.Group).Go":    0,
	"(*golang.org/x/sync/errgroup.Group).TryGo": 0,
}

// called returns the declared function or method that a call calls, or nil.
func (g *Guard) called(call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch x := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	f, _ := g.Info.Uses[id].(*types.Func)
	return f
}

// call guards a call that becomes a call of package cell. It reports whether it does.
func (g *Guard) call(call *ast.CallExpr) bool {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		g.body(lit.Type, lit.Body, g.enters(lit.Body)) // it is called now
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
	return g.newest(call, f) || g.libraryMethod(call, f) || g.waiting(call, f)
}

// started guards an argument that is called in a goroutine. If it has results, it must be a
// literal.
func (g *Guard) started(arg ast.Expr) {
	if lit, ok := ast.Unparen(arg).(*ast.FuncLit); ok {
		g.insert(lit.Body.Lbrace+1, " defer "+g.Cell("Caught")+"();")
		g.literal(lit, true)
		return
	}
	if sig, ok := g.typeOf(arg).Underlying().(*types.Signature); !ok || sig.Results().Len() > 0 {
		g.walk(arg)
		return
	}
	g.insert(arg.Pos(), g.Cell("Guard")+"(")
	g.walk(arg)
	g.insert(arg.End(), ")")
}

// libraryMethod guards a call of a method that is a function of package cell or standard. It
// reports whether the call is one.
func (g *Guard) libraryMethod(call *ast.CallExpr, f *types.Func) bool {
	function, ok := guardedMethods[f.FullName()]
	in := g.Cell
	if !ok {
		if function, ok = standardMethods[f.FullName()]; !ok {
			return false
		}
		in = g.Standard
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	s := g.Info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	if _, ok := types.Unalias(s.Recv()).(*types.TypeParam); ok {
		return false
	}
	path, refers := embedding(s)
	begin := in(function) + "("
	if !refers {
		begin += "&"
	}
	g.callWith(call, sel, begin, path)
	return true
}

// callWith writes the call of a method as that of a function whose first argument is the receiver:
// the operand of the selector, between two texts.
func (g *Guard) callWith(call *ast.CallExpr, sel *ast.SelectorExpr, begin, path string) {
	g.insert(call.Pos(), begin)
	g.walk(sel.X)
	if len(call.Args) == 0 {
		g.replace(sel.X.End(), call.End(), path+")")
		return
	}
	g.replace(sel.X.End(), call.Lparen+1, path+", ")
	for _, arg := range call.Args {
		g.walk(arg)
	}
}

// waiting guards a call that may wait for something outside the program. It reports whether the
// call is one.
func (g *Guard) waiting(call *ast.CallExpr, f *types.Func) bool {
	name := f.FullName()
	goesOn, ok := check.Blocking[name]
	if !ok {
		if goesOn, ok = check.BlockingFunctions[name]; !ok {
			return false
		}
	}
	if !goesOn {
		name = ""
	}
	g.insert(call.Fun.Pos(), g.Cell("Waits")+"("+strconv.Quote(name)+", ")
	g.walk(call.Fun)
	g.insert(call.Fun.End(), ")")
	for _, arg := range call.Args {
		g.walk(arg)
	}
	return true
}

// embedding returns the fields through which a method is promoted, as text after the operand, and
// whether they end at a pointer or interface.
func embedding(s *types.Selection) (path string, refers bool) {
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
	_, pointer := t.Underlying().(*types.Pointer)
	return fields.String(), pointer || types.IsInterface(t)
}

// selector guards a selector of a package. It reports whether the selector needs nothing more.
func (g *Guard) selector(sel *ast.SelectorExpr) bool {
	id, ok := sel.X.(*ast.Ident)
	if ok {
		_, ok = g.Info.Uses[id].(*types.PkgName)
	}
	if !ok {
		// Sel is not one of the names that identifier handles.
		g.walk(sel.X)
		return true
	}
	g.imported(sel, g.Info.Uses[sel.Sel])
	return true
}

// identifier guards a builtin, a function that imported code may call, and names from a package
// imported with a dot.
func (g *Guard) identifier(id *ast.Ident) {
	if around, ok := g.wrapped[id]; ok {
		g.insert(id.Pos(), around[0])
		g.insert(id.End(), around[1])
		return
	}
	b, ok := g.Info.Uses[id].(*types.Builtin)
	switch {
	case !ok:
		g.imported(id, g.Info.Uses[id])
	case b.Name() == "print":
		g.replace(id.Pos(), id.End(), g.Cell("Print"))
	case b.Name() == "println":
		g.replace(id.Pos(), id.End(), g.Cell("Println"))
	}
}

// imported guards a reference to a declaration of a package.
func (g *Guard) imported(x ast.Expr, obj types.Object) {
	switch obj := obj.(type) {
	case *types.Func:
		name := obj.FullName()
		if function, ok := guardedFunctions[name]; ok {
			g.replace(x.Pos(), x.End(), g.Cell(function))
		} else if function, ok := standardFunctions[name]; ok {
			g.replace(x.Pos(), x.End(), g.Standard(function))
		} else if function, ok := gobFunctions[name]; ok {
			g.replace(x.Pos(), x.End(), g.Gob(function))
		}
	case *types.Var:
		if g.files[x] {
			g.insert(x.Pos(), g.Standard("Of")+"(")
			g.insert(x.End(), ")")
		}
	}
}
