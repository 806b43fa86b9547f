package solver

import (
	"context"
	"slices"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/structured"
)

// shares is the number of parts into which features are divided for products. It is fixed, so that
// sums do not depend on the number of workers.
const shares = 4

// addProducts adds the inner products of the columns of the weights, which are the sum of the rows
// given. It returns ctx's error if it ends before.
func addProducts(ctx context.Context, dst *orthogonal.Products, s structured.State, rows *structured.Rows, workers int) error {
	if w := structured.LinearWeights(s); w != nil {
		var parts [shares]*orthogonal.Products
		var wait guarded.Group
		for k := range parts {
			parts[k] = dst.New()
			work := func() { addSquares(ctx, parts[k], w, k*w.Features/shares, (k+1)*w.Features/shares) }
			if workers == 1 {
				work()
			} else {
				wait.Go(work)
			}
		}
		wait.Wait()
		for _, part := range parts {
			dst.Merge(part)
		}
		return ctx.Err()
	}
	e := s.(*structured.Expansion)
	coefficients, products, scores := make([]float64, dst.Len()), make([]float64, dst.Len()), make([]float64, e.Width())
	for i := range len(rows.Border) - 1 {
		columns, values := rows.Row(i)
		if len(columns) == 0 || ctx.Err() != nil {
			continue
		}
		clear(coefficients)
		for k, c := range columns {
			coefficients[e.Columns[c]] = values[k]
		}
		e.Scores(i, scores)
		for c, n := range e.Columns {
			products[n] = scores[c]
		}
		dst.Add(coefficients, products)
	}
	return ctx.Err()
}

// addSquares adds what some of the features contribute to the products, until ctx ends.
func addSquares(ctx context.Context, dst *orthogonal.Products, w *structured.Weights, from, to int) {
	var columns []int32
	var nodes []int
	var values []float64
	for f := from; f < to && ctx.Err() == nil; f++ {
		columns, values = w.Row(f, columns[:0], values[:0])
		nodes = nodes[:0]
		for _, c := range columns {
			nodes = append(nodes, w.Columns[c])
		}
		dst.AddSquare(nodes, values)
	}
}

// saddle is a point of the saddle form: S and a point of the dual.
type saddle struct {
	problem  *OrthogonalProblem
	settings Settings
	nodes    *structured.Oracle
	signs    *orthogonal.Signs
	point    *structured.Dual // nil for the origin

	ridge    *structured.Oracle // of S
	memory   structured.State   // of the weights of ridge problems, one after the other
	columns  []int              // of memory
	products *orthogonal.Products
	vectors  *orthogonal.Products
}

func newSaddle(o *orthogonalRun) (*saddle, error) {
	signs, err := o.problem.Regularizer.NewSigns()
	if err != nil {
		return nil, err
	}
	return &saddle{
		problem: o.problem, settings: o.settings, nodes: o.nodes, signs: signs,
		products: o.problem.Regularizer.NewProducts(), vectors: o.problem.Regularizer.NewProducts(),
	}, nil
}

// signShare is the share of the duality gap at which the search for the best S ends: Omega exceeds
// its quadratic form by no more than this share of the gap then.
const signShare = 0.01

// excess returns what the search for the best S may leave in each part of K, for a value of the
// weights and a relative gap.
func (s *saddle) excess(primal, gap float64) float64 {
	return signShare * max(gap, 1e-12) * primal / float64(s.problem.Regularizer.Parts())
}

// certified evaluates the point: it returns the state of the ridge problem of S, with its
// certificate, and the value of the node weights that belong to it. States returned before lose
// their weights.
func (s *saddle) certified(ctx context.Context, seed uint64) (*state, float64, error) {
	var err error
	if s.ridge, err = s.problem.compile(s.signs.Row); err != nil {
		return nil, 0, err
	}
	set := s.settings
	set.Seed += seed
	if s.point == nil {
		ridge := newState(ctx, s.ridge, set)
		s.memory, s.columns = ridge.weights, s.ridge.Columns()
		return ridge, ridge.certificate.Primal, nil
	}
	if s.memory == nil || !slices.Equal(s.columns, s.ridge.Columns()) {
		s.memory, s.columns = s.ridge.NewState(set.precision(false)), s.ridge.Columns()
	}
	ridge := &state{oracle: s.ridge, settings: set, dual: s.ridge.NewDual(), weights: s.memory, gaps: make([]float64, s.ridge.Blocks()), result: &Result{}}
	if err := ridge.warm(ctx, s.point); err != nil {
		return nil, 0, err
	}
	if err := s.measure(ctx, ridge.weights, ridge.dual); err != nil {
		return nil, 0, err
	}
	quadratic := s.products.Trace() / 2
	s.signs.Weights(s.vectors, s.products)
	return ridge, ridge.certificate.Primal - quadratic + s.vectors.Value(), nil
}

// measure computes the products of the weights of the ridge problem.
func (s *saddle) measure(ctx context.Context, w structured.State, point *structured.Dual) error {
	var rows *structured.Rows
	if structured.LinearWeights(w) == nil {
		rows = s.ridge.Rows(point)
	}
	s.products.Clear()
	return addProducts(ctx, s.products, w, rows, s.settings.Workers)
}

// ascend moves to the best S for a dual point, whose weights in the ridge problem of the present S
// are given.
func (s *saddle) ascend(ctx context.Context, w structured.State, point *structured.Dual, tolerance float64) error {
	if err := s.measure(ctx, w, point); err != nil {
		return err
	}
	s.signs.Dual(s.vectors, s.products)
	s.point = point
	return s.signs.Ascend(ctx, s.vectors, tolerance)
}

// weights returns the node weights that belong to a dual point under S.
func (s *saddle) weights(point *structured.Dual) *structured.Rows {
	step, rows := s.nodes.NewStep(), s.ridge.Rows(point)
	out := &structured.Rows{Border: make([]int, len(rows.Border))}
	column := make([]int32, s.problem.Regularizer.Len())
	for c, n := range s.nodes.Columns() {
		column[n] = int32(c)
	}
	for i := range len(rows.Border) - 1 {
		columns, values := rows.Row(i)
		for k, c := range columns {
			s.signs.Column(s.ridge.Columns()[c], values[k], func(node int, v float64) { step.Add(column[node], v) })
		}
		taken, u := step.Take()
		out.Columns = append(out.Columns, taken...)
		out.Values = append(out.Values, u...)
		out.Border[i+1] = len(out.Columns)
	}
	return out
}
