package svm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// heldOut has leaf scores of instances by models that were not trained on them.
type heldOut struct {
	scores  [][]float64
	labels  [][]int
	weights []float64
}

func (h *heldOut) add(m *classifier.Model, d *dataset.Dataset) error {
	t := m.Taxonomy
	for i, set := range d.Labels {
		for _, n := range set {
			if !t.IsLeaf(n) {
				return fmt.Errorf("svm: row %d of a fold of dataset %q is labelled with the inner node %q, and only leaves have probabilities; move such labels to leaves with Dataset.Leafed", i, d.Name, t.Name(n))
			}
		}
	}
	scores := choiceScores(m, d.X)
	for i := range d.Len() {
		h.scores, h.weights = append(h.scores, scores.RawRowView(i)), append(h.weights, d.Weight(i))
	}
	h.labels = append(h.labels, d.Labels...)
	return nil
}

// learn learns the functions of the leaves, or those of the nodes with levels, from the held-out
// scores. It changes the scores.
func (p *Calibrated) learn(h *heldOut, t *taxonomy.Taxonomy) (err error) {
	c, single := p.learned, p.single
	has := make([][]int, len(h.labels)) // the nodes at or above a label, ascending
	var nodes [][]float64
	if c.Levels || !single {
		nodes = make([][]float64, len(h.scores))
		for i, row := range h.scores {
			nodes[i], has[i] = make([]float64, t.Len()), t.Closure(h.labels[i])
			highestBelow(t, row, nodes[i])
		}
	}
	switch {
	case c.Levels && c.Form == Temperature:
		p.nodes, err = h.temperatures(t, nodes, has)
		return err
	case c.Levels:
		if single {
			for i := range nodes {
				c.prepareSiblings(t, nodes[i], has[i])
			}
		}
		p.nodes, err = c.functions(t.Len(), t.Depth, func(n int) *sample { return h.at(nodes, n, has, n, t.Parents(n)) })
		return err
	case c.Form == Temperature:
		truth := make([]int, len(h.labels))
		scores := mat.NewDense(len(h.scores), len(t.Leaves()), nil)
		for i, set := range h.labels {
			truth[i] = t.LeafIndex(set[0])
			scores.SetRow(i, h.scores[i])
		}
		one, err := calibration.SoftmaxTemperature(scores, truth, h.weights...)
		p.leaves = slices.Repeat([]calibrator{one}, len(t.Leaves()))
		return err
	}
	if single {
		for _, row := range h.scores {
			c.prepare(row)
		}
	}
	all := func(int) int { return 0 }
	p.leaves, err = c.functions(len(t.Leaves()), all, func(y int) *sample { return h.at(h.scores, y, h.labels, t.Leaves()[y], nil) })
	if err == nil && !single {
		p.nodes, err = c.functions(t.Len(), all, func(n int) *sample { return h.at(nodes, n, has, n, nil) })
	}
	return err
}

// prepareSiblings prepares the scores of the roots and of the children of an instance's nodes.
func (c Calibration) prepareSiblings(t *taxonomy.Taxonomy, nodes []float64, has []int) {
	prepare := func(siblings []int) {
		row := make([]float64, len(siblings))
		for k, n := range siblings {
			row[k] = nodes[n]
		}
		c.prepare(row)
		for k, n := range siblings {
			nodes[n] = row[k]
		}
	}
	prepare(t.Roots())
	for _, n := range has {
		if !t.IsLeaf(n) {
			prepare(t.Children(n))
		}
	}
}

// sample has the examples that one function is learned from.
type sample struct {
	scores   []float64
	positive []bool
	weights  []float64
	count    int // of positives
}

