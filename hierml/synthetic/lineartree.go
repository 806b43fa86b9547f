package synthetic

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// LinearTree describes data that are labelled by linear functions, which are more similar for
// nearer leaves. Every node of a complete tree has a normally distributed weight vector, a leaf's
// potential is the product of an instance with the sum of the vectors on its path, and instances
// are standard normal. Every instance has all features.
//
// The zero value has one tree of 15 nodes with 8 leaves, 20 features and 200 instances.
// NHSVMBalanced and ThesisSynthetic are the papers' settings.
type LinearTree struct {
	Name string
	// FanOut is the number of children of an inner node, and Depth the number of edges from the
	// root to a leaf. The default values are 2 and 3.
	FanOut, Depth int
	// Features and Instances have the default values 20 and 200.
	Features, Instances int
	// Deviation has the standard deviation of the weights of nodes by depth, the root's first.
	// Deeper nodes have the last. The default value is 1 everywhere.
	Deviation []float64
	// Sets gives an instance all leaves with a positive potential as labels. An instance with none,
	// or with at least the square root of the number of leaves, is drawn again. By default an
	// instance has one label, the leaf with the largest potential.
	Sets bool
	// Seed determines all random numbers.
	Seed uint64
}

// NHSVMBalanced has the settings of the balanced synthetic data of [CSS16, section 8.1]: 15 nodes,
// 8 leaves, 1,000 features. The section says that the tree has 2^3-1 nodes, which with its depth of
// 4 and table 2 has to be 2^4-1; and that there are 15,000 instances, of which table 2 counts
// 8,000: here, there are 15,000.
func NHSVMBalanced(seed uint64) LinearTree {
	return LinearTree{Name: "NHSVM balanced", FanOut: 2, Depth: 3, Features: 1000, Instances: 15000, Seed: seed}
}

// ThesisSynthetic has the settings of the synthetic data of [Cai08, section 7.1.1], with the tree
// given; table 7.5 has fan-out 3 with depth 3, and 6 with 2. The text says that the variances of
// the weights decrease with depth but not how: here, the deviation halves from level to level. The
// root has no weights, as it has no attributes in the classifiers of [Cai08, section 7.2].
// Instances without labels, which the text does not mention, are drawn again.
func ThesisSynthetic(fanOut, depth int, seed uint64) LinearTree {
	g := LinearTree{
		Name: fmt.Sprintf("thesis %d/%d", fanOut, depth), FanOut: fanOut, Depth: depth,
		Features: 20, Instances: 200, Deviation: []float64{0}, Sets: true, Seed: seed,
	}
	for d := range depth {
		g.Deviation = append(g.Deviation, math.Pow(2, -float64(d)))
	}
	return g
}

// Generate draws the taxonomy and the instances. Equal settings give equal data.
//
// It stops with the context's error when ctx is cancelled.
func (g LinearTree) Generate(ctx context.Context) (*dataset.Dataset, error) {
	g = g.withDefaults()
	if err := g.check(); err != nil {
		return nil, err
	}
	t, err := completeTree(g.FanOut, g.Depth)
	if err != nil {
		return nil, fmt.Errorf("synthetic: %s: %w", g.Name, err)
	}
	weights := g.weights(t)
	d := &dataset.Dataset{Name: g.Name, Taxonomy: t, X: newDenseMatrix(g.Instances, g.Features), Labels: make([][]int, g.Instances)}
	potentials := make([]float64, t.Len())
	// With fewer than one instance in so many accepted, the settings contradict each other.
	const tries = 100000
	for i := range g.Instances {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rng := stream(g.Seed, instanceStream, i)
		_, x := d.X.Row(i)
		for try := 0; d.Labels[i] == nil; try++ {
			if try == tries {
				return nil, fmt.Errorf("synthetic: %s: none of %d instances drawn had an acceptable number of labels; change the seed or the deviations", g.Name, tries)
			}
			drawNormal(rng, x)
			d.Labels[i] = g.label(t, weights, x, potentials)
		}
	}
	return d, nil
}

