package dataset

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// checkWeights returns an error unless the weights are those of so many instances.
func checkWeights(name string, weights []float64, n int) error {
	if len(weights) != n {
		return fmt.Errorf("dataset: %q has %d instances and %d weights; give one weight for each, or none", name, n, len(weights))
	}
	some := false
	for i, w := range weights {
		if err := checkWeight(name, i, w); err != nil {
			return err
		}
		some = some || w > 0
	}
	if !some {
		return fmt.Errorf("dataset: all %d instances of %q have the weight 0; at least one must count", n, name)
	}
	return nil
}

func checkWeight(name string, row int, w float64) error {
	if !(w >= 0) || math.IsInf(w, 1) {
		return fmt.Errorf("dataset: row %d of %q has the weight %v; a weight must be finite and not negative", row, name, w)
	}
	return nil
}

// Weighted returns what estimators learn from: the instances whose weights are not zero. Where all
// of them have the weight 1, the result has no Weights. A data set without Weights is returned as
// it is. It is an error if weights are negative or not finite, if there is not one for each
// instance, or if all are zero.
func (d *Dataset) Weighted() (*Dataset, error) {
	if d == nil || d.Weights == nil {
		return d, nil
	}
	if err := checkWeights(d.Name, d.Weights, len(d.Labels)); err != nil {
		return nil, err
	}
	s := d
	if slices.Contains(d.Weights, 0) {
		var rows []int
		for i, w := range d.Weights {
			if w > 0 {
				rows = append(rows, i)
			}
		}
		s = d.Subset(rows)
	}
	if !slices.ContainsFunc(s.Weights, func(w float64) bool { return w != 1 }) {
		ones := *s
		ones.Weights, s = nil, &ones
	}
	return s, nil
}

// Weight returns the weight of an instance, 1 where there are no Weights. It panics if there is no
// such instance.
func (d *Dataset) Weight(row int) float64 { return weigh.Of(d.Weights, row) }

// Balance says how Balanced weighs instances. The zero value gives all classes the same total
// weight.
type Balance struct {
	// ByNode gives the same total weight to the children of each node that have instances, level by
	// level, rather than to the classes. An inner node that is a label counts as a child of itself.
	ByNode bool
	// Beta, from 0 to below 1, leaves frequent classes more weight: n instances count as the
	// effective number of samples, (1 - Beta^n) / (1 - Beta) [CJLSB19, (3)]. 0 stands for the limit
	// 1, in which they count as n. Common values are 0.99 to 0.9999.
	Beta float64
}

// Balanced returns the data set with weights that make rare classes count as much as frequent ones.
// An instance of a class of n instances has a weight in proportion to 1/n, as in scikit-learn's
// "balanced"; one of several labels has the mean of theirs, and instances without labels are a
// class of their own. The weights add up to the number of instances.
//
// Where the data set has Weights, they multiply the new ones, and n is the sum of them. Call it for
// training data alone.
func (d *Dataset) Balanced(b Balance) (*Dataset, error) {
	if d == nil || d.Taxonomy == nil {
		return nil, noData{}
	}
	if !(b.Beta >= 0 && b.Beta < 1) {
		return nil, fmt.Errorf("dataset: Beta is %v; it must be at least 0 and below 1", b.Beta)
	}
	if b.ByNode && !d.Taxonomy.IsTree() {
		return nil, fmt.Errorf("dataset: in the taxonomy of %q some nodes have several parents, and ByNode needs a tree; do not set ByNode", d.Name)
	}
	if d.Weights != nil {
		if err := checkWeights(d.Name, d.Weights, len(d.Labels)); err != nil {
			return nil, err
		}
	}
	counts := make([]float64, d.Taxonomy.Len()+1) // by label, the last of no label
	var total float64
	for i, set := range d.Labels {
		w := d.Weight(i)
		total += w
		each(set, d.Taxonomy.Len(), func(n int, share float64) { counts[n] += w * share })
	}
	shares := b.shares(counts)
	if b.ByNode {
		shares = b.sharesOfNodes(d.Taxonomy, counts)
	}
	s := *d
	s.Weights = make([]float64, len(d.Labels))
	var sum float64
	for i, set := range d.Labels {
		each(set, d.Taxonomy.Len(), func(n int, share float64) {
			if counts[n] > 0 {
				s.Weights[i] += d.Weight(i) * share * shares[n] / counts[n]
			}
		})
		sum += s.Weights[i]
	}
	for i := range s.Weights {
		s.Weights[i] *= total / sum
	}
	return &s, nil
}

// each calls do for the labels of an instance, each with its share, or for none if there are none.
func each(set []int, none int, do func(n int, share float64)) {
	for _, n := range set {
		do(n, 1/float64(len(set)))
	}
	if len(set) == 0 {
		do(none, 1)
	}
}

// shares returns what each class gets of the whole: in proportion to its instances over their
// effective number.
func (b Balance) shares(counts []float64) []float64 {
	shares := make([]float64, len(counts))
	for k, n := range counts {
		switch {
		case n == 0:
		case b.Beta == 0:
			shares[k] = 1
		default:
			shares[k] = n * (1 - b.Beta) / (1 - math.Pow(b.Beta, n))
		}
	}
	floats.Scale(1/floats.Sum(shares), shares)
	return shares
}

// sharesOfNodes returns what each label gets where the share of a node is divided among its
// children and itself.
func (b Balance) sharesOfNodes(t *taxonomy.Taxonomy, counts []float64) []float64 {
	below := slices.Clone(counts)
	order := t.Topological()
	for _, n := range slices.Backward(order) {
		for _, p := range t.Parents(n) {
			below[p] += below[n]
		}
	}
	none := t.Len()
	shares := make([]float64, len(counts))
	divide := func(share float64, own int, children []int) {
		parts := []float64{counts[own]}
		for _, c := range children {
			parts = append(parts, below[c])
		}
		if floats.Sum(parts) == 0 {
			return
		}
		parts = b.shares(parts)
		shares[own] = share * parts[0]
		for k, c := range children {
			shares[c] = share * parts[k+1]
		}
	}
	divide(1, none, t.Roots())
	for _, n := range order {
		divide(shares[n], n, t.Children(n))
	}
	return shares
}
