package solver

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/structured"
)

// cut is a context that has ended from some look at it on.
type cut struct {
	context.Context
	looks atomic.Int64 // that are left
	err   error
}

func newCut(looks int, err error) *cut {
	c := &cut{Context: context.Background(), err: err}
	c.looks.Store(int64(looks))
	return c
}

func (c *cut) Err() error {
	if c.looks.Add(-1) < 0 {
		return c.err
	}
	return nil
}

// texts are tasks of the leaves of a tree; the last leaf has no example, and there is an example
// without features.
func texts(t *testing.T, loss MarginLoss) *Tasks {
	t.Helper()
	g := example.Tree(3, 3)
	d := example.Texts(g, 40, 30, 6, 1)
	x := d.X
	x.Rows, x.Indptr = x.Rows+1, append(x.Indptr, len(x.Values))
	inputs, err := structured.NewLinear(x)
	if err != nil {
		t.Fatal(err)
	}
	inner := g.Topological()[:g.Len()-len(g.Leaves())]
	a, err := structured.Ancestors(g).Widen(inner)
	if err != nil {
		t.Fatal(err)
	}
	p := &Tasks{Inputs: inputs, Attributes: a, Positive: make([][]int32, len(g.Leaves())), C: 0.5, Loss: loss}
	for i, set := range d.Labels {
		for _, n := range set {
			if y := g.LeafIndex(n); y < len(p.Positive)-1 {
				p.Positive[y] = append(p.Positive[y], int32(i))
			}
		}
	}
	return p
}

// free makes the tasks those of a graph with nothing that draws weights to zero, and of two parts.
func (p *Tasks) free(t *testing.T) *Tasks {
	t.Helper()
	g := p.Attributes.Taxonomy()
	edges := slices.DeleteFunc(slices.Clone(g.Edges()), func(e [2]int) bool { return e == g.Edges()[0] })
	y := g.Leaves()
	edges = append(edges, [2]int{y[0], y[1]}, [2]int{y[3], y[4]})
	a, free, err := structured.Laplacian(context.Background(), g, y, edges, nil)
	if err == nil {
		a, err = a.Widen(g.Topological()[:g.Len()-len(y)])
	}
	if err != nil || len(free) != 2 {
		t.Fatalf("free nodes %v, %v", free, err)
	}
	p.Attributes, p.Free = a, free
	return p
}

// value evaluates the objective at weights.
func (p *Tasks) value(w *structured.Weights) float64 {
	var sum float64
	for c, n := range w.Columns {
		if slices.Contains(p.Free, n) {
			continue
		}
		for f := range w.Features {
			sum += w.At(f, c) * w.At(f, c) / 2
		}
	}
	x := p.Inputs.Matrix()
	columns, leaves := make([]float64, w.Stride), make([]float64, len(p.Positive))
	for i := range x.Rows {
		features, values := x.Row(i)
		w.Scores(features, values, columns)
		p.Attributes.Scores(columns, make([]float64, len(w.Columns)+1), leaves)
		for y, m := range leaves {
			if !slices.Contains(p.Positive[y], int32(i)) {
				m = -m
			}
			sum += p.C * p.Loss.Value(m)
		}
	}
	return sum
}

// checkCut checks a result against its definition: all leaves have weights of their own, or none;
// the dual is below the optimum, and the primal the value of the weights, no worse than zero.
func checkCut(t *testing.T, p *Tasks, r *Result, optimum float64, trained bool) {
	t.Helper()
	leaves := p.Attributes.Candidates()
	with := 0
	for _, n := range leaves {
		if slices.ContainsFunc(r.Weights.Node(n), func(v float64) bool { return v != 0 }) {
			with++
		}
	}
	if with != 0 && with != len(leaves) || trained != (with > 0) {
		t.Errorf("%d of %d leaves have weights; %v", with, len(leaves), r)
	}
	value := p.value(r.Weights)
	if r.Dual > optimum*(1+1e-9) || r.Dual < 0 {
		t.Errorf("dual %v, optimum %v", r.Dual, optimum)
	}
	if math.Abs(r.Primal-value) > 1e-5*value || r.Primal > r.Origin {
		t.Errorf("primal %v, the value of the weights is %v, of zero weights %v", r.Primal, value, r.Origin)
	}
	if want := (structured.Certificate{Primal: r.Primal, Dual: r.Dual}).Gap(); r.Gap != want {
		t.Errorf("gap %v, want %v", r.Gap, want)
	}
}

