package engine_test

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// shrink returns a program that is as small as what can be left out of one without making it
// something that differs does not hold of. It does hold of the program.
func shrink(source string, differs func(source string) bool) string {
	for {
		smaller := ""
		for _, candidate := range smallerPrograms(source) {
			if checks(candidate) && differs(candidate) {
				smaller = candidate
				break
			}
		}
		if smaller == "" {
			return source
		}
		source = smaller
	}
}

// checks reports whether a program is one.
func checks(source string) bool {
	_, err := enginetest.NewSession().Check(program.Cell{Number: 1, Source: source + "\nmain()", Plain: true})
	return err == nil
}

// smallerPrograms returns programs that each lack a piece of another, the large pieces first: a
// declaration, or statements of a block, or an if and the like around its block.
func smallerPrograms(source string) (smaller []string) {
	parse := func() (*token.FileSet, *ast.File) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "main.go", source, 0)
		if err != nil {
			return fset, nil
		}
		return fset, file
	}
	write := func(fset *token.FileSet, file *ast.File) {
		for _, spec := range slices.Clone(file.Imports) {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && !astutil.UsesImport(file, path) {
				astutil.DeleteImport(fset, file, path)
			}
		}
		var text strings.Builder
		if format.Node(&text, fset, file) == nil && text.Len() < len(source) {
			smaller = append(smaller, text.String())
		}
	}
	_, file := parse()
	if file == nil {
		return nil
	}
	for i := range file.Decls {
		fset, file := parse()
		file.Decls = slices.Delete(file.Decls, i, i+1)
		write(fset, file)
	}
	blocks := lists(file)
	for b, list := range blocks {
		for size := len(*list); size > 0; size /= 2 {
			for at := 0; at < len(*list); at += size {
				fset, file := parse()
				l := lists(file)[b]
				*l = slices.Delete(*l, at, min(at+size, len(*l)))
				write(fset, file)
			}
		}
	}
	for b, list := range blocks {
		for at, s := range *list {
			if inner(s) == nil {
				continue
			}
			fset, file := parse()
			l := lists(file)[b]
			*l = slices.Replace(*l, at, at+1, inner((*l)[at])...)
			write(fset, file)
		}
	}
	for at := range operands(file) {
		fset, file := parse()
		target, by := operands(file)[at][0], operands(file)[at][1]
		replaced := false
		astutil.Apply(file, func(c *astutil.Cursor) bool {
			if c.Node() == target {
				if _, ok := c.Parent().(ast.Stmt); ok && c.Name() == "Call" { // of go or defer, and no other expression
					_, ok = by.(*ast.CallExpr)
					if !ok {
						return false
					}
				}
				c.Replace(by)
				replaced = true
				return false
			}
			return true
		}, nil)
		if replaced {
			write(fset, file)
		}
	}
	return smaller
}

// lists returns the statements of all blocks, outer ones first.
func lists(file *ast.File) (all []*[]ast.Stmt) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			all = append(all, &n.List)
		case *ast.CaseClause:
			all = append(all, &n.Body)
		}
		return true
	})
	return all
}

// inner returns the statements within a statement.
func inner(s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return s.List
	case *ast.IfStmt:
		return s.Body.List
	case *ast.ForStmt:
		return s.Body.List
	case *ast.RangeStmt:
		return s.Body.List
	}
	return nil
}

// operands returns expressions, each with a part of it that may stand in its place.
func operands(file *ast.File) (all [][2]ast.Expr) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			all = append(all, [2]ast.Expr{n, n.X}, [2]ast.Expr{n, n.Y})
		case *ast.ParenExpr:
			all = append(all, [2]ast.Expr{n, n.X})
		case *ast.UnaryExpr:
			all = append(all, [2]ast.Expr{n, n.X})
		case *ast.CallExpr:
			for _, arg := range n.Args {
				all = append(all, [2]ast.Expr{n, arg})
			}
		}
		return true
	})
	return all
}

// printedByGo returns what a program prints, and by what panic it ends, if go run takes it, and
// else what it says.
func printedByGo(t *testing.T, source string) (text string, ok bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", file)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return stdout.String(), true
	}
	message, _, _ := strings.Cut(stderr.String(), "\n")
	if !strings.HasPrefix(message, "panic: ") {
		return stderr.String(), false
	}
	return stdout.String() + message + "\n", true
}

// TestShrink holds that of a program only that is left for which it was said to differ.
func TestShrink(t *testing.T) {
	source := "package main\n\nimport \"fmt\"\n\nfunc unused() {}\n\nfunc main() {\n\tx := 1\n\tfor i := range 3 {\n\t\tif i > 1 {\n\t\t\tfmt.Println(x + i*2)\n\t\t}\n\t}\n\tfmt.Println(\"end\")\n}\n"
	got := shrink(source, func(s string) bool { return strings.Contains(s, "import") && strings.Contains(s, "x + i*2") })
	want := "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tx := 1\n\tfor i := range 3 {\n\t\tfmt.Println(x + i*2)\n\t}\n}\n"
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got\n%s\nand not\n%s", got, want)
	}
}
