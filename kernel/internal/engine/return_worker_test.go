package engine_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestReturn ends cells by return at their top and in blocks there.
func TestReturn(t *testing.T) {
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		for _, c := range []struct{ cell, shown, out, err, after, is string }{
			{cell: "return"},
			{cell: "return 5", shown: "5"},
			{cell: "return 5;"},
			{cell: "return (5)\n", shown: "5"},
			{cell: "x := 2\nreturn x + 1 // the sum\nx = 4", shown: "3", after: "x", is: "2"},
			{cell: "fmt.Print(1)\nreturn\nfmt.Print(2)", out: "1"},
			{cell: "fmt.Print(1); return; fmt.Print(2)", out: "1"},
			{cell: "return f()\nfunc f() int { return 6 }\ny := f()", after: "f()", is: "6"},
			{cell: "return strconv.Atoi(\"7\")", shown: "7"},
			{cell: "return strconv.Atoi(\"q\")", err: "invalid syntax"},
			{cell: "return []int{1, 2}", shown: "[1 2]"},
			{cell: "return func() int { return 3 }()", shown: "3"},
			{cell: "x := 1\nreturn\nz := 2", after: "z", is: "undefined: z"},
			{cell: "return nope", err: "undefined: nope"},
			{cell: "if true {\n\tfmt.Print(1)\n\treturn\n}\nfmt.Print(2)", out: "1"},
			{cell: "for i := range 3 {\n\tif i == 1 { return }\n\tfmt.Print(i)\n}\nfmt.Print(2)", out: "0"},
			{cell: "a := 1\nif a == 1 { return }\nz := 2", after: "a", is: "1"},
		} {
			t.Run(c.cell, func(t *testing.T) {
				n := newWorkerNotebook(t, mode)
				shown, out, err := n.run(c.cell)
				if shown != c.shown || out != c.out {
					t.Errorf("shows %q, writes %q, want %q, %q", shown, out, c.shown, c.out)
				}
				if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				if c.after == "" {
					return
				}
				got, _, err := n.run(c.after)
				if err != nil {
					got = err.Error()
				}
				if got != c.is && !strings.Contains(got, c.is+" ") && !strings.HasSuffix(got, c.is) {
					t.Errorf("%s is %q, want %q", c.after, got, c.is)
				}
			})
		}
	})
}
