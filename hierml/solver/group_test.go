package solver

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/structured"
)

// sidesOf returns problems over a matrix: the class given, and others drawn from its rows.
func sidesOf(rng *rand.Rand, rows int, positive []int32, c float64, loss MarginLoss, weights []float64) []BinaryProblem {
	problems := []BinaryProblem{{Positive: positive, C: c, Loss: loss, Weights: weights}}
	for k := range 4 {
		var own []int32
		for i := range rows {
			if rng.IntN(2+3*k) == 0 {
				own = append(own, int32(i))
			}
		}
		problems = append(problems, BinaryProblem{Positive: own, C: c, Loss: loss, Weights: weights, Name: uint64(k + 1)})
	}
	return problems
}

// TestGroup holds that problems solved side by side have the values that their weights and
// coefficients have by definition, reach the gap, and are what they are alone.
func TestGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	converged, all := make(map[MarginLoss]int), 0
	for name, data := range binaries(t) {
		inputs, err := structured.NewLinear(data.x)
		if err != nil {
			t.Fatal(err)
		}
		weights := make([]float64, data.x.Rows)
		for i := range weights {
			weights[i] = 0.5 + rng.Float64()
		}
		for _, loss := range []MarginLoss{Hinge, SquaredHinge} {
			for _, c := range []float64{0.1, 1, 30} {
				for _, weights := range [][]float64{nil, weights} {
					problems := sidesOf(rng, data.x.Rows, data.positive, c, loss, weights)
					set := Settings{Gap: 1e-3}
					alone := NewGroup(inputs, GroupSize)
					of := func(g *Group, problems []BinaryProblem) map[uint64]BinaryResult {
						results := make(map[uint64]BinaryResult)
						err := g.Solve(t.Context(), problems, slices.Repeat([]Settings{set}, len(problems)), func(k int, r *BinaryResult, point *Coefficients) {
							own := *r
							own.Weights = slices.Clone(r.Weights)
							results[problems[k].Name] = own
							checkSide(t, inputs, problems[k], own, point)
						})
						if err != nil {
							t.Errorf("%s, %v: %v", name, loss, err)
						}
						return results
					}
					together := of(NewGroup(inputs, GroupSize), problems)
					if len(together) != len(problems) {
						t.Fatalf("%s, %v: results of %d classes of %d", name, loss, len(together), len(problems))
					}
					for _, p := range problems {
						r := together[p.Name]
						if all++; r.Status == Converged {
							converged[loss]++
						}
						apart := of(alone, []BinaryProblem{p})[p.Name]
						if apart.Primal != r.Primal || apart.Dual != r.Dual || apart.Epochs != r.Epochs || !slices.Equal(apart.Weights, r.Weights) {
							t.Errorf("%s, %v, C = %v, class %d: %v alone, %v beside others", name, loss, c, p.Name, apart.Primal, r.Primal)
						}
					}
				}
			}
		}
	}
	if converged[Hinge] < all*7/20 || converged[SquaredHinge] < all/5 { // the rest is for Newton's method
		t.Errorf("%d classes have converged of %d", converged, all)
	}
}

// checkSide holds that a result is what its weights and coefficients are by definition.
func checkSide(t *testing.T, inputs *structured.Linear, p BinaryProblem, r BinaryResult, point *Coefficients) {
	t.Helper()
	if r.Weights != nil {
		if primal := value(inputs.Matrix(), r.Weights, p); math.Abs(primal-r.Primal) > 1e-6*primal {
			t.Errorf("%v, C = %v: primal %v, and %v by definition", p.Loss, p.C, r.Primal, primal)
		}
		if r.Status == Converged && r.gap() > 1e-3 {
			t.Errorf("%v, C = %v: converged with a gap of %v", p.Loss, p.C, r.gap())
		}
	}
	b := NewBinary(inputs)
	again, err := b.Solve(t.Context(), p, Settings{Gap: 1e-3, Start: &Result{Coefficients: point}})
	if err != nil {
		t.Fatal(err)
	}
	if again.Primal < r.Dual*(1-1e-9) || again.Dual > r.Primal*(1+1e-9) {
		t.Errorf("%v, C = %v: bounds %v and %v; another solver has %v and %v", p.Loss, p.C, r.Dual, r.Primal, again.Dual, again.Primal)
	}
}

