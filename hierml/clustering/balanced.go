package clustering

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Balanced is an estimator that learns a tree by balanced 2-means and trains under it; its model is
// evaluated on the true taxonomy. With svm.PLT it gives the label trees of extreme classification,
// as in [PKHAV18, section 3.1]. A class is represented by the normalized sum of its normalized
// instances. From the root down, the classes are split into two halves by the nearer centroid,
// until few are left.
type Balanced struct {
	// Estimator trains under the tree, as in Automatic.
	Estimator classifier.Estimator
	// Largest is the number of classes from which a node is no longer split. The default value is
	// 100, as in [PKHAV18]; 1 makes a binary tree.
	Largest int
	// Seed chooses the two classes that each halving begins with. Equal seeds make equal trees.
	Seed uint64
}

// largest is the default of Largest.
const largest = 100

// Fit learns a tree, trains with it, and returns the model as Automatic's Fit does.
func (b Balanced) Fit(ctx context.Context, d *dataset.Dataset) (*Translated, error) {
	return fitUnder(ctx, b.Estimator, d, b.Hierarchy)
}

// Hierarchy returns the tree that Fit trains with: the classes as leaves under their names, with
// ids from 0 on, below nodes called "cluster 1" for the root, "cluster 1.1" and "cluster 1.2" for
// its halves, and so on. Classes without instances are children of the root.
func (b Balanced) Hierarchy(ctx context.Context, d *dataset.Dataset) (*taxonomy.Taxonomy, error) {
	if b.Largest < 0 {
		return nil, fmt.Errorf("clustering: Largest is %d classes; it must be at least 1, or 0 for the default of %d", b.Largest, largest)
	}
	s, err := newClasses(d, true)
	if err != nil {
		return nil, err
	}
	t := &halving{
		vectors: newUnits(s), direction: make([]float64, s.x.Cols), largest: cmp.Or(b.Largest, largest),
		rng: rand.New(rand.NewPCG(b.Seed, 0)), builder: newBuilder(slices.Concat(s.names, s.empty)),
	}
	all := make([]int, s.len())
	for k := range all {
		all[k] = k
	}
	root, err := t.below(ctx, all, "1")
	if err != nil {
		return nil, err
	}
	for k := range s.empty {
		t.builder.edge(root, s.len()+k)
	}
	return taxonomy.New(t.builder.names, t.builder.edges)
}

// halving is the work on a tree.
type halving struct {
	vectors   []unit
	direction []float64 // scratch, zeros
	largest   int
	rng       *rand.Rand
	builder   *builder
}

// below adds the node of some classes, ascending, with what is below, and returns it.
func (t *halving) below(ctx context.Context, classes []int, number string) (int, error) {
	node := t.builder.node("cluster " + number)
	if len(classes) <= t.largest {
		for _, k := range classes {
			t.builder.edge(node, k)
		}
		return node, nil
	}
	first := t.rng.IntN(len(classes))
	second := t.rng.IntN(len(classes) - 1)
	if second >= first {
		second++
	}
	left, right, err := t.halve(ctx, classes, classes[first], classes[second], nil)
	if err != nil {
		return 0, err
	}
	for k, half := range [][]int{left, right} {
		if len(half) == 1 { // a class needs no cluster of its own
			t.builder.edge(node, half[0])
			continue
		}
		child, err := t.below(ctx, half, fmt.Sprintf("%s.%d", number, k+1))
		if err != nil {
			return 0, err
		}
		t.builder.edge(node, child)
	}
	return node, nil
}

// rounds is how often classes are moved at most: rounding could make them go to and fro.
const rounds = 1000

// halve divides classes, ascending, by 2-means that begins with two of them: the half, rounded
// down, with the smallest inner products with the difference of the centroids of right and left, of
// equal ones with the smallest numbers, is left, until nothing changes. watch, if not nil, is given
// the left ones of each step.
func (t *halving) halve(ctx context.Context, classes []int, a, b int, watch func(left []int)) (left, right []int, err error) {
	centroidA, centroidB := []int{a}, []int{b}
	scores := make(map[int]float64, len(classes))
	for range rounds {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		for side, of := range [][]int{centroidA, centroidB} {
			weight := float64(2*side-1) / float64(len(of))
			for _, k := range of {
				t.vectors[k].addTo(t.direction, weight)
			}
		}
		for _, k := range classes {
			scores[k] = t.vectors[k].dot(t.direction)
		}
		for _, k := range slices.Concat(centroidA, centroidB) {
			t.vectors[k].clear(t.direction)
		}
		order := slices.Clone(classes)
		slices.SortStableFunc(order, func(k, l int) int { return cmp.Compare(scores[k], scores[l]) })
		before := left
		left, right = order[:len(order)/2], order[len(order)/2:]
		slices.Sort(left)
		slices.Sort(right)
		if slices.Equal(left, before) {
			break
		}
		if watch != nil {
			watch(slices.Clone(left))
		}
		centroidA, centroidB = left, right
	}
	return left, right, nil
}

// unit is a vector of length 1, or 0.
type unit struct {
	indices []int32
	values  []float64
}

func (u unit) addTo(v []float64, weight float64) {
	for k, f := range u.indices {
		v[f] += weight * u.values[k]
	}
}

func (u unit) dot(v []float64) (sum float64) {
	for k, f := range u.indices {
		sum += u.values[k] * v[f]
	}
	return sum
}

func (u unit) clear(v []float64) {
	for _, f := range u.indices {
		v[f] = 0
	}
}

// newUnits returns the classes as vectors.
func newUnits(s *classes) []unit {
	sum := make([]float64, s.x.Cols)
	seen := make([]bool, s.x.Cols)
	units := make([]unit, s.len())
	for k, members := range s.members {
		var u unit
		for _, i := range members {
			indices, values := s.x.Row(int(i))
			length := norm(values)
			for e, f := range indices {
				if !seen[f] {
					seen[f] = true
					u.indices = append(u.indices, f)
				}
				if length > 0 {
					sum[f] += float64(values[e]) / length
				}
			}
		}
		slices.Sort(u.indices)
		for _, f := range u.indices {
			u.values = append(u.values, sum[f])
			sum[f], seen[f] = 0, false
		}
		if length := norm(u.values); length > 0 {
			for e := range u.values {
				u.values[e] /= length
			}
		}
		units[k] = u
	}
	return units
}

// norm returns the Euclidean length.
func norm[T float32 | float64](values []T) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}
