package solver

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/structured"
)

var selections = map[string]VariableSelection{"8a": {}, "8b": {Joint: true}}

func TestVariableSelectionReachesTheOptimum(t *testing.T) {
	ctx := context.Background()
	for name, p := range problems(t) {
		exact, err := Solve(ctx, p, &Settings{Gap: 1e-6, MaxEpochs: 20000}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for step, method := range selections {
			gap := 1e-6
			if name == "texts" {
				if gap = 1e-3; method.Joint {
					continue // hundreds of coefficients, all in every step
				}
			}
			t.Run(name+"/"+step, func(t *testing.T) {
				r, err := Solve(ctx, p, &Settings{Gap: gap, MaxEpochs: 3000}, method)
				if err != nil || r.Status != Converged {
					t.Fatalf("%v, %v", r, err)
				}
				if r.Dual > exact.Primal*(1+1e-9) || r.Primal < exact.Dual*(1-1e-9) {
					t.Errorf("%v; the optimum lies between %v and %v", r, exact.Dual, exact.Primal)
				}
				if got := primal(t, p, r); !near(got, r.Primal, 1e-9) {
					t.Errorf("the weights have primal value %v, the result says %v", got, r.Primal)
				}
				o, err := p.Compile()
				if err != nil {
					t.Fatal(err)
				}
				for b := range o.Blocks() {
					_, values := r.Point.Row(b)
					var sum float64
					for _, v := range values {
						if sum += v; v < 0 {
							t.Errorf("block %d has the coefficient %v", b, v)
						}
					}
					if sum > o.C(b)*(1+1e-12) {
						t.Errorf("coefficients of block %d add up to %v, C is %v", b, sum, o.C(b))
					}
				}
			})
		}
	}
}

// The first step selects the worst comparison of the block that is violated most, and nothing else
// changes.
func TestVariableSelectionTakesTheWorst(t *testing.T) {
	tree := example.Tree(2, 3)
	p := problem(example.Dense(tree, 30, 4, 2), structured.Ancestors(tree), loss.Symdiff(tree), 0.3)
	o, err := p.Compile()
	if err != nil {
		t.Fatal(err)
	}
	set, err := Settings{}.check()
	if err != nil {
		t.Fatal(err)
	}
	v := newSelection(newState(context.Background(), o, set), false)
	for range 20 {
		for b := range v.psi {
			v.violated(b)
		}
		worst := v.worstBlock(0)
		for b, psi := range v.psi {
			if psi > v.psi[worst] {
				t.Fatalf("block %d has psi %v, the selected one %v", b, psi, v.psi[worst])
			}
		}
		before := o.NewDual()
		before.CopyFrom(v.dual)
		if err := v.alone(context.Background(), worst); err != nil {
			t.Fatal(err)
		}
		for b := range v.psi {
			ids, values := v.dual.Row(b)
			old, oldValues := before.Row(b)
			if b == worst {
				continue
			}
			for k := range ids {
				if ids[k] != old[k] || values[k] != oldValues[k] {
					t.Errorf("block %d changed in a step of block %d", b, worst)
				}
			}
		}
		// What is left is due to competitors outside the working set, of which a step adds one.
		var inside float64
		v.search.Load(worst, v.row(o.Example(worst)))
		ids, values := v.dual.Row(worst)
		low, high := 0.0, 0.0
		for k, id := range ids {
			h := v.search.Violation(id)
			if k == 0 || h < low {
				low = h
			}
			high = max(high, h)
			inside += values[k]
		}
		if inside < 0.3*(1-1e-9) {
			low = min(low, 0)
		}
		if high-low > 1e-3*max(1, high) {
			t.Errorf("violations in the working set solved range from %v to %v", low, high)
		}
	}
}

func TestVariableSelectionEnds(t *testing.T) {
	tree := example.Tree(3, 4)
	p := problem(example.Texts(tree, 300, 300, 15, 1), structured.Ancestors(tree), loss.Symdiff(tree), 1)
	for step, method := range selections {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		r, err := Solve(ctx, p, &Settings{Gap: 1e-12, MaxEpochs: 1 << 30}, method)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || r == nil || r.Dual > r.Primal {
			t.Errorf("%s: %v, %v", step, r, err)
		}
	}
	o, err := p.Compile()
	if err != nil {
		t.Fatal(err)
	}
	large := newState(context.Background(), o, Settings{})
	large.weights = wide{large.weights}
	if _, err := (VariableSelection{}).start(large); err == nil {
		t.Error("scores that have no room are not refused")
	}
}

// wide are weights with many columns.
type wide struct{ structured.State }

func (wide) Width() int { return maxScores }
