package extract

import (
	"flag"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func sample(t *testing.T) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filepath.Join("testdata", "sample.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check("example.org/x/sample", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

func TestTable(t *testing.T) {
	g := Group{Name: "golden", Prefixes: []string{"example.org/"}, Replace: map[string]string{"example.org/x/sample.Plain": "plain"}}
	files, err := g.Tables([]*types.Package{sample(t)})
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "sample.golden")
	got := string(files["z_x_sample_table.go"])
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if index := string(files["packages.go"]); !strings.Contains(index, "&xSamplePackage,") {
		t.Errorf("index\n%s", index)
	}
}

func TestAPI(t *testing.T) {
	got := strings.Join(API(sample(t)), "\n")
	for _, line := range []string{
		"Untyped = 1099511627776",
		"const example.org/x/sample.Typed example.org/x/sample.Kind",
		"type Pair[K comparable, V any]",
		`field Pair.field Key K ""`,
		"comparable Kind",
		"func example.org/x/sample.Generic[T example.org/x/sample.Number](x T) T",
	} {
		if !strings.Contains(got+"\n", line+"\n") {
			t.Errorf("lacks %q", line)
		}
	}
	if strings.Contains(got, "unlisted") {
		t.Error("describes what is not exported")
	}
}

func TestDocs(t *testing.T) {
	const text = `// Package p.
package p

// Limits.
const (
	// A is documented.
	A = 1
	B = 2 // B has a comment.
	C = 3
	hidden = 4
)

// T is a type.
type T[K any] struct {
	// X is above.
	X, Y int
	Z    int // Z is beside.
	no   int // no
}

// M is a method.
func (t *T[K]) M() {}

// N is hidden.
func (h hid) N() {}

// Do does.
type I interface {
	// Do is a method.
	Do()
}

func Bare() {}
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	docs := Docs{}
	docs.add(file, false)
	want := Docs{
		"": "Package p.\n", "A": "A is documented.\n", "B": "B has a comment.\n", "C": "Limits.\n",
		"T": "T is a type.\n", "T.X": "X is above.\n", "T.Y": "X is above.\n", "T.Z": "Z is beside.\n", "T.M": "M is a method.\n",
		"I": "Do does.\n", "I.Do": "Do is a method.\n",
	}
	if !maps.Equal(docs, want) {
		t.Errorf("got  %q\nwant %q", docs, want)
	}
}

func TestExcludes(t *testing.T) {
	g := Group{Exclude: []string{"a/b", "c/..."}}
	for path, want := range map[string]bool{
		"a/b": true, "a/b/c": false, "a": false, "c": true, "c/d/e": true, "cd": false,
		"x/internal/y": true, "internal/y": true, "vendor/z": true, "x/internals": false,
	} {
		if got := g.excludes(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
