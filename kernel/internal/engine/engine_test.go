package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestCells runs cells in one session and looks at what the last one shows and writes.
func TestCells(t *testing.T) {
	for _, c := range []struct {
		name  string
		cells []string
		value string
		out   string
	}{
		{"struct shows its fields and its type", []string{"type P struct{ X, y int }", "P{1, 2}"}, "P{X:1 y:2}", ""},
		{"pointer", []string{"type P struct{ X, y int }", "&P{1, 2}"}, "&P{X:1 y:2}", ""},
		{"a type declared again as it is stays the type", []string{"type P struct{ X int }", "p := P{1}", "type P struct{ X int }\nfunc (p P) Twice() int { return 2 * p.X }", "p.Twice()"}, "2", ""},
		{"callers follow a function", []string{"func f() int { return 1 }", "func g() int { return f() }", "func f() int { return 2 }", "g()"}, "2", ""},
		{"callers follow through another signature", []string{"func f(a int) int { return a }", "func g() int { return f(1) }", "func f(a, b int) int { return a + b }", "func f(a int) int { return 10 * a }", "g()"}, "10", ""},
		{"callers that still compile follow another signature", []string{"func f(a int) int { return a }", "func g() int { return f(1) }", "func f(a ...int) int { return 7 }", "g()"}, "7", ""},
		{"a method declared again", []string{"type T struct{ A int }\nfunc (t T) M() int { return 1 }\nvar i interface{ M() int } = T{}", "func (t T) M() int { return 2 }", "i.M() + T{}.M()"}, "4", ""},
		{"a variable lost and found", []string{"x := 1", "func f() int { return x }", "x := \"s\"", "f()"}, "1", ""},
		{"closures follow a function", []string{"func f() int { return 1 }", "h := func() int { return f() }", "func f() int { return 2 }", "h()"}, "2", ""},
		{"functions see the cell's variables", []string{"x := 2\nfunc f() int { return x }\nf()"}, "2", ""},
		{"pointer method", []string{"type C struct{ n int }\nfunc (c *C) Inc() { c.n++ }", "var c C\nc.Inc()\nc.Inc()\nc.n"}, "2", ""},
		{"embedded", []string{"type A struct{ X int }\nfunc (a A) Get() int { return a.X }\ntype B struct{ A; Y int }", "b := B{A{3}, 4}\nb.X + b.Get()"}, "6", ""},
		{"constant with a Stringer", []string{"type Day int\nconst (\n\tMon Day = iota\n\tTue\n)\nfunc (d Day) String() string { return [...]string{\"Mon\", \"Tue\"}[d] }", "Tue"}, "Tue", ""},
		{"a constant of constants that are too large", []string{"1e400 / 1e399"}, "10", ""},
		{"semicolon hides", []string{"1 + 1;"}, "", ""},
		{"println of a struct", []string{"type P struct{ X int }", "fmt.Println(P{1})"}, "", "{1}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNotebook(t)
			var value, out string
			var err error
			for _, cell := range c.cells {
				if value, out, err = n.run(cell); err != nil {
					t.Fatalf("%s: %v", cell, err)
				}
			}
			if c.out == "" && value != c.value {
				t.Errorf("value %q, want %q", value, c.value)
			}
			if out != c.out {
				t.Errorf("output %q, want %q", out, c.out)
			}
		})
	}
}

// TestPanics looks at messages and calls of panics.
func TestPanics(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("func bad(m []int, i int) int {\n\tx := 1\n\treturn m[i] + x\n}\nfunc worse() int {\n\n\treturn bad(nil, 3)\n}"); err != nil {
		t.Fatal(err)
	}
	_, _, err := n.run("y := 1\nworse()\nz := 2")
	var e *program.Error
	var r *program.RuntimeError
	if !errors.As(err, &e) || !errors.As(err, &r) {
		t.Fatalf("error %v", err)
	}
	if !strings.HasPrefix(r.Message, "runtime error: index out of range") {
		t.Errorf("message %q", r.Message)
	}
	want := []program.Frame{
		{Function: "bad", Cell: 1, Line: 3, Column: 9, Operation: "index"},
		{Function: "worse", Cell: 1, Line: 7, Column: 9, Operation: "call"},
		{Cell: 2, Line: 2, Column: 1, Operation: "call"},
	}
	if len(r.Frames) != len(want) {
		t.Fatalf("frames %v, want %v", r.Frames, want)
	}
	for i := range want {
		if r.Frames[i] != want[i] {
			t.Errorf("frame %d: %v, want %v", i, r.Frames[i], want[i])
		}
	}
	if value, _, err := n.run("y"); err != nil || value != "1" {
		t.Errorf("y: %q, %v", value, err)
	}
	if _, _, err := n.run("z"); err == nil || !strings.Contains(err.Error(), "undefined: z") {
		t.Errorf("z: %v", err)
	}
}
