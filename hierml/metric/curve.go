package metric

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// Curve has the hierarchical precision, recall and F1 of node scores by threshold, from the highest
// threshold down. Choose the threshold on validation data and apply it to test data:
//
//	curve, err := metric.HierarchicalCurve(model.NodeProbabilities(held.X), held.Labels, held.Taxonomy)
//	best, err := curve.Best()
//	sets, err := metric.NodesAbove(model.NodeProbabilities(test.X), best.Threshold, test.Taxonomy)
//	f, err := metric.LabelSets(test.Labels, sets, test.Taxonomy) // f.Hierarchical
//
// The best F1 on the curve of the test data is too optimistic, because its threshold was chosen on
// the same data.
type Curve []CurvePoint

// CurvePoint has the averages of the sets that NodesAbove returns for the threshold.
type CurvePoint struct {
	Threshold, Precision, Recall, F1 float64
}

// HierarchicalCurve returns the curve of node scores, with one row per instance and one column per
// node of t; scores may be any numbers. Labels are nodes, ascending, including inner nodes; a set
// may be empty. A node is predicted if its score, or that of a node below, is at least the
// threshold. The averages are the hierarchical ones of F1. There is a point for each score of a
// true node: between two of them recall is constant and precision cannot rise, so no other
// threshold is better. For scores that never rise from a node to a child it is
// precision_recall_curve of scikit-learn for the indicators of all nodes.
func HierarchicalCurve(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (Curve, error) {
	return Settings{}.HierarchicalCurve(scores, labels, t)
}

// RootlessCurve is HierarchicalCurve without the roots, with the rootless averages of F1.
func RootlessCurve(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (Curve, error) {
	return Settings{}.RootlessCurve(scores, labels, t)
}

// HierarchicalCurve is like the function HierarchicalCurve, with the weights of the settings.
func (s Settings) HierarchicalCurve(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (Curve, error) {
	return s.curve(scores, labels, t, false)
}

// RootlessCurve is like the function RootlessCurve, with the weights of the settings.
func (s Settings) RootlessCurve(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (Curve, error) {
	return s.curve(scores, labels, t, true)
}

func (s Settings) curve(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy, rootless bool) (Curve, error) {
	if err := s.checkNodeScores(scores, labels, t); err != nil {
		return nil, err
	}
	l := labelsOf(t)
	own, closed := l.ownScores(raised(scores, len(labels), t), len(labels)), l.sets(labels)
	for i, set := range closed {
		closed[i] = l.nodes.Closure(set)
	}
	var nodes []int
	for n := range l.nodes.Len() {
		if !rootless || len(l.nodes.Parents(n)) > 0 {
			nodes = append(nodes, n)
		}
	}
	steps := s.pairs(own, closed, itself, l.nodes.Len()).steps(nodes)[0]
	curve := make(Curve, 0, len(steps.all))
	for _, p := range steps.all {
		o := overlap{steps.positives, p.reached, p.found}
		curve = append(curve, CurvePoint{p.threshold, o.precision(), o.recall(), o.f1()})
	}
	return curve, nil
}

// raised returns scores in which each node has the maximum of its own score and those below.
func raised(scores *mat.Dense, rows int, t *taxonomy.Taxonomy) *mat.Dense {
	if rows == 0 {
		return scores
	}
	all := mat.DenseCopyOf(scores)
	order := t.Topological()
	for i := range rows {
		row := all.RawRowView(i)
		for k := len(order) - 1; k >= 0; k-- {
			for _, p := range t.Parents(order[k]) {
				row[p] = max(row[p], row[order[k]])
			}
		}
	}
	return all
}

// Best returns the point with the highest F1, in case of a tie the highest threshold. It returns an
// error if there is no point because no instance has a node.
func (c Curve) Best() (CurvePoint, error) {
	if len(c) == 0 {
		return CurvePoint{}, errors.New("metric: the curve has no threshold to choose, because no instance has a node; use instances with labels")
	}
	best := c[0]
	for _, p := range c {
		if p.F1 > best.F1 {
			best = p
		}
	}
	return best, nil
}

// NodesAbove returns, for every row of the scores of nodes of t, the nodes whose score is at least
// the threshold, as a label set in its most specific form: ascending, none above another, possibly
// empty. LabelSets and HLoss measure such sets.
func NodesAbove(scores *mat.Dense, threshold float64, t *taxonomy.Taxonomy) ([][]int, error) {
	if scores == nil || t == nil {
		return nil, errors.New("metric: NodesAbove needs scores and a taxonomy")
	}
	n, q := scores.Dims()
	if n > 0 && q != t.Len() {
		return nil, fmt.Errorf("metric: scores have %d columns; expected one for each of %d nodes", q, t.Len())
	}
	if math.IsNaN(threshold) {
		return nil, errors.New("metric: the threshold is not a number")
	}
	sets := make([][]int, n)
	for i := range sets {
		var above []int
		for k, v := range scores.RawRowView(i) {
			if math.IsNaN(v) {
				return nil, fmt.Errorf("metric: instance %d has a score of node %q that is not a number", i, t.Name(k))
			}
			if v >= threshold {
				above = append(above, k)
			}
		}
		sets[i] = t.MostSpecific(above)
	}
	return sets, nil
}

// pointsShown is the number of points in a printed curve.
const pointsShown = 20

func (c Curve) table() *table.Table {
	t := &table.Table{}
	for _, name := range []string{"threshold", "precision", "recall", "F1"} {
		t.Columns = append(t.Columns, table.Column{Name: name, Right: true})
	}
	shown := min(len(c), pointsShown)
	for k := range shown {
		p := c[k*(len(c)-1)/max(1, shown-1)]
		line := []string{strconv.FormatFloat(p.Threshold, 'g', 4, 64)}
		for _, v := range []float64{p.Precision, p.Recall, p.F1} {
			line = append(line, strconv.FormatFloat(v, 'f', 4, 64))
		}
		t.Rows = append(t.Rows, table.Texts(line...))
	}
	if best, err := c.Best(); err == nil {
		t.Notes = append(t.Notes, fmt.Sprintf("highest F1 %.4f at a threshold of %.4g; %d thresholds", best.F1, best.Threshold, len(c)))
	}
	return t
}

// String returns the curve as a table of up to 20 points, and the best point of all.
func (c Curve) String() string { return c.table().String() }

// HTML returns the table of String in HTML.
func (c Curve) HTML() string { return c.table().HTML() }
