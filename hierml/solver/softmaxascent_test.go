package solver

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/structured"
)

// randomSoftmax returns a random problem: examples with one share, several or none, some of them
// without features, and classes without examples.
func randomSoftmax(t *testing.T, rng *rand.Rand) (*structured.Linear, SoftmaxProblem) {
	t.Helper()
	rows, features := 1+rng.IntN(12), 1+rng.IntN(5)
	p := SoftmaxProblem{Classes: 1 + rng.IntN(11), C: math.Exp(1.5 * rng.NormFloat64())}
	x := &dataset.Matrix{Rows: rows, Cols: features, Indptr: []int{0}}
	for range rows {
		for f := range features {
			if rng.IntN(2) == 0 {
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, float32(rng.NormFloat64()))
			}
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
		var shares []Share
		for n, c := 0, rng.Perm(p.Classes); n < len(c) && n < rng.IntN(4); n++ {
			shares = append(shares, Share{c[n], 0.1 + rng.Float64()})
		}
		p.Shares = append(p.Shares, shares)
	}
	inputs, err := structured.NewLinear(x)
	if err != nil {
		t.Fatal(err)
	}
	return inputs, p
}

// softmaxValue is the definition of the objective, and of its gradient if there is room for it.
func softmaxValue(inputs *structured.Linear, p SoftmaxProblem, w, gradient []float64) float64 {
	sum := floats.Dot(w, w) / 2
	if gradient != nil {
		copy(gradient, w)
	}
	z, k := make([]float64, p.Classes), p.Classes
	for i, shares := range p.Shares {
		features, values := inputs.Matrix().Row(i)
		clear(z)
		for j, f := range features {
			floats.AddScaled(z, float64(values[j]), w[int(f)*k:int(f)*k+k])
		}
		normal := floats.LogSumExp(z)
		u := make([]float64, k)
		for _, q := range shares {
			sum += p.C * q.Weight * (normal - z[q.Class])
			for c := range u {
				u[c] += p.C * q.Weight * math.Exp(z[c]-normal)
			}
			u[q.Class] -= p.C * q.Weight
		}
		if gradient != nil {
			for j, f := range features {
				floats.AddScaled(gradient[int(f)*k:int(f)*k+k], float64(values[j]), u)
			}
		}
	}
	return sum
}

func flat(w *structured.Weights) []float64 {
	var all []float64
	for f := range w.Features {
		for c := range w.Columns {
			all = append(all, w.At(f, c))
		}
	}
	return all
}

// TestSoftmaxAgainstBFGS compares random problems with gonum's method, in float64 and float32, by
// ascent and by Newton's method, and the certificates with the definition of the objective.
func TestSoftmaxAgainstBFGS(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 60 {
		inputs, p := randomSoftmax(t, rng)
		n := p.Classes * inputs.Matrix().Cols
		best, err := optimize.Minimize(optimize.Problem{
			Func: func(w []float64) float64 { return softmaxValue(inputs, p, w, nil) },
			Grad: func(g, w []float64) { softmaxValue(inputs, p, w, g) },
		}, make([]float64, n), &optimize.Settings{GradientThreshold: 1e-9}, &optimize.BFGS{})
		if best == nil {
			t.Fatal(err)
		}
		for _, gap := range []float64{1e-10, 1e-3} {
			r, err := SolveSoftmax(t.Context(), inputs, p, Settings{Gap: gap, MaxEpochs: 100000})
			if err != nil || r.Status != Converged {
				t.Fatalf("trial %d: %+v, %v", trial, r, err)
			}
			// from the weights alone
			again := p
			again.Start = &SoftmaxResult{Weights: r.Weights, Primal: r.Primal}
			newton, err := SolveSoftmax(t.Context(), inputs, again, Settings{Gap: gap / 10})
			if err != nil || newton.Status != Converged || newton.Primal > r.Primal {
				t.Fatalf("trial %d: Newton's method reaches %+v, %v", trial, newton, err)
			}
			for _, r := range []*SoftmaxResult{r, newton} {
				value := softmaxValue(inputs, p, flat(r.Weights), nil)
				rounding := 1e-12 * (1 + value)
				if math.Abs(value-r.Primal) > rounding || r.Dual > best.F+1e-9*(1+value) || r.Dual > r.Primal+rounding || r.Primal < best.F-1e-9*(1+value) {
					t.Fatalf("trial %d, gap %v: value %v of %+v, and the optimum is %v", trial, gap, value, r, best.F)
				}
				if gap < 1e-9 && r.Primal > best.F+1e-9*(1+value) {
					t.Fatalf("trial %d: primal value %v, of gonum %v", trial, r.Primal, best.F)
				}
			}
		}
	}
}

