package svm

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// OneVsRest is one binary SVM per leaf, its instances against all others. It ignores the hierarchy:
//
//	min 1/2 sum_y ||w_y||^2 + C sum_y sum_i loss(s_iy <w_y, x_i>)
//
// with s_iy 1 where y is a label of instance i, otherwise -1. It is the field's usual baseline.
// With the logistic loss it is one logistic regression per leaf, whose scores are log odds. An
// instance may have several labels, or none. Predict returns the leaf with the highest score. A
// leaf with a positive score is on the side of its own instances, so Cutting{Model: m, Cut:
// calibration.Above(0)} predicts sets.
//
// The SVMs are independent. [solver.Binary] solves each to Settings.Gap, on all cores. With
// Settings.Time every leaf gets a share of the time, and leaves that need more use the time that
// others did not need. A leaf that runs out of time gets the best multiple of its weights. Leaves
// that had not started when the time was over or the training was cancelled have zero weights and a
// score of 0.
//
// With Settings.Farm other machines solve a share of the leaves each; the model is the same to the
// last bit. This also holds for Recursive, PLT and HierarchicalSoftmax.
//
// The zero value is ready to use.
type OneVsRest struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Loss is solver.Hinge, the default, solver.SquaredHinge or solver.Logistic.
	Loss solver.MarginLoss
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
	// Method, if not nil, solves the leaves in groups instead; the loss must be the hinge.
	Method solver.Method
}

// group is the number of leaves that a method for structured problems solves together: scoring an
// instance for the group costs little more than for one leaf.
const group = 8

// Fit trains the SVMs; see [classifier.Estimator].
func (s OneVsRest) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return withoutIntercept(ctx, d, s.Intercept, func() (*classifier.Model, error) {
		return learn(ctx, d, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
	})
}

func (s OneVsRest) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkData(d); err != nil {
		return nil, err
	}
	t := d.Taxonomy
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		return nil, err
	}
	if err := s.Loss.Check(); err != nil {
		return nil, err
	}
	all := binaryParts(inputs, d, c, s.Loss)
	if s.Method != nil {
		if s.Loss != solver.Hinge {
			return nil, fmt.Errorf("svm: %T supports only the hinge loss, not %v; leave Method nil", s.Method, s.Loss)
		}
		all = groupParts(inputs, d, c)
	}
	m, err := solveParts(ctx, s, all, structured.Flat(t), d, s.Settings, s.Method)
	if m != nil {
		m.Name, m.C = "one-vs-rest "+kind(s.Loss), c
	}
	return m, err
}

// kind names what a model with the loss is.
func kind(loss solver.MarginLoss) string {
	switch loss {
	case solver.SquaredHinge:
		return "SVM of squared hinges"
	case solver.Logistic:
		return "logistic regression"
	}
	return "SVM"
}

// binaryParts returns one part per leaf. Leaves without instances have the same problem, so the
// solution of the first of them serves for all.
func binaryParts(inputs *structured.Linear, d *dataset.Dataset, c float64, loss solver.MarginLoss) []part {
	leaves, rows := d.Taxonomy.Leaves(), rowsOfLeaves(d)
	empty := emptyLeaves{name: uint64(slices.IndexFunc(rows, func(own []int32) bool { return len(own) == 0 }))}
	of := &classes{inputs, d.Weights, c, loss}
	all := make([]part, len(leaves))
	for k, n := range leaves {
		all[k] = part{
			nodes: leaves[k : k+1], size: 1, most: d.X.Cols, origin: lossAtZero(d.Weights, d.X.Rows, c, loss.Value(0)),
			class: &class{of: of, positive: rows[k], name: uint64(k)},
		}
		if len(rows[k]) > 0 {
			continue
		}
		all[k].class.name = empty.name
		all[k].solve = func(ctx context.Context, p *parts, k, worker int, settings solver.Settings) (*outcome, error) {
			solve := func() (*outcome, []float64, error) {
				end, weights, _, err := p.solveAlone(ctx, k, worker, settings)
				return end, weights, err
			}
			return empty.solve(p.round, solve, func(primal float64, weights []float64) {
				if p.takes(k, primal) {
					p.weights.setNode(k, n, weights, nil)
				}
			})
		}
	}
	return all
}

// emptyLeaves is the problem of leaves without instances.
type emptyLeaves struct {
	name    uint64
	lock    sync.Mutex
	round   int      // in which it was last solved
	found   *outcome // once it is solved, with its weights
	weights []float64
}

// solve solves the problem, once in a round of parts, and sets the weights.
func (e *emptyLeaves) solve(round int, solve func() (*outcome, []float64, error), set func(primal float64, weights []float64)) (*outcome, error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.found == nil || e.round < round {
		o, weights, err := solve()
		if o != nil {
			set(o.primal, weights)
		}
		if err != nil {
			return o, err
		}
		e.round, e.found, e.weights = round, o, slices.Clone(weights)
		return o, nil
	}
	set(e.found.primal, e.weights)
	again := *e.found
	return &again, nil
}

// rowsOfLeaves returns the instances of each leaf, ascending.
func rowsOfLeaves(d *dataset.Dataset) [][]int32 {
	rows := make([][]int32, len(d.Taxonomy.Leaves()))
	for i, set := range d.Labels {
		for _, n := range set {
			k := d.Taxonomy.LeafIndex(n)
			if own := rows[k]; len(own) == 0 || own[len(own)-1] != int32(i) {
				rows[k] = append(own, int32(i))
			}
		}
	}
	return rows
}

// groupParts returns one part for some leaves together.
func groupParts(inputs *structured.Linear, d *dataset.Dataset, c float64) []part {
	t, leaves := d.Taxonomy, d.Taxonomy.Leaves()
	origin := func(leaves int) (sum float64) {
		for i := range d.X.Rows {
			for range leaves {
				sum += weigh.Of(d.Weights, i) * c
			}
		}
		return sum
	}
	var all []part
	for from := 0; from < len(leaves); from += group {
		nodes := leaves[from:min(from+group, len(leaves))]
		all = append(all, part{
			nodes:  nodes,
			size:   len(nodes),
			most:   len(nodes) * d.X.Cols,
			origin: origin(len(nodes)),
			solve: func(ctx context.Context, p *parts, k, _ int, settings solver.Settings) (*outcome, error) {
				classes := make([][]int, len(d.Labels))
				for i, set := range d.Labels {
					for _, n := range set {
						if k := t.LeafIndex(n) - from; k >= 0 && k < len(nodes) {
							classes[i] = append(classes[i], k)
						}
					}
				}
				rest, err := structured.NewRest(len(nodes), classes, c)
				if err != nil {
					return nil, err
				}
				return p.solveProblem(ctx, k, &structured.Problem{Inputs: inputs, Columns: nodes, Competitors: rest, Weights: d.Weights}, nil, settings)
			},
		})
	}
	return all
}

// WithC returns the estimator with another C.
func (s OneVsRest) WithC(c float64) Regularized { s.C = c; return s }
