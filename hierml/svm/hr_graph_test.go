package svm_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/testrun"
)

// randomGraph returns the edges of a star, a path, a cycle, a tree, a dense graph or a graph of
// several parts, and some of its nodes, at least one in each part, which have data.
func randomGraph(r *rand.Rand) (n int, edges [][2]int, data []int) {
	n = 2 + r.IntN(11)
	kind := r.IntN(6)
	parts := []int{0} // the first node of each
	for i := 1; i < n; i++ {
		switch kind {
		case 0:
			edges = append(edges, [2]int{0, i})
		case 1, 2:
			edges = append(edges, [2]int{i - 1, i})
		case 3:
			edges = append(edges, [2]int{r.IntN(i), i})
		case 4:
			for j := range i {
				if j == i-1 || r.IntN(2) == 0 {
					edges = append(edges, [2]int{j, i})
				}
			}
		case 5: // three nodes each, the last perhaps four
			if i%3 != 0 || i == n-1 {
				edges = append(edges, [2]int{i - 1, i})
			} else {
				parts = append(parts, i)
			}
		}
	}
	if kind == 2 && n > 2 {
		edges = append(edges, [2]int{n - 1, 0})
	}
	for i := range n {
		if slices.Contains(parts, i) || r.IntN(3) > 0 {
			data = append(data, i)
		}
	}
	return n, edges, data
}

// randomOnGraph returns instances of the nodes of a graph that have data, which are the leaves of a
// taxonomy. The other nodes are parents of one of them.
func randomOnGraph(t *testing.T, r *rand.Rand, n int, data []int) *dataset.Dataset {
	t.Helper()
	var names []string
	var above [][2]int
	for i := range n {
		names = append(names, strconv.Itoa(i))
		if !slices.Contains(data, i) {
			above = append(above, [2]int{i, data[0]})
		}
	}
	g, err := taxonomy.New(names, above)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense((1+r.IntN(4))*len(data)+r.IntN(5), 1+r.IntN(5), nil)
	x.Apply(func(int, int, float64) float64 { return math.Round(1000*r.NormFloat64()) / 1000 }, x)
	rows, _ := x.Dims()
	labels := make([][]int, rows)
	for i := range labels {
		labels[i] = []int{data[i%len(data)]}
		if next := data[(i+1)%len(data)]; r.IntN(10) == 0 && len(data) > 1 {
			labels[i] = append(labels[i], next)
			slices.Sort(labels[i])
		}
	}
	d, err := dataset.FromDense("graph", g, x, labels)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestHRGraphConverges trains on random graphs with nothing that draws weights to zero. The hinge
// reaches the gap on all of them, the value of the weights by definition lies between the certified
// ones, and no other weights of the leaves, near or far, are better than the dual value.
func TestHRGraphConverges(t *testing.T) {
	t.Run("some", func(t *testing.T) { checkGraphs(t, 0, 40) })
	t.Run("1000", func(t *testing.T) {
		testrun.LeaveToLong(t, "1,000 graphs are trained to two gaps")
		checkGraphs(t, 40, 1000)
	})
}

func checkGraphs(t *testing.T, first, end uint64) {
	for seed := first; seed < end; seed++ {
		r := rand.New(rand.NewPCG(seed, 45))
		n, edges, data := randomGraph(r)
		d := randomOnGraph(t, r, n, data)
		c := []float64{0.01, 0.1, 1, 10, 100}[r.IntN(5)]
		for _, gap := range []float64{1e-3, 1e-6} {
			e := svm.HR{C: c, Graph: edges, Settings: solver.Settings{Gap: gap, MaxEpochs: 20000, Workers: 1}}
			m := fit(t, e, d)
			got := m.Training.Certificate
			if got.Status != solver.Converged || got.Gap > gap {
				t.Errorf("graph %d of %d nodes, C %v: %v", seed, n, c, got)
			}
			w := mat.NewDense(len(data), d.X.Cols, nil)
			for k := range data {
				nodes, values := m.Attributes().Leaf(k)
				for j, node := range nodes {
					for f, u := range m.Weights(node) {
						w.Set(k, f, w.At(k, f)+values[j]*u)
					}
				}
			}
			// It can be below the certified one, if the coefficients add up to nearly zero.
			rounding := 1e-9 * c * float64(d.Len()*len(data))
			if value := graphValue(t, d, edges, data, c, w); value < got.Dual*(1-1e-9)-rounding || value > got.Primal*(1+1e-5)+rounding {
				t.Errorf("graph %d: %v, by definition %v", seed, got, value)
			}
			for range 20 {
				var moved mat.Dense
				step := math.Pow(10, -4*r.Float64())
				moved.Apply(func(_, _ int, v float64) float64 { return v + step*r.NormFloat64() }, w)
				if value := graphValue(t, d, edges, data, c, &moved); value < got.Dual*(1-1e-9)-rounding {
					t.Errorf("graph %d: the value %v of other weights is below the dual of %v", seed, value, got)
				}
			}
		}
	}
}

// graphValue evaluates the objective at weights of the leaves, by its definition over edges. The
// weights of the other nodes are those where the penalty is smallest.
func graphValue(t *testing.T, d *dataset.Dataset, edges [][2]int, data []int, c float64, w *mat.Dense) float64 {
	t.Helper()
	n, features := d.Taxonomy.Len(), d.X.Cols
	system, right := mat.NewDense(n, n, nil), mat.NewDense(n, features, nil)
	for k, y := range data {
		system.Set(y, y, 1)
		right.SetRow(y, w.RawRowView(k))
	}
	for _, e := range edges {
		for _, at := range [][2]int{e, {e[1], e[0]}} {
			if !slices.Contains(data, at[0]) {
				system.Set(at[0], at[0], system.At(at[0], at[0])+1)
				system.Set(at[0], at[1], -1)
			}
		}
	}
	var all mat.Dense
	if err := all.Solve(system, right); err != nil {
		t.Fatal(err)
	}
	var value float64
	for _, e := range edges {
		for f := range features {
			difference := all.At(e[0], f) - all.At(e[1], f)
			value += difference * difference / 2
		}
	}
	for i, labels := range d.Labels {
		at, x := d.X.Row(i)
		for k, y := range data {
			var score float64
			for j, f := range at {
				score += w.At(k, int(f)) * float64(x[j])
			}
			if !slices.Contains(labels, y) {
				score = -score
			}
			value += c * max(0, 1-score)
		}
	}
	return value
}
