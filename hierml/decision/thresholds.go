package decision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Learner is a Rule with thresholds, learned from probabilities of instances that the model was not
// trained on. By learns them in folds, unless the rule has thresholds.
type Learner interface {
	Rule
	// Learn returns the rule with thresholds learned from the probabilities of instances with one
	// label each, a leaf of t. weights may be nil.
	Learn(ctx context.Context, t *taxonomy.Taxonomy, probabilities *mat.Dense, labels [][]int, weights ...float64) (Rule, error)
}

// TopDown is the Rule that descends from the most probable root, at every node to the most probable
// child, as long as its probability given the node exceeds Threshold, and also that of the node
// itself if the node is a label. It chooses the node where it ends. In case of a tie it takes the
// smallest id. The values are the expected hierarchical F1, as in LargestF, which is at least as
// large there for any threshold.
type TopDown struct {
	// Threshold is from 0, with which all decisions are labels, to 1. By uses a threshold above 0,
	// and learns one if it is 0, the default. Learn ignores Threshold and chooses the one with the
	// largest mean hierarchical F1, in case of a tie the largest.
	Threshold float64
}

// Decide returns the decisions and their expected F1; see Rule.
func (r TopDown) Decide(ctx context.Context, t *taxonomy.Taxonomy, probabilities *mat.Dense) (sets [][]int, values []float64, err error) {
	if err := r.validate(t); err != nil {
		return nil, nil, err
	}
	return decideClosed(ctx, t, probabilities, func(w *largestRow, likely []float64) []int {
		way := w.descend(likely)
		k := 1
		for k < len(way) && way[k].given > r.Threshold {
			k++
		}
		return w.above[way[k-1].node]
	})
}

func (r TopDown) validate(*taxonomy.Taxonomy) error {
	if !(r.Threshold >= 0 && r.Threshold <= 1) {
		return fmt.Errorf("decision: the threshold is %v; it must be from 0 to 1, because probabilities are compared with it", r.Threshold)
	}
	return nil
}

// given reports whether the rule has a threshold, so that By learns none.
func (r TopDown) given() bool { return r.Threshold != 0 }

// decideClosed returns the sets of nodes that choose gives, all nodes above theirs among them, for
// each row of how likely the label is at or below each node, and the expected F1.
func decideClosed(ctx context.Context, t *taxonomy.Taxonomy, probabilities *mat.Dense, choose func(w *largestRow, likely []float64) []int) (sets [][]int, values []float64, err error) {
	if err := check(t, probabilities); err != nil {
		return nil, nil, err
	}
	s := newLargest(newLabels(t, true), false)
	rows, _ := probabilities.Dims()
	sets, values = make([][]int, rows), make([]float64, rows)
	err = each(ctx, rows, s.start, func(w *largestRow, i int) {
		normalized(w.p, probabilities.RawRowView(i))
		w.spread(w.p, w.likely)
		closed := choose(w, w.likely)
		if len(closed) > 0 {
			w.share(len(closed))
		}
		for _, n := range closed {
			values[i] += w.d[n]
		}
		sets[i] = w.specific(closed)
	})
	if err != nil {
		return nil, nil, err
	}
	return sets, values, nil
}

// step is a node on the way down, and how likely it is given the one above.
type step struct {
	node  int
	given float64
}

// descend returns the way to the label that the descent comes to without a threshold.
func (w *largestRow) descend(likely []float64) []step {
	likeliest := func(of []int) int {
		best := of[0]
		for _, n := range of {
			if likely[n] > likely[best] {
				best = n
			}
		}
		return best
	}
	n := likeliest(w.nodes.Roots())
	way := []step{{n, likely[n]}}
	for !w.nodes.IsLeaf(n) {
		c := likeliest(w.nodes.Children(n))
		if y := w.leaf[n]; y >= 0 && w.p[y] >= likely[c] {
			break
		}
		way = append(way, step{c, likely[c] / likely[n]})
		n = c
	}
	return way
}

