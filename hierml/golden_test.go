// Package hierml_test compares the learning library as a whole with reference values of the papers'
// problems.
package hierml_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// TestGolden reads the families of this library's methods and runs every case with one label an
// instance.
func TestGolden(t *testing.T) {
	for family, check := range map[string]func(*testing.T, golden.Case) (ran bool){
		"alpha": checkAlpha, "svm_flat": checkFlat, "hsvm_margin": checkHierarchical, "nhsvm": checkNormalized,
	} {
		cases, err := golden.Read(family)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) {
				if !check(t, c) {
					left = append(left, c.ID)
				}
			})
		}
		if len(left) == len(cases) {
			t.Errorf("%s: none of the %d cases was run", family, len(cases))
		}
		t.Logf("%s: %d of %d cases run, multi-label left out: %v", family, len(cases)-len(left), len(cases), left)
	}
}

// instances are the data of a case, and what solving it must give.
type instances struct {
	X          [][]float64
	Labels     [][]int
	LabelSpace string `json:"label_space"`
	Objective  float64
	W          [][]float64 // a row a node, or a class in svm_flat

	curvature float64 // least of the objective; the default value is 1
	// share by which rounding of the instances may move the optimum; the default value is
	// storageTolerance
	storage float64
}

func (in *instances) multiLabel() bool {
	return strings.Contains(in.LabelSpace, "sets") || slices.ContainsFunc(in.Labels, func(set []int) bool { return len(set) != 1 })
}

func (in *instances) dataset(g *taxonomy.Taxonomy) *dataset.Dataset {
	x := &dataset.Matrix{Rows: len(in.X), Indptr: []int{0}}
	for _, row := range in.X {
		x.Cols = len(row)
		for f, v := range row {
			if v != 0 {
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, float32(v))
			}
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	return &dataset.Dataset{Name: "golden", Taxonomy: g, X: x, Labels: in.Labels}
}

// Reference values hold to 12 digits, but instances are stored in float32, which moves an optimum
// by some 1e-8, and by 1e-7 where C is large.
const (
	objectiveTolerance = 1e-6
	storageTolerance   = 3e-7
)

// compare trains to a loose and to a tight gap and checks both certificates
// against the reference: objective is in the scale of 1/2 ||W||^2 + C sum xi.
func (in *instances) compare(t *testing.T, objective float64, g *taxonomy.Taxonomy, fit func(gap float64, d *dataset.Dataset) (*classifier.Model, error)) {
	t.Helper()
	curvature, storage := cmp.Or(in.curvature, 1), cmp.Or(in.storage, storageTolerance)
	for _, gap := range []float64{1e-1, 1e-3, 1e-6, 1e-9} {
		m, err := fit(gap, in.dataset(g))
		if err != nil {
			t.Fatal(err)
		}
		r := m.Training.Certificate
		t.Logf("gap %v: %v, reference %.10g", gap, r, objective)
		if r.Gap > gap {
			t.Errorf("gap %v, asked for %v", r.Gap, gap)
		}
		if r.Primal < objective*(1-storage) || r.Dual > objective*(1+storage) {
			t.Errorf("the certificate says the optimum is between %.10g and %.10g, it is %.10g", r.Dual, r.Primal, objective)
		}
		if gap < objectiveTolerance && math.Abs(r.Primal-objective) > objectiveTolerance*objective {
			t.Errorf("objective %.10g, want %.10g", r.Primal, objective)
		}
		// The objective is strongly convex: 1/2 ||W-W*||^2 times its curvature is at most the gap.
		var distance float64
		for n, row := range in.W {
			for f, v := range m.Weights(n) {
				distance += (v - row[f]) * (v - row[f]) / 2
			}
		}
		if gap < objectiveTolerance && in.W != nil && math.Sqrt(2*distance) > 1e-4*math.Sqrt(2*objective) {
			t.Errorf("weights differ from the optimum by %v", math.Sqrt(2*distance))
		}
		if curvature*distance > r.Primal-r.Dual+storage*objective {
			t.Errorf("weights differ from the optimum by %v, the gap is %v", distance, r.Primal-r.Dual)
		}
	}
}

func decode(t *testing.T, c golden.Case, v any) {
	t.Helper()
	if err := c.Decode(v); err != nil {
		t.Fatal(err)
	}
}

func build(t *testing.T, g golden.Taxonomy) *taxonomy.Taxonomy {
	t.Helper()
	tax, err := g.New()
	if err != nil {
		t.Fatal(err)
	}
	return tax
}

func checkAlpha(t *testing.T, c golden.Case) bool {
	var want struct {
		Taxonomy golden.Taxonomy
		Flat     []float64
		Rho      []struct {
			Rho, Objective float64
			Alpha          []float64
		}
	}
	decode(t, c, &want)
	g := build(t, want.Taxonomy)
	if got := weighting.Flat(g); !slices.Equal(got, want.Flat) {
		t.Errorf("flat weights %v, want %v", got, want.Flat)
	}
	for _, r := range want.Rho {
		alpha, err := weighting.Path{Rho: r.Rho}.Weights(g)
		if err != nil {
			t.Errorf("rho %v: %v", r.Rho, err)
			continue
		}
		var objective float64
		for n, v := range r.Alpha {
			objective += math.Pow(alpha[n], r.Rho)
			if math.Abs(alpha[n]-v) > 1e-9*v+1e-300 {
				t.Errorf("rho %v: weight of node %d is %v, want %v", r.Rho, n, alpha[n], v)
			}
		}
		if math.Abs(objective-r.Objective) > 1e-9*r.Objective {
			t.Errorf("rho %v: objective %v, want %v", r.Rho, objective, r.Objective)
		}
	}
	return true
}

func checkFlat(t *testing.T, c golden.Case) bool {
	var want struct {
		instances
		Classes []int
		C       float64
	}
	decode(t, c, &want)
	if want.multiLabel() {
		return false
	}
	names := make([]string, len(want.Classes))
	for k, y := range want.Classes {
		names[k] = fmt.Sprint(y)
	}
	g, err := taxonomy.New(names, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, set := range want.Labels {
		want.Labels[i] = []int{slices.Index(want.Classes, set[0])}
	}
	want.compare(t, want.Objective, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
		return svm.Flat{C: want.C, Settings: solver.Settings{Gap: gap, MaxEpochs: 100000}}.Fit(context.Background(), d)
	})
	return true
}

func checkHierarchical(t *testing.T, c golden.Case) bool {
	var want struct {
		instances
		Taxonomy golden.Taxonomy
		Loss     string
		Table    [][]float64 `json:"loss_table"`
		Lambda   float64     `json:"lam"`
	}
	decode(t, c, &want)
	g := build(t, want.Taxonomy)
	if want.multiLabel() {
		delta, err := loss.NamedSet(strings.TrimPrefix(want.Loss, "set "), g)
		if err != nil {
			t.Fatal(err)
		}
		sum, ok := delta.(loss.Decomposing)
		if !ok {
			t.Fatalf("the loss %q is no sum over nodes", want.Loss)
		}
		cost := structured.CFromLambda(want.Lambda)
		want.compare(t, want.Objective*cost, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
			return svm.Hierarchical{C: cost, Sets: true, SetLoss: sum, Settings: solver.Settings{Gap: gap, MaxEpochs: 100000}}.Fit(context.Background(), d)
		})
		return true
	}
	delta, err := loss.Named(want.Loss, g)
	if err != nil {
		t.Fatal(err)
	}
	for a, row := range want.Table {
		for b, v := range row {
			if got := delta.Cost(g.Leaves()[a], g.Leaves()[b]); math.Abs(got-v) > 1e-12 {
				t.Errorf("loss of leaf %d for leaf %d is %v, want %v", b, a, got, v)
			}
		}
	}
	cost := structured.CFromLambda(want.Lambda)
	want.compare(t, want.Objective*cost, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
		return svm.Hierarchical{C: cost, Loss: delta, Settings: solver.Settings{Gap: gap, MaxEpochs: 100000}}.Fit(context.Background(), d)
	})
	return true
}

