package compiled

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestCalled holds that the program refers to all functions that cells can call, except generic
// ones.
func TestCalled(t *testing.T) {
	var want, got []string
	for _, name := range []string{"cell", "gobnames", "standard"} {
		files, err := filepath.Glob(filepath.Join(name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Type.TypeParams == nil && fn.Name.IsExported() {
					want = append(want, name+"."+fn.Name.Name)
				}
			}
		}
	}
	for _, f := range called {
		full := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
		got = append(got, full[strings.LastIndexByte(full, '/')+1:])
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the program refers to\n%v\nand cells can call\n%v", got, want)
	}
}
