package engine_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestMust calls the function that cells need not declare, in functions and at the top.
func TestMust(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		for _, c := range []struct {
			before, cell     string
			shown            string
			err, message, at string
			after, is        string
		}{
			{cell: "func f(s string) int { return 2 * must(strconv.Atoi(s)) }\nf(\"4\")", shown: "8"},
			{cell: "func f(s string) int { return 2 * must(strconv.Atoi(s)) }\nf(\"q\")", err: "*strconv.NumError",
				message: "strconv.Atoi: parsing \"q\": invalid syntax", at: " in f"},
			{before: "func f(s string) int {\n\treturn must(strconv.Atoi(s))\n}", cell: "// twice\nf(\"3\") + must(strconv.Atoi(\"5\"))", shown: "8"},
			{before: "func f(s string) int {\n\treturn must(strconv.Atoi(s))\n}", cell: "f(\"3\")\nf(\"q\")", err: "*strconv.NumError",
				message: "strconv.Atoi: parsing \"q\": invalid syntax", at: "Cell [1]:2"},
			{cell: "// what a cell begins with\nimport \"errors\"\nfunc g() string { return must(\"a\", errors.New(\"no\")) }\n\ng()", err: "error", message: "no", at: " in g"},
			{cell: "g := func() []int { return must([]int{1}, nil) }\ng()", shown: "[1]"},
			{cell: "%time must(strconv.Atoi(\"5\"))", shown: "5"},
			{cell: "x := must(strconv.Atoi(\"5\")); // all", after: "x", is: "5"},
			{before: "func must(n int) int { return n + 1 }", cell: "must(1)", shown: "2"},
			{before: "must(1, nil)", cell: "func must(n int) int { return n + 1 }\nmust(1)", shown: "2"},
			{cell: "must := func(n int) int { return n + 2 }\nmust(1)", shown: "3"},
			{cell: "var must = strings.ToUpper\nmust(\"a\")", shown: "A"},
			{cell: "func f(must func(int) int) int { return must(3) }\nf(func(n int) int { return n + 1 })", shown: "4"},
			{cell: "regexp.MustCompile(\"a\").String()", shown: "a"},
			{cell: "must", err: "CompileError", message: "Cell [2]:1:1: undefined: must"},
			{cell: "func f() { must(1) }", err: "CompileError", message: "Cell [2]:1:18: not enough arguments in call to must"},
			{cell: "\tx := must(1, nil) + y", err: "CompileError", message: "Cell [2]:1:22: undefined: y"},
			{cell: "func f() (n int) { defer func() { if recover() != nil { n = 4 } }(); return must(1, os.ErrExist) }\nf()", shown: "4"},
			{cell: "panic(os.ErrExist)", err: "panic", message: "file already exists"},
		} {
			t.Run(c.before+c.cell, func(t *testing.T) {
				n := newWorkerNotebook(t, mode)
				if _, _, err := n.run(c.before); err != nil {
					t.Fatal(err)
				}
				shown, _, err := n.run(c.cell)
				if c.err == "CompileError" && err != nil && strings.Contains(err.Error(), c.message) {
					return
				}
				checkError(t, err, c.err, c.message, c.at)
				if shown != c.shown {
					t.Errorf("shows %q, want %q", shown, c.shown)
				}
				if c.after == "" {
					return
				}
				if shown, _, err := n.run(c.after); shown != c.is || err != nil {
					t.Errorf("%s is %q, %v; want %q", c.after, shown, err, c.is)
				}
			})
		}
		n := newWorkerNotebook(t, mode)
		for i, cell := range []string{"func f() int { return must(3, nil) }", "f()", "func must(n int, err error) int { return 2 * n }", "f()"} {
			shown, _, err := n.run(cell)
			if want := []string{"", "3", "", "6"}[i]; shown != want || err != nil {
				t.Errorf("%s shows %q, %v; want %q", cell, shown, err, want)
			}
		}
	})
}
