package taxonomy_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// chain, star and bushy have n nodes.
func chain(n int) *taxonomy.Taxonomy { return grown(n, func(v int) int { return v - 1 }) }
func star(n int) *taxonomy.Taxonomy  { return grown(n, func(int) int { return 0 }) }

func bushy(n int) *taxonomy.Taxonomy {
	r := rand.New(rand.NewPCG(15, 16))
	return grown(n, func(v int) int { return r.IntN(v) })
}

func grown(n int, parent func(v int) int) *taxonomy.Taxonomy {
	names := make([]string, n)
	edges := make([][2]int, 0, n-1)
	for v := range names {
		names[v] = fmt.Sprint("n", v)
		if v > 0 {
			edges = append(edges, [2]int{parent(v), v})
		}
	}
	t, err := taxonomy.New(names, edges)
	if err != nil {
		panic(err)
	}
	return t
}

// TestDeepAndWide reads and writes chains and stars that would overflow what calls itself a level,
// and never end in what takes quadratic time.
func TestDeepAndWide(t *testing.T) {
	const n = 40_000
	for name, g := range map[string]*taxonomy.Taxonomy{"chain": chain(n), "star": star(n)} {
		for _, f := range named {
			var text bytes.Buffer
			if err := f.Write(&text, g); err != nil {
				t.Fatal(err)
			}
			again, err := f.Read(context.Background(), &text, "written")
			if err != nil {
				t.Fatalf("%s as %s: %v", name, f.name, err)
			}
			if again.Len() != n || len(again.Edges()) != n-1 || again.Depth(again.Leaves()[0]) != g.Depth(g.Leaves()[0]) {
				t.Errorf("%s as %s: read %s", name, f.name, again)
			}
		}
		if text := g.String(); len(text) > 1<<16 {
			t.Errorf("%s is %d bytes of text", name, len(text))
		}
		if d := g.Distance(0, n-1); d != g.Depth(n-1) {
			t.Errorf("%s: distance %d", name, d)
		}
		rules := taxonomy.Rules{Tree: true, NoRedundant: true, NoLone: true, OneRoot: true}
		if err := rules.Check(g); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAncestorsOfAChain asks for sets that together would take 160 gigabytes.
func TestAncestorsOfAChain(t *testing.T) {
	const n = 200_000
	g := chain(n)
	for v := n - 1; v > n-400; v-- {
		if a := g.Ancestors(v); len(a) != v+1 || a[v] != v {
			t.Fatalf("%d ancestors of %d", len(a), v)
		}
	}
}

// TestLongChains reads what stands in one line, or is many times in each other.
func TestLongChains(t *testing.T) {
	const n = 200_000
	var names []string
	for v := range n {
		names = append(names, fmt.Sprint("n", v))
	}
	for name, test := range map[string]struct {
		format taxonomy.Format
		text   string
	}{
		"edges": {taxonomy.Edges{Separator: " ", Chains: true}, strings.Join(names, " ")},
		"dot":   {taxonomy.DOT{}, "digraph {" + strings.Join(names, " -> ") + "}"},
	} {
		g, err := test.format.Read(context.Background(), strings.NewReader(test.text), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if g.Len() != n || g.Depth(n-1) != n-1 {
			t.Errorf("%s: read %v", name, g)
		}
	}
	// A ladder has two parents a node; none of its steps is redundant, and all two steps at once
	// are.
	var ladder strings.Builder
	for v := range n - 2 {
		fmt.Fprintf(&ladder, "n%d\tn%d\nn%d\tn%d\n", v, v+1, v, v+2)
	}
	var faults taxonomy.Faults
	g, err := taxonomy.Edges{Repair: &faults, Rules: taxonomy.Rules{NoRedundant: true}}.Read(
		context.Background(), strings.NewReader(ladder.String()), "ladder")
	if err != nil {
		t.Fatal(err)
	}
	if want := n - 3; faults.Count("redundant edge") != want || len(g.Edges()) != n-1 {
		t.Errorf("%d redundant edges, want %d; %d edges left", faults.Count("redundant edge"), want, len(g.Edges()))
	}
}

// BenchmarkRead reads a million edges in every format.
func BenchmarkRead(b *testing.B) {
	graphs := map[string]*taxonomy.Taxonomy{"tree": bushy(1_000_001), "chain": chain(1_000_001), "star": star(1_000_001)}
	for _, name := range []string{"tree", "chain", "star"} {
		for _, f := range named {
			if strings.Contains(f.name, " ") {
				continue
			}
			b.Run(name+"/"+f.name, func(b *testing.B) {
				var text bytes.Buffer
				if err := f.Write(&text, graphs[name]); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(text.Len()))
				for b.Loop() {
					if _, err := f.Read(context.Background(), bytes.NewReader(text.Bytes()), "x"); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
