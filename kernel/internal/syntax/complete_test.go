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
		{"func f() int", "incomplete", ""},
		{"func (t T) f()", "incomplete", ""},
		{"x := 1\nfunc f()", "incomplete", ""},
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
		// Programs.
		{"package main", "incomplete", ""},
		{"// a program\npackage main\n", "incomplete", ""},
		{"package", "incomplete", ""},
		{"package main\n\nimport \"fmt\"\n", "incomplete", ""},
		{"package main\nconst c = 1", "complete", ""},
		{"package main\nfunc main() {", "incomplete", "\t"},
		{"package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(1)", "incomplete", "\t"},
		{"package main\nfunc main() {}", "complete", ""},
		{"package main; import \"fmt\"; func main() { fmt.Println() }", "complete", ""},
		{"package main\nfunc main() {}\nmain()", "complete", ""},
		{"package main\nfunc helper()", "incomplete", ""},
		{"package 3", "invalid", ""},
		{"package main\nfunc main() {}}", "invalid", ""},
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
	if _, problems := syntax.NewFiles().Parse(syntax.NewLexed(syntax.NewSource(program.Cell{Number: 1, Source: source, Plain: true}))); status == "complete" && len(problems) > 0 {
		t.Errorf("%q is complete, but %v", source, problems)
	}
}

// TestIncompleteCells says of cells that end too early what is missing, and where.
func TestIncompleteCells(t *testing.T) {
	const end = "syntax error: unexpected end of cell"
	for cell, want := range map[string]string{
		"x := 1 +":                       "1:9: " + end + ", expected expression",
		"x := 1 +\n\n// comment\n":       "1:9: " + end + ", expected expression",
		"x := 1 + /* comment */":         "1:9: " + end + ", expected expression",
		"fmt.Println(1); y := 2 *":       "1:25: " + end + ", expected expression",
		"f(":                             "1:3: " + end + ", expected expression (the ( of line 1 is not closed)",
		"f(1":                            "1:4: " + end + " in argument list; possibly missing comma or ) (the ( of line 1 is not closed)",
		"xs[":                            "1:4: " + end + ", expected expression (the [ of line 1 is not closed)",
		"x.":                             "1:3: " + end + ", expected selector or type assertion",
		"var y =":                        "1:8: " + end + ", expected expression",
		"var y":                          "1:6: " + end + ", expected type",
		"a, b :=":                        "1:8: " + end + ", expected expression",
		"[]int{1,":                       "1:9: " + end + ", expected } (the { of line 1 is not closed)",
		"m := map[string]int{\"a\":":     "1:25: " + end + ", expected expression (the { of line 1 is not closed)",
		"if x {":                         "1:7: " + end + ", expected } (the { of line 1 is not closed)",
		"if x >":                         "1:7: " + end + ", expected expression",
		"switch {":                       "1:9: " + end + ", expected } (the { of line 1 is not closed)",
		"for i := range 3 {\n\tg()":      "2:5: " + end + ", expected } (the { of line 1 is not closed)",
		"func f() {\n\tg(1,":             "2:6: " + end + ", expected ) (the ( of line 2 is not closed)",
		"type T struct {":                "1:16: " + end + ", expected } (the { of line 1 is not closed)",
		"type T =":                       "1:9: " + end + ", expected type",
		"type":                           "1:5: " + end + ", expected name",
		"const c =":                      "1:10: " + end + ", expected expression",
		"import":                         "1:7: " + end + ", expected import path",
		"import (":                       "1:9: " + end + ", expected ) (the ( of line 1 is not closed)",
		"go":                             "1:3: " + end + ", expected expression",
		"%time x := 1 +":                 "1:15: " + end + ", expected expression",
		"func f()":                       "1:6: missing function body",
		"type T int\nfunc (t T) f() int": "2:12: missing function body",
		"s := \"abc":                     "1:6: syntax error: string literal not terminated",
		"s := `abc\n":                    "1:6: syntax error: raw string literal not terminated",
		"x := 1\n/* abc":                 "2:1: syntax error: comment not terminated",
		"case 1:":                        "1:1: syntax error: unexpected keyword case, expected statement",
		"if true { case 1: }":            "1:11: syntax error: unexpected keyword case, expected }",
	} {
		_, err := enginetest.NewSession().Check(program.Cell{Number: 1, Source: cell})
		if err == nil || !strings.HasPrefix(err.Error(), "CompileError: Cell [1]:"+want) {
			t.Errorf("%q: %v, want %s", cell, err, want)
		}
	}
}
