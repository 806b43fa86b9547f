package taxonomy_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestFaultsOfFiles gives each fault to each format that can have it: strictly it is an error at
// its place, and repaired it is counted and what is left is right.
func TestFaultsOfFiles(t *testing.T) {
	var faults taxonomy.Faults
	edges, paths, newick := taxonomy.Edges{}, taxonomy.Paths{}, taxonomy.Newick{}
	obo, json, dot := taxonomy.OBO{}, taxonomy.JSON{}, taxonomy.DOT{}
	repair := func(f taxonomy.Format) taxonomy.Format {
		switch f := f.(type) {
		case taxonomy.Edges:
			f.Repair = &faults
			return f
		case taxonomy.Paths:
			f.Repair = &faults
			return f
		case taxonomy.Newick:
			f.Repair = &faults
			return f
		case taxonomy.OBO:
			f.Repair = &faults
			return f
		case taxonomy.JSON:
			f.Repair = &faults
			return f
		case taxonomy.DOT:
			f.Repair = &faults
			return f
		}
		panic("unknown format")
	}
	for _, test := range []struct {
		format taxonomy.Format
		text   string
		err    string
		kind   string
		edges  string // what is left, names without quotes
	}{
		{edges, "a\tb\nb\tb\n", `x:2:3: "b" is its own child; remove the edge`, "self loop", "a>b"},
		{edges, "a\tb\n\na\tb\n", `x:3:1: the edge from "a" to "b" is already in line 1; give it once`, "duplicate edge", "a>b"},
		{edges, "r\ta\na\tb\nb\tc\nc\ta\n", `x:4:1: the edges form a cycle: a > b > c > a; remove one of them`, "cycle", "a>b, b>c, r>a"},
		{edges, "a\tb\nb\ta\n", `x:2:1: the edges form a cycle: a > b > a; remove one of them`, "cycle", "a>b"},
		{edges, "parent\tchild\na\tb\n", `x:1:1: "parent" and "child" are titles of columns; remove the line, or read with Edges{Repair: &taxonomy.Faults{}}, which leaves it out`, "titles", "a>b"},
		{edges, "\nChild_ID\tParent_ID\na\tb\n", `x:2:1: "Child_ID" and "Parent_ID" are titles of columns; remove the line, or read with Edges{Repair: &taxonomy.Faults{}}, which leaves it out, and with ChildFirst: true, as the titles say`, "titles", "a>b"},
		{edges, "source\ttarget\na\tb\n", `x:1:1: "source" and "target" are titles of columns; remove the line, or read with Edges{Repair: &taxonomy.Faults{}}, which leaves it out`, "titles", "a>b"},
		{edges, "a\tb\n\tc\n", `x:2:1: the parent's name is empty; expected parent, tab, child`, "empty name", "a>b"},
		{edges, "a\tb\nab\t\n", `x:2:4: the child's name is empty; expected parent, tab, child, or a name alone`, "empty name", "a>b"},
		{edges, "a b\na c\n", `x:1: no line has a tab, and each has two names separated by " ": read it with Edges{Separator: " "}, or with Edges{Separator: "\t"} if these are nodes without edges`, "other separator", ""},
		{edges, "a,b\na,c d\n", `x:1: no line has a tab, and each has two names separated by ",": read it with Edges{Separator: ","}, or with Edges{Separator: "\t"} if these are nodes without edges`, "other separator", ""},
		{edges, "a\tb\nab\tc\td\n", `x:2:5: more than two fields; expected parent, tab, child`, "further fields", "a>b, ab>c"},
		{edges, "a\tb\xe4\n", `x:1:3: the name "b\xe4" is not UTF-8; convert the file to UTF-8`, "name not in UTF-8", "a>bä"},
		{paths, "a//b\n/a/c/\n", `x:1:3: "a//b" has an empty component; expected names separated by one "/"`, "empty component", "a>a/b, a>a/c"},
		{newick, "(a,a)b;", `x:1:4: "a" is already a node (line 1, column 2); names must be distinct`, "duplicate name", "b>a, b>a (2)"},
		{newick, "((a,b)100,(c,d)100)r;", `x:1:16: "100" is already a node (line 1, column 7); names must be distinct. If the numbers after parentheses are the support of branches, such as that of a bootstrap, read with Newick{Support: true}`, "duplicate name", "100 (2)>c, 100 (2)>d, 100>a, 100>b, r>100, r>100 (2)"},
		{newick, "(a,\n,'')b;", `x:2:1: a leaf without a name; expected a name`, "empty name", "b>a, b>node 1, b>node 2"},
		{newick, "((a)'')b;", `x:1:5: an empty name; expected a name, or none without quotes`, "empty name", "b>node 1, node 1>a"},
		{obo, "[Term]\nid: a\n[Term]\nid: b\nis_a: a\nis_a: a ! again\n", `x:6:7: the edge from "a" to "b" is already in line 5; give it once`, "duplicate edge", "a>b"},
		{obo, "[Term]\nid: a\nis_a: b\n", `x:3:7: "b", the parent of "a", is not a term of the file; name another, or remove the line`, "unknown parent", ""},
		{obo, "[Term]\nid: a\nis_a: b\n[Term]\nid: b\nis_obsolete: true\n", `x:3:7: "b", the parent of "a", is obsolete; name another, or remove the line`, "unknown parent", ""},
		{obo, "[Term]\nid: a\n[Term]\nid: b\n\n[Term]\nid: b\nis_a: a\n", `x:6:1: the term "b" is already defined in line 3; define it once`, "duplicate term", "a>b"},
		{obo, "[Term]\nid: a\n[Term]\nname: b\n", `x:3:1: the term has no id; give it one`, "term without id", ""},
		{obo, "[Term]\nid: a\nis_a b\n", `x:3:1: "is_a b" is not a tag and a value; expected, for example, is_a: GO:0008150`, "line that is not OBO", ""},
		{obo, "[Term]\nid: a\nname: x\\qy\n", `x:3:7: OBO has no escape \q; write two backslashes for one`, "unknown escape", ""},
		{obo, "[Term]\nid: a\nrelationship: part_of\n", `x:3:15: the relationship "part_of" has no target; expected, for example, part_of GO:0008150`, "line that is not OBO", ""},
		{json, `{"name": "a", "children": [{"name": "b"}, {"name": "b"}]}`, `x:1:52: "b" is already a node (line 1, column 37); names must be distinct`, "duplicate name", "a>b, a>b (2)"},
		{json, "{\"name\": \"a\", \"children\": [\n{\"size\": 3}]}", `x:2:1: the node has no "name"; give it one`, "empty name", "a>node 1"},
		{dot, "digraph {a -> b -> a}", `x:1:17: the edges form a cycle: a > b > a; remove one of them`, "cycle", "a>b"},
		{dot, "digraph {a -> b a\n-> b}", `x:2:1: the edge from "a" to "b" is already in line 1; give it once`, "duplicate edge", "a>b"},
		{dot, "digraph {a -> b; a -> b}", `x:1:20: the edge from "a" to "b" is already at column 12; give it once`, "duplicate edge", "a>b"},
		{taxonomy.DOT{Labels: true}, "digraph {a [label=b]; b}", `x:1:23: "b" is already a node (line 1, column 19); names must be distinct`, "duplicate name", ""},
		{dot, "digraph {{a b} -> {b c}}", `x:1:16: "b" is its own child; remove the edge`, "self loop", "a>b, a>c, b>c"},
		{taxonomy.Edges{Rules: taxonomy.Rules{Tree: true}}, "a\tc\nb\tc\n", `x:2:1: "c" has the parents "a" and "b", and a tree is required; remove one of the edges`, "further parent", "a>c"},
		{taxonomy.Edges{Rules: taxonomy.Rules{NoRedundant: true}}, "a\tc\na\tb\nb\tc\n", `x:1:1: the edge from "a" to "c" is redundant, because there is a path through "b"; remove it`, "redundant edge", "a>b, b>c"},
		{taxonomy.Edges{Rules: taxonomy.Rules{NoLone: true}}, "a\tc\nb\nc\td\n", `x:2:1: no edge connects "b" to another node; give it a parent or a child, or remove it`, "lone node", "a>c, c>d"},
		{taxonomy.Edges{Rules: taxonomy.Rules{OneRoot: true}}, "a\tc\nroot\td\n", `x:2:1: "root" is a root in addition to "a", of 2 in all, and only one is allowed; give it a parent`, "several roots", "a>c, root (2)>a, root (2)>root, root>d"},
	} {
		_, err := test.format.Read(context.Background(), strings.NewReader(test.text), "x")
		var e *taxonomy.SyntaxError
		if !errors.As(err, &e) || err.Error() != test.err {
			t.Errorf("%q: error\n\t%v, want\n\t%s", test.text, err, test.err)
		}
		faults = taxonomy.Faults{}
		g, err := repair(test.format).Read(context.Background(), strings.NewReader(test.text), "x")
		if err != nil {
			t.Errorf("%q, repaired: %v", test.text, err)
			continue
		}
		list := faults.List()
		if len(list) != 1 || list[0].Kind != test.kind || list[0].First == nil || list[0].First.Line != e.Line {
			t.Errorf("%q: faults\n%v, want one of the kind %s in line %d", test.text, &faults, test.kind, e.Line)
		}
		var left []string
		for _, e := range g.Edges() {
			left = append(left, g.Name(e[0])+">"+g.Name(e[1]))
		}
		slices.Sort(left)
		if got := strings.Join(left, ", "); got != test.edges {
			t.Errorf("%q: edges %s, want %s", test.text, got, test.edges)
		}
	}
}

