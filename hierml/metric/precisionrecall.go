package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// NodeScorer is a Scorer with the probability of a label at or below each node: one row per row of
// x, one column per node of its taxonomy. Its Report has areas under precision-recall curves.
type NodeScorer interface {
	Scorer
	NodeProbabilities(x *dataset.Matrix) *mat.Dense
}

// PrecisionRecall has areas under precision-recall curves of nodes [VSSDB08, section 5.2]. An
// instance has a node if it has a label at or below it, and the node is predicted where its score
// is at least a threshold; a curve has a point for each threshold. The area is the sum over the
// thresholds of the precision times the increase in recall, as average_precision_score of
// scikit-learn; the paper interpolates instead.
//
// It is NaN if no instance has a node.
type PrecisionRecall struct {
	// Pooled is AU(PRC), the area under the curve of all pairs of an instance and a node, with one
	// threshold for all, and Mean the mean of the areas of the nodes that an instance has.
	Pooled, Mean float64
	// RootlessPooled and RootlessMean are the same without the roots, as usual for the Gene
	// Ontology, where all genes have the three roots.
	RootlessPooled, RootlessMean float64
	// Nodes has the area of each node, NaN if no instance has it. It is nil in a report that was
	// read from a file. The nodes are those of Taxonomy.WithoutMiscellaneous, without leaves that
	// Leafed added.
	Nodes []float64
}

// NodeScores measures node scores, with one row per instance and one column per node of t; scores
// may be any numbers. Labels are nodes, ascending, including inner nodes; a set may be empty.
func NodeScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (*PrecisionRecall, error) {
	return Settings{}.NodeScores(scores, labels, t)
}

// NodeScores is like the function NodeScores, with the weights and workers of the settings.
func (s Settings) NodeScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (*PrecisionRecall, error) {
	if err := s.checkNodeScores(scores, labels, t); err != nil {
		return nil, err
	}
	l := labelsOf(t)
	return s.nodeScores(l.ownScores(scores, len(labels)), l.sets(labels), l.nodes), nil
}

// checkNodeScores returns an error if node scores or labels are invalid.
func (s Settings) checkNodeScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) error {
	if scores == nil || t == nil {
		return errors.New("metric: scores of nodes need a matrix and a taxonomy")
	}
	if n, q := scores.Dims(); n != len(labels) || n > 0 && q != t.Len() {
		return fmt.Errorf("metric: scores are %d x %d; expected one row for each of %d instances and one column for each of %d nodes", n, q, len(labels), t.Len())
	}
	for i, set := range labels {
		if err := checkSet(t, set, i); err != nil {
			return err
		}
		if row := scores.RawRowView(i); slices.ContainsFunc(row, math.IsNaN) {
			return fmt.Errorf("metric: instance %d has a score of a node that is not a number", i)
		}
	}
	return s.checkWeights(len(labels))
}

// ownScores returns the scores of the nodes of the labels as in the data.
func (l labels) ownScores(scores *mat.Dense, rows int) *mat.Dense {
	if l.nodes == l.t || rows == 0 {
		return scores
	}
	own := mat.NewDense(rows, l.nodes.Len(), nil)
	for i := range rows {
		own.SetRow(i, l.own(scores.RawRowView(i)))
	}
	return own
}

// nodeScores measures scores of nodes for instances that have labels.
func (s Settings) nodeScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) *PrecisionRecall {
	nodes := t.Len()
	closed := make([][]int, len(labels))
	for i, set := range labels {
		closed[i] = t.Closure(set)
	}
	pairs := s.pairs(scores, closed, itself, nodes)
	p := &PrecisionRecall{Nodes: make([]float64, nodes)}
	var all, rootless []int
	var inner []float64
	for n, own := range pairs.steps(single(nodes)...) {
		p.Nodes[n] = own.precisionRecall()
		all = append(all, n)
		if len(t.Parents(n)) > 0 {
			rootless, inner = append(rootless, n), append(inner, p.Nodes[n])
		}
	}
	p.Mean, _ = mean(p.Nodes, nil)
	p.RootlessMean, _ = mean(inner, nil)
	p.Pooled, p.RootlessPooled = pairs.steps(all)[0].precisionRecall(), pairs.steps(rootless)[0].precisionRecall()
	return p
}
