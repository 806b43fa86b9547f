package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestRecall runs cells, of which the last mentions what others showed.
func TestRecall(t *testing.T) {
	for _, c := range []struct {
		name  string
		cells []string
		want  string // what the last shows, or part of its error
	}{
		{"last value", []string{"40", "_ + 2"}, "42"},
		{"of a number", []string{"40", "\"a\"", "Out[1] + len(Out[2])"}, "41"},
		{"a source longer than the cell", []string{"total := 0\ntotal += 40 // and 2", "In[1]"}, "total := 0\ntotal += 40 // and 2"},
		{"twice", []string{"3", "_ * _"}, "9"},
		{"a chain", []string{"3", "_ + 1", "_ + 1", "_"}, "5"},
		{"the type of a constant", []string{"1.5", "var x float64 = _\nx"}, "1.5"},
		{"a type mismatch", []string{"3", "_ + \"a\""}, "mismatched types int and untyped string"},
		{"said in the user's words", []string{"3", "x := Out[1].Field"}, "Cell [2]:1:13: Out[1].Field undefined (type int has no field or method Field)"},
		{"said in the user's words, last", []string{"3", "x := _.Field"}, "_.Field undefined"},
		{"fields", []string{"type P struct{ X, y int }", "P{1, 2}", "Out[2].y + _.X"}, "3"},
		{"methods", []string{"type P struct{ X int }\nfunc (p P) Twice() int { return 2 * p.X }\nP{4}", "_.Twice()"}, "8"},
		{"pointer methods", []string{"type C struct{ n int }\nfunc (c *C) Inc() int { c.n++; return c.n }\n&C{}", "_.Inc()", "Out[1].Inc()", "Out[1].n"}, "2"},
		{"pointer methods of a value", []string{"type C struct{ n int }\nfunc (c *C) Inc() int { c.n++; return c.n }\nC{}", "_.Inc()"}, "cannot call pointer method Inc on C"},
		{"a field cannot be set", []string{"type P struct{ X int }\nP{1}", "Out[1].X = 2"}, "cannot assign to Out[1].X"},
		{"nor its address taken", []string{"type P struct{ X int }\nP{1}", "&_"}, "cannot take address of _"},
		{"an element can", []string{"[]int{1, 2}", "_[0] = 5\nOut[1]"}, "[5 2]"},
		{"a struct is kept as it was", []string{"type P struct{ X int }\np := P{1}\np", "p.X = 2", "_.X + p.X"}, "3"},
		{"an array is kept as it was", []string{"a := [2]int{1, 2}\na", "a[0] = 9", "_[0] + a[0]"}, "10"},
		{"a pointer is the same", []string{"type P struct{ X int }\np := &P{1}\np", "p.X = 2", "_.X"}, "2"},
		{"of an older type", []string{"type P struct{ X int }\nP{7}", "type P struct{ Y string }", "P{\"a\"}", "Out[1].X + len(Out[3].Y)"}, "8"},
		{"a map", []string{"m := map[string]int{\"a\": 1}\nm", "_[\"a\"]"}, "1"},
		{"a function", []string{"func twice(n int) int { return 2 * n }\ntwice", "_(4)"}, "8"},
		{"a literal", []string{"k := 3\nfunc(n int) int { return k * n }", "k = 5", "_(4)"}, "20"},
		{"a channel", []string{"c := make(chan int, 1)\nc", "c <- 4", "<-_"}, "4"},
		{"an error", []string{"errors.New(\"bad\")", "_.Error()"}, "bad"},
		{"an error of a session type", []string{"type E struct{ N int }\nfunc (e *E) Error() string { return \"e\" }\nvar err error = &E{4}\nerr", "var e *E\nerrors.As(fmt.Errorf(\"w: %w\", _), &e)\ne.N"}, "4"},
		{"an error as last value", []string{"errors.New(\"bad\")", "_"}, "bad"},
		{"a nil error", []string{"var err error\nerr", "_ == nil"}, "true"},
		{"any", []string{"var x any = 3\nx", "_.(int) + 1"}, "4"},
		{"an interface of the session", []string{"type S interface{ M() int }\ntype A struct{ n int }\nfunc (a A) M() int { return a.n }\nvar s S = A{6}\ns", "_.M()"}, "6"},
		{"an interface of a package", []string{"var r io.Reader = strings.NewReader(\"abc\")\nr", "b, _ := io.ReadAll(_)\nlen(b)"}, "3"},
		{"a generic type", []string{"type L[T any] struct{ items []T }\nfunc (l L[T]) Len() int { return len(l.items) }\nL[int]{[]int{1, 2}}", "_.Len()"}, "2"},
		{"an anonymous struct", []string{"struct{ A int; b string }{1, \"x\"}", "_.b"}, "x"},
		{"a nil pointer", []string{"type P struct{ X int }\nvar p *P\np", "_ == nil"}, "true"},
		{"several results", []string{"func two() (int, string) { return 1, \"b\" }", "two()", "n, s := Out[2]\nfmt.Sprint(n + 1, s)"}, "2b"},
		{"several results as one", []string{"func two() (int, string) { return 1, \"b\" }", "two()", "x := _"}, "assignment mismatch: 1 variable but _ returns 2 values"},
		{"several results again", []string{"func two() (int, string) { return 1, \"b\" }", "two()", "_"}, "1 b"},
		{"results without the error", []string{"strconv.Atoi(\"41\")", "_ + 1"}, "42"},
		{"in a literal", []string{"3", "f := func() int { return _ + 1 }\nf()"}, "4"},
		{"a literal keeps what it means", []string{"3", "f := func() int { return _ + 1 }", "100", "f()"}, "4"},
		{"in statements", []string{"3", "s := 0\nfor i := range _ {\n\ts += i\n}\nif Out[1] > 2 { s += 10 }\ns"}, "13"},
		{"in a declaration", []string{"3", "var a, b = _, Out[1]\na + b"}, "6"},
		{"in a composite literal", []string{"3", "[]int{_, 0: Out[1], 2: 1}[1]"}, "0"},
		{"semicolon keeps nothing", []string{"3", "4;", "_"}, "3"},
		{"a statement keeps nothing", []string{"3", "x := 4", "_"}, "3"},
		{"a failed cell keeps nothing", []string{"3", "var p *int\n*p", "_"}, "3"},
		{"the blank identifier", []string{"3", "_, x := 1, 2\n_ = x\nfor _ = range 2 {}\nfor _, v := range []int{5} { x += v }\nfunc(_ int, _ string) { x++ }(1, \"\")\nvar _ = 4\nx"}, "8"},
		{"not in functions", []string{"3", "func f() int { return _ }"}, "cannot use _ as value"},
		{"Out not in functions", []string{"3", "func f() int { return Out[1] }", "f()"}, "undefined: Out"},
		{"nothing shown", []string{"_ + 1"}, "Cell [1]:1:1: cannot use _ as value: no cell has shown one"},
		{"no value", []string{"x := 1", "Out[1]"}, "Cell [2]:1:1: Out[1]: cell 1 showed no value"},
		{"no such cell", []string{"1", "Out[7]"}, "Cell [2]:1:1: Out[7]: no cell 7 has been run"},
		{"not a number", []string{"1", "i := 1\nOut[i]"}, "Cell [2]:2:5: Out needs the number of a cell as a literal, as in Out[1]"},
		{"alone", []string{"1", "len(Out)"}, "undefined: Out (write Out[n]"},
		{"source", []string{"x := 1 // one", "In[1]"}, "x := 1 // one"},
		{"source of a failed cell", []string{"1 +", "len(In[1])"}, "3"},
		{"source of this cell", []string{"len(In[1])"}, "10"},
		{"no such source", []string{"In[3]"}, "In[3]: no cell 3 has been run"},
		{"the user's Out", []string{"1", "Out := []int{5, 6}", "Out[1]"}, "6"},
		{"the user's Out in the same cell", []string{"1", "Out := []int{5, 6}\nOut[1]"}, "6"},
		{"the user's In", []string{"func In() int { return 4 }", "In()"}, "4"},
		{"the user's local Out", []string{"1", "f := func(Out []int) int { return Out[1] }\nf([]int{5, 6})"}, "6"},
		{"a field Out", []string{"1", "v := struct{ Out []int }{[]int{5, 6}}\nv.Out[1]"}, "6"},
		{"in a forgotten error", []string{"\"4x\"", "n := strconv.Atoi(_)"}, "parsing \"4x\": invalid syntax"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNotebook(t)
			for i, cell := range c.cells {
				got, _, err := n.run(cell)
				if i < len(c.cells)-1 {
					continue
				}
				if err != nil {
					if !strings.Contains(err.Error(), c.want) {
						t.Errorf("error %v, want %q", err, c.want)
					}
				} else if got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
			}
		})
	}
}

