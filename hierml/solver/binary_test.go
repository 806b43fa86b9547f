package solver

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/structured"
)

// binaries are data with the rows of a class: texts, dense rows with features of different sizes,
// rows without a feature, a class of all and one of none.
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

// value is the objective by its definition, over some examples, all if nil.
func value(x *dataset.Matrix, w []float64, p BinaryProblem) float64 {
	scale := cmp.Or(p.Scale, 1)
	var value float64
	for _, v := range w {
		value += scale * v * v / 2
	}
	for i := range x.Rows {
		if p.Examples != nil && !slices.Contains(p.Examples, int32(i)) {
			continue
		}
		features, values := x.Row(i)
		m := 0.0
		for k, f := range features {
			m += scale * w[f] * float64(values[k])
		}
		if p.Offset != nil {
			m += p.Offset[i]
		}
		if !slices.Contains(p.Positive, int32(i)) {
			m = -m
		}
		c := p.C
		if p.Weights != nil {
			c *= p.Weights[i]
		}
		switch p.Loss {
		case Hinge:
			value += c * max(0, 1-m)
		case SquaredHinge:
			value += c * max(0, 1-m) * max(0, 1-m)
		case Logistic:
			value += c * math.Log(1+math.Exp(-m))
		}
	}
	return value
}

