package chart

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Decision draws predicted nodes in their part of a taxonomy, as Taxonomy does: a label, a set of
// labels, or a conformal set. The nodes of the decision, and all nodes below them, have a rim. Each
// node has the colour of its probability; probabilities has one value per node, in the order of
// their ids. Of a large taxonomy, only the decision, the most likely leaves, and all nodes above
// these are drawn.
func Decision(t *taxonomy.Taxonomy, decided []int, probabilities []float64) (*Figure, error) {
	if t == nil {
		return nil, fmt.Errorf("chart: no taxonomy to draw")
	}
	if len(probabilities) != t.Len() {
		return nil, fmt.Errorf("chart: %d probabilities for a taxonomy of %d nodes; give one per node, in the order of the node ids", len(probabilities), t.Len())
	}
	in := make(map[int]bool)
	for _, n := range decided {
		if n < 0 || n >= t.Len() {
			return nil, fmt.Errorf("chart: the decision has node %d; the taxonomy has nodes 0..%d", n, t.Len()-1)
		}
		for _, m := range t.Descendants(n) {
			in[m] = true
		}
	}
	for n, v := range probabilities {
		if !(v >= 0 && v <= 1+1e-9) {
			return nil, fmt.Errorf("chart: node %q has probability %v; probabilities must be from 0 to 1", t.Name(n), v)
		}
	}
	const most = 15 // leaves
	leaves := slices.Clone(t.Leaves())
	slices.SortStableFunc(leaves, func(a, b int) int { return cmp.Compare(probabilities[b], probabilities[a]) })
	part, ids := t.Above(append(leaves[:min(len(leaves), most)], decided...))
	values, marked := make([]float64, part.Len()), make([]bool, part.Len())
	labels := 0
	for k, n := range ids {
		values[k], marked[k] = probabilities[n], in[n]
	}
	for n := range in {
		if t.IsLeaf(n) {
			labels++
		}
	}
	title := fmt.Sprintf("Decision: %s, %s", count(len(decided), "node", "nodes"), count(labels, "label", "labels"))
	if part.Len() < t.Len() {
		title += fmt.Sprintf(" (%d of %d nodes drawn)", part.Len(), t.Len())
	}
	return drawTaxonomy(part, &coloring{values: values, what: "probability", colors: &valueScale{low: 0, high: 1}, marked: marked}, title)
}
