package engine_test

import "testing"

func TestIsComplete(t *testing.T) {
	n := newNotebook(t)
	for _, c := range []struct{ source, status, indent string }{
		{"", "complete", ""},
		{"x := 1", "complete", ""},
		{"x :=", "incomplete", ""},
		{"if x {", "incomplete", "\t"},
		{"if x {\n\tfor {", "incomplete", "\t\t"},
		{"func f(", "incomplete", "\t"},
		{"func f(a int,\n", "incomplete", "\t"},
		{"func f() int", "complete", ""},
		{"func f() {\n}", "complete", ""},
		{"s := `raw", "incomplete", ""},
		{"s := `raw\n`", "complete", ""},
		{"/* comment", "incomplete", ""},
		{"// comment", "complete", ""},
		{"1 +", "incomplete", ""},
		{"1 + // more", "incomplete", ""},
		{"x.", "incomplete", ""},
		{"f(1,", "incomplete", "\t"},
		{"x++", "complete", ""},
		{"f(xs...)", "complete", ""},
		{"type T struct {", "incomplete", "\t"},
		{"type T", "incomplete", ""},
		{"var", "incomplete", ""},
		{"import (", "incomplete", "\t"},
		{"import \"fmt\"", "complete", ""},
		{"x := \"open", "invalid", ""},
		{")", "invalid", ""},
		{"}", "invalid", ""},
		{"x := 1 2", "invalid", ""},
		{"if x {\n} else", "incomplete", ""},
		{"[]int{1,\n\t2,\n}", "complete", ""},
		{"go", "incomplete", ""},
		{"for i := range 3 { fmt.Println(i) }", "complete", ""},
	} {
		status, indent := n.engine.IsComplete(c.source)
		if status != c.status || indent != c.indent {
			t.Errorf("%q: %s %q, want %s %q", c.source, status, indent, c.status, c.indent)
		}
	}
}