// TestBreakingCycles repairs random graphs: no node is lost, and an edge is only when it closes a
// cycle.
func TestBreakingCycles(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range 300 {
		n := 2 + r.IntN(12)
		given := make(map[string]bool)
		var text strings.Builder
		for range r.IntN(3 * n) {
			if a, b := r.IntN(n), r.IntN(n); a != b && !given[fmt.Sprint(a, " ", b)] {
				given[fmt.Sprint(a, " ", b)] = true
				fmt.Fprintf(&text, "%d\t%d\n", a, b)
			}
		}
		if len(given) == 0 {
			continue
		}
		var faults taxonomy.Faults
		g, err := taxonomy.Edges{Repair: &faults}.Read(context.Background(), strings.NewReader(text.String()), "x")
		if err != nil {
			t.Fatal(err)
		}
		_, strict := taxonomy.Read(strings.NewReader(text.String()), "x")
		if (strict == nil) != (faults.Total() == 0) || len(g.Edges())+faults.Count("cycle") != len(given) {
			t.Fatalf("%d edges left of %d, %v, strictly %v", len(g.Edges()), len(given), &faults, strict)
		}
		for _, e := range g.Edges() {
			delete(given, g.Name(e[0])+" "+g.Name(e[1]))
		}
		for edge := range given {
			a, b, _ := strings.Cut(edge, " ")
			parent, _ := g.Node(a)
			child, _ := g.Node(b)
			if !slices.Contains(g.Ancestors(parent), child) {
				t.Errorf("the edge %s is left out and closes no cycle of\n%s", edge, &text)
			}
		}
	}
}

