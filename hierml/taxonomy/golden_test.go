package taxonomy_test

import (
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/golden"
)

func TestGolden(t *testing.T) {
	cases, err := golden.Read("taxonomy")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy       golden.Taxonomy
				Leaves, Roots  []int
				Forest         bool
				Anc, Desc      [][]int
				Siblings       [][]int
				Longest        []int   `json:"depth_longest"`
				Shortest       []int   `json:"depth_shortest"`
				GraphDistances [][]int `json:"graph_distance"`
				Minimal        []struct {
					Sets    [][]int `json:"label_sets"`
					Classes [][]int
					Unseen  []int
					Edges   [][2]int `json:"edges_between_classes"`
				} `json:"minimal_graph"`
				Misc struct {
					Inner    []int
					Taxonomy golden.Taxonomy
					LeafOf   [][2]int `json:"leaf_of"`
				}
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			same(t, "leaves", g.Leaves(), want.Leaves)
			same(t, "roots", g.Roots(), want.Roots)
			if g.IsTree() != want.Forest {
				t.Errorf("IsTree is %v, want %v", g.IsTree(), want.Forest)
			}
			for v := range g.Len() {
				same(t, "ancestors", g.Ancestors(v), want.Anc[v])
				same(t, "descendants", g.Descendants(v), want.Desc[v])
				same(t, "siblings", g.Siblings(v), want.Siblings[v])
				if g.Depth(v) != want.Longest[v] || g.ShortestDepth(v) != want.Shortest[v] {
					t.Errorf("depths of %d are %d and %d, want %d and %d", v, g.Depth(v), g.ShortestDepth(v), want.Longest[v], want.Shortest[v])
				}
				same(t, "distances", g.Distances(v), want.GraphDistances[v])
				for w := range g.Len() {
					if d := g.Distance(v, w); d != want.GraphDistances[v][w] {
						t.Errorf("distance of %d and %d is %d, want %d", v, w, d, want.GraphDistances[v][w])
					}
				}
			}
			if len(want.Minimal) == 0 {
				t.Error("no minimal graph in the case")
			}
			for _, w := range want.Minimal {
				m, err := g.Minimal(w.Sets)
				if err != nil {
					t.Fatal(err)
				}
				same(t, "unseen nodes", m.Unseen, w.Unseen)
				same(t, "edges of the minimal graph", m.Taxonomy.Edges(), w.Edges)
				if len(m.Classes) != len(w.Classes) || m.Taxonomy.Len() != len(w.Classes) {
					t.Fatalf("classes %v, want %v", m.Classes, w.Classes)
				}
				for k, nodes := range w.Classes {
					same(t, "class", m.Classes[k], nodes)
					same(t, "mapped class", m.Map(nodes), []int{k})
				}
				same(t, "mapped unseen nodes", m.Map(w.Unseen), nil)
			}
			misc, leafOf, err := g.WithMiscellaneous(want.Misc.Inner)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "edges with miscellaneous leaves", misc.Edges(), want.Misc.Taxonomy.Edges)
			if misc.Len() != want.Misc.Taxonomy.N || len(leafOf) != len(want.Misc.LeafOf) {
				t.Errorf("%d nodes and %d new leaves, want %d and %d", misc.Len(), len(leafOf), want.Misc.Taxonomy.N, len(want.Misc.LeafOf))
			}
			for _, pair := range want.Misc.LeafOf {
				if leafOf[pair[0]] != pair[1] {
					t.Errorf("new leaf of %d is %d, want %d", pair[0], leafOf[pair[0]], pair[1])
				}
			}
		})
	}
}

func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
