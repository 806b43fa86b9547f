package solver_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// threeRows are three instances of two features, and shares of three classes.
func threeRows(t *testing.T) (*structured.Linear, [][]solver.Share) {
	t.Helper()
	x, err := structured.NewLinear(&dataset.Matrix{Rows: 3, Cols: 2, Indptr: []int{0, 1, 3, 4}, Indices: []int32{0, 0, 1, 1}, Values: []float32{1, 2, -1, 3}})
	if err != nil {
		t.Fatal(err)
	}
	return x, [][]solver.Share{{{Class: 0, Weight: 1}}, {{Class: 1, Weight: 0.5}, {Class: 2, Weight: 0.25}}, nil}
}

// flattened returns weights, one a feature and column.
func flattened(w *structured.Weights) []float64 {
	var all []float64
	for f := range w.Features {
		for c := range w.Columns {
			all = append(all, w.At(f, c))
		}
	}
	return all
}

// TestSoftmaxIsMinimal compares with the definition: the value, and that no weight moved either way
// makes it smaller.
func TestSoftmaxIsMinimal(t *testing.T) {
	inputs, shares := threeRows(t)
	x := inputs.Matrix()
	const c = 2
	value := func(w []float64) float64 {
		sum := 0.0
		for _, v := range w {
			sum += v * v / 2
		}
		for i, set := range shares {
			features, values := x.Row(i)
			var scores [3]float64
			all := 0.0
			for y := range scores {
				for k, f := range features {
					scores[y] += w[3*int(f)+y] * float64(values[k])
				}
				all += math.Exp(scores[y])
			}
			for _, q := range set {
				sum += c * q.Weight * (math.Log(all) - scores[q.Class])
			}
		}
		return sum
	}
	r, err := solver.SolveSoftmax(context.Background(), inputs, solver.SoftmaxProblem{Classes: 3, C: c, Shares: shares}, solver.Settings{Gap: 1e-10})
	if err != nil || r.Status != solver.Converged {
		t.Fatal(r, err)
	}
	weights := flattened(r.Weights)
	if v := value(weights); math.Abs(v-r.Primal) > 1e-12 || r.Dual > r.Primal || r.Primal-r.Dual > 1e-10*r.Primal {
		t.Errorf("value %v of %+v", v, r)
	}
	for k := range weights {
		for _, d := range []float64{-1e-3, 1e-3} {
			weights[k] += d
			if v := value(weights); v < r.Primal {
				t.Errorf("weight %d moved by %v: %v below %v", k, d, v, r.Primal)
			}
			weights[k] -= d
		}
	}
}

func TestSoftmaxEnds(t *testing.T) {
	inputs, shares := threeRows(t)
	problem := solver.SoftmaxProblem{Classes: 3, C: 1, Shares: shares}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	enough := errors.New("enough")
	for name, c := range map[string]struct {
		ctx      context.Context
		settings solver.Settings
		status   solver.Status
		err      error
	}{
		"time":      {context.Background(), solver.Settings{Time: 1, Gap: 1e-12}, solver.TimeLimit, nil},
		"epochs":    {context.Background(), solver.Settings{MaxEpochs: 3, Gap: 1e-12}, solver.MaxEpochs, nil},
		"cancelled": {cancelled, solver.Settings{}, solver.Cancelled, context.Canceled},
		"stopped":   {context.Background(), solver.Settings{Progress: func(solver.Progress) error { return enough }}, solver.Stopped, enough},
	} {
		r, err := solver.SolveSoftmax(c.ctx, inputs, problem, c.settings)
		if !errors.Is(err, c.err) || r == nil || r.Status != c.status || r.Primal > problem.Origin() || r.Dual < 0 || r.Dual > r.Primal {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	// Of equal instances of both classes zero weights are the best.
	same, err := structured.NewLinear(&dataset.Matrix{Rows: 2, Cols: 1, Indptr: []int{0, 1, 2}, Indices: []int32{0, 0}, Values: []float32{1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	both := solver.SoftmaxProblem{Classes: 2, C: 1, Shares: [][]solver.Share{{{Class: 0, Weight: 1}}, {{Class: 1, Weight: 1}}}}
	if r, err := solver.SolveSoftmax(context.Background(), same, both, solver.Settings{}); err != nil || r.Status != solver.Converged || r.Primal != both.Origin() || flattened(r.Weights)[0] != 0 {
		t.Errorf("contradictory instances: %+v, %v", r, err)
	}
	for says, p := range map[string]solver.SoftmaxProblem{
		"C": {Classes: 3, C: -1, Shares: shares}, "classes of 1 examples": {Classes: 3, C: 1, Shares: shares[:1]},
		"class of 0..1": {Classes: 2, C: 1, Shares: shares},
		"share of 0":    {Classes: 3, C: 1, Shares: [][]solver.Share{{{Class: 0}}, nil, nil}},
	} {
		if r, err := solver.SolveSoftmax(context.Background(), inputs, p, solver.Settings{}); err == nil || r != nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want an error that says %q", err, says)
		}
	}
}

// TestSoftmaxWithoutFeatures solves a problem that has no weights: its value is that at zero.
func TestSoftmaxWithoutFeatures(t *testing.T) {
	x, err := structured.NewLinear(&dataset.Matrix{Rows: 3, Indptr: make([]int, 4)})
	if err != nil {
		t.Fatal(err)
	}
	shares := [][]solver.Share{{{Class: 0, Weight: 1}}, {{Class: 1, Weight: 0.5}}, nil}
	r, err := solver.SolveSoftmax(t.Context(), x, solver.SoftmaxProblem{Classes: 2, C: 5, Shares: shares}, solver.Settings{})
	if err != nil || r.Status != solver.Converged || len(flattened(r.Weights)) != 0 || math.Abs(r.Primal-7.5*math.Ln2) > 1e-12 || r.Dual != r.Primal {
		t.Errorf("%+v, %v", r, err)
	}
}
