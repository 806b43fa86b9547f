package structured

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestDifferences compares the norm of V with the regularizer of the node weights that it makes.
func TestDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	for trial := range 40 {
		g := example.Random(rng, 1+trial, 1+trial%4, 1+trial%3)
		a, err := Differences(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		v := make([]float64, g.Len())
		var ridge float64
		for n := range v {
			if a.Column(n) < 0 {
				t.Fatalf("trial %d: node %d has no column", trial, n)
			}
			v[n] = rng.NormFloat64()
			ridge += v[n] * v[n]
		}
		w := make([]float64, g.Len())
		entries, paths := 0, 0
		for n := range w {
			nodes, values := a.Leaf(a.Candidate(n))
			for k, c := range nodes {
				w[n] += values[k] * v[c]
			}
			entries, paths = entries+len(nodes), paths+len(g.Ancestors(n))
		}
		var want float64
		for n := range w {
			want += w[n] * w[n]
			for _, m := range g.Children(n) {
				want += (w[n] - w[m]) * (w[n] - w[m])
			}
		}
		if math.Abs(ridge-want) > 1e-9*want {
			t.Errorf("trial %d: ||V||^2 is %v, the regularizer %v", trial, ridge, want)
		}
		if g.IsTree() && entries != paths {
			t.Errorf("trial %d: %d attributes on a forest whose paths have %d nodes", trial, entries, paths)
		}
	}
}

// TestLaplacian compares the ridge penalty with the sum over edges and ground, on graphs some parts
// of which have no ground, where weights of free nodes cost nothing and are added to the whole
// part.
func TestLaplacian(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for trial := range 60 {
		g := example.Random(rng, 1+trial/2, 1+trial%4, 1+trial%3)
		ground := make([]float64, g.Len())
		if trial%4 > 0 {
			ground[rng.IntN(g.Len())] = 2 * rng.Float64()
		}
		a, free, err := Laplacian(context.Background(), g, allNodes(g), g.Edges(), ground)
		if err != nil {
			t.Fatal(err)
		}
		if a, err = a.Widen(allNodes(g)); err != nil {
			t.Fatal(err)
		}
		parts := components(g)
		for _, n := range free {
			part := parts[n]
			for m := range parts {
				nodes, values := a.Leaf(m)
				at := slices.Index(nodes, n)
				if parts[m] != part {
					if at >= 0 {
						t.Errorf("trial %d: node %d has an attribute of the free node %d of another part", trial, m, n)
					}
				} else if ground[m] > 0 || at < 0 || math.Abs(values[at]-1) > 1e-12 {
					t.Errorf("trial %d: attributes %v %v of node %d, ground %v; free node %d", trial, nodes, values, m, ground[m], n)
				}
			}
		}
		u := make([]float64, g.Len())
		var ridge float64
		for n := range u {
			u[n] = rng.NormFloat64()
			if !slices.Contains(free, n) {
				ridge += u[n] * u[n]
			}
		}
		w := make([]float64, g.Len())
		for n := range w {
			nodes, values := a.Leaf(n)
			for k, c := range nodes {
				w[n] += values[k] * u[c]
			}
		}
		var want float64
		for n := range w {
			want += ground[n] * w[n] * w[n]
		}
		for _, e := range g.Edges() {
			want += (w[e[0]] - w[e[1]]) * (w[e[0]] - w[e[1]])
		}
		if math.Abs(ridge-want) > 1e-9*(1+want) {
			t.Errorf("trial %d: ||u||^2 is %v, the penalty %v", trial, ridge, want)
		}
		if grounded := len(slices.Compact(slices.Sorted(slices.Values(parts)))) - len(free); grounded != 0 && grounded != 1 || (grounded == 1) != (trial%4 > 0) {
			t.Errorf("trial %d: %d parts have ground", trial, grounded)
		}
	}
}

// components returns the smallest node of the connected part of each node.
func components(g *taxonomy.Taxonomy) []int {
	part := allNodes(g)
	for range part {
		for _, e := range g.Edges() {
			m := min(part[e[0]], part[e[1]])
			part[e[0]], part[e[1]] = m, m
		}
	}
	return part
}

// TestLaplacianOfTree holds that with ground at the roots the attributes on a tree are exactly
// those of the ancestors.
func TestLaplacianOfTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 0))
	for trial := range 20 {
		g := example.Random(rng, 1+2*trial, 1+trial%3, 1)
		ground := make([]float64, g.Len())
		for _, r := range g.Roots() {
			ground[r] = 1
		}
		a, free, err := Laplacian(context.Background(), g, g.Leaves(), g.Edges(), ground)
		if err != nil || len(free) > 0 {
			t.Fatalf("free nodes %v, %v", free, err)
		}
		for y := range g.Leaves() {
			nodes, values := a.Leaf(y)
			wantNodes, want := Ancestors(g).Leaf(y)
			if !slices.Equal(nodes, wantNodes) || !slices.Equal(values, want) {
				t.Errorf("trial %d: attributes %v %v, want %v %v", trial, nodes, values, wantNodes, want)
			}
		}
	}
}

func TestLaplacianErrors(t *testing.T) {
	g := example.Tree(3)
	for what, edges := range map[string][][2]int{"different nodes": {{1, 1}}, "0..3": {{0, 4}}, "listed twice": {{1, 2}, {2, 1}}} {
		if _, _, err := Laplacian(context.Background(), g, g.Leaves(), edges, nil); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v: error %v, want %q", edges, err, what)
		}
	}
}

// TestLaplacianOfRing holds that attributes of a long ring and of a long path are few, as many as
// halvings of it.
func TestLaplacianOfRing(t *testing.T) {
	g := example.Tree(1000)
	y := g.Leaves()
	var path [][2]int
	for k, n := range y[1:] {
		path = append(path, [2]int{y[k], n})
	}
	for name, edges := range map[string][][2]int{"path": path, "ring": append(slices.Clone(path), [2]int{y[0], y[len(y)-1]})} {
		a, _, err := Laplacian(context.Background(), g, y, edges, nil)
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for k := range y {
			nodes, _ := a.Leaf(k)
			most = max(most, len(nodes))
		}
		if most > 25 {
			t.Errorf("%s: a node of 1000 has %d attributes", name, most)
		}
	}
}
