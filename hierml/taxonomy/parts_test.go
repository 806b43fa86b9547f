package taxonomy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestParts checks the parts of random graphs against their definitions.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 200 {
		n := 1 + r.IntN(15)
		g := example.Random(r, n, 1+r.IntN(n), 1+r.IntN(2))
		root := r.IntN(n)
		part, nodes := g.Below(root)
		same(t, "nodes below", nodes, g.Descendants(root))
		if roots := part.Roots(); len(roots) != 1 || nodes[roots[0]] != root {
			t.Errorf("roots %v of what is below %d", roots, root)
		}
		for k, v := range nodes {
			if part.Name(k) != g.Name(v) {
				t.Errorf("node %d is called %q, was %q", k, part.Name(k), g.Name(v))
			}
			for j, w := range nodes {
				if slices.Contains(part.Children(k), j) != slices.Contains(g.Children(v), w) {
					t.Errorf("edge from %d to %d", v, w)
				}
			}
		}

		collapsed, became := g.Collapsed()
		for v := range n {
			c := g.Children(v)
			merges := len(c) == 1 && len(g.Parents(c[0])) == 1
			if merges != (collapsed.Name(became[v]) != g.Name(v)) || merges && became[v] != became[c[0]] {
				t.Errorf("node %d became %q of\n%v", v, collapsed.Name(became[v]), g)
			}
			for w := range n {
				if slices.Contains(g.Ancestors(v), w) && !slices.Contains(collapsed.Ancestors(became[v]), became[w]) {
					t.Errorf("%d is above %d and not when collapsed", w, v)
				}
			}
		}
		if len(collapsed.Leaves()) != len(g.Leaves()) {
			t.Errorf("%d leaves, were %d", len(collapsed.Leaves()), len(g.Leaves()))
		}

		a, b := r.IntN(n), r.IntN(n)
		var lowest []int
		for v := range n {
			common := func(v int) bool {
				return slices.Contains(g.Ancestors(a), v) && slices.Contains(g.Ancestors(b), v)
			}
			lower := slices.ContainsFunc(g.Descendants(v), func(w int) bool { return w != v && common(w) })
			if common(v) && !lower {
				lowest = append(lowest, v)
			}
		}
		same(t, "lowest common ancestors", g.LowestCommonAncestors(a, b), lowest)
		if g.IsTree() && len(lowest) == 1 && g.Distance(a, b) != g.Depth(a)+g.Depth(b)-2*g.Depth(lowest[0]) {
			t.Errorf("distance of %d and %d, which meet in %d", a, b, lowest[0])
		}
	}
}

func ExampleTaxonomy_Below() {
	t, err := taxonomy.FromPaths([]string{"net/http/httptest", "net/mail", "go/ast"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	net, _ := t.Node("net")
	part, _ := t.Below(net)
	fmt.Print(part)
	collapsed, _ := part.Collapsed()
	fmt.Print(collapsed)
	// Output:
	// tree: 4 nodes, 2 leaves, depth 2
	// net
	// ├── net/http
	// │   └── net/http/httptest
	// └── net/mail
	// tree: 3 nodes, 2 leaves, depth 1
	// net
	// ├── net/http/httptest
	// └── net/mail
}

// ExampleRules puts a root above a forest, for methods that need one.
func ExampleRules() {
	t, err := taxonomy.FromPaths([]string{"net/http", "go/ast"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, faults := taxonomy.Rules{OneRoot: true}.Repair(t)
	fmt.Print(faults)
	fmt.Print(tree)
	// Output:
	// 1 × several roots, a new root put above them; first taxonomy: "go" is a root in addition to "net", of 2 in all, and only one is allowed; give it a parent
	// tree: 5 nodes, 2 leaves, depth 2
	// root
	// ├── net
	// │   └── net/http
	// └── go
	//     └── go/ast
}
