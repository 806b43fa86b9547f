package taxonomy_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestNewRefuses(t *testing.T) {
	for _, test := range []struct {
		name  string
		names []string
		edges [][2]int
		check func(error) bool
	}{
		{"nothing", nil, nil, func(err error) bool { return err != nil }},
		{"empty name", []string{"a", ""}, nil, func(err error) bool {
			var e *taxonomy.NameError
			return errors.As(err, &e) && e.Node == 1
		}},
		{"name twice", []string{"a", "b", "a"}, nil, func(err error) bool {
			var e *taxonomy.DuplicateError
			return errors.As(err, &e) && e.First == 0 && e.Second == 2
		}},
		{"edge twice", []string{"a", "b"}, [][2]int{{0, 1}, {0, 1}}, func(err error) bool {
			var e *taxonomy.DuplicateError
			return errors.As(err, &e) && e.Kind == "edge"
		}},
		{"missing node", []string{"a", "b"}, [][2]int{{0, 2}}, func(err error) bool {
			var e *taxonomy.RangeError
			return errors.As(err, &e) && e.Node == 2 && e.Len == 2
		}},
		{"own child", []string{"a"}, [][2]int{{0, 0}}, func(err error) bool {
			var e *taxonomy.CycleError
			return errors.As(err, &e) && slices.Equal(e.Nodes, []int{0})
		}},
		{"cycle below a root", []string{"r", "a", "b", "c", "d"}, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}}, func(err error) bool {
			var e *taxonomy.CycleError
			return errors.As(err, &e) && len(e.Nodes) == 3 && strings.Contains(err.Error(), "a") && !strings.Contains(err.Error(), "d >")
		}},
	} {
		if _, err := taxonomy.New(test.names, test.edges); !test.check(err) {
			t.Errorf("%s: unexpected error %v", test.name, err)
		}
	}
}

func TestCycleErrorIsACycle(t *testing.T) {
	edges := [][2]int{{4, 3}, {3, 2}, {2, 4}, {0, 1}, {1, 2}, {4, 5}}
	_, err := taxonomy.New([]string{"a", "b", "c", "d", "e", "f"}, edges)
	var e *taxonomy.CycleError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	for i, v := range e.Nodes {
		if next := e.Nodes[(i+1)%len(e.Nodes)]; !slices.Contains(edges, [2]int{v, next}) {
			t.Errorf("%v: no edge from %d to %d", e.Nodes, v, next)
		}
	}
}

func TestRead(t *testing.T) {
	g, err := taxonomy.Read(strings.NewReader("\ufeffscience\tphysics\r\nalone\n\nscience\tof life\n"), "x.tsv")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "names", g.Names(), []string{"science", "physics", "alone", "of life"})
	same(t, "edges", g.Edges(), [][2]int{{0, 1}, {0, 3}})
	same(t, "roots", g.Roots(), []int{0, 2})
}

func TestReadRefuses(t *testing.T) {
	for _, test := range []struct {
		text         string
		line, column int
	}{
		{"", 1, 0},
		{"\n\n", 1, 0},
		{"a\tb\n\tc\n", 2, 1},
		{"a\tb\nab\t\n", 2, 4},
		{"a\tb\nab\tc\td\n", 2, 5},
		{"a\tb\nab\tab\n", 2, 4},
		{"a\tb\n\na\tb\n", 3, 1},
	} {
		_, err := taxonomy.Read(strings.NewReader(test.text), "x.tsv")
		var e *taxonomy.SyntaxError
		if !errors.As(err, &e) || e.Line != test.line || e.Column != test.column || e.File != "x.tsv" {
			t.Errorf("%q: error %v, want line %d, column %d", test.text, err, test.line, test.column)
		}
	}
	_, err := taxonomy.Read(strings.NewReader("a\tb\nb\ta\n"), "x.tsv")
	var e *taxonomy.CycleError
	if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "x.tsv:2:1: ") {
		t.Errorf("cycle: error %v", err)
	}
	if _, err := taxonomy.Read(failing{}, "x.tsv"); !errors.Is(err, errBroken) {
		t.Errorf("broken reader: error %v", err)
	}
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }

func TestFromPaths(t *testing.T) {
	g, err := taxonomy.FromPaths([]string{"net/http/httptest", "fmt", "net", "fmt", "net/url"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "names", g.Names(), []string{"net", "net/http", "net/http/httptest", "fmt", "net/url"})
	same(t, "edges", g.Edges(), [][2]int{{0, 1}, {0, 4}, {1, 2}})
	for _, bad := range []string{"", "/a", "a/", "a//b", "/", " / a", "a/ "} {
		_, err := taxonomy.FromPaths([]string{"ok", bad}, "/")
		var e *taxonomy.SyntaxError
		if !errors.As(err, &e) || e.Line != 2 {
			t.Errorf("%q: error %v, want one in line 2", bad, err)
		}
	}
	blanks, err := taxonomy.FromPaths([]string{" a / b c ", "a/d", "a /\td", "e"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "names", blanks.Names(), []string{"a", "a/b c", "a/d", "e"})
	if got := taxonomy.PathName(" a / b c ", "/"); got != "a/b c" {
		t.Errorf("called %q", got)
	}
	if _, err := taxonomy.FromPaths([]string{"a > b", "a>c"}, ">"); err != nil {
		t.Error(err)
	}
	if _, err := taxonomy.FromPaths(nil, "/"); err == nil {
		t.Error("no paths: no error")
	}
	if _, err := taxonomy.FromPaths([]string{"a"}, ""); err == nil {
		t.Error("no separator: no error")
	}
}

func TestWithMiscellaneousNames(t *testing.T) {
	g, err := taxonomy.New([]string{"a", "b", "a (misc)"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	m, leafOf, err := g.WithMiscellaneous([]int{0, 0})
	if err != nil {
		t.Fatal(err)
	}
	if leafOf[0] != 3 || m.Len() != 4 || m.Name(3) != "a (misc 2)" {
		t.Errorf("new leaf %d of %d nodes called %q", leafOf[0], m.Len(), m.Name(m.Len()-1))
	}
	for _, bad := range []int{-1, 1, 3} {
		if _, _, err := g.WithMiscellaneous([]int{bad}); err == nil {
			t.Errorf("node %d: no error", bad)
		}
	}
}

// TestLabels follows leaves that stand for the node above them through what makes taxonomies of
// taxonomies.
func TestLabels(t *testing.T) {
	g, err := taxonomy.FromPaths([]string{"a/b/c", "a/b/d", "a/e", "f"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	node := func(g *taxonomy.Taxonomy, name string) int {
		n, ok := g.Node(name)
		if !ok {
			t.Fatalf("no node %q", name)
		}
		return n
	}
	a, b := node(g, "a"), node(g, "a/b")
	m, leafOf, err := g.WithMiscellaneous([]int{a, b})
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, m *taxonomy.Taxonomy, names ...string) {
		t.Helper()
		var got []string
		seen := make(map[string]bool)
		for _, leaf := range m.Leaves() {
			name := m.LabelName(leaf)
			got = append(got, name)
			if seen[name] {
				t.Errorf("%s: two leaves have the label %q", what, name)
			}
			seen[name] = true
			if n, ok := m.LabelNode(name); !ok || n != leaf {
				t.Errorf("%s: the node of label %q is %d, want %d", what, name, n, leaf)
			}
		}
		slices.Sort(got)
		same(t, what, got, names)
	}
	check("with leaves", m, "a", "a/b", "a/b/c", "a/b/d", "a/e", "f")
	if m.Label(leafOf[b]) != b || m.Label(b) != b || m.Label(node(m, "f")) != node(m, "f") {
		t.Error("the label of a leaf is not the node above")
	}
	same(t, "names of labels", m.NamesOf(leafOf[a], b), []string{"a", "a/b"})
	again, twice, err := m.WithMiscellaneous([]int{b, a})
	if err != nil || again != m || twice[a] != leafOf[a] || twice[b] != leafOf[b] {
		t.Errorf("a second leaf was added: %v, %v", twice, err)
	}
	part, _ := m.Below(b)
	check("below a node", part, "a/b", "a/b/c", "a/b/d")
	collapsed, _ := m.Collapsed()
	check("collapsed", collapsed, "a", "a/b", "a/b/c", "a/b/d", "a/e", "f")
	without, to := m.WithoutMiscellaneous()
	same(t, "nodes without the leaves", without.Names(), g.Names())
	same(t, "edges without the leaves", without.Edges(), g.Edges())
	if to[leafOf[b]] != b || to[a] != a || without.LabelNames() != nil {
		t.Errorf("nodes became %v", to)
	}
	if same, _ := g.WithoutMiscellaneous(); same != g {
		t.Error("a taxonomy without such leaves is copied")
	}
	same(t, "most specific", m.MostSpecific([]int{leafOf[a], node(m, "a/b/c")}), []int{node(m, "a/b/c")})
	same(t, "most specific, of both", m.MostSpecific([]int{b, leafOf[b]}), []int{leafOf[b]})
	minimal, err := m.Minimal([][]int{{leafOf[a]}, {leafOf[b]}, {node(m, "a/b/c")}})
	if err != nil {
		t.Fatal(err)
	}
	check("minimal", minimal.Taxonomy, "a", "a/b", "a/b/c")
	// Where nothing else is below a node, it and its leaf are one.
	if minimal, err = m.Minimal([][]int{{leafOf[b]}, {node(m, "f")}}); err != nil {
		t.Fatal(err)
	}
	check("minimal, alone", minimal.Taxonomy, "a/b", "f")
}

func TestNewWithLabelsRefuses(t *testing.T) {
	names, edges := []string{"a", "b", "c"}, [][2]int{{0, 1}, {0, 2}}
	for says, labels := range map[string]map[int]string{
		"nodes are 0 to 2": {3: "x"}, "only a leaf can": {0: "x"}, "without a name": {1: ""},
		`both stand for the label "x"`: {1: "x", 2: "x"}, `"c" and "b" both stand`: {1: "c"},
	} {
		if _, err := taxonomy.NewWithLabels(names, edges, labels); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: error %v, want one that says %q", labels, err, says)
		}
	}
}

// TestWalks checks the walks against their definitions on random forests and graphs.
func TestWalks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + r.IntN(30)
		g := example.Random(r, n, 1+r.IntN(min(n, 3)), 1+r.IntN(3))
		position := make([]int, n)
		for i, v := range g.Topological() {
			position[v] = i
		}
		same(t, "sorted topological order", slices.Sorted(slices.Values(g.Topological())), sequence(n))
		for _, e := range g.Edges() {
			if position[e[0]] >= position[e[1]] {
				t.Errorf("child %d stands before its parent %d", e[1], e[0])
			}
		}
		above := make([][]bool, n)
		for _, v := range g.Topological() {
			above[v] = make([]bool, n)
			above[v][v] = true
			longest, shortest := 0, n
			for _, p := range g.Parents(v) {
				for a := range n {
					above[v][a] = above[v][a] || above[p][a]
				}
				longest, shortest = max(longest, g.Depth(p)+1), min(shortest, g.ShortestDepth(p)+1)
			}
			if len(g.Parents(v)) == 0 {
				shortest = 0
			}
			if g.Depth(v) != longest || g.ShortestDepth(v) != shortest {
				t.Errorf("depths of %d are %d and %d, want %d and %d", v, g.Depth(v), g.ShortestDepth(v), longest, shortest)
			}
		}
		for v := range n {
			for a := range n {
				if slices.Contains(g.Ancestors(v), a) != above[v][a] || slices.Contains(g.Descendants(a), v) != above[v][a] {
					t.Errorf("ancestors of %d or descendants of %d are wrong", v, a)
				}
			}
			for i, s := range g.Siblings(v) {
				share := slices.ContainsFunc(g.Parents(s), func(p int) bool { return slices.Contains(g.Parents(v), p) })
				if s == v || !share || i > 0 && g.Siblings(v)[i-1] >= s {
					t.Errorf("siblings of %d: %v", v, g.Siblings(v))
				}
			}
		}
		checkDistances(t, g)
		set := r.Perm(n)[:r.IntN(n+1)]
		for v := range n {
			in := slices.ContainsFunc(set, func(s int) bool { return above[s][v] })
			if slices.Contains(g.Closure(set), v) != in {
				t.Errorf("closure of %v is %v", set, g.Closure(set))
			}
		}
		for _, v := range g.Roots() {
			same(t, "siblings with the root", slices.Sorted(slices.Values(append(g.SiblingsOrRoots(v), v))), g.Roots())
		}
		for _, e := range g.Edges() {
			same(t, "siblings of a child", g.SiblingsOrRoots(e[1]), g.Siblings(e[1]))
		}
		checkMinimal(t, r, g)
	}
}

// checkMinimal compares with the vectors of the sets that every node is above.
func checkMinimal(t *testing.T, r *rand.Rand, g *taxonomy.Taxonomy) {
	t.Helper()
	sets := make([][]int, 1+r.IntN(5))
	for i := range sets {
		sets[i] = r.Perm(g.Len())[:1+r.IntN(min(3, g.Len()))]
	}
	m, err := g.Minimal(sets)
	if err != nil {
		t.Fatal(err)
	}
	member := make([]string, g.Len())
	for v := range member {
		for _, set := range sets {
			member[v] += fmt.Sprint(slices.Contains(g.Closure(set), v), " ")
		}
		if seen := strings.Contains(member[v], "true"); seen != (m.Class[v] >= 0) || seen == slices.Contains(m.Unseen, v) {
			t.Errorf("node %d: class %d, unseen %v, in sets %s", v, m.Class[v], m.Unseen, member[v])
		}
	}
	for v := range member {
		for w := range v {
			if m.Class[v] >= 0 && (member[v] == member[w]) != (m.Class[v] == m.Class[w]) {
				t.Errorf("nodes %d and %d: classes %d and %d, in sets %sand %s", v, w, m.Class[v], m.Class[w], member[v], member[w])
			}
		}
	}
	for _, set := range sets {
		same(t, "closure in the minimal graph", m.Taxonomy.Closure(m.Map(set)), m.Map(g.Closure(set)))
	}
}

func TestMinimalRefuses(t *testing.T) {
	g := example.Random(rand.New(rand.NewPCG(1, 2)), 5, 1, 1)
	for _, sets := range [][][]int{nil, {{}}, {{-1}}, {{0}, {5}}} {
		if _, err := g.Minimal(sets); err == nil {
			t.Errorf("sets %v: no error", sets)
		}
	}
}

// checkDistances compares with the Floyd-Warshall algorithm, and on trees with the symmetric
// difference of ancestors.
func checkDistances(t *testing.T, g *taxonomy.Taxonomy) {
	t.Helper()
	n := g.Len()
	const far = 1 << 20
	d := make([][]int, n)
	for i := range d {
		d[i] = slices.Repeat([]int{far}, n)
		d[i][i] = 0
	}
	for _, e := range g.Edges() {
		d[e[0]][e[1]], d[e[1]][e[0]] = 1, 1
	}
	for k := range n {
		for i := range n {
			for j := range n {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	for a := range n {
		all := g.Distances(a)
		for b := range n {
			up := func(v int) int {
				best := far
				for _, r := range g.Roots() {
					best = min(best, d[v][r])
				}
				return best
			}
			want := min(d[a][b], up(a)+2+up(b))
			if got := g.Distance(a, b); got != want || all[b] != want {
				t.Errorf("distance of %d and %d: %d, %d, want %d in\n%v", a, b, got, all[b], want, g)
			}
			if !g.IsTree() {
				continue
			}
			differ := 0
			for v := range n {
				if slices.Contains(g.Ancestors(a), v) != slices.Contains(g.Ancestors(b), v) {
					differ++
				}
			}
			if differ != want {
				t.Errorf("ancestors of %d and %d differ in %d, distance is %d", a, b, differ, want)
			}
		}
	}
}

func sequence(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func TestConcurrentUse(t *testing.T) {
	g := example.Random(rand.New(rand.NewPCG(3, 4)), 300, 2, 3)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for v := range g.Len() {
				if len(g.Ancestors(v)) == 0 || len(g.Descendants(v)) == 0 {
					t.Error("a node is missing from its own closure")
				}
			}
		})
	}
	wait.Wait()
}

func TestString(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 5, 59, 60, 61, 400, 3000} {
		for _, roots := range []int{1, n/2 + 1, n} {
			g := example.Random(r, n, roots, 1+r.IntN(3))
			text := g.String()
			if lines := strings.Count(text, "\n"); lines > 70 {
				t.Errorf("%d lines for %d nodes", lines, n)
			}
			if n+len(g.Edges()) <= 60 && (strings.Contains(text, "…") || strings.Contains(text, "below")) {
				t.Errorf("a small taxonomy is cut:\n%s", text)
			}
		}
	}
}

func ExampleTaxonomy() {
	t, err := taxonomy.FromPaths([]string{"go/ast", "go/build/constraint", "net", "net/http", "net/http/httptest"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(t)
	a, _ := t.Node("go/ast")
	b, _ := t.Node("net/http")
	fmt.Println("distance:", t.Distance(a, b))
	fmt.Println("above:", t.NamesOf(t.Ancestors(b)...))
	// Output:
	// forest of 2 trees: 7 nodes, 3 leaves, depth 2
	// go
	// ├── go/ast
	// └── go/build
	//     └── go/build/constraint
	// net
	// └── net/http
	//     └── net/http/httptest
	// distance: 4
	// above: [net net/http]
}

func ExampleRead() {
	t, err := taxonomy.Read(strings.NewReader("science\tphysics\nscience\tbiology\nphysics\tbiophysics\nbiology\tbiophysics\n"), "science.tsv")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(t)
	_, err = taxonomy.Read(strings.NewReader("science\tphysics\nscience\t\n"), "science.tsv")
	fmt.Println(err)
	// Output:
	// directed acyclic graph: 4 nodes, 1 leaf, depth 2
	// science
	// ├── physics
	// │   └── biophysics
	// └── biology
	//     └── biophysics
	// science.tsv:2:9: the child's name is empty; expected parent, tab, child, or a name alone
}

// ExampleTaxonomy_Minimal leaves out what no instance has, and joins what none tells apart.
func ExampleTaxonomy_Minimal() {
	t, err := taxonomy.FromPaths([]string{"go/ast", "go/build/constraint", "net/http", "net/url"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	ast, _ := t.Node("go/ast")
	constraint, _ := t.Node("go/build/constraint")
	minimal, err := t.Minimal([][]int{{ast}, {constraint}, {ast}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(minimal.Taxonomy)
	// Output:
	// tree: 3 nodes, 2 leaves, depth 1
	// go
	// ├── go/ast
	// └── go/build/constraint
}

func ExampleTaxonomy_WithMiscellaneous() {
	t, err := taxonomy.FromPaths([]string{"net", "net/http", "net/url"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	net, _ := t.Node("net")
	extended, leafOf, err := t.WithMiscellaneous([]int{net})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(extended.Name(leafOf[net]))
	// Output: net (misc)
}

func benchmarkTree() *taxonomy.Taxonomy {
	return example.Random(rand.New(rand.NewPCG(7, 8)), 20000, 1, 1)
}

func BenchmarkNew(b *testing.B) {
	t := benchmarkTree()
	for b.Loop() {
		if _, err := taxonomy.New(t.Names(), t.Edges()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAncestors(b *testing.B) {
	t := benchmarkTree()
	for b.Loop() {
		for _, l := range t.Leaves() {
			t.Ancestors(l)
		}
	}
}

func BenchmarkDistance(b *testing.B) {
	t := benchmarkTree()
	for b.Loop() {
		for _, l := range t.Leaves()[1:] {
			t.Distance(t.Leaves()[0], l)
		}
	}
}

func BenchmarkDistances(b *testing.B) {
	t := example.Random(rand.New(rand.NewPCG(9, 10)), 20000, 1, 3)
	for b.Loop() {
		t.Distances(t.Leaves()[0])
	}
}