func optimum(t *testing.T, p *Tasks) float64 {
	t.Helper()
	r, err := SolveTasks(context.Background(), p, &Settings{Gap: 1e-7})
	if err != nil || r.Status != Converged {
		t.Fatalf("%v, %v", r, err)
	}
	return r.Primal
}

// TestTasksTimeOver solves tasks when the time is over, as after preparations that take long: the
// result is that of zero weights.
func TestTasksTimeOver(t *testing.T) {
	for _, loss := range []MarginLoss{Hinge, SquaredHinge, Logistic} {
		p := texts(t, loss)
		if loss == SquaredHinge {
			p.free(t)
		}
		r, err := SolveTasks(context.Background(), p, &Settings{Time: time.Minute, began: time.Now().Add(-time.Hour)})
		if err != nil || r.Status != TimeLimit {
			t.Fatalf("%v: %v, %v", loss, r, err)
		}
		checkCut(t, p, r, optimum(t, p), false)
	}
}

// TestTasksTimeOverWithStart starts from a result when there is no time to certify it.
func TestTasksTimeOverWithStart(t *testing.T) {
	p := texts(t, Hinge)
	start, err := SolveTasks(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.C *= 2
	r, err := SolveTasks(context.Background(), p, &Settings{Time: time.Minute, began: time.Now().Add(-time.Hour), Start: start})
	if err != nil || r.Status != TimeLimit {
		t.Fatalf("%v, %v", r, err)
	}
	checkCut(t, p, r, optimum(t, p), false)
}

// TestTasksCertificateCut ends the first certificate at every look at its context.
func TestTasksCertificateCut(t *testing.T) {
	p := texts(t, SquaredHinge).free(t)
	best := optimum(t, p)
	set, err := Settings{Workers: 2}.check()
	if err != nil {
		t.Fatal(err)
	}
	for looks, whole := 0, false; !whole; looks++ {
		s, err := newTasks(t.Context(), p, set)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.glances(context.Background()); err != nil {
			t.Fatal(err)
		}
		ctx := newCut(looks, context.DeadlineExceeded)
		err = s.certify(ctx)
		whole = ctx.looks.Load() >= 0
		if whole && err != nil {
			t.Fatalf("%d looks: %v", looks, err)
		}
		s.finish()
		checkCut(t, p, s.result, best, err == nil)
		// Later ones leave what there is.
		if err := s.certify(newCut(0, context.DeadlineExceeded)); err == nil {
			t.Error("no error of a second certificate that is cut")
		}
		checkCut(t, p, s.result, best, err == nil)
	}
}

// TestFreeTasks certifies every sweep of tasks with weights that are not penalized: no dual value
// is above the optimum, which the objective by definition is at the end, and no primal value below.
func TestFreeTasks(t *testing.T) {
	for _, loss := range []MarginLoss{Hinge, SquaredHinge, Logistic} {
		p := texts(t, loss).free(t)
		best, err := SolveTasks(context.Background(), p, &Settings{Gap: 1e-4})
		if err != nil || best.Status != Converged {
			t.Fatalf("%v: %v, %v", loss, best, err)
		}
		if v := p.value(best.Weights); math.Abs(v-best.Primal) > 1e-6*v {
			t.Errorf("%v: the weights have the value %v, certified %v", loss, v, best)
		}
		for _, c := range best.History {
			if c.Dual > best.Primal*(1+1e-12) || c.Primal < best.Dual*(1-1e-12) {
				t.Errorf("%v: %v, the optimum is from %v to %v", loss, c, best.Dual, best.Primal)
			}
		}
		// A move of all weights of a part along any feature is no better.
		w := best.Weights
		for c, n := range w.Columns {
			if slices.Contains(p.Free, n) {
				for f := range w.Features {
					for _, step := range []float64{-0.1, 0.1} {
						at := w.At(f, c)
						w.Set(f, c, at+step)
						if v := p.value(w); v < best.Dual*(1-1e-12) {
							t.Errorf("%v: the value %v is below the dual of %v", loss, v, best)
						}
						w.Set(f, c, at)
					}
				}
			}
		}
	}
}

// TestBalance projects points of the dual: what is found is one, meets the constraint, and has no
// coefficients outside of the bounds.
func TestBalance(t *testing.T) {
	for _, loss := range []MarginLoss{Hinge, SquaredHinge, Logistic} {
		p := texts(t, loss).free(t)
		set, err := Settings{}.check()
		if err != nil {
			t.Fatal(err)
		}
		s, err := newTasks(t.Context(), p, set)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.glances(context.Background()); err != nil {
			t.Fatal(err)
		}
		for c, members := range s.members {
			if len(members) == 0 {
				continue
			}
			alpha := slices.Clone(s.alpha)
			s.balance(context.Background(), c, alpha)
			sum, mass := make([]float64, len(s.weights)), 0.0
			for _, y := range members {
				v := make([]float64, len(s.weights))
				s.point(v, y, alpha[y])
				for f := range v {
					sum[f] += v[f]
				}
				for _, a := range alpha[y].Values {
					if a < 0 || a > loss.bound(p.C) {
						t.Errorf("%v: coefficient %v", loss, a)
					}
					mass += a
				}
			}
			if mass == 0 {
				t.Errorf("%v: no coefficients are left", loss)
			}
			for f, v := range sum {
				if math.Abs(v) > 1e-10*mass {
					t.Errorf("%v: sum %v of feature %d, of coefficients of a sum of %v", loss, v, f, mass)
				}
			}
		}
		ended := slices.Clone(s.alpha)
		for c, members := range s.members {
			if len(members) > 0 {
				s.balance(newCut(0, context.Canceled), c, ended)
				for _, y := range members {
					if len(ended[y].Examples) > 0 {
						t.Errorf("%v: coefficients %v of task %d where there was no time", loss, ended[y], y)
					}
				}
			}
		}
	}
}

// TestTasksCancelled cancels at every look at the context. What was reached is certified in the
// time that is given for it.
func TestTasksCancelled(t *testing.T) {
	p := texts(t, Hinge)
	best := optimum(t, p)
	for looks, ended := 0, false; !ended; looks++ {
		ctx := newCut(looks, context.Canceled)
		r, err := SolveTasks(ctx, p, &Settings{Gap: 1e-9, MaxEpochs: 2, Workers: 2})
		if ended = err == nil; !ended && r.Status != Cancelled {
			t.Fatalf("%d looks: %v, %v", looks, r, err)
		}
		checkCut(t, p, r, best, looks >= len(p.Positive))
	}
}

// TestTasksGlances glances at tasks, a few examples each time: visits go on from where they were,
// so that the dual rises.
func TestTasksGlances(t *testing.T) {
	p := texts(t, Logistic)
	set, err := Settings{}.check()
	if err != nil {
		t.Fatal(err)
	}
	s, err := newTasks(t.Context(), p, set)
	if err != nil {
		t.Fatal(err)
	}
	before := math.Inf(-1)
	for round := range 4 {
		for y := range p.Positive {
			if err := s.glance(context.Background(), y, 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.certify(context.Background()); err != nil {
			t.Fatal(err)
		}
		if s.reached.Dual <= before {
			t.Errorf("round %d: dual %v after %v", round, s.reached.Dual, before)
		}
		before = s.reached.Dual
		for y, part := range s.parts { // the parts are those of the coefficients
			point := make([]float64, len(part))
			s.point(point, y, s.alpha[y])
			for f, v := range point {
				if math.Abs(v-part[f]) > 1e-9 {
					t.Fatalf("round %d: part %v of task %d, coefficients make %v", round, part, y, point)
				}
			}
		}
	}
}
