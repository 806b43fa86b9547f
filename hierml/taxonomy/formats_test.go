package taxonomy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// named are the formats with settings that read what they write.
var named = []struct {
	name string
	taxonomy.Format
	trees bool // it cannot hold other graphs
}{
	{"edges", taxonomy.Edges{}, false},
	{"edges of children first", taxonomy.Edges{Separator: ", ", ChildFirst: true}, false},
	{"edges with blanks", taxonomy.Edges{Separator: " ", Chains: true}, false},
	{"newick", taxonomy.Newick{}, true},
	{"obo", taxonomy.OBO{Namespace: "a b"}, false},
	{"json", taxonomy.JSON{}, true},
	{"json with other keys", taxonomy.JSON{NameKey: "id", ChildrenKey: "\"sub\""}, true},
	{"dot", taxonomy.DOT{}, false},
	{"dot of children first", taxonomy.DOT{ChildFirst: true}, false},
}

// nasty are pieces of names that mean something in one of the formats.
var nasty = []string{
	"a", "b", "Z", "0", "7", "-", "_", ".", " ", "  ", "'", "''", "\"", "\\", "\\\\", "(", ")", "[", "]", "{", "}", "<", ">", ":", ";", ",",
	"/", "//", "/*", "*/", "#", "!", "\n", "\r", "\r\n", "\t", "\ufeff", "\u00a0", "ä", "漢", "\U0001f600", "digraph", "node", "null", "->", "--",
	"\\W", "\\n", "[Term]", "id:", "\u2028", "\v", "\f", "\x7f", "\x01", "+", "=", "%", "&amp;",
}

func nastyNames(r *rand.Rand, n, pieces int) []string {
	seen := make(map[string]bool)
	var names []string
	for len(names) < n {
		var b strings.Builder
		for range 1 + r.IntN(pieces) {
			b.WriteString(nasty[r.IntN(len(nasty))])
		}
		if !seen[b.String()] {
			seen[b.String()] = true
			names = append(names, b.String())
		}
	}
	return names
}

// byName returns the nodes and edges by name, sorted.
func byName(g *taxonomy.Taxonomy) []string {
	var all []string
	for _, name := range g.Names() {
		all = append(all, fmt.Sprintf("%q", name))
	}
	for _, e := range g.Edges() {
		all = append(all, fmt.Sprintf("%q > %q", g.Name(e[0]), g.Name(e[1])))
	}
	slices.Sort(all)
	return all
}

// TestRoundTrip writes graphs and reads them again. What a format cannot say it must refuse, and
// all can say plain names.
func TestRoundTrip(t *testing.T) {
	for _, f := range named {
		t.Run(f.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, 12))
			refused := 0
			const rounds = 200
			for round := range rounds {
				n := 1 + r.IntN(20)
				parents := 1 + r.IntN(3)
				if f.trees {
					parents = 1
				}
				g := example.Random(r, n, 1+r.IntN(n), parents)
				if round%2 == 1 {
					var err error
					if g, err = taxonomy.New(nastyNames(r, n, 1+r.IntN(4)), g.Edges()); err != nil {
						t.Fatal(err)
					}
				}
				var text bytes.Buffer
				if err := f.Write(&text, g); err != nil {
					if round%2 == 0 {
						t.Fatalf("plain names: %v", err)
					}
					refused++
					continue
				}
				again, err := f.Read(context.Background(), bytes.NewReader(text.Bytes()), "written")
				if err != nil {
					t.Fatalf("%v in\n%s\nof %q", err, &text, g.Names())
				}
				if !slices.Equal(byName(again), byName(g)) {
					t.Fatalf("read\n%s\nas %q, want %q", &text, byName(again), byName(g))
				}
			}
			if strings.HasPrefix(f.name, "newick") || strings.HasPrefix(f.name, "json") {
				if refused > 0 {
					t.Errorf("%d refused, which can say all names", refused)
				}
			}
			if refused == rounds/2 {
				t.Error("all refused")
			}
		})
	}
}

func TestPathsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 300 {
		names := make([]string, 1+r.IntN(20))
		var edges [][2]int
		for v := range names {
			names[v] = fmt.Sprintf("%d", v)
			if v > 0 && r.IntN(4) > 0 {
				p := r.IntN(v)
				names[v] = names[p] + "::" + names[v]
				edges = append(edges, [2]int{p, v})
			}
		}
		g, err := taxonomy.New(names, edges)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		f := taxonomy.Paths{Separator: "::"}
		if err := f.Write(&text, g); err != nil {
			t.Fatal(err)
		}
		again, err := f.Read(context.Background(), strings.NewReader(text.String()), "written")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "nodes and edges", byName(again), byName(g))
	}
	// Names that are no paths become paths.
	g := example.Tree(2, 2)
	var text strings.Builder
	if err := (taxonomy.Paths{}).Write(&text, g); err != nil {
		t.Fatal(err)
	}
	if want := "0/1/3\n0/1/4\n0/2/5\n0/2/6\n"; text.String() != want {
		t.Errorf("written\n%s, want\n%s", &text, want)
	}
	for _, names := range [][]string{{"a", "b/c"}, {"a", "b\n"}, {"\ufeffa", "b"}, {"a", "/"}} {
		g, err := taxonomy.New(names, [][2]int{{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		if err := (taxonomy.Paths{}).Write(&text, g); err == nil {
			t.Errorf("%q: no error", names)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	dag, err := taxonomy.New([]string{"a", "b", "c"}, [][2]int{{0, 2}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []taxonomy.Format{taxonomy.Newick{}, taxonomy.Paths{}} {
		if err := f.Write(&bytes.Buffer{}, dag); err == nil || !strings.Contains(err.Error(), `"c" has the parents "a" and "b"`) {
			t.Errorf("%T writes a graph that is no tree: %v", f, err)
		}
	}
	for _, name := range []string{"\x00", "a\xff"} {
		g, err := taxonomy.New([]string{name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range named {
			if err := f.Write(&bytes.Buffer{}, g); err == nil {
				t.Errorf("%s writes the name %q", f.name, name)
			}
		}
	}
	for _, f := range named {
		if err := f.Write(broken{}, dag); !errors.Is(err, errBroken) && !f.trees {
			t.Errorf("%s: error %v of a broken writer", f.name, err)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// TestFormats reads what other programs write.
func TestSaveNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.tsv")
	if err := taxonomy.Save(file, nil); err == nil || !strings.Contains(err.Error(), "the taxonomy or the format") {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) > 0 {
		t.Errorf("files %v, error %v", left, err)
	}
}

func TestFormats(t *testing.T) {
	for _, test := range []struct {
		name   string
		format taxonomy.Format
		text   string
		want   []string
	}{
		{"cat_hier of LSHTC", taxonomy.Edges{Separator: " ", Chains: true}, "1 2\n1 3 4\r\n1 3 5\n\n 6 \n", []string{
			`"1"`, `"1" > "2"`, `"1" > "3"`, `"2"`, `"3"`, `"3" > "4"`, `"3" > "5"`, `"4"`, `"5"`, `"6"`}},
		{"nodes alone", taxonomy.Edges{}, "a b\nc d\n", []string{`"a b"`, `"c d"`}},
		{"nodes alone, by a tab", taxonomy.Edges{Separator: "\t"}, "a b\na c\n", []string{`"a b"`, `"a c"`}},
		{"one line with a tab", taxonomy.Edges{}, "a b\na c\nd\te\n", []string{`"a b"`, `"a c"`, `"d"`, `"d" > "e"`, `"e"`}},
		{"child first", taxonomy.Edges{Separator: ",", ChildFirst: true}, "cat,animal\n", []string{`"animal"`, `"animal" > "cat"`, `"cat"`}},
		{"paths", taxonomy.Paths{}, "a/b\n\na/c\r\na\n", []string{`"a"`, `"a" > "a/b"`, `"a" > "a/c"`, `"a/b"`, `"a/c"`}},
		{"newick", taxonomy.Newick{}, " (A:0.1, 'B''s [x]' :1e-3,[&&NHX:x=[1]](C)D:2,)E;\n(F_1);", nil},
		{"newick", taxonomy.Newick{}, " (A:0.1, 'B''s [x]' :1e-3,[&&NHX:x=[1]](C)D:2)E;\n(F_1);G;", []string{
			`"A"`, `"B's [x]"`, `"C"`, `"D"`, `"D" > "C"`, `"E"`, `"E" > "A"`, `"E" > "B's [x]"`, `"E" > "D"`, `"F_1"`, `"G"`, `"node 1"`, `"node 1" > "F_1"`}},
		{"newick with support", taxonomy.Newick{Support: true}, "((A,B)95,(C,D)95)1;", []string{
			`"A"`, `"B"`, `"C"`, `"D"`, `"node 1"`, `"node 1" > "node 2"`, `"node 1" > "node 3"`, `"node 2"`, `"node 2" > "A"`, `"node 2" > "B"`, `"node 3"`, `"node 3" > "C"`, `"node 3" > "D"`}},
		{"gene ontology", taxonomy.OBO{}, ontology, []string{`"GO:1"`, `"GO:1" > "GO:2"`, `"GO:2"`, `"GO:4"`, `"X:1"`}},
		{"gene ontology with parts", taxonomy.OBO{Relations: []string{"part_of"}}, ontology, []string{
			`"GO:1"`, `"GO:1" > "GO:2"`, `"GO:1" > "GO:4"`, `"GO:2"`, `"GO:2" > "X:1"`, `"GO:4"`, `"X:1"`}},
		{"a namespace, by names", taxonomy.OBO{Namespace: "process", Names: true}, ontology, []string{
			`"growth: fast! {\n}"`, `"root"`, `"root" > "growth: fast! {\n}"`, `"third"`}},
		{"flare", taxonomy.JSON{}, `{"name": "flare", "size": [1, {"x": {}}], "children": [{"children": null, "name": "a\u00e4\n"}, {"name": "b", "children": [{"name": 7}, "leaf"]}]}`, []string{
			`"7"`, `"aä\n"`, `"b"`, `"b" > "7"`, `"b" > "leaf"`, `"flare"`, `"flare" > "aä\n"`, `"flare" > "b"`, `"leaf"`}},
		{"forest", taxonomy.JSON{}, `["a", {"name": "b"}]`, []string{`"a"`, `"b"`}},
		{"JSON of a graph", taxonomy.JSON{}, `{"directed": true, "nodes": ["a", "b"], "edges": [["a", "b"]]}`, nil},
		{"graphviz", taxonomy.DOT{}, graphviz, []string{
			`"-1.5"`, `"a"`, `"a" > "b"`, `"a" > "c d"`, `"b"`, `"b" > "e"`, `"b" > "f"`, `"c d"`, `"c d" > "e"`, `"c d" > "f"`, `"e"`, `"e" > "g\"\\\\"`, `"f"`, `"f" > "g\"\\\\"`, `"g\"\\\\"`, `"node"`}},
		{"graphviz by labels", taxonomy.DOT{Labels: true}, `digraph { a [label="top"]; a -> b [label="is"]; b [label="two\nlines", color=red]; c [label=<x>] }`, []string{
			`"c"`, `"top"`, `"top" > "two\nlines"`, `"two\nlines"`}},
		{"strict graph, child first", taxonomy.DOT{ChildFirst: true}, `strict digraph "x" { a -> b a -> b }`, []string{`"a"`, `"b"`, `"b" > "a"`}},
		{"subgraph again", taxonomy.DOT{}, `digraph { subgraph s {a;b;a} subgraph s -> c }`, []string{`"a"`, `"a" > "c"`, `"b"`, `"b" > "c"`, `"c"`}},
	} {
		g, err := test.format.Read(context.Background(), strings.NewReader(test.text), "x")
		switch {
		case test.want == nil:
			if err == nil {
				t.Errorf("%s: no error", test.name)
			}
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		default:
			same(t, test.name, byName(g), test.want)
		}
	}
}

const ontology = `format-version: 1.2
default-namespace: process
! a comment

[Term]
id: GO:1
name: root

[Term]
id: GO:2 ! second
name: growth\: fast\! \{\n\} ! comment
alt_id: GO:3
is_a: GO:1 {source="x", y="!"} ! root
synonym: "quoted ! text" EXACT []

[Term]
id: GO:4
name: third
relationship: part_of GO:1 ! root
relationship: regulates GO:2

[Term]
id: GO:5
is_obsolete: true
is_a: GO:99

[Typedef]
id: part_of
name: part of

[Term]
id: X:1
namespace: other
relationship: part_of \
  GO:3
`

const graphviz = `/* written
by hand */
# 1 "x.gv"
digraph "My graph" {
	rankdir = LR; graph [bgcolor=white] node [shape="box", style=filled];
	a -> { b, "c " + "d" } -> subgraph cluster_1 { label = x; e; f } -> "g\"\\" [color=red] [x=y]; // joined
	b:port:nw;
	-1.5
	"node" [label=<<b>x</b>>]
}`

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	g, err := taxonomy.FromPaths([]string{"a/b", "a/c/d"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x.tsv", "x.csv", "x.paths", "x.nwk", "x.obo", "x.json", "x.dot", "x.GV", "plain", "x.hier.tsv"} {
		file := filepath.Join(folder, name)
		if err := taxonomy.Save(file, g); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		hidden := filepath.Join(folder, "hidden")
		if err := os.WriteFile(hidden, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{file, hidden} {
			if name == "x.csv" && file == hidden {
				continue // commas are no sign of edges
			}
			again, err := taxonomy.Open(file)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			same(t, name, byName(again), byName(g))
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 11 {
		t.Errorf("%d files in the folder, want 11 (%v)", len(entries), err)
	}
	if err := taxonomy.Save(filepath.Join(folder, "x.tsv.gz"), g); err == nil {
		t.Error("saved without compression in a file called .gz")
	}
	if _, err := taxonomy.Open(filepath.Join(folder, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"x.tsv", "x.nwk", "x.obo", "x.json", "x.dot", "hidden"} {
		if _, err := taxonomy.OpenContext(ctx, filepath.Join(folder, name)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled, error %v", name, err)
		}
	}
	numbers := filepath.Join(folder, "cat_hier.txt")
	if err := os.WriteFile(numbers, []byte("1 2\n1 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	topics := filepath.Join(folder, "rcv1.topics.hier.orig")
	if err := os.WriteFile(topics, []byte("parent: Root  child: C15  child-description: PERFORMANCE\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := taxonomy.Open(topics); err != nil || again.Len() != 1 || again.Name(0) != "C15" {
		t.Errorf("hierarchy of RCV1: %v, %v", again, err)
	}
	if again, err := taxonomy.Open(numbers); err != nil || again.Len() != 3 {
		t.Errorf("cat_hier: %v, %v", again, err)
	}
}