// TestBinaryCertificates compares value and bound with the definition for every loss, and the
// optimum with what gonum's methods for smooth functions find.
func TestBinaryCertificates(t *testing.T) {
	for name, data := range binaries(t) {
		inputs, err := structured.NewLinear(data.x)
		if err != nil {
			t.Fatal(err)
		}
		b := NewBinary(inputs)
		var third []int32 // a part of the examples
		for i := int32(0); int(i) < data.x.Rows; i += 3 {
			third = append(third, i)
		}
		offsets := make([]float64, data.x.Rows)
		for i := range offsets {
			offsets[i] = math.Sin(float64(7 * i))
		}
		for _, loss := range []MarginLoss{Hinge, SquaredHinge, Logistic} {
			for _, c := range []float64{0.01, 1, 20} {
				for variant, examples := range [][]int32{nil, third, nil} {
					var positive []int32
					for _, i := range data.positive {
						if examples == nil || i%3 == 0 {
							positive = append(positive, i)
						}
					}
					p := BinaryProblem{Positive: positive, C: c, Loss: loss, Examples: examples}
					if variant == 2 {
						p.Scale, p.Offset = 2.5, offsets
					}
					for _, gap := range []float64{1e-2, 1e-8} {
						r, err := b.Solve(context.Background(), p, Settings{Gap: gap, MaxEpochs: 200000})
						if err != nil {
							t.Fatal(err)
						}
						if v := value(data.x, r.Weights, p); math.Abs(v-r.Primal) > 1e-9*v {
							t.Errorf("%s, %v, C %v, gap %v: primal value %v, certified %v", name, loss, c, gap, v, r.Primal)
						}
						if r.Status != Converged || r.Primal-r.Dual > gap*r.Primal || r.Dual > r.Primal*(1+1e-12) {
							t.Errorf("%s, %v, C %v, gap %v: %v after %d epochs, primal %v, dual %v", name, loss, c, gap, r.Status, r.Epochs, r.Primal, r.Dual)
						}
						if gap > 1e-5 || loss == Hinge {
							continue
						}
						least, err := optimize.Minimize(optimize.Problem{
							Func: func(w []float64) float64 { return value(data.x, w, p) },
							Grad: func(grad, w []float64) {
								fd.Gradient(grad, func(w []float64) float64 { return value(data.x, w, p) }, w, &fd.Settings{Formula: fd.Central})
							},
						}, r.Weights, &optimize.Settings{MajorIterations: 3}, &optimize.LBFGS{})
						if err != nil && least == nil {
							t.Fatal(err)
						}
						if least.F < r.Dual*(1-1e-9) {
							t.Errorf("%s, %v, C %v: %v is below the bound %v", name, loss, c, least.F, r.Dual)
						}
					}
					// From the solution it is there at once, but for hinges that Newton's method
					// has solved: its coefficients are of the edge rounded off.
					again, err := b.Solve(context.Background(), p, Settings{Gap: 1e-4, Start: &Result{Coefficients: b.Coefficients(c)}})
					if err != nil {
						t.Fatal(err)
					}
					if again.Status != Converged || again.Epochs > 2 && loss != Hinge {
						t.Errorf("%s, %v, C %v: %d epochs from the solution", name, loss, c, again.Epochs)
					}
				}
			}
		}
	}
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
				r, err := b.Solve(context.Background(), BinaryProblem{Positive: data.positive, C: c, Name: 1}, settings)
				if err != nil {
					t.Fatal(err)
				}
				if v := value(data.x, r.Weights, BinaryProblem{Positive: data.positive, C: c}); math.Abs(v-r.Primal) > 1e-9*v {
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
		r, err := b.Solve(test.ctx, BinaryProblem{Positive: data.positive, C: 5, Name: 1}, test.settings)
		if !errors.Is(err, test.err) || r == nil || r.Status != test.status {
			t.Fatalf("%s: %v, error %v", name, r, err)
		}
		if v := value(data.x, r.Weights, BinaryProblem{Positive: data.positive, C: 5}); math.Abs(r.Primal-v) > 1e-9*v || r.Dual > r.Primal {
			t.Errorf("%s: primal value %v, certified %v and %v", name, v, r.Primal, r.Dual)
		}
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
		r, err := b.Solve(context.Background(), BinaryProblem{Positive: data.positive, C: 1, Name: 9}, Settings{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = slices.Clone(r.Weights)
		}
		if !slices.Equal(first, r.Weights) {
			t.Fatal("equal calls have other weights")
		}
		if _, err := b.Solve(context.Background(), BinaryProblem{Positive: []int32{2, 8}, C: 4, Loss: Logistic, Examples: []int32{0, 2, 4, 8, 9}}, Settings{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBinaryCut ends trainings at each look at their context, and some before the first: the value
// is that of the weights, by definition, and no worse than that of zero weights.
func TestBinaryCut(t *testing.T) {
	for name, data := range binaries(t) {
		inputs, err := structured.NewLinear(data.x)
		if err != nil {
			t.Fatal(err)
		}
		for _, loss := range []MarginLoss{Hinge, SquaredHinge, Logistic} {
			problem := BinaryProblem{Positive: data.positive, C: 50, Loss: loss}
			zero := value(data.x, make([]float64, data.x.Cols), problem)
			best, err := NewBinary(inputs).Solve(t.Context(), problem, Settings{Gap: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			for looks := range 12 {
				r, err := NewBinary(inputs).Solve(newCut(looks, context.Canceled), problem, Settings{Gap: 1e-9})
				if !errors.Is(err, context.Canceled) || r.Status != Cancelled {
					t.Fatalf("%s, %v, %d looks: %v, %v", name, loss, looks, r.Status, err)
				}
				v := value(data.x, r.Weights, problem)
				if math.Abs(v-r.Primal) > 1e-9*v || r.Primal > zero || r.Dual > best.Primal {
					t.Errorf("%s, %v, %d looks: certified %g and %g; the value is %g, that of zero weights %g, the optimum %g", name, loss, looks, r.Primal, r.Dual, v, zero, best.Primal)
				}
			}
			over := Settings{Time: time.Minute, began: time.Now().Add(-time.Hour)}
			if r, err := NewBinary(inputs).Solve(t.Context(), problem, over); err != nil || r.Status != TimeLimit || r.Primal != zero || r.Dual != 0 || floats.Norm(r.Weights, 2) != 0 {
				t.Errorf("%s, %v: with no time left %v, primal %g, dual %g, %v; want zero weights", name, loss, r.Status, r.Primal, r.Dual, err)
			}
		}
	}
}

// TestBestMultiple compares the multiple of weights that are worse than zero with all others by
// powers of two.
func TestBestMultiple(t *testing.T) {
	d := example.Texts(example.Tree(2, 3), 60, 50, 10, 1)
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		t.Fatal(err)
	}
	var positive []int32
	for i, set := range d.Labels {
		if set[0] == d.Taxonomy.Leaves()[0] {
			positive = append(positive, int32(i))
		}
	}
	offset := make([]float64, d.Len())
	for i := range offset {
		offset[i] = math.Sin(float64(i))
	}
	for _, problem := range []BinaryProblem{
		{Positive: positive, C: 50}, {Positive: positive, C: 50, Loss: SquaredHinge}, {Positive: positive, C: 50, Loss: Logistic},
		{Positive: positive, C: 50, Scale: 3, Offset: offset},
	} {
		b := NewBinary(inputs)
		a, err := b.begin(problem, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.alpha {
			a.alpha[i] = problem.C * (0.5 + 0.4*math.Cos(float64(i)))
		}
		a.build()
		zero, reached := value(d.X, make([]float64, d.X.Cols), problem), value(d.X, a.weights, problem)
		if reached <= zero {
			t.Fatalf("%+v: the value %g of the weights is below %g of zero weights; this is no problem to test with", problem, reached, zero)
		}
		r := &BinaryResult{Primal: math.Inf(1)}
		if err := a.certifyMultiple(r); err != nil {
			t.Fatal(err)
		}
		if v := value(d.X, b.best, problem); math.Abs(v-r.Primal) > 1e-9*v || !(v < zero) || floats.Norm(b.best, 2) == 0 {
			t.Errorf("%+v: value %g, certified %g, zero weights %g", problem, v, r.Primal, zero)
		}
		for power := -30; power <= 2; power++ {
			other := make([]float64, len(b.best))
			floats.ScaleTo(other, math.Ldexp(1, power), b.best)
			if v := value(d.X, other, problem); v < r.Primal*(1-1e-9) {
				t.Errorf("%+v: 2^%d times the weights has the value %g, below %g", problem, power, v, r.Primal)
			}
		}
	}
}