// Learn returns the rule with the threshold that has the largest mean hierarchical F1; see Learner.
func (r TopDown) Learn(_ context.Context, t *taxonomy.Taxonomy, probabilities *mat.Dense, labels [][]int, weights ...float64) (Rule, error) {
	if err := checkLearned(t, probabilities, labels, weights); err != nil {
		return nil, err
	}
	s := newLargest(newLabels(t, true), false)
	w := s.start()
	// Where the threshold falls below at, the decision of some instance goes a step down.
	type fall struct{ at, gain float64 }
	var falls []fall
	for i, set := range labels {
		normalized(w.p, probabilities.RawRowView(i))
		w.spread(w.p, w.likely)
		truth := w.above[w.of[t.LeafIndex(set[0])]]
		last, at := 0.0, 1.0
		for k, step := range w.descend(w.likely) {
			own := w.above[step.node]
			f := 2 * float64(common(own, truth)) / float64(len(own)+len(truth))
			if k > 0 {
				at = min(at, step.given)
				falls = append(falls, fall{at, weigh.Of(weights, i) * (f - last)})
			}
			last = f
		}
	}
	slices.SortStableFunc(falls, func(a, b fall) int { return cmp.Compare(b.at, a.at) })
	best, gained := 1.0, 0.0
	sum := 0.0
	for k, f := range falls {
		sum += f.gain
		next := 0.0
		if k+1 < len(falls) {
			if next = falls[k+1].at; next >= f.at*(1-tolerance) {
				continue // equal but for rounding
			}
		}
		if sum > gained*(1+tolerance) {
			best, gained = f.at-(f.at-next)/2, sum
		}
	}
	return TopDown{Threshold: best}, nil
}

// common counts the members of both ascending sets.
func common(x, y []int) (n int) {
	for _, a := range x {
		if _, both := slices.BinarySearch(y, a); both {
			n++
		}
	}
	return n
}

// String describes the rule.
func (r TopDown) String() string {
	return fmt.Sprintf("the node where a descent ends, at probabilities of %.4g", r.Threshold)
}

// NodeThresholds is the Rule that chooses the nodes whose probability of being at or above the
// label exceeds their own threshold, and whose parents are chosen. It suits the macro F1 of nodes,
// such as metric.Level.MacroF1, in which rare nodes count as much as others. A set may be empty,
// and has no node with probability 0. The values are the expected hierarchical F1, as in LargestF.
type NodeThresholds struct {
	// Thresholds has one threshold per node of Taxonomy.WithoutMiscellaneous, from 0 to 1. By uses
	// them, or learns them if there are none, the default. Learn ignores Thresholds. From the roots
	// down, it chooses the threshold with the largest F1 of the node, given the decisions for its
	// parents, and 1 for nodes that no instance has.
	Thresholds []float64
}

// Decide returns the decisions and their expected F1; see Rule. It returns an error if there are no
// Thresholds.
func (r NodeThresholds) Decide(ctx context.Context, t *taxonomy.Taxonomy, probabilities *mat.Dense) (sets [][]int, values []float64, err error) {
	if t != nil { // else decideClosed says so
		if err := r.validate(t); err != nil {
			return nil, nil, err
		}
	}
	return decideClosed(ctx, t, probabilities, func(w *largestRow, likely []float64) []int {
		w.chosen = w.chosen[:0]
		clear(w.in)
		for _, n := range w.nodes.Topological() {
			if likely[n] > r.Thresholds[n] && w.parentsIn(n, w.in) {
				w.in[n], w.chosen = true, append(w.chosen, n)
			}
		}
		return w.chosen
	})
}

func (r NodeThresholds) validate(t *taxonomy.Taxonomy) error {
	nodes, _ := t.WithoutMiscellaneous()
	if nodes.Len() != len(r.Thresholds) {
		return fmt.Errorf("decision: %d thresholds for %d nodes; learn one for each with Learn", len(r.Thresholds), nodes.Len())
	}
	for n, v := range r.Thresholds {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("decision: node %q has the threshold %v; it must be from 0 to 1, because probabilities are compared with it", nodes.Name(n), v)
		}
	}
	return nil
}

