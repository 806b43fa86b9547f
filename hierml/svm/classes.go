package svm

import (
	"context"
	"slices"

	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// classes are binary problems over rows of the same matrix.
type classes struct {
	inputs  *structured.Linear
	weights []float64 // of the rows, nil for ones
	c       float64
	loss    solver.MarginLoss
}

// A class is one of classes.
type class struct {
	of       *classes
	positive []int32 // rows of the class, ascending
	name     uint64
	// Classes of a family share their rows; family 0 has all rows.
	family int
	rows   func() []int32 // ascending
}

// An opened family is the one that a worker currently solves.
type opened struct {
	family   int
	inputs   *structured.Linear
	rows     []int32 // nil for all
	features []int32 // indices of the features that occur in the rows, nil for all
	weights  []float64
	alone    *solver.Binary // nil before it is needed
	group    *solver.Group
}

// open makes a worker switch to the family of part k.
func (p *parts) open(k, worker int) (*opened, error) {
	c := p.parts[k].class
	if o := p.opened[worker]; o != nil && o.family == c.family {
		return o, nil
	}
	o := &opened{family: c.family, inputs: c.of.inputs, weights: c.of.weights}
	if c.family != 0 {
		o.rows = c.rows()
		own, features := compress(c.of.inputs.Matrix(), o.rows)
		inputs, err := structured.NewLinear(own)
		if err != nil {
			return nil, err
		}
		o.inputs, o.features, o.weights = inputs, features, weightsOf(c.of.weights, o.rows)
	}
	p.opened[worker] = o
	return o, nil
}

// problem returns the problem of a class in its family.
func (o *opened) problem(c *class) solver.BinaryProblem {
	positive := c.positive
	if o.rows != nil {
		positive = make([]int32, len(c.positive))
		for k, i := range c.positive {
			at, _ := slices.BinarySearch(o.rows, i)
			positive[k] = int32(at)
		}
	}
	return solver.BinaryProblem{Positive: positive, C: c.of.c, Loss: c.of.loss, Weights: o.weights, Name: c.name}
}

// solveAlone solves part k, a class, and returns its weights.
func (p *parts) solveAlone(ctx context.Context, k, worker int, settings solver.Settings) (*outcome, []float64, *opened, error) {
	o, err := p.open(k, worker)
	if err != nil {
		return nil, nil, nil, err
	}
	if o.alone == nil {
		o.alone = solver.NewBinary(o.inputs)
	}
	c := p.parts[k].class
	r, err := o.alone.Solve(ctx, o.problem(c), settings)
	if r == nil {
		return nil, nil, nil, err
	}
	return &outcome{r.Primal, r.Dual, r.Epochs, r.Status, &solver.Result{Coefficients: o.alone.Coefficients(c.of.c)}}, r.Weights, o, err
}

// solveClass solves part k, a class, and stores its weights in p if they improve.
func (p *parts) solveClass(ctx context.Context, k, worker int, settings solver.Settings) (*outcome, error) {
	end, weights, o, err := p.solveAlone(ctx, k, worker, settings)
	if end != nil && p.takes(k, end.primal) {
		p.weights.setNode(k, p.parts[k].nodes[0], weights, o.features)
	}
	return end, err
}