func checkNormalized(t *testing.T, c golden.Case) bool {
	var want struct {
		instances
		Taxonomy golden.Taxonomy
		Minimal  golden.Taxonomy `json:"minimal_taxonomy"`
		Classes  [][]int         // nodes of each node of the minimal taxonomy
		Kind     string          `json:"alpha_kind"`
		Alpha    []float64
		AlphaMin []float64 `json:"alpha_minimal"`
		Equation string    `json:"objective_equation"`
		Lambda   float64   `json:"lam"`
	}
	decode(t, c, &want)
	estimator := svm.Normalized{Sets: want.multiLabel(), C: structured.CFromLambda(want.Lambda), Alpha: want.Alpha, Settings: solver.Settings{MaxEpochs: 100000}}
	switch want.Equation {
	case "eq10":
	case "eq13":
		estimator.DivideByNorm = true
	default:
		t.Fatalf("unknown equation %q", want.Equation)
	}
	objective := want.Objective * estimator.C
	fit := func(g *taxonomy.Taxonomy) func(float64, *dataset.Dataset) (*classifier.Model, error) {
		return func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
			estimator.Settings.Gap = gap
			return estimator.Fit(context.Background(), d)
		}
	}
	g := build(t, want.Taxonomy)
	want.compare(t, objective, g, fit(g))

	if rho := map[string]float64{"rho2": 2, "rho1.5": 1.5}[want.Kind]; rho > 0 {
		estimator.Alpha, estimator.Weighting = nil, weighting.Path{Rho: rho}
		want.compare(t, objective, g, fit(g))
	}
	if want.AlphaMin != nil {
		g := build(t, want.Minimal)
		for i, set := range want.Labels {
			var minimal []int
			for _, y := range set {
				minimal = append(minimal, slices.IndexFunc(want.Classes, func(nodes []int) bool { return slices.Contains(nodes, y) }))
			}
			want.Labels[i] = minimal
		}
		want.W = nil
		estimator.Alpha = want.AlphaMin
		want.compare(t, objective, g, fit(g))
	}
	return true
}