// TestRules applies the rules to random graphs.
func TestRules(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for range 300 {
		n := 1 + r.IntN(14)
		g := example.Random(r, n, 1+r.IntN(n), 1+r.IntN(3))
		// Redundant by definition: a way from the parent to the child that is not the edge.
		redundant := make(map[[2]int]bool)
		for _, e := range g.Edges() {
			for _, c := range g.Children(e[0]) {
				if c != e[1] && slices.Contains(g.Descendants(c), e[1]) {
					redundant[e] = true
				}
			}
		}
		reduced, faults := taxonomy.Rules{NoRedundant: true}.Repair(g)
		if faults.Count("redundant edge") != len(redundant) || len(reduced.Edges()) != len(g.Edges())-len(redundant) {
			t.Fatalf("%v, want %d redundant edges of\n%v", faults, len(redundant), g)
		}
		for v := range n {
			same(t, "ancestors without redundant edges", reduced.Ancestors(v), g.Ancestors(v))
		}
		all := taxonomy.Rules{Tree: true, NoRedundant: true, NoLone: true, OneRoot: true}
		fixed, faults := all.Repair(g)
		if err := all.Check(fixed); err != nil && len(g.Edges()) > 0 {
			t.Errorf("repaired %v, and yet: %v", faults, err)
		}
		if (all.Check(g) == nil) != (faults.Total() == 0) || faults.Total() == 0 && fixed != g {
			t.Errorf("check says %v, repair %v", all.Check(g), faults)
		}
		if len(fixed.Roots()) != 1 || !fixed.IsTree() {
			t.Errorf("repaired into\n%v", fixed)
		}
	}
	if err := (taxonomy.Rules{OneRoot: true}).Check(star(3)); err != nil {
		t.Error(err)
	}
	forest, _ := taxonomy.New([]string{"a", "b"}, nil)
	if err := (taxonomy.Rules{OneRoot: true}).Check(forest); err == nil || err.Error() != `taxonomy: "b" is a root in addition to "a", of 2 in all, and only one is allowed; give it a parent` {
		t.Errorf("two roots: %v", err)
	}
}
