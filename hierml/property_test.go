package hierml_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// methods are the solvers, with the relative gap that each reaches in a test's time.
var methods = map[string]struct {
	method solver.Method
	gap    float64
}{
	"default": {nil, 1e-6}, "DualAscent": {solver.DualAscent{}, 1e-6}, "Pegasos": {solver.Pegasos{}, 3e-2}, "RDA": {solver.RDA{}, 0.1},
	"VariableSelection": {solver.VariableSelection{}, 1e-4}, "VariableSelection, joint": {solver.VariableSelection{Joint: true}, 1e-6},
}

// rounding is that of weights stored in float32, relative to the objective.
const rounding = 3e-6

// situations are small data of all kinds.
func situations() map[string]*dataset.Dataset {
	tree, forest, graph := example.Tree(2, 3), example.Random(rand.New(rand.NewPCG(3, 1)), 9, 2, 1), example.Graph(10, 3)
	all := map[string]*dataset.Dataset{
		"tree": example.Dense(tree, 24, 3, 1), "forest": example.Dense(forest, 24, 3, 2), "graph": example.Dense(graph, 24, 3, 3),
	}
	for name, d := range maps.Clone(all) {
		two := *d
		two.Labels = slices.Clone(d.Labels)
		leaves := d.Taxonomy.Leaves()
		for i := 0; i < len(two.Labels); i += 3 {
			set := []int{leaves[i%len(leaves)], leaves[(i+1+i/3%2)%len(leaves)]}
			slices.Sort(set)
			two.Labels[i] = slices.Compact(set)
		}
		all[name+", several labels"] = &two
	}
	few := *all["graph"]
	few.Labels = slices.Clone(few.Labels)
	leaves := graph.Leaves()
	few.Labels[2], few.Labels[11] = []int{leaves[0], leaves[2]}, []int{leaves[1], leaves[3]}
	all["graph, few label sets"] = &few
	return all
}

// each runs a test for every subject and what it fits.
func each(t *testing.T, do func(t *testing.T, s subject, d *dataset.Dataset)) {
	all := situations()
	for _, s := range subjects {
		ran := false
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if d := all[name]; s.fits(d.Taxonomy, d.Labels) {
				ran = true
				t.Run(s.name+"/"+name, func(t *testing.T) { do(t, s, d) })
			}
		}
		if !ran {
			t.Errorf("%s fits none of the data", s.name)
		}
	}
}

// optimum trains to a small gap.
func optimum(t *testing.T, s subject, d *dataset.Dataset) *classifier.Model {
	t.Helper()
	settings := solver.Settings{Gap: s.reaches, MaxEpochs: 20000, Workers: 1}
	m, err := s.estimator(d.Taxonomy, settings, nil).Fit(context.Background(), d)
	if err != nil || m.Training.Certificate.Gap > s.reaches {
		t.Fatalf("%v, %v; want a gap of %v", m, err, s.reaches)
	}
	return m
}

// Every iterate of every method has a dual value below the optimum and a primal value above it,
// which the weights have by plain loops; and the gap goes to zero.
func TestWeakDualityOnEveryIterate(t *testing.T) {
	each(t, func(t *testing.T, s subject, d *dataset.Dataset) {
		best := optimum(t, s, d).Training.Certificate
		for name, method := range methods {
			gap := max(method.gap, s.reaches)
			var last solver.Progress
			settings := solver.Settings{Gap: gap, MaxEpochs: 20000, Seed: 5, Workers: 1, Progress: func(p solver.Progress) error {
				slack := rounding * best.Primal
				if p.Dual > best.Primal+slack || p.Primal < best.Dual-slack {
					return fmt.Errorf("%v; the optimum is between %v and %v", p, best.Dual, best.Primal)
				}
				if p.Epoch > 1 && (p.Dual < last.Dual || p.Primal > last.Primal) || p.Epoch <= last.Epoch {
					return fmt.Errorf("%v after %v", p, last)
				}
				last = p
				return nil
			}}
			m, err := s.estimator(d.Taxonomy, settings, method.method).Fit(context.Background(), d)
			if slices.Contains(s.refuses, name) {
				if m != nil || err == nil {
					t.Errorf("%s: no error for a method that does not fit", name)
				}
				continue
			}
			if err != nil || m.Training.Certificate.Gap > gap {
				t.Errorf("%s: %v, %v", name, m, err)
				continue
			}
			honest(t, name, s, d, m)
		}
	})
}