// at returns a column of scores. Instances whose set has the node are positive. If the node has
// parents, only instances whose set has one of them are included.
func (h *heldOut) at(scores [][]float64, column int, sets [][]int, node int, parents []int) *sample {
	s := new(sample)
	for i, row := range scores {
		if len(parents) > 0 && !slices.Contains(sets[i], parents[0]) {
			continue
		}
		is := slices.Contains(sets[i], node)
		if is {
			s.count++
		}
		s.scores, s.positive, s.weights = append(s.scores, row[column]), append(s.positive, is), append(s.weights, h.weights[i])
	}
	return s
}

// temperatures learns one temperature for each depth, from the siblings whose parent an instance
// has. It returns the temperatures by node.
func (h *heldOut) temperatures(t *taxonomy.Taxonomy, nodes [][]float64, has [][]int) ([]calibrator, error) {
	type siblings struct {
		scores []float64 // the true one first
		weight float64
	}
	deep := make(map[int][]siblings) // by depth
	learned := make([]calibrator, t.Len())
	for i, row := range nodes {
		for _, n := range has[i] {
			s := siblings{scores: []float64{row[n]}, weight: h.weights[i]}
			for _, m := range t.SiblingsOrRoots(n) {
				s.scores = append(s.scores, row[m])
			}
			deep[t.Depth(n)] = append(deep[t.Depth(n)], s)
		}
	}
	for depth, rows := range deep {
		columns := 0
		for _, s := range rows {
			columns = max(columns, len(s.scores))
		}
		scores, truth, weights := mat.NewDense(len(rows), columns, nil), make([]int, len(rows)), make([]float64, len(rows))
		for i, s := range rows {
			row := scores.RawRowView(i)
			for k := copy(row, s.scores); k < columns; k++ {
				row[k] = math.Inf(-1)
			}
			weights[i] = s.weight
		}
		one, err := calibration.SoftmaxTemperature(scores, truth, weights...)
		if err != nil {
			return nil, err
		}
		for n := range learned {
			if t.Depth(n) == depth {
				learned[n] = one
			}
		}
	}
	for n, l := range learned {
		if l == nil { // at a depth that no instance has
			learned[n] = calibration.Temperature(0)
		}
	}
	return learned, nil
}

// functions learns one function per column. Columns of a group that have too few positives share
// one.
func (c Calibration) functions(columns int, group func(int) int, of func(int) *sample) ([]calibrator, error) {
	fit := func(s *sample) (calibrator, error) { return calibration.Platt(s.scores, s.positive, s.weights...) }
	enough := 10
	switch c.Form {
	case Beta:
		fit = func(s *sample) (calibrator, error) { return calibration.Beta(s.scores, s.positive, s.weights...) }
	case Isotonic:
		fit = func(s *sample) (calibrator, error) { return calibration.Isotonic(s.scores, s.positive, s.weights...) }
		enough = 50
	case VennABERS:
		fit = func(s *sample) (calibrator, error) { return calibration.VennABERS(s.scores, s.positive, s.weights...) }
	}
	learned := make([]calibrator, columns)
	few := make(map[int][]int)
	total := make(map[int]int) // examples of a group
	for y := range columns {
		s := of(y)
		if s.count < enough {
			few[group(y)] = append(few[group(y)], y)
			total[group(y)] += len(s.scores)
			continue
		}
		var err error
		if learned[y], err = fit(s); err != nil {
			return nil, err
		}
	}
	for g, columns := range few {
		shared, step := new(sample), 1+total[g]/maxShared
		for _, y := range columns {
			s := of(y)
			for i := 0; i < len(s.scores); i += step {
				shared.scores, shared.positive, shared.weights = append(shared.scores, s.scores[i]), append(shared.positive, s.positive[i]), append(shared.weights, s.weights[i])
			}
		}
		if len(shared.scores) == 0 { // no instance was held out for them
			shared = &sample{scores: []float64{0}, positive: []bool{false}, weights: []float64{1}}
		}
		one, err := fit(shared)
		if err != nil {
			return nil, err
		}
		for _, y := range columns {
			learned[y] = one
		}
	}
	return learned, nil
}