// TestGroupEndsEarly holds that every class has one end where ctx or the time is over, or the
// progress function returns an error: with weights that are no worse than zero, or with none.
func TestGroupEndsEarly(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	data := binaries(t)["texts"]
	inputs, err := structured.NewLinear(data.x)
	if err != nil {
		t.Fatal(err)
	}
	problems := sidesOf(rng, data.x.Rows, data.positive, 10, Hinge, nil)
	failed := errors.New("progress")
	for name, test := range map[string]struct {
		settings func(cancel func()) Settings
		want     error
		weights  bool
	}{
		"cancelled": {func(cancel func()) Settings {
			return Settings{Gap: 1e-4, Progress: func(Progress) error { cancel(); return nil }}
		}, context.Canceled, true},
		"stopped": {func(func()) Settings { return Settings{Gap: 1e-4, Progress: func(Progress) error { return failed }} }, failed, false},
		"time":    {func(func()) Settings { return Settings{Gap: 1e-4, Time: time.Nanosecond} }, nil, false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		settings := slices.Repeat([]Settings{test.settings(cancel)}, len(problems))
		ends := make([]int, len(problems))
		err := NewGroup(inputs, len(problems)).Solve(ctx, problems, settings, func(k int, r *BinaryResult, _ *Coefficients) {
			ends[k]++
			if (r.Weights != nil) != test.weights && r.Status != Converged {
				t.Errorf("%s: class %d has ended as %v with %d weights", name, k, r.Status, len(r.Weights))
			}
			if zero := 10 * float64(data.x.Rows); r.Primal > zero || r.Weights != nil && value(data.x, r.Weights, problems[k]) > zero*(1+1e-9) {
				t.Errorf("%s: class %d has a value of %v; zero weights have %v", name, k, r.Primal, zero)
			}
		})
		cancel()
		if !errors.Is(err, test.want) {
			t.Errorf("%s: error %v; expected %v", name, err, test.want)
		}
		if slices.Min(ends) != 1 || slices.Max(ends) != 1 {
			t.Errorf("%s: ends of the classes: %v", name, ends)
		}
	}
}

// TestGroupEpochs holds that no class takes more epochs than are given, and has weights then that
// are no worse than zero.
func TestGroupEpochs(t *testing.T) {
	for name, data := range binaries(t) {
		inputs, err := structured.NewLinear(data.x)
		if err != nil {
			t.Fatal(err)
		}
		for _, loss := range []MarginLoss{Hinge, SquaredHinge} {
			for most := 1; most <= 4; most++ {
				p := BinaryProblem{Positive: data.positive, C: 100, Loss: loss}
				err := NewGroup(inputs, 1).Solve(t.Context(), []BinaryProblem{p}, []Settings{{Gap: 1e-5, MaxEpochs: most}}, func(_ int, r *BinaryResult, _ *Coefficients) {
					zero := 100 * float64(data.x.Rows)
					if r.Epochs > most || r.Weights == nil || r.Primal > zero || math.Abs(value(data.x, r.Weights, p)-r.Primal) > 1e-6*zero {
						t.Errorf("%s, %v: %v after %d epochs of %d: %v of %v; %v by definition", name, loss, r.Status, r.Epochs, most, r.Primal, zero, value(data.x, r.Weights, p))
					}
				})
				if err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestGroupKinds holds which problems there are no groups for.
func TestGroupKinds(t *testing.T) {
	inputs, err := structured.NewLinear(binaries(t)["dense"].x)
	if err != nil {
		t.Fatal(err)
	}
	if Grouped(Logistic, Settings{}) || Grouped(Hinge, Settings{Gap: 1e-6}) || !Grouped(SquaredHinge, Settings{}) {
		t.Error("groups for the logistic loss, or for weights in float64, or none for the squared hinge")
	}
	g := NewGroup(inputs, 2)
	if err := g.Solve(t.Context(), make([]BinaryProblem, g.Size()+1), make([]Settings, g.Size()+1), nil); err == nil {
		t.Error("a group took more problems than its size")
	}
	if err := g.Solve(t.Context(), []BinaryProblem{{C: 1, Examples: []int32{1}}}, make([]Settings, 1), nil); err == nil {
		t.Error("a group took a problem with examples of its own")
	}
}
