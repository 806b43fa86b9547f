package emit_test

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/stdlib"
)

// TestGuards compares the guarded form of programs with the files beside them, which keep the
// lines.
func TestGuards(t *testing.T) {
	enginetest.Golden(t, "guard", ".txt", ".guarded", func(t *testing.T, source string) string {
		got, err := guarded(source, "main")
		if err != nil {
			t.Fatal(err)
		}
		if before, after := strings.Count(source, "\n"), strings.Count(got, "\n"); before != after {
			t.Errorf("has %d lines, and had %d", after, before)
		}
		if _, err := format.Source([]byte(got)); err != nil {
			t.Errorf("is no Go: %v", err)
		}
		return got
	})
}

// TestGuardedPrograms holds that programs with guards compile, and print what they print without.
func TestGuardedPrograms(t *testing.T) {
	testrun.LeaveOutShort(t)
	if enginetest.Raced {
		t.Skip("what the compiler says does not depend on the race detector")
	}
	all := enginetest.Archives(t, "../../engine/testdata/programs")
	all["guard"] = enginetest.ReadArchive(t, "testdata/guard/programs.txtar")
	programs := enginetest.Joined(all)
	outputs := enginetest.Outputs(t, programs, guardedMain, func(p enginetest.Example, pkg string) (string, error) {
		return guarded(p.Source, pkg)
	})
	for i, p := range programs {
		if outputs[i] != p.Want {
			t.Errorf("%s prints:\n%s\nwant:\n%s", p.Name, outputs[i], p.Want)
		}
	}
}

const guardedMain = `package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/hierml/notebook/kernel/internal/compiled"
)

%s
var programs = []func(){
%s}

func main() {
	runner := compiled.New(compiled.Config{})
	os.Stdout.WriteString("\x00")
	i, err := strconv.Atoi(os.Args[1])
	if err == nil {
		err = runner.Do(context.Background(), 1, programs[i])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

// guarded returns the text of a whole program with guards, as a package of another name.
func guarded(source, name string) (string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", source, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	info := check.NewInfo()
	conf := &types.Config{Importer: stdlib.Importer, GoVersion: check.GoVersion, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if _, err := conf.Check(state.PackagePath, fset, []*ast.File{file}, info); err != nil {
		return "", err
	}
	offset := func(pos token.Pos) int { return fset.Position(pos).Offset }
	imported := map[string]bool{}
	function := func(path, name string) func(string) string {
		return func(function string) string {
			imported[name+" \""+path+"\""] = true
			return name + "." + function
		}
	}
	g := &emit.Guard{
		Info:     info,
		Source:   source,
		Offset:   offset,
		Cell:     function(emit.CellPath, "cell"+emit.Mark),
		Standard: function(emit.StandardPath, "standard"+emit.Mark),
		Gob:      function(emit.GobPath, "gobnames"+emit.Mark),
		Name:     func(*ast.Ident) string { return "" },
		Unchecked: func(f *types.Func) bool {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && info.Defs[d.Name] == f {
					return !emit.Checks(d, info)
				}
			}
			return false
		},
		Escapes: func(*types.Func) bool { return false },
		Signature: (&emit.Unit{Spelling: state.Spelling{
			TypeName:    func(obj *types.TypeName) string { return obj.Name() },
			PackageName: func(path, name string) string { return name },
		}}).Spelled,
	}
	for _, d := range file.Decls {
		g.Add(d)
	}
	all := g.Edits
	all.Replace(offset(file.Name.Pos()), offset(file.Name.End()), name+"; import ("+strings.Join(slices.Sorted(maps.Keys(imported)), "; ")+")")
	all = append(all, blankImports(file, info, all, offset)...)
	all.Sort()
	return all.Apply(source, 0), nil
}

// blankImports returns the edits that make blank what a program imports and no longer names.
func blankImports(file *ast.File, info *types.Info, all syntax.Edits, offset func(token.Pos) int) syntax.Edits {
	used := map[*types.Package]bool{}
	selected := map[*ast.Ident]bool{}
	covered := emit.Covered(all)
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			selected[sel.Sel] = true
		}
		id, ok := n.(*ast.Ident)
		if !ok || selected[id] || covered(offset(id.Pos()), offset(id.End())) {
			return true
		}
		switch obj := info.Uses[id].(type) {
		case nil:
		case *types.PkgName:
			used[obj.Imported()] = true
		default:
			used[obj.Pkg()] = true
		}
		return true
	})
	var blank syntax.Edits
	for _, spec := range file.Imports {
		obj := info.Implicits[spec]
		if spec.Name != nil {
			obj = info.Defs[spec.Name]
		}
		if pkg, ok := obj.(*types.PkgName); ok && used[pkg.Imported()] {
			continue
		}
		from := spec.Pos()
		blank.Replace(offset(from), offset(spec.Path.Pos())+1, "_ \"")
	}
	return blank
}
