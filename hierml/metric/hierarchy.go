package metric

import (
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// charges returns the cost of each node in the H-loss: roots share 1, and children share the cost
// of their parent. A node with several parents gets a share of each, so nodes with none above
// another cost at most 1 together.
func charges(t *taxonomy.Taxonomy) []float64 {
	c := make([]float64, t.Len())
	for _, r := range t.Roots() {
		c[r] = 1 / float64(len(t.Roots()))
	}
	for _, n := range t.Topological() {
		for _, child := range t.Children(n) {
			c[child] += c[n] / float64(len(t.Children(n)))
		}
	}
	return c
}

// prediction measures the predicted label, which may be an inner node.
func (w *worker) prediction(f int, hit bool, labels []int, at int) {
	w.nearest[at] = w.nearestLabel(f, labels)
	w.columns[parentAccuracy][at] = w.parentHit(f, hit, labels)
	if hit {
		w.columns[accuracy][at] = 1
		return
	}
	for _, y := range labels {
		w.columns[topLoss][at] = max(w.columns[topLoss][at], w.cost(y, f))
	}
	farthest := 0.0
	switch {
	case w.nodes.IsTree():
		for _, y := range labels {
			farthest = max(farthest, float64(w.nodes.Distance(w.to[y], w.to[f])))
		}
	case !w.t.IsLeaf(f):
		for _, y := range labels {
			farthest = max(farthest, w.edges.loss.Cost(w.to[y], w.to[f]))
		}
	default:
		edges := w.edges.row(f, w.row)
		for _, y := range labels {
			farthest = max(farthest, edges[w.t.LeafIndex(y)])
		}
	}
	w.columns[treeLoss][at] = farthest
}

// parentHit is 1 if f is one of the labels or near one, otherwise 0, and NaN if no label has a
// parent.
func (l labels) parentHit(f int, hit bool, labels []int) float64 {
	v := math.NaN()
	for _, y := range labels {
		if len(l.nodes.Parents(l.to[y])) == 0 {
			continue
		}
		if hit || near(l.nodes, l.to[f], l.to[y]) {
			return 1
		}
		v = 0
	}
	return v
}

// near reports whether two labels share a parent, or one is a parent of the other.
func near(t *taxonomy.Taxonomy, a, b int) bool {
	if slices.Contains(t.Parents(a), b) || slices.Contains(t.Parents(b), a) {
		return true
	}
	for _, p := range t.Parents(a) {
		for _, o := range t.Parents(b) {
			if p == o {
				return true
			}
		}
	}
	return false
}

// nearestLabel returns the label with the most ancestors in common with f, in case of a tie the
// smallest; f if it is a label.
func (w *worker) nearestLabel(f int, labels []int) int {
	best, most := labels[0], -1
	if len(labels) == 1 {
		return best
	}
	for _, y := range labels {
		if y == f {
			return y
		}
		if common := common(w.nodes.Ancestors(w.to[y]), w.nodes.Ancestors(w.to[f])); common > most {
			best, most = y, common
		}
	}
	return best
}

// common counts the members of both ascending sets.
func common(x, y []int) int {
	n := 0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] < y[j]:
			i++
		case y[j] < x[i]:
			j++
		default:
			n++
			i++
			j++
		}
	}
	return n
}

// sets measures the predicted set.
func (w *worker) sets(set, labels []int, at int) {
	o := w.counts.add(labels, set, weigh.Of(w.weights, at))
	if o.exact {
		w.columns[exactSets][at] = 1
	}
	w.columns[symmetricDifference][at] = o.nodes.differ()
	w.columns[hammingLoss][at] = o.labels.differ() / float64(len(w.leaves))
	for k, v := range o.labels.samples() {
		w.columns[samplesPrecision+k][at] = v
	}
	for k, v := range o.nodes.samples() {
		if c := closedPrecision + k; c <= closedF1 {
			w.columns[c][at] = v
		}
	}
	w.columns[rootlessSamplesF1][at] = o.rootless.f1()
	w.columns[hLoss][at] = w.counts.hLoss(w.charges)
}

// levels measures, for each depth with true nodes, whether a node above the prediction is one of
// them. It must run after sets, whose marks it reads.
func (w *worker) levels(f int, labels []int, at int) {
	deepest := 0
	for _, y := range labels {
		deepest = max(deepest, w.nodes.Depth(y))
	}
	for d := deepest + 1; d < w.depths; d++ {
		w.columns[w.levelColumn(d)][at] = math.NaN()
	}
	for _, n := range w.nodes.Ancestors(f) {
		if w.counts.in(n)&inTruth != 0 {
			w.columns[w.levelColumn(w.nodes.Depth(n))][at] = 1
		}
	}
}