// given reports whether the rule has thresholds, so that By learns none.
func (r NodeThresholds) given() bool { return len(r.Thresholds) > 0 }

// parentsIn reports whether all parents of a node are in the set.
func (l *labels) parentsIn(n int, in []bool) bool {
	for _, p := range l.nodes.Parents(n) {
		if !in[p] {
			return false
		}
	}
	return true
}

// Learn returns the rule with the thresholds of the nodes; see Learner.
func (r NodeThresholds) Learn(ctx context.Context, t *taxonomy.Taxonomy, probabilities *mat.Dense, labels [][]int, weights ...float64) (Rule, error) {
	if err := checkLearned(t, probabilities, labels, weights); err != nil {
		return nil, err
	}
	l := newLabels(t, true)
	n := l.nodes.Len()
	likely, p := mat.NewDense(len(labels), n, nil), make([]float64, len(l.of))
	truth := make([]int, len(labels)) // the node of each label
	on := make([][]bool, len(labels))
	for i, set := range labels {
		normalized(p, probabilities.RawRowView(i))
		l.spread(p, likely.RawRowView(i))
		truth[i], on[i] = l.of[t.LeafIndex(set[0])], make([]bool, n)
	}
	thresholds := make([]float64, n)
	var rows []int
	for _, v := range l.nodes.Topological() {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("decision: the thresholds: %w", context.Cause(ctx))
		}
		rows = rows[:0]
		var positive float64
		has := make([]bool, len(labels))
		for i := range labels {
			if _, has[i] = slices.BinarySearch(l.nodes.Ancestors(truth[i]), v); has[i] {
				positive += weigh.Of(weights, i)
			}
			if likely.At(i, v) > 0 && l.parentsIn(v, on[i]) {
				rows = append(rows, i)
			}
		}
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(likely.At(b, v), likely.At(a, v)) })
		thresholds[v] = 1
		var predicted, both, best float64
		for k, i := range rows {
			predicted += weigh.Of(weights, i)
			if has[i] {
				both += weigh.Of(weights, i)
			}
			at, next := likely.At(i, v), 0.0
			if k+1 < len(rows) {
				if next = likely.At(rows[k+1], v); next >= at*(1-tolerance) {
					continue // equal but for rounding
				}
			}
			if f := 2 * both / (predicted + positive); f > best {
				best, thresholds[v] = f, at-(at-next)/2
			}
		}
		for _, i := range rows {
			on[i][v] = likely.At(i, v) > thresholds[v]
		}
	}
	return NodeThresholds{thresholds}, nil
}

// String describes the rule.
func (r NodeThresholds) String() string {
	return "the nodes that are likelier than thresholds of their own"
}

// checkLearned returns an error if the data for learning thresholds are invalid.
func checkLearned(t *taxonomy.Taxonomy, probabilities *mat.Dense, labels [][]int, weights []float64) error {
	if err := check(t, probabilities); err != nil {
		return err
	}
	rows, _ := probabilities.Dims()
	if rows == 0 {
		return errors.New("decision: there are no instances to learn thresholds from")
	}
	if rows != len(labels) || len(weights) > 0 && len(weights) != rows {
		return fmt.Errorf("decision: probabilities of %d instances, labels of %d, and %d weights; pass labels for each instance, and weights for all or none", rows, len(labels), len(weights))
	}
	if err := weigh.Check(weights); err != nil {
		return fmt.Errorf("decision: %w", err)
	}
	for i, set := range labels {
		if len(set) != 1 || set[0] < 0 || set[0] >= t.Len() || !t.IsLeaf(set[0]) {
			return fmt.Errorf("decision: instance %d has the labels %v; thresholds are learned from instances with one label, a leaf", i, set)
		}
	}
	return nil
}