// honest checks the certificate of a model: its primal value is the objective at its weights.
func honest(t *testing.T, name string, s subject, d *dataset.Dataset, m *classifier.Model) {
	t.Helper()
	r := m.Training.Certificate
	got := s.objective(newPlain(m, d.Taxonomy, d))
	if low := (1 - rounding) * r.Primal; !(got >= low || s.bounded != nil && s.bounded(d.Taxonomy) && got >= r.Dual) || got > (1+rounding)*r.Primal {
		t.Errorf("%s: the weights have objective %v, the result says %v", name, got, r.Primal)
	}
	if gap := (r.Primal - r.Dual) / r.Primal; math.Abs(gap-r.Gap) > 1e-12 {
		t.Errorf("%s: gap %v between %v and %v", name, r.Gap, r.Dual, r.Primal)
	}
}

// A training that is cancelled, or stopped by the progress function, returns the best model so far
// with the certificate of its weights.
func TestCancelledTrainingIsHonest(t *testing.T) {
	enough := errors.New("enough")
	each(t, func(t *testing.T, s subject, d *dataset.Dataset) {
		best := optimum(t, s, d).Training.Certificate
		for name, method := range methods {
			if slices.Contains(s.refuses, name) {
				continue
			}
			for _, cause := range []error{context.Canceled, enough} {
				ctx, cancel := context.WithCancel(context.Background())
				var seen []solver.Progress
				settings := solver.Settings{Gap: 1e-14, Workers: 1, Progress: func(p solver.Progress) error {
					seen = append(seen, p)
					if len(seen) < 3 {
						return nil
					}
					if cause == enough {
						return enough
					}
					cancel()
					return nil
				}}
				m, err := s.estimator(d.Taxonomy, settings, method.method).Fit(ctx, d)
				cancel()
				if m == nil || !errors.Is(err, cause) {
					t.Errorf("%s: %v, %v; want a model and %v", name, m, err, cause)
					continue
				}
				r := m.Training.Certificate
				honest(t, name, s, d, m)
				slack := rounding * best.Primal
				if r.Dual > best.Primal+slack || r.Primal < best.Dual-slack {
					t.Errorf("%s: %v; the optimum is between %v and %v", name, r, best.Dual, best.Primal)
				}
				if last := seen[len(seen)-1]; r.Primal > last.Primal+slack || r.Dual < last.Dual-slack {
					t.Errorf("%s: %v after %v", name, r, last)
				}
			}
		}
	})
}

// TestTimeOverIsHonest trains in a bubble in which only certificates take time, a second each,
// with bounds from none to many certificates. However short the time is, the certificate is that
// of the weights, and these are no worse than zero weights; or they are zero, and their value is
// not known.
func TestTimeOverIsHonest(t *testing.T) {
	each(t, func(t *testing.T, s subject, d *dataset.Dataset) {
		best := optimum(t, s, d).Training.Certificate
		for name, method := range methods {
			if slices.Contains(s.refuses, name) {
				continue
			}
			for _, seconds := range []float64{-1, 0.5, 1, 2, 4, 12, 40} {
				synctest.Test(t, func(t *testing.T) {
					settings := solver.Settings{Gap: 1e-14, Workers: 1, Time: time.Duration(max(seconds, 1e-9) * 1e9), Progress: func(solver.Progress) error {
						time.Sleep(time.Second)
						return nil
					}}
					settings.Begin()
					if seconds < 0 {
						time.Sleep(time.Second) // as preparations do
					}
					m, err := s.estimator(d.Taxonomy, settings, method.method).Fit(context.Background(), d)
					if err != nil {
						t.Fatalf("%s, %v s: %v", name, seconds, err)
					}
					r := m.Training.Certificate
					zero := s.objective(newZero(m, d))
					if r.Origin == 0 {
						if got := s.objective(newPlain(m, d.Taxonomy, d)); seconds > 0 || got != zero || r.Primal < zero || r.Dual != 0 {
							t.Errorf("%s, %v s: %v; the weights have %v, zero weights %v", name, seconds, r, got, zero)
						}
						return
					}
					honest(t, name, s, d, m)
					if r.Status == solver.Cancelled || r.Primal > (1+rounding)*zero || r.Dual > (1+rounding)*best.Primal {
						t.Errorf("%s, %v s: %v; zero weights have %v, the optimum is %v", name, seconds, r, zero, best.Primal)
					}
				})
			}
		}
	})
}

