//go:build go1.27

package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// laterCells use what Go 1.27 adds to the language and to the standard library, and show what go
// run prints. Where the interpreter has it not, it says so by name.
var laterCells = []struct {
	name, cells, want, refused string
}{
	{name: "package uuid", cells: "id := uuid.New()\n~len(id.String())", want: "36"},
	{name: "strings.CutLast", cells: "before, after, ok := strings.CutLast(`a-b-c`, `-`)\n~fmt.Sprint(before, ` `, after, ` `, ok)", want: "a-b c true"},
	{name: "encoding/json/v2", cells: "import json2 \"encoding/json/v2\"\n~text, err := json2.Marshal(map[string]int{`a`: 1})\n~fmt.Sprint(string(text), err)", want: `{"a":1}<nil>`},
	{name: "unicode.Version", cells: "unicode.Version", want: "17.0.0"},
	{name: "generic method", cells: "type list[T any] struct{ xs []T }\n" +
		"func (l list[T]) Map[U any](f func(T) U) (out list[U]) {\n\tfor _, x := range l.xs {\n\t\tout.xs = append(out.xs, f(x))\n\t}\n\treturn out\n}\n~" +
		"l := list[int]{[]int{1, 2}}\n~fmt.Sprint(l.Map(func(i int) string { return strconv.Itoa(i) + `!` }))",
		want: "{[1! 2!]}", refused: "the interpreter has no methods with type parameters, such as Map"},
	{name: "generic method of another package", cells: "r := rand.New(rand.NewPCG(1, 2))\n~r.N(int64(10)) < 10",
		want: "true", refused: "the interpreter has no methods with type parameters, such as N"},
	{name: "promoted field in a literal", cells: "type base struct{ id int }\ntype user struct {\n\tbase\n\tname string\n}\n~" +
		"u := user{id: 7, name: `Go`}\n~fmt.Sprint(u)",
		want: "{{7} Go}", refused: "the interpreter cannot set id, a field of an embedded struct, in a literal"},
	{name: "generic method of a plain type", cells: "type pair struct{ a, b int }\nfunc (p pair) Both[T any](f func(int) T) []T { return []T{f(p.a), f(p.b)} }\n~" +
		"p := pair{1, 2}\n~fmt.Sprint(p.Both(strconv.Itoa), p.Both[float64](func(i int) float64 { return float64(i) / 2 }))",
		want: "[1 2] [0.5 1]", refused: "the interpreter has no methods with type parameters, such as Both"},
	{name: "inferred in an element", cells: "func id[T any](x T) T { return x }\ntype f func(int) int\nfs := []f{id}\n~fmt.Sprint(fs[0](3))", want: "3"},
	{name: "inferred in a conversion", cells: "func id[T any](x T) T { return x }\ntype f func(int) int\n~f(id)(4)", want: "4"},
}

// TestLaterGo runs them in both engines.
func TestLaterGo(t *testing.T) {
	for _, c := range laterCells {
		for _, mode := range []program.Mode{program.InterpretedMode, program.CompiledMode} {
			t.Run(c.name+"/"+mode.String(), func(t *testing.T) {
				n := newNotebook
				if mode == program.CompiledMode {
					n = func(t testing.TB) *notebook { return newWorkerNotebook(t, mode) }
				}
				cells, session := strings.Split(c.cells, "\n~"), n(t)
				for _, cell := range cells {
					_, _, err := session.run(cell)
					var refused *program.Error
					if mode == program.InterpretedMode && c.refused != "" && errors.As(err, &refused) && refused.Name == "Refused" {
						if !strings.Contains(refused.Message, c.refused) {
							t.Errorf("refused by %q, want %q", refused.Message, c.refused)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if session.values != c.want || mode == program.InterpretedMode && c.refused != "" {
					t.Errorf("value %q, want %q", session.values, c.want)
				}
			})
		}
	}
}

// TestLaterGoMethods holds that a method with type parameters stands beside its type.
func TestLaterGoMethods(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("type pair struct{ a, b int }"); err != nil {
		t.Fatal(err)
	}
	_, _, err := n.run("func (p pair) First[T any](f func(int) T) T { return f(p.a) }")
	if err == nil || !strings.Contains(err.Error(), "method pair.First: a method with type parameters must be in the cell that declares the type") {
		t.Errorf("got %v", err)
	}
}
