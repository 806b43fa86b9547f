package taxonomy_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestFaults(t *testing.T) {
	var none *taxonomy.Faults
	if none.Total() != 0 || none.Count("x") != 0 || none.String() != "no faults\n" || none.HTML() == "" {
		t.Errorf("nil has %d faults: %v", none.Total(), none)
	}
	var f, g taxonomy.Faults
	f.Add("cycle", "left out", &taxonomy.SyntaxError{File: "a<b", Line: 3, Column: 4, Msg: "one"})
	f.Add("empty name", "named", nil)
	f.Add("cycle", "ignored", &taxonomy.SyntaxError{File: "later", Line: 9, Msg: "two"})
	g.Add("cycle", "left out", nil)
	g.Add("NaN", "read as 0", nil)
	f.Merge(&g, nil)
	want := "3 × cycle, left out; first a<b:3:4: one\n1 × empty name, named\n1 × NaN, read as 0\n"
	if f.String() != want || f.Total() != 5 || f.Count("cycle") != 3 || g.Count("cycle") != 1 {
		t.Errorf("%d faults:\n%s, want\n%s", f.Total(), &f, want)
	}
	if page := f.HTML(); !strings.Contains(page, "a&lt;b:3:4: one") || strings.Contains(page, "a<b") {
		t.Errorf("page is %s", page)
	}
}