func (g LinearTree) withDefaults() LinearTree {
	if g.Name == "" {
		g.Name = "linear tree"
	}
	for _, value := range []struct {
		setting *int
		normal  int
	}{{&g.FanOut, 2}, {&g.Depth, 3}, {&g.Features, 20}, {&g.Instances, 200}} {
		if *value.setting == 0 {
			*value.setting = value.normal
		}
	}
	if len(g.Deviation) == 0 {
		g.Deviation = []float64{1}
	}
	return g
}

func (g LinearTree) check() error {
	const maxLeaves = 1 << 20
	if g.FanOut < 1 || g.Depth < 1 || math.Pow(float64(g.FanOut), float64(g.Depth)) > maxLeaves || g.Depth > maxLeaves {
		return fmt.Errorf("synthetic: %s: fan-out %d and depth %d; both must be positive, with at most %d leaves", g.Name, g.FanOut, g.Depth, maxLeaves)
	}
	if g.Features < 1 || g.Features > math.MaxInt32 || g.Instances < 1 {
		return fmt.Errorf("synthetic: %s: %d features and %d instances; both must be positive", g.Name, g.Features, g.Instances)
	}
	for _, s := range g.Deviation {
		if !(s >= 0) || math.IsInf(s, 1) {
			return fmt.Errorf("synthetic: %s: a deviation is %v; it must be finite and not negative", g.Name, s)
		}
	}
	return nil
}

// weights returns the vector of every node.
func (g LinearTree) weights(t *taxonomy.Taxonomy) [][]float32 {
	weights := make([][]float32, t.Len())
	for n := range weights {
		weights[n] = make([]float32, g.Features)
		drawNormal(stream(g.Seed, nodeStream, n), weights[n])
		deviation := float32(g.Deviation[min(t.Depth(n), len(g.Deviation)-1)])
		for j := range weights[n] {
			weights[n][j] *= deviation
		}
	}
	return weights
}

// label returns the labels of an instance, or nil if it has to be drawn again.
func (g LinearTree) label(t *taxonomy.Taxonomy, weights [][]float32, x []float32, potentials []float64) []int {
	for n, w := range weights { // parents have smaller ids
		potentials[n] = dotDense(w, x)
		for _, p := range t.Parents(n) {
			potentials[n] += potentials[p]
		}
	}
	leaves := t.Leaves()
	best := leaves[0]
	var positive []int
	for _, n := range leaves {
		if potentials[n] > potentials[best] {
			best = n
		}
		if potentials[n] > 0 {
			positive = append(positive, n)
		}
	}
	switch {
	case !g.Sets:
		return []int{best}
	case len(positive)*len(positive) >= len(leaves):
		return nil
	}
	return positive
}

// completeTree returns the tree in which all inner nodes have fanOut children and all leaves the
// depth. Parents come before their children.
func completeTree(fanOut, depth int) (*taxonomy.Taxonomy, error) {
	names := []string{"root"}
	var edges [][2]int
	level := []int{0}
	for range depth {
		var next []int
		for _, p := range level {
			for c := range fanOut {
				name := strconv.Itoa(c + 1)
				if p > 0 {
					name = names[p] + "." + name
				}
				edges = append(edges, [2]int{p, len(names)})
				next = append(next, len(names))
				names = append(names, name)
			}
		}
		level = next
	}
	return taxonomy.New(names, edges)
}

// newDenseMatrix returns a matrix whose rows have all columns, zero so far.
func newDenseMatrix(rows, columns int) *dataset.Matrix {
	m := &dataset.Matrix{
		Rows: rows, Cols: columns,
		Indptr:  make([]int, rows+1),
		Indices: make([]int32, rows*columns),
		Values:  make([]float32, rows*columns),
	}
	for i := range rows {
		m.Indptr[i+1] = (i + 1) * columns
		indices, _ := m.Row(i)
		for j := range indices {
			indices[j] = int32(j)
		}
	}
	return m
}

func drawNormal(rng *rand.Rand, x []float32) {
	for j := range x {
		x[j] = float32(rng.NormFloat64())
	}
}

func dotDense(a, b []float32) float64 {
	sum := 0.0
	for j, v := range a {
		sum += float64(v) * float64(b[j])
	}
	return sum
}
