package taxonomy_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestEdgesShorten adds edges to random graphs, one by one: to a node that has a parent none makes
// any distance longer.
func TestEdgesShorten(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	pairs := 0 // of roots
	for range 200 {
		n := 3 + random.IntN(10)
		order := random.Perm(n)
		var names []string
		parents := make([]int, n)
		for v := range n {
			names = append(names, strconv.Itoa(v))
		}
		var edges [][2]int
		add := func(i, j int) {
			if e := [2]int{order[i], order[j]}; !slices.Contains(edges, e) {
				edges = append(edges, e)
				parents[order[j]]++
			}
		}
		for j := 1; j < n; j++ {
			if random.IntN(3) > 0 {
				add(random.IntN(j), j)
			}
		}
		before := distances(t, names, edges)
		for range 2 * n {
			j := 1 + random.IntN(n-1)
			if parents[order[j]] == 0 {
				continue
			}
			add(random.IntN(j), j)
			after := distances(t, names, edges)
			for a := range after {
				for b := range after {
					if after[a][b] > before[a][b] || after[a][b] != after[b][a] {
						t.Fatalf("distances of %d and %d: %d and %d, %d before the last of the edges %v", a, b, after[a][b], after[b][a], before[a][b], edges)
					}
				}
			}
			before = after
		}
		for a, row := range before {
			for b, d := range row {
				if parents[a] == 0 && parents[b] == 0 && a != b {
					pairs++
					if d != 2 {
						t.Fatalf("the roots %d and %d are %d edges apart in %v", a, b, d, edges)
					}
				}
			}
		}
	}
	if pairs < 100 {
		t.Errorf("%d pairs of roots", pairs)
	}
}

// TestRootsMeet has two roots of one part: they met at the node below both, farther away than roots
// of two parts. An edge to a root makes it one no more, and its distances longer.
func TestRootsMeet(t *testing.T) {
	names := []string{"a", "b", "below a", "below b", "leaf", "alone"}
	edges := [][2]int{{0, 2}, {1, 3}, {2, 4}, {3, 4}}
	d := distances(t, names, edges)
	if d[0][1] != 2 || d[2][3] != 2 || d[0][5] != 2 || d[0][3] != 3 || d[4][5] != 4 {
		t.Errorf("distances %v", d)
	}
	if longer := distances(t, names, append(edges, [2]int{4, 5})); longer[0][5] != 3 {
		t.Errorf("distances %v below a leaf", longer)
	}
}

func distances(t *testing.T, names []string, edges [][2]int) [][]int {
	t.Helper()
	g, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]int
	for v := range g.Len() {
		all = append(all, g.Distances(v))
	}
	return all
}
