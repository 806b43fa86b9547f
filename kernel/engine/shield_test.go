package engine_test

import "testing"

// TestTypesDeclaredAsEarlierOnes declares types as what earlier cells declared.
func TestTypesDeclaredAsEarlierOnes(t *testing.T) {
	n := newNotebook(t)
	for _, c := range []struct{ source, value string }{
		{"type P struct{ X int }\nfunc (p P) Twice() int { return 2 * p.X }", ""},
		{"type A P", ""},
		{"type B = P", ""},
		{"A{3}.X + B{4}.Twice()", "11"},
		{"type A P", ""}, // again as it is: a stays of this type
		{"func (a A) Half() int { return a.X / 2 }\nA{4}.Half()", "2"},
		{"type Cycle Other\ntype Other struct{ next *Cycle }\nCycle{}.next == nil", "true"},
	} {
		if value, _, err := n.run(c.source); err != nil || value != c.value {
			t.Errorf("%s: value %q, error %v; want %q", c.source, value, err, c.value)
		}
	}
	if _, _, err := n.run("type R S\ntype S R"); err == nil {
		t.Error("two types that are each other compile")
	}
}
