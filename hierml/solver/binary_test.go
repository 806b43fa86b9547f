package solver

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/structured"
)

// binaries are data with the rows of a class: texts, dense rows with features of different sizes, rows
// without a feature, a class of all and one of none.
func binaries(t *testing.T) map[string]struct {
	x        *dataset.Matrix
	positive []int32
} {
	t.Helper()
	texts := example.Texts(example.Tree(4), 120, 80, 12, 1).X
	dense := example.Dense(example.Tree(3), 90, 6, 2).X
	scaled := *dense
	scaled.Values = slices.Clone(dense.Values)
	for k := range scaled.Values {
		scaled.Values[k] *= []float32{0.1, 1, 5}[k%3]
	}
	gaps := *dense
	gaps.Indptr = slices.Clone(dense.Indptr)
	for i := 41; i < len(gaps.Indptr); i++ { // rows 40 to 42 are empty, behind them all is three rows later
		gaps.Indptr[i] = dense.Indptr[max(40, i-3)]
	}
	last := gaps.Indptr[gaps.Rows]
	gaps.Indices, gaps.Values = gaps.Indices[:last], gaps.Values[:last]
	type data = struct {
		x        *dataset.Matrix
		positive []int32
	}
	all := make([]int32, dense.Rows)
	for i := range all {
		all[i] = int32(i)
	}
	return map[string]data{
		"texts": {texts, []int32{0, 3, 17, 40, 41, 99}}, "one": {texts, []int32{7}}, "none": {texts, nil},
		"dense": {dense, all[:30]}, "all": {dense, all}, "scaled": {&scaled, all[20:50]}, "empty rows": {&gaps, []int32{1, 5, 40, 42, 60}},
	}
}

// hinges is the objective by its definition.
func hinges(x *dataset.Matrix, w []float64, positive []int32, c float64) float64 {
	var value float64
	for _, v := range w {
		value += v * v / 2
	}
	for i := range x.Rows {
		features, values := x.Row(i)
		s := 0.0
		for k, f := range features {
			s += w[f] * float64(values[k])
		}
		if !slices.Contains(positive, int32(i)) {
			s = -s
		}
		value += c * max(0, 1-s)
	}
	return value
}

// TestBinaryAgainstDefinitionAndBCFW compares value, bound and optimum with the definition and with
// the solver of the structured problem.
func TestBinaryAgainstDefinitionAndBCFW(t *testing.T) {
	for name, data := range binaries(t) {
		inputs, err := structured.NewLinear(data.x)
		if err != nil {
			t.Fatal(err)
		}
		b := NewBinary(inputs)
		classes := make([][]int, data.x.Rows)
		for _, i := range data.positive {
			classes[i] = []int{0}
		}
		for _, c := range []float64{0.01, 1, 20} {
			rest, err := structured.NewRest(1, classes, c)
			if err != nil {
				t.Fatal(err)
			}
			for _, gap := range []float64{1e-2, 1e-4, 1e-8} {
				settings := Settings{Gap: gap, MaxEpochs: 200000}
				r, err := b.Solve(context.Background(), data.positive, c, settings, 1)
				if err != nil {
					t.Fatal(err)
				}
				if v := hinges(data.x, r.Weights, data.positive, c); math.Abs(v-r.Primal) > 1e-9*v {
					t.Errorf("%s, C %v, gap %v: primal value %v, certified %v", name, c, gap, v, r.Primal)
				}
				if r.Status != Converged || r.Primal-r.Dual > gap*r.Primal {
					t.Errorf("%s, C %v, gap %v: %v, primal %v, dual %v", name, c, gap, r.Status, r.Primal, r.Dual)
				}
				if gap > 1e-4 {
					continue
				}
				other, err := Solve(context.Background(), &structured.Problem{Inputs: inputs, Columns: []int{0}, Competitors: rest}, &Settings{Gap: 1e-5, MaxEpochs: 200000}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.Dual > other.Primal*(1+1e-9) || other.Dual > r.Primal*(1+1e-9) {
					t.Errorf("%s, C %v, gap %v: between %v and %v; by BCFW between %v and %v", name, c, gap, r.Dual, r.Primal, other.Dual, other.Primal)
				}
			}
		}
	}
}

// TestBinaryEndsEarly holds that what is returned early is certified for the weights returned.
func TestBinaryEndsEarly(t *testing.T) {
	data := binaries(t)["scaled"]
	inputs, err := structured.NewLinear(data.x)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBinary(inputs)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	enough := errors.New("enough")
	stop := func(Progress) error { return enough }
	for name, test := range map[string]struct {
		ctx      context.Context
		settings Settings
		status   Status
		err      error
	}{
		"epochs":    {context.Background(), Settings{Gap: 1e-9, MaxEpochs: 2}, MaxEpochs, nil},
		"time":      {context.Background(), Settings{Gap: 1e-9, Time: time.Nanosecond}, TimeLimit, nil},
		"cancelled": {ended, Settings{Gap: 1e-9}, Cancelled, context.Canceled},
		"stopped":   {context.Background(), Settings{Gap: 1e-9, Progress: stop}, Stopped, enough},
	} {
		r, err := b.Solve(test.ctx, data.positive, 5, test.settings, 1)
		if !errors.Is(err, test.err) || r == nil || r.Status != test.status {
			t.Fatalf("%s: %v, error %v", name, r, err)
		}
		if v := hinges(data.x, r.Weights, data.positive, 5); math.Abs(v-r.Primal) > 1e-9*v || r.Dual > r.Primal {
			t.Errorf("%s: primal value %v, certified %v and %v", name, v, r.Primal, r.Dual)
		}
	}
	r, err := b.Solve(context.Background(), data.positive, 5, Settings{Time: time.Nanosecond}, 1)
	if err != nil || !slices.ContainsFunc(r.Weights, func(w float64) bool { return w != 0 }) {
		t.Errorf("no time: %v, error %v", r, err)
	}
}

// TestBinaryForgetsTheClassBefore holds that equal calls have equal results.
func TestBinaryForgetsTheClassBefore(t *testing.T) {
	data := binaries(t)["texts"]
	inputs, err := structured.NewLinear(data.x)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBinary(inputs)
	var first []float64
	for range 3 {
		r, err := b.Solve(context.Background(), data.positive, 1, Settings{Seed: 3}, 9)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = slices.Clone(r.Weights)
		}
		if !slices.Equal(first, r.Weights) {
			t.Fatal("equal calls have other weights")
		}
		if _, err := b.Solve(context.Background(), []int32{2, 8}, 4, Settings{}, 1); err != nil {
			t.Fatal(err)
		}
	}
}
