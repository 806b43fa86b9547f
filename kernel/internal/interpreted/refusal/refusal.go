// Package refusal refuses cells for what the interpreter cannot do, as far as it can be seen before
// anything is lowered.
//
// In comes a checked cell, or a function of an earlier one. If the interpreter cannot run it, a
// refusal goes out, which ends the change, with the position of what it cannot do. Refused are:
//
//   - imports of packages that the program does not have;
//   - functions that would show the interpreter's insides instead of the cell's;
//   - methods with type parameters;
//   - loops with the semantics of Go before 1.22;
//   - files to embed.
//
// For example:
//
//	_, file, line, _ := runtime.Caller(0)
//	=>
//	Refused: Cell [1]:1:29: runtime.Caller: the interpreter would show calls and lines of its own instead of those of the cell
//
// What turns out while a statement or a type is lowered is refused there, by packages lower,
// conversion and shape.
//
// Wrong when a cell is refused that could run, or runs and shows something else than in Go.
package refusal

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/state"
)

// Cell refuses a cell.
func Cell(ch *change.Change) {
	k := ch.K
	foreignImports(ch)
	names(ch, slices.Concat(slices.Collect(maps.Keys(k.Info.Uses)), slices.Collect(maps.Keys(k.Info.Defs))), k.Info)
	for _, f := range k.Funcs {
		oldLoops(ch, f.Decl, k.GoVersion)
	}
	for _, s := range k.Body {
		oldLoops(ch, s, k.GoVersion)
	}
	for v := range k.Embedded {
		ch.Refuse(v.Pos(), "files are embedded when a program is compiled: the interpreter embeds none")
	}
}

// Function refuses a function of an earlier cell for what that cell would have been refused for: it
// may have been compiled then.
func Function(ch *change.Change, fn *state.Function) {
	of := fn
	if fn.Origin != nil {
		of = fn.Origin
	}
	if of.Written == nil || of.Cell == ch.K.Source.Cell.Number {
		return
	}
	var mentioned []*ast.Ident
	ast.Inspect(of.Written, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			mentioned = append(mentioned, id)
		}
		return true
	})
	names(ch, mentioned, of.Info)
	oldLoops(ch, of.Written, of.GoVersion)
}

// foreignImports refuses a cell that imports a package which the program does not consist of.
func foreignImports(ch *change.Change) {
	for _, spec := range ch.K.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && ch.C.Foreign(path) {
			ch.Refuse(spec.Path.Pos(), "the interpreter has no package "+path)
		}
	}
}

// elsewhere is what asks for something that the interpreter has another answer to, by packages, and
// why.
var elsewhere = []struct {
	objects map[string]string
	why     string
}{
	{map[string]string{
		"runtime": "Caller Callers CallersFrames FuncForPC Stack", "runtime/debug": "Stack PrintStack",
		"log": "Lshortfile Llongfile", "log/slog": "AddSource",
	}, "the interpreter would show calls and lines of its own instead of those of the cell"},
	{map[string]string{"testing": "AllocsPerRun", "runtime": "ReadMemStats"}, "the interpreter itself also allocates memory"},
	{map[string]string{"runtime": "SetFinalizer"}, "the interpreter keeps the values that variables pointed to, and the finalizer might never run"},
}

// names refuses the first of the names in a text that asks for such a thing, or for a method with
// type parameters of its own.
func names(ch *change.Change, list []*ast.Ident, info *types.Info) {
	slices.SortFunc(list, func(a, b *ast.Ident) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for _, id := range list {
		obj := info.Uses[id]
		if obj == nil {
			obj = info.Defs[id]
		}
		f, isFunc := obj.(*types.Func)
		if isFunc && f.Signature().Recv() != nil {
			if f.Origin().Signature().TypeParams() != nil {
				ch.Refuse(id.Pos(), "the interpreter has no methods with type parameters, such as "+id.Name)
			}
			continue
		}
		if obj == nil || obj.Pkg() == nil {
			continue
		}
		for _, e := range elsewhere {
			if slices.Contains(strings.Fields(e.objects[obj.Pkg().Path()]), obj.Name()) {
				ch.Refuse(id.Pos(), obj.Pkg().Name()+"."+obj.Name()+": "+e.why)
			}
		}
	}
}

// oldLoops refuses a loop of a program in a version of Go in which all iterations share what a loop
// declares.
func oldLoops(ch *change.Change, of ast.Node, goVersion string) {
	if goVersion == "" || version.Compare(goVersion, "go1.22") >= 0 {
		return
	}
	ast.Inspect(of, func(n ast.Node) bool {
		declares := false
		switch n := n.(type) {
		case *ast.ForStmt:
			init, ok := n.Init.(*ast.AssignStmt)
			declares = ok && init.Tok == token.DEFINE
		case *ast.RangeStmt:
			declares = n.Tok == token.DEFINE
		}
		if declares {
			ch.Refuse(n.Pos(), "in "+goVersion+", which //go:build asks for, all iterations of a loop share its variables: the interpreter has only the loops of newer versions")
		}
		return true
	})
}
