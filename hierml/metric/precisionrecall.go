package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// NodeScorer is a Scorer that says how likely a label is at or below each node: a row of x a row, a
// column a node of its taxonomy. A Report of it has areas under precision-recall curves.
type NodeScorer interface {
	Scorer
	NodeProbabilities(x *dataset.Matrix) *mat.Dense
}

// PrecisionRecall has areas under precision-recall curves of nodes [VSSDB08, section 5.2]. An
// instance has a node if it has a label at or below it, and the node is predicted where its score
// is at least a threshold; a curve has a point for each threshold. The area is the sum over the
// thresholds of the precision times what they add to the recall, the average precision of
// scikit-learn, where the paper interpolates.
//
// It is NaN without a node that an instance has.
type PrecisionRecall struct {
	// Pooled is AU(PRC), the area under the curve of all pairs of an instance and a node, with one
	// threshold for all, and Mean the mean of the areas of the nodes that an instance has.
	Pooled, Mean float64
	// RootlessPooled and RootlessMean are the same without the roots, as they are reported for the
	// Gene Ontology, whose three roots all genes have.
	RootlessPooled, RootlessMean float64
	// Nodes has the area of each node, NaN where no instance has it; nil of a report that was read.
	// Leaves that Leafed has added are not among them: nodes are those of
	// Taxonomy.WithoutMiscellaneous.
	Nodes []float64
}

// NodeScores measures scores of nodes, a row an instance and a column a node of t, which may be any
// numbers. Labels are nodes, ascending, inner ones too; a set may be empty.
func NodeScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (*PrecisionRecall, error) {
	if scores == nil || t == nil {
		return nil, errors.New("metric: NodeScores needs scores and a taxonomy")
	}
	if n, q := scores.Dims(); n != len(labels) || n > 0 && q != t.Len() {
		return nil, fmt.Errorf("metric: scores are %d x %d; expected a row for each of %d instances and a column for each of %d nodes", n, q, len(labels), t.Len())
	}
	for i, set := range labels {
		if err := checkSet(t, set, i); err != nil {
			return nil, err
		}
		if row := scores.RawRowView(i); slices.ContainsFunc(row, math.IsNaN) {
			return nil, fmt.Errorf("metric: instance %d has a score of a node that is not a number", i)
		}
	}
	l := labelsOf(t)
	if l.nodes != t {
		own := mat.NewDense(max(1, len(labels)), l.nodes.Len(), nil)
		for i := range labels {
			own.SetRow(i, l.own(scores.RawRowView(i)))
		}
		scores = own
	}
	return Settings{}.nodeScores(scores, l.sets(labels), l.nodes), nil
}

// nodeScores measures scores of nodes for instances that have labels.
func (s Settings) nodeScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) *PrecisionRecall {
	nodes := t.Len()
	with := make([][]int, nodes) // instances
	for i, set := range labels {
		for _, n := range t.Closure(set) {
			with[n] = append(with[n], i)
		}
	}
	p := &PrecisionRecall{Nodes: make([]float64, nodes)}
	all, rootless := &areas{s: s, scores: scores, with: with}, &areas{s: s, scores: scores, with: with}
	for n := range nodes {
		p.Nodes[n] = (&areas{s: s, scores: scores, with: with, nodes: []int{n}}).area()
		all.nodes = append(all.nodes, n)
		if len(t.Parents(n)) > 0 {
			rootless.nodes = append(rootless.nodes, n)
		}
	}
	p.Mean, _ = mean(p.Nodes)
	inner := make([]float64, 0, len(rootless.nodes))
	for _, n := range rootless.nodes {
		inner = append(inner, p.Nodes[n])
	}
	p.RootlessMean, _ = mean(inner)
	p.Pooled, p.RootlessPooled = all.area(), rootless.area()
	return p
}

// areas measures some nodes together.
type areas struct {
	s      Settings
	scores *mat.Dense
	with   [][]int
	nodes  []int
}

// area returns the area under the curve. Only the scores of instances with a node are thresholds
// that add to the recall: the others are counted between them.
func (a *areas) area() float64 {
	var own []float64
	for _, n := range a.nodes {
		for _, i := range a.with[n] {
			own = append(own, a.scores.At(i, n))
		}
	}
	if len(own) == 0 {
		return math.NaN()
	}
	slices.Sort(own)
	// by position in own: scores of all pairs that reach it, and not the next one
	reach := a.count(own)
	precision := 0.0
	reached := 0
	for hi := len(own); hi > 0; {
		lo := hi - 1
		for lo > 0 && own[lo-1] == own[lo] {
			lo--
		}
		reached += reach[hi]
		precision += float64(hi-lo) * float64(len(own)-lo) / float64(reached)
		hi = lo
	}
	return precision / float64(len(own))
}

// count returns, for k from 1 on, how many pairs have a score that is at least k of the ascending
// ones, and not more of them.
func (a *areas) count(own []float64) []int {
	rows, _ := a.scores.Dims()
	workers := max(1, min(guarded.Workers(a.s.Workers), rows*len(a.nodes)/fewScores))
	counts := make([][]int, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			count := make([]int, len(own)+1)
			for i := w * rows / workers; i < (w+1)*rows/workers; i++ {
				row := a.scores.RawRowView(i)
				for _, n := range a.nodes {
					if v := row[n]; v >= own[0] {
						at, _ := slices.BinarySearchFunc(own, v, func(x, v float64) int {
							if x <= v {
								return -1
							}
							return 1
						})
						count[at]++
					}
				}
			}
			counts[w] = count
		})
	}
	wait.Wait()
	for _, more := range counts[1:] {
		for k, n := range more {
			counts[0][k] += n
		}
	}
	return counts[0]
}
