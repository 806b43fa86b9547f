package engine_test

import (
	"strings"
	"testing"
)

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
	for _, c := range []struct{ source, message string }{
		{"type R S\ntype S R", "invalid recursive type"},
		{"type C = P\nfunc (c C) M() {}", "its receiver is an alias of P, which cell 1 declares: write P"},
		{"type C = *D\ntype D = P\nfunc (c C) M() {}", "its receiver is an alias of P, which cell 1 declares: write P"},
		{"func (a P, b P) M() {}", "method has multiple receivers"},
		{"import . \"cmp\"\nfunc (o Ordered) M() {}", "cannot define new methods on non-local type Ordered"},
		{"func (b strings.Builder) M() {}", "cannot define new methods on non-local type strings.Builder"},
		{"func (n int) M() {}", "cannot define new methods on non-local type int"},
	} {
		if _, _, err := n.run(c.source); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v; want %s", c.source, err, c.message)
		}
	}
}
