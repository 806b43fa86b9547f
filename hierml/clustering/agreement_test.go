package clustering_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestNearest(t *testing.T) {
	d := mat.NewSymDense(3, []float64{0, 3, 1, 3, 0, 2, 1, 2, 0})
	got, err := clustering.Nearest(d, []string{"a", "b", "c"}, 2)
	if err != nil || !slices.Equal(got, []clustering.Pair{{"a", "c", 1}, {"b", "c", 2}}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := clustering.Nearest(d, []string{"a", "b", "c"}, 9); len(got) != 3 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	for _, k := range []int{-1, 1} {
		if _, err := clustering.Nearest(d, []string{"a", "b"}[:2+min(k+1, 0)], k); err == nil {
			t.Errorf("k = %d: no error", k)
		}
	}
}

// TestAgreement counts the pairs of random clusters one by one.
func TestAgreement(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		n := 2 + r.IntN(12)
		f, y := make([]int, n), make([]int, n)
		for i := range n {
			f[i], y[i] = r.IntN(4), r.IntN(3)
		}
		f[0], f[1], y[0], y[1] = 0, 1, 0, 1 // at least two clusters: the children of a single root would count
		var right, inFound, inTruth float64
		for i := range n {
			for j := range i {
				if f[i] == f[j] {
					inFound++
				}
				if y[i] == y[j] {
					inTruth++
				}
				if f[i] == f[j] && y[i] == y[j] {
					right++
				}
			}
		}
		for _, root := range []string{"", "root/"} {
			got, err := clustering.Agreement(clusters(t, root, f), clusters(t, "", y))
			if err != nil {
				t.Fatal(err)
			}
			share := func(a, b float64) float64 {
				if b == 0 {
					return 0
				}
				return a / b
			}
			if want := (clustering.PairScores{share(right, inFound), share(right, inTruth), share(2*right, inFound+inTruth)}); math.Abs(got.F1-want.F1) > 1e-12 || got.Precision != want.Precision || got.Recall != want.Recall {
				t.Errorf("clusters %v and %v: %v, want %v", f, y, got, want)
			}
		}
	}
	graph, err := taxonomy.New([]string{"a", "b", "c"}, [][2]int{{0, 2}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	one, two := clusters(t, "", []int{1, 1}), clusters(t, "", []int{1, 1, 2})
	other, err := taxonomy.FromPaths([]string{"x/1", "x/2"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	for want, of := range map[string][2]*taxonomy.Taxonomy{"compare trees": {graph, one}, "2 and 3 classes": {one, two}, "only one of": {one, other}} {
		for _, of := range [][2]*taxonomy.Taxonomy{of, {of[1], of[0]}} {
			if _, err := clustering.Agreement(of[0], of[1]); err == nil || !strings.Contains(err.Error(), "compare ") {
				t.Errorf("got the error %v, want %q", err, want)
			}
		}
	}
}

// clusters returns the hierarchy in which class i is below cluster[i], as a leaf named i.
func clusters(t *testing.T, root string, cluster []int) *taxonomy.Taxonomy {
	t.Helper()
	var names []string
	var edges [][2]int
	node := make(map[int]int)
	top := -1
	if root != "" {
		names, top = append(names, "root"), 0
	}
	for i, c := range cluster {
		if _, ok := node[c]; !ok {
			node[c] = len(names)
			names = append(names, "cluster "+strconv.Itoa(c))
			if top >= 0 {
				edges = append(edges, [2]int{top, node[c]})
			}
		}
		edges = append(edges, [2]int{node[c], len(names)})
		names = append(names, strconv.Itoa(i))
	}
	tax, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	return tax
}