// newZero is newPlain of zero weights in the place of the model's.
func newZero(m *classifier.Model, d *dataset.Dataset) *plain {
	p := newPlain(m, d.Taxonomy, d)
	for _, rows := range [][][]float64{p.w, p.s} {
		for _, row := range rows {
			clear(row)
		}
	}
	return p
}

// sameOptimum checks that scale times the optimum that a brackets can be the one that b brackets.
func sameOptimum(t *testing.T, a, b *classifier.Model, scale float64) {
	t.Helper()
	p, q := a.Training.Certificate, b.Training.Certificate
	if slack := rounding * q.Primal; scale*p.Dual > q.Primal+slack || q.Dual > scale*p.Primal+slack {
		t.Errorf("the optimum is between %v and %v, and between %v and %v", scale*p.Dual, scale*p.Primal, q.Dual, q.Primal)
	}
}

// distance bounds the norm of the difference of the weights of a model and the optimal ones.
func distance(m *classifier.Model, curvature float64) float64 {
	r := m.Training.Certificate
	return math.Sqrt(2 * (r.Primal - r.Dual + rounding*r.Primal) / curvature)
}

// The order of instances and of features changes nothing.
func TestPermutations(t *testing.T) {
	each(t, func(t *testing.T, s subject, d *dataset.Dataset) {
		rng := rand.New(rand.NewPCG(1, 2))
		rows, features := rng.Perm(d.Len()), rng.Perm(d.X.Cols)
		moved := d.Subset(rows)
		for i := range rows {
			_, values := moved.X.Row(i)
			old := slices.Clone(values)
			for f := range old {
				values[features[f]] = old[f]
			}
		}
		a, b := optimum(t, s, d), optimum(t, s, moved)
		sameOptimum(t, a, b, 1)
		curvature := s.curvature(d.Taxonomy)
		if curvature == 0 {
			return
		}
		first, second := a.NodeScores(d.X), b.NodeScores(moved.X)
		for i, r := range rows {
			_, x := d.X.Row(r)
			var square float64
			for _, v := range x {
				square += float64(v) * float64(v)
			}
			bound := (distance(a, curvature) + distance(b, curvature)) * math.Sqrt(square)
			for n := range d.Taxonomy.Len() {
				if u, v := first.At(r, n), second.At(i, n); !(math.Abs(u-v) <= bound) {
					t.Fatalf("instance %d, node %d: score %v in one order, %v in another; they may differ by %v", r, n, u, v, bound)
				}
			}
		}
	})
}

