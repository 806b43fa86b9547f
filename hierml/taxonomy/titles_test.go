package taxonomy_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestNodesCalledAsTitles writes nodes that are called as columns may be: they are read again, or
// not written.
func TestNodesCalledAsTitles(t *testing.T) {
	for text, writes := range map[string]bool{"a\tparent\nparent\tchild\n": true, "b\nparent\tchild\n": true, "a\tsource\na\ttarget\n": true} {
		tree, err := taxonomy.Read(strings.NewReader(text), "x")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := (taxonomy.Edges{}).Write(&out, tree); (err == nil) != writes {
			t.Errorf("%q: %v", text, err)
		} else if again, err := taxonomy.Read(&out, "x"); err != nil || again.Len() != tree.Len() {
			t.Errorf("%q: %v, %v", text, again, err)
		}
	}
	tree, err := taxonomy.New([]string{"Parent", "children"}, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []taxonomy.Edges{{}, {Separator: ","}, {ChildFirst: true}} {
		if err := f.Write(new(bytes.Buffer), tree); err == nil || !strings.Contains(err.Error(), "titles") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
