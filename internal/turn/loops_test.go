package turn

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// elsewhere are packages and files whose loops wait for machines and networks, and compute nothing.
var elsewhere = []string{"farm", "internal/versus", "internal/download", "collection/download.go", "experiment/onfarm.go"}

// In the library, whoever asks in a loop whether to go on takes a turn: else nothing could interrupt
// it in a page. A loop that asks its context itself is named, and with -v those that take turns are.
func TestLoops(t *testing.T) {
	root := filepath.FromSlash("../../hierml")
	fset, taking := token.NewFileSet(), map[string]int{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() && (d.Name() == "testdata" || slices.Contains(elsewhere, name)) {
			return fs.SkipDir
		}
		if slices.Contains(elsewhere, name) || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			turns, asks := inLoops(f)
			for _, at := range asks {
				t.Errorf("%s: %s asks its context in a loop: it is to ask by turn.Err or turn.Cause", fset.Position(at), f.Name.Name)
			}
			if turns > 0 {
				taking[name+": "+f.Name.Name] += turns
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	functions := make([]string, 0, len(taking))
	for f := range taking {
		functions = append(functions, f)
	}
	slices.Sort(functions)
	t.Logf("%d functions take turns in loops:\n%s", len(functions), strings.Join(functions, "\n"))
	solvers := slices.DeleteFunc(slices.Clone(functions), func(f string) bool { return !strings.HasPrefix(f, "solver/") })
	if len(solvers) == 0 {
		t.Error("no solver takes turns: this test does not see them")
	}
}

// inLoops returns how often a function takes a turn within its loops, and where the conditions are
// there that ask a context itself.
func inLoops(f *ast.FuncDecl) (turns int, asks []token.Pos) {
	inspect := func(condition ast.Node) {
		if condition == nil {
			return
		}
		ast.Inspect(condition, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && asksContext(call) {
				asks = append(asks, call.Pos())
			}
			return true
		})
	}
	loops := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if n.Init != nil {
				inspect(n.Init)
			}
			// After turn.Err in the same condition nothing is left to ask.
			if !takesTurn(n.Cond) && (n.Init == nil || !takesTurn(n.Init)) {
				inspect(n.Cond)
			}
		case *ast.CallExpr:
			if isTurn(n) {
				turns++
			}
		}
		return true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			if n.Cond != nil && !takesTurn(n.Cond) {
				inspect(n.Cond)
			}
			ast.Inspect(n, loops)
			return false
		case *ast.RangeStmt:
			ast.Inspect(n.Body, loops)
			return false
		}
		return true
	})
	return turns, asks
}

func takesTurn(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && isTurn(call)
		return true
	})
	return found
}

// isTurn tells whether a call is one of turn.Take, turn.Err and turn.Cause.
func isTurn(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "turn"
}

// asksContext tells whether a call is ctx.Err(), of whatever ends in ctx, or context.Cause.
func asksContext(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	name := ""
	switch x := s.X.(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	}
	return s.Sel.Name == "Err" && (name == "ctx" || name == "timed") || s.Sel.Name == "Cause" && name == "context"
}