// duplicate returns the taxonomy with further nodes that have the parents and children of given
// ones, which are no leaves.
func duplicate(t *testing.T, g *taxonomy.Taxonomy, nodes []int) *taxonomy.Taxonomy {
	t.Helper()
	names, edges := slices.Clone(g.Names()), slices.Clone(g.Edges())
	for _, n := range nodes {
		for _, p := range g.Parents(n) {
			edges = append(edges, [2]int{p, len(names)})
		}
		for _, child := range g.Children(n) {
			edges = append(edges, [2]int{len(names), child})
		}
		names = append(names, fmt.Sprintf("%s, copy %d", g.Name(n), len(names)))
	}
	h, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Splitting a node's weight over the node and duplicates of it changes nothing: the exact part of
// what [CSS16, Theorem 1] says about duplicates.
func TestSplitWeights(t *testing.T) {
	for name, d := range situations() {
		t.Run(name, func(t *testing.T) {
			g := d.Taxonomy
			alpha, err := weighting.Path{}.Weights(g)
			if err != nil {
				t.Fatal(err)
			}
			var nodes []int
			for n := range g.Len() {
				if !g.IsLeaf(n) {
					nodes = append(nodes, n, n)
				}
			}
			twin := *d
			twin.Taxonomy = duplicate(t, g, nodes)
			for _, shares := range [][2]float64{{1. / 3, 1. / 3}, {0.6, 0.1}} {
				split := append(slices.Clone(alpha), make([]float64, len(nodes))...)
				for k, n := range nodes {
					split[g.Len()+k] = alpha[n] * shares[k%2]
					split[n] -= alpha[n] * shares[k%2]
				}
				for variant, n := range map[string]svm.Normalized{"": {}, "divided by the norm": {DivideByNorm: true}} {
					if n.DivideByNorm && !single(g, d.Labels) {
						continue
					}
					n.C, n.Settings = c, solver.Settings{Gap: 1e-6, MaxEpochs: 20000}
					n.Alpha = alpha
					a, err := n.Fit(context.Background(), d)
					if err != nil {
						t.Fatal(err)
					}
					n.Alpha = split
					b, err := n.Fit(context.Background(), &twin)
					if err != nil {
						t.Fatal(err)
					}
					sameOptimum(t, a, b, 1)
					sameLeafScores(t, variant, a, b, d, 1)
				}
			}
			if single(g, d.Labels) {
				shared := subjects[slices.IndexFunc(subjects, func(s subject) bool { return s.name == "Shared" })]
				sameOptimum(t, optimum(t, shared, d), optimum(t, shared, &twin), 1)
			}
		})
	}
}

// sameLeafScores checks the scores that two models of one problem, whose objectives have the given
// ratio, give the training instances, with attributes of norm one at most.
func sameLeafScores(t *testing.T, name string, a, b *classifier.Model, d *dataset.Dataset, scale float64) {
	t.Helper()
	first, second := a.LeafScores(d.X), b.LeafScores(d.X)
	for i := range d.Len() {
		_, x := d.X.Row(i)
		var square float64
		for _, v := range x {
			square += float64(v) * float64(v)
		}
		bound := (distance(a, 1)*math.Sqrt(scale) + distance(b, 1)) * math.Sqrt(square)
		// Leaf scores are unique up to what all leaves have in common, which no difference sees.
		for y := range d.Taxonomy.Leaves() {
			if u, v := first.At(i, y)-first.At(i, 0), second.At(i, y)-second.At(i, 0); !(math.Abs(u-v) <= 2*bound) {
				t.Errorf("%s: instance %d, leaf %d: %v above leaf 0 in one model, %v in the other; they may differ by %v", name, i, y, u, v, 2*bound)
				return
			}
		}
	}
}

// On a balanced tree with D nodes on every way to a leaf, Normalized with alpha = 1/D at C is
// Hierarchical at C/D, with D times the objective.
func TestBalancedTrees(t *testing.T) {
	for _, branching := range [][]int{{3}, {2, 3}, {2, 2, 2}} {
		g := example.Tree(branching...)
		depth := float64(len(branching) + 1)
		alpha := make([]float64, g.Len())
		for n := range alpha {
			alpha[n] = 1 / depth
		}
		for name, method := range methods {
			settings := solver.Settings{Gap: method.gap, MaxEpochs: 20000}
			d := example.Dense(g, 30, 3, 4)
			a, err := svm.Hierarchical{C: c / depth, Loss: loss.Half(g), Settings: settings, Method: method.method}.Fit(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			b, err := svm.Normalized{C: c, Alpha: alpha, Loss: loss.Half(g), Settings: settings, Method: method.method}.Fit(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprint(branching, name), func(t *testing.T) {
				if a.Training.Certificate.Gap > method.gap || b.Training.Certificate.Gap > method.gap {
					t.Fatalf("gaps %v and %v", a.Training.Certificate.Gap, b.Training.Certificate.Gap)
				}
				sameOptimum(t, a, b, depth)
				sameLeafScores(t, name, a, b, d, depth)
			})
		}
	}
}

// With all weight at the leaves Normalized is Flat, and on a taxonomy without inner nodes so is
// Hierarchical.
func TestFlatWeightingIsFlat(t *testing.T) {
	for name, d := range situations() {
		if !single(d.Taxonomy, d.Labels) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			g := d.Taxonomy
			settings := solver.Settings{Gap: 1e-6, MaxEpochs: 20000}
			var names []string
			for _, y := range g.Leaves() {
				names = append(names, g.Name(y))
			}
			bare, err := taxonomy.New(names, nil)
			if err != nil {
				t.Fatal(err)
			}
			moved := *d
			moved.Taxonomy, moved.Labels = bare, nil
			for _, set := range d.Labels {
				moved.Labels = append(moved.Labels, []int{g.LeafIndex(set[0])})
			}
			flat, err := svm.Flat{C: c, Settings: settings}.Fit(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			normalized, err := svm.Normalized{C: c, Alpha: weighting.Flat(g), Loss: loss.ZeroOne(), Settings: settings}.Fit(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			hierarchical, err := svm.Hierarchical{C: c, Loss: loss.ZeroOne(), Settings: settings}.Fit(context.Background(), &moved)
			if err != nil {
				t.Fatal(err)
			}
			for other, m := range map[string]*classifier.Model{"Normalized": normalized, "Hierarchical": hierarchical} {
				sameOptimum(t, flat, m, 1)
				sameLeafScores(t, other, flat, m, d, 1)
			}
		})
	}
}
