package cut

import (
	"slices"
	"strings"
	"testing"
)

func TestCells(t *testing.T) {
	for _, test := range []struct {
		name, source string
		want         []string
	}{
		{"order", `package main

import "fmt"
import . "os"

var a = f()

// f is needed by a.
func f() int { return b }

func init() { fmt.Println(a, b) }

var b = 2

func (t *T) String() string { return "T" }

type T struct{}

func main() {
	// one
	x := 1; y := 2
	fmt.Println(x, y)
	fmt.Println(new(T))
}
`, []string{
			"import \"fmt\"\nimport . \"os\"",
			"func (t *T) String() string { return \"T\" }\n\ntype T struct{}",
			"var b = 2", "// f is needed by a.\nfunc f() int { return b }", "var a = f()", "func init() { fmt.Println(a, b) }",
			"// one\n\tx := 1\ny := 2", "fmt.Println(x, y)\nfmt.Println(new(T))",
		}},
		{"order of variables", `package main
var a = c + b
var b = f()
var c = f()
func f() int { return 1 }
func main() { _ = a }
`, []string{"func f() int { return 1 }", "var b = f()", "var c = f()", "var a = c + b", "_ = a"}},
		{"together", `package main
type list[T any] struct{ first *node[T] }
func even(n int) bool { return n == 0 || odd(n-1) }
type node[T any] struct{ of *list[T] }
func odd(n int) bool { return n != 0 && even(n-1) }
func (n *node[T]) list() *list[T] { return n.of }
func main() { println(even(4)) }
`, []string{
			"type list[T any] struct{ first *node[T] }\n\ntype node[T any] struct{ of *list[T] }\n\nfunc (n *node[T]) list() *list[T] { return n.of }",
			"func even(n int) bool { return n == 0 || odd(n-1) }\n\nfunc odd(n int) bool { return n != 0 && even(n-1) }", "println(even(4))",
		}},
		{"methods by an alias", "package main\ntype A = T\nfunc (A) m() {}\ntype T int\nfunc main() { println() }",
			[]string{"type A = T\n\nfunc (A) m() {}\n\ntype T int", "println()"}},
		{"version", "// c\n\n//go:build go1.21\n\npackage main\nvar x = 1\nfunc main() { println(x) }",
			[]string{"//go:build go1.21\n\nvar x = 1", "//go:build go1.21\n\nprintln(x)"}},
		{"linked name", "package main\nimport _ \"unsafe\"\nfunc f()\nfunc g() {}\n\n//go:linkname f other.f\n\nfunc main() { f() }",
			[]string{"import _ \"unsafe\"", "func f()\n\n//go:linkname f other.f", "func g() {}", "f()"}},
	} {
		got, err := Cells(test.source)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v\ngot\n%s\nwant\n%s", test.name, err, strings.Join(got, "\n---\n"), strings.Join(test.want, "\n---\n"))
		}
	}
}

func TestApart(t *testing.T) {
	got, err := Apart("package main\nvar a = f()\nfunc (t T) m() int { return len(b.c) }\nfunc f() int { return T{}.m() }\ntype T struct{ c []L[int] }\nvar b T\nfunc (l L[E]) n() {}\ntype L[E any] []E\nfunc main() { println(a) }")
	want := []string{"func (t T) m() int { return len(b.c) }", "func f() int { return T{}.m() }", "type T struct{ c []L[int] }", "func (l L[E]) n() {}\n\ntype L[E any] []E", "var b T", "var a = f()", "println(a)"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\ngot\n%s", err, strings.Join(got, "\n---\n"))
	}
}

// TestWholeMain keeps together what would do something else in cells of their own.
func TestWholeMain(t *testing.T) {
	for _, body := range []string{
		"", "defer f(); f()", "if x == 1 { return }; f()", "goto end; f(); end: f()", "x := 2; f(); _ = x", "const x = 2; f()", "recover(); f()",
	} {
		got, err := Cells("package main\nvar x = 1\nfunc f() {}\nfunc main() {" + body + "}")
		if err != nil || len(got) != 4 || !slices.Contains(got, "func main() {"+body+"}") || got[3] != "main()" {
			t.Errorf("%s: %q, %v, want main as a whole", body, got, err)
		}
	}
	if got, err := Cells("package main\nfunc f() { main() }\nfunc main() { f() }"); err != nil || !slices.Equal(got, []string{"func f() { main() }\n\nfunc main() { f() }", "main()"}) {
		t.Errorf("main that is called: %q, %v", got, err)
	}
	if got, err := Cells("package main\nfunc main() { for { break }; f := func() { defer println(); return }; f() }"); err != nil || len(got) != 2 {
		t.Errorf("main without anything of these: %q, %v", got, err)
	}
}

func TestNoProgram(t *testing.T) {
	for source, want := range map[string]string{
		"package":                   "expected 'IDENT'",
		"package main":              "there is no function main",
		"package main\nfunc main()": "there is no function main",
		"package main\nfunc (T) m() {}\nfunc main() {}": "no type has the method m",
	} {
		if _, err := Cells(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
}