// TestSoftmaxVisit holds that no visit makes the dual smaller, that each leaves the weights those
// of the dual point, and that the running numbers are those of the definition.
func TestSoftmaxVisit(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 100 {
		inputs, p := randomSoftmax(t, rng)
		for _, gap := range []float64{1e-9, 1e-3} {
			s, err := newSoftmax(t.Context(), inputs, p, Settings{Gap: gap})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.begin(t.Context()); err != nil {
				t.Fatal(err)
			}
			near := 1e-12
			if !s.settings.Wide() {
				near = 1e-5
			}
			row, before := make([]float64, s.classes), 0.0
			for n := range 5 * len(s.order) {
				i := s.order[n%len(s.order)]
				if !s.visit(i) {
					t.Fatal("numbers that overflow")
				}
				dual := 0.0
				w := make([]float64, s.weights.Features*s.classes)
				for _, i := range s.order {
					features, values := inputs.Matrix().Row(int(i))
					entropy := 0.0
					for c, v := range rowOf(s.point, i, row) {
						if v > 0 {
							entropy -= v * math.Log(v/s.cost[i])
						}
						for _, q := range p.Shares[i] {
							if q.Class == c {
								v -= p.C * q.Weight
							}
						}
						for k, f := range features {
							w[int(f)*s.classes+c] -= float64(values[k]) * v
						}
					}
					if math.Abs(entropy-s.entropy[i]) > near*(1+s.cost[i]) {
						t.Fatalf("trial %d: entropy %v, want %v", trial, s.entropy[i], entropy)
					}
					dual += entropy
				}
				square := floats.Dot(w, w)
				if dual -= square / 2; dual < before-near*(1+before) {
					t.Fatalf("trial %d: the dual falls from %v to %v", trial, before, dual)
				}
				before = dual
				if d := floats.Distance(w, flat(s.weights), 2); d > 10*near*(1+math.Sqrt(square)) || math.Abs(square-s.norm) > 10*near*(1+square) {
					t.Fatalf("trial %d: the weights are off by %v, their square %v by %v", trial, d, square, square-s.norm)
				}
			}
		}
	}
}

// TestSoftmaxGoesOn solves a problem in parts: each begins where the one before ended, is never
// worse, and does not change its result; workers do not change the result either.
func TestSoftmaxGoesOn(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for trial := range 50 {
		inputs, p := randomSoftmax(t, rng)
		whole, err := SolveSoftmax(t.Context(), inputs, p, Settings{Gap: 1e-9, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := SolveSoftmax(t.Context(), inputs, p, Settings{Gap: 1e-9, Workers: 4}); err != nil || r.Primal != whole.Primal || !slices.Equal(flat(r.Weights), flat(whole.Weights)) {
			t.Fatalf("trial %d: with four workers %+v, %v, with one %+v", trial, r, err, whole)
		}
		part := p
		for n := 0; ; n++ {
			before := part.Start
			r, err := SolveSoftmax(t.Context(), inputs, part, Settings{Gap: []float64{1e-9, 1e-3}[trial%2], MaxEpochs: 2})
			if err != nil || n > 10000 {
				t.Fatalf("trial %d: %+v, %v", trial, r, err)
			}
			if before != nil && (r.Primal > before.Primal || r.Dual < before.Dual) {
				t.Fatalf("trial %d: from %+v to %+v", trial, before, r)
			}
			if value := softmaxValue(inputs, p, flat(r.Weights), nil); math.Abs(value-r.Primal) > 1e-12*(1+value) {
				t.Fatalf("trial %d: value %v of %+v", trial, value, r)
			}
			if part.Start = r; r.Status == Converged {
				break
			}
		}
		// No time, and no time left after a result.
		for _, from := range []*SoftmaxResult{nil, part.Start} {
			part.Start = from
			if r, err := SolveSoftmax(t.Context(), inputs, part, Settings{Time: 1, Gap: 1e-12}); err != nil || r.Primal > p.Origin() || from != nil && (r.Primal > from.Primal || !slices.Equal(flat(r.Weights), flat(from.Weights))) {
				t.Fatalf("trial %d: without time %+v, %v", trial, r, err)
			}
		}
	}
	inputs, p := randomSoftmax(t, rng)
	p.Start = &SoftmaxResult{Weights: structured.NewWeights([]int{0}, 99)}
	if r, err := SolveSoftmax(t.Context(), inputs, p, Settings{}); r != nil || err == nil {
		t.Errorf("from the result of another problem: %+v, %v", r, err)
	}
}

// TestSoftmaxMultiples compares the losses under multiples of the weights with the definition.
func TestSoftmaxMultiples(t *testing.T) {
	z, multiples := []float64{1, -3, 40, 39}, make([]float64, halvings+doublings+1)
	const own, cost = 5, 1.5
	_, top := logSumExp(z)
	addMultiples(multiples, z, top, own, cost)
	for k, loss := range multiples {
		scaled, factor := slices.Clone(z), math.Ldexp(1, k-halvings)
		floats.Scale(factor, scaled)
		if want := cost*floats.LogSumExp(scaled) - factor*own; math.Abs(loss-want) > 1e-10*(1+math.Abs(want)) {
			t.Errorf("%v times the weights: loss %v, want %v", factor, loss, want)
		}
	}
}

// TestSoftmaxCancelled ends a training after some epochs: its result has the value that it says.
func TestSoftmaxCancelled(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 20 {
		inputs, p := randomSoftmax(t, rng)
		ctx, cancel := context.WithCancel(t.Context())
		stop := func(s Progress) error {
			if s.Epoch == 2 {
				cancel()
			}
			return nil
		}
		r, err := SolveSoftmax(ctx, inputs, p, Settings{Gap: 1e-12, Progress: stop, Time: time.Hour})
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) || r == nil {
			t.Fatal(r, err)
		}
		if value := softmaxValue(inputs, p, flat(r.Weights), nil); math.Abs(value-r.Primal) > 1e-12*(1+value) || r.Primal > p.Origin() {
			t.Errorf("value %v of %+v", value, r)
		}
	}
}
