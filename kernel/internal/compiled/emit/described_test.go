package emit_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestDescribedTypes looks for the types in the unit that a session becomes when it is compiled, of
// which the interpreter knows values only by their numbers.
func TestDescribedTypes(t *testing.T) {
	session := enginetest.NewSession()
	for i, source := range []string{
		"type point struct{ x int }\ntype pair[K comparable, V any] struct { k K; v V }",
		"var list []any\nlist = append(list, point{1}, &point{2}, []point{{3}}, map[string]*point{}, pair[string, point]{\"a\", point{4}}, struct{ y int }{5})",
		"func f() any { type local int; return local(1) }\nlist = append(list, f())",
	} {
		if _, err := session.Lower(program.Cell{Number: i + 1, Source: source}); err != nil {
			t.Fatal(err)
		}
	}
	unit, _, _, err := emit.New(session.Checker).Everything()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`"\d+": reflectˑ\.TypeFor\[(.*?)\]\(\)[,}]`).FindAllStringSubmatch(unit.Source, -1) {
		got = append(got, m[1])
	}
	for _, want := range []string{"point", "*point", "[]point", "map[string]*point", "pair[string, point]", "struct {y int}"} {
		if !slices.Contains(got, want) {
			t.Errorf("no entry for %s in %q", want, got)
		}
	}
	if slices.Contains(got, "local") {
		t.Error("an entry for a type that the unit has no name for")
	}
}
