package metric_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// wide returns a tree with the given number of leaves, about twelve below a node, four deep.
func wide(t testing.TB, leaves int) *taxonomy.Taxonomy {
	t.Helper()
	var paths []string
	for k := range leaves {
		paths = append(paths, strconv.Itoa(k/1728)+"/"+strconv.Itoa(k/144)+"/"+strconv.Itoa(k/12)+"/"+strconv.Itoa(k))
	}
	g, err := taxonomy.FromPaths(paths, "/")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// scored returns random scores, of which those of the true labels are higher, and labels.
func scored(g *taxonomy.Taxonomy, n, perInstance int) (*mat.Dense, [][]int) {
	random := rand.New(rand.NewPCG(1, 2))
	q := len(g.Leaves())
	scores, labels := mat.NewDense(n, q, nil), make([][]int, n)
	for i := range n {
		row := scores.RawRowView(i)
		for k := range row {
			row[k] = random.NormFloat64()
		}
		for _, k := range random.Perm(q)[:perInstance] {
			row[k] += 3
			labels[i] = append(labels[i], g.Leaves()[k])
		}
		slices.Sort(labels[i])
	}
	return scores, labels
}

// BenchmarkEvaluateScores measures 1,000 instances of 12,294 leaves, the size of the largest of the
// papers' data sets, with one label each and with a thousand.
func BenchmarkEvaluateScores(b *testing.B) {
	g := wide(b, 12294)
	for _, labelled := range []int{1, 5, 1000} {
		b.Run(strconv.Itoa(labelled), func(b *testing.B) {
			scores, labels := scored(g, 1000, labelled)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := metric.EvaluateScores(scores, labels, g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// prepared returns the scores of the first rows again for every batch.
type prepared struct{ scores *mat.Dense }

func (p prepared) LeafScores(x *dataset.Matrix) *mat.Dense {
	_, q := p.scores.Dims()
	return p.scores.Slice(0, x.Rows, 0, q).(*mat.Dense)
}

// BenchmarkEvaluate measures 10,000 instances of 12,294 leaves with one label each, and with five
// on a graph.
func BenchmarkEvaluate(b *testing.B) {
	const n, batch = 10000, 682 // instances in a batch of Evaluate with so many leaves
	for name, c := range map[string]struct {
		taxonomy *taxonomy.Taxonomy
		labels   int
	}{"tree": {wide(b, 12294), 1}, "graph": {tangled(b, 12294), 5}} {
		b.Run(name, func(b *testing.B) {
			scores, labels := scored(c.taxonomy, batch, c.labels)
			d := &dataset.Dataset{Taxonomy: c.taxonomy, X: &dataset.Matrix{Rows: n, Cols: 1, Indptr: make([]int, n+1)}}
			for i := range n {
				d.Labels = append(d.Labels, labels[i%batch])
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := metric.Evaluate(prepared{scores}, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// tangled is wide with a second parent for every third leaf.
func tangled(t testing.TB, leaves int) *taxonomy.Taxonomy {
	t.Helper()
	g := wide(t, leaves)
	edges := g.Edges()
	for i, y := range g.Leaves() {
		if i%3 == 0 && i > 0 {
			if p := g.Parents(g.Leaves()[i*7%len(g.Leaves())])[0]; p != g.Parents(y)[0] {
				edges = append(edges, [2]int{p, y})
			}
		}
	}
	made, err := taxonomy.New(g.Names(), edges)
	if err != nil {
		t.Fatal(err)
	}
	return made
}