// TestRecallCounts numbers cells as a front end does, whose counts are not the engine's numbers.
func TestRecallCounts(t *testing.T) {
	n := newNotebook(t)
	for _, c := range []struct {
		cell program.Cell
		want string
	}{
		{program.Cell{Number: 4, Count: 1, Source: "\"one\""}, "one"},
		{program.Cell{Number: 5, Count: 2, Aside: true, Source: "\"aside\""}, "aside"},
		{program.Cell{Number: 9, Count: 2, Source: "\"two\""}, "two"},
		{program.Cell{Number: 10, Count: 3, Source: "Out[1] + Out[2] + _ + In[2]"}, "onetwotwo\"two\""},
		{program.Cell{Number: 11, Count: 4, Source: "Out[9]"}, "Cell [4]:1:1: Out[9]: no cell 9 has been run"},
		{program.Cell{Number: 12, Count: 4, Source: "var p *int\n*p"}, "Cell [4]:2"},
	} {
		bundle, err := n.engine.Run(context.Background(), c.cell, &enginetest.Recorder{})
		var e *program.Error
		switch {
		case errors.As(err, &e):
			if !strings.Contains(uncoloured(e.Traceback), c.want) {
				t.Errorf("%+v: %v", c.cell, err)
			}
		case err != nil || bundle.Data["text/plain"] != c.want:
			t.Errorf("%+v: %v, %v", c.cell, bundle, err)
		}
	}
}

// TestRecallComplete completes members of what was shown.
func TestRecallComplete(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("type P struct{ Width, Height int }\nP{1, 2}"); err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"_.Wi", "x := Out[1].Wi", "f := func() int { return _.Wi"} {
		if got := n.engine.Complete(code, len(code)).Candidates; len(got) != 1 || got[0].Text != "Width" {
			t.Errorf("%s: %v", code, got)
		}
	}
}
