package syntax_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

func TestIsComplete(t *testing.T) {
	for _, c := range []struct{ source, status, indent string }{
		// Whole cells.
		{"", "complete", ""},
		{"  \n\t\r\n", "complete", ""},
		{"x := 1", "complete", ""},
		{"x := 1\n\n\n", "complete", ""},
		{"x++", "complete", ""},
		{"_ + Out[1]", "complete", ""},
		{"f(xs...)", "complete", ""},
		{"func f() int", "complete", ""},
		{"func f() {\n}", "complete", ""},
		{"func f() {\r\n}\r\n", "complete", ""},
		{"s := `raw\n`", "complete", ""},
		{"s := `{(`", "complete", ""},
		{"s := \"{(\" // {(", "complete", ""},
		{"r := '{'", "complete", ""},
		{"// comment", "complete", ""},
		{"/* comment\n{ */", "complete", ""},
		{"// one\n// two {\n", "complete", ""},
		{"import \"fmt\"", "complete", ""},
		{"[]int{1,\n\t2,\n}", "complete", ""},
		{"for i := range 3 { fmt.Println(i) }", "complete", ""},
		{"return", "complete", ""},
		{"x;", "complete", ""},
		{"if x {\n} else {\n}", "complete", ""},
		{"L:\nfor {\n\tbreak L\n}", "complete", ""},
		{"func f[T any](x T) {}", "complete", ""},
		{"p := &T{\n\tA: 1,\n}", "complete", ""},
		// Brackets.
		{"if x {", "incomplete", "\t"},
		{"if x {\r\n", "incomplete", "\t"},
		{"if x { // why", "incomplete", "\t"},
		{"if x {\n\n\n", "incomplete", "\t"},
		{"if x {\n\tfor {", "incomplete", "\t\t"},
		{"if x {\n\tfor {\n\t}", "incomplete", "\t"},
		{"if x {\n} else {", "incomplete", "\t"},
		{"func f(", "incomplete", "\t"},
		{"func f(a int,\n", "incomplete", "\t"},
		{"func f(a int, b func(int) int) (c int, err error) {", "incomplete", "\t"},
		{"func (t *T) m() {\n\treturn func() {", "incomplete", "\t\t"},
		{"f(1,", "incomplete", "\t"},
		{"f(1 +", "incomplete", "\t"},
		{"f(g(h(", "incomplete", "\t"},
		{"f(func() {", "incomplete", "\t"},
		{"f(a,\n\tfunc() {", "incomplete", "\t\t"},
		{"f(func() {\n\tg()\n},", "incomplete", "\t"},
		{"type T struct {", "incomplete", "\t"},
		{"type T struct {\n\tA int", "incomplete", "\t"},
		{"import (", "incomplete", "\t"},
		{"import (\n\t\"fmt\"", "incomplete", "\t"},
		{"x := []T{{", "incomplete", "\t"},
		{"x := T{\n\tA: 1,", "incomplete", "\t"},
		{"x := T{\n\tA: 1 +", "incomplete", "\t\t"},
		{"x := map[string]int{\n\t\"a\":", "incomplete", "\t"},
		{"a[", "incomplete", "\t"},
		// Clauses.
		{"switch x {", "incomplete", ""},
		{"switch x := y.(type) {", "incomplete", ""},
		{"switch x {\ncase 1:", "incomplete", "\t"},
		{"switch x {\ncase 1,", "incomplete", "\t"},
		{"switch x {\ncase 1:\n\tf()", "incomplete", "\t"},
		{"switch x {\ncase 1:\n\tif y {", "incomplete", "\t\t"},
		{"switch x {\ncase 1:\n\tf()\ndefault:", "incomplete", "\t"},
		{"select {", "incomplete", ""},
		{"select {\ncase <-c:", "incomplete", "\t"},
		{"for {\n\tswitch {", "incomplete", "\t"},
		{"for {\n\tswitch {\n\tcase a:\n\t\tswitch {\n\t\tcase b:", "incomplete", "\t\t\t"},
		{"L:", "incomplete", ""},
		// Statements that go on.
		{"x :=", "incomplete", "\t"},
		{"x =", "incomplete", "\t"},
		{"1 +", "incomplete", "\t"},
		{"1 + // more", "incomplete", "\t"},
		{"1 +\n\t2 +", "incomplete", "\t"},
		{"a &&", "incomplete", "\t"},
		{"x.", "incomplete", "\t"},
		{"if x {\n\ty :=", "incomplete", "\t\t"},
		{"return a,", "incomplete", "\t"},
		{"type T", "incomplete", ""},
		{"var", "incomplete", ""},
		{"go", "incomplete", ""},
		{"for", "incomplete", ""},
		{"if x {\n} else", "incomplete", ""},
		{"func", "incomplete", ""},
		// Comments and strings.
		{"s := `raw", "incomplete", ""},
		{"if x {\n\tf(`raw", "incomplete", ""},
		{"/* comment", "incomplete", ""},
		{"x := 1 /* comment", "incomplete", ""},
		{"if x {\n\t/* comment", "incomplete", "\t"},
		// What nothing completes.
		{"x := \"open", "invalid", ""},
		{"f(\"open", "invalid", ""},
		{"if x {\n\ts := \"open\n", "invalid", ""},
		{"'a", "invalid", ""},
		{"f(#", "invalid", ""},
		{")", "invalid", ""},
		{"}", "invalid", ""},
		{"if x {\n}\n}", "invalid", ""},
		{"f(]", "invalid", ""},
		{"f(g{)", "invalid", ""},
		{"x := 1 2", "invalid", ""},
		{"x := 1 2\nif y {", "invalid", ""},
		{"if x {\n\ty := 1 2", "invalid", ""},
		{"else {", "invalid", ""},
		{"x := := 1", "invalid", ""},
	} {
		status, indent := syntax.Completeness(c.source)
		if status != c.status || indent != c.indent {
			t.Errorf("%q: %s %q, want %s %q", c.source, status, indent, c.status, c.indent)
		}
	}
}

// FuzzIsComplete looks for whole cells that do not parse.
func FuzzIsComplete(f *testing.F) {
	enginetest.Seeds(f, lowering)
	for _, source := range []string{"x := `a", "/* a", "if x {\n} else", "switch x {\ncase 1:", "f(func() {", "'a", "L:", "type T struct {", "func f(a,", "_ + Out[1]"} {
		f.Add(source)
	}
	f.Fuzz(checkComplete)
}

// TestIsCompleteSpoiled holds the same of cells that are spoiled.
func TestIsCompleteSpoiled(t *testing.T) {
	for source := range enginetest.Spoiled(t, 5000, lowering) {
		checkComplete(t, source)
	}
}

func checkComplete(t *testing.T, source string) {
	status, indent := syntax.Completeness(source)
	if strings.Trim(indent, "\t") != "" || indent != "" && status != "incomplete" {
		t.Errorf("%q: %s, indent %q", source, status, indent)
	}
	if _, problems := syntax.NewFiles().Parse(syntax.NewSource(program.Cell{Number: 1, Source: source, Plain: true})); status == "complete" && len(problems) > 0 {
		t.Errorf("%q is complete, but %v", source, problems)
	}
}
