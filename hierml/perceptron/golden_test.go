package perceptron

import (
	"math"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// problem is what all cases have.
type problem struct {
	Taxonomy   golden.Taxonomy
	Attributes string
	Loss       string
	Table      [][]float64 `json:"loss_table"`
	X          [][]float64
	Labels     [][]int
	Y          []int
	Epochs     int
}

// run is what a method does on the instances of a case.
type run struct {
	W         [][]float64  // a row a node, a leaf for the flat perceptron
	Updates   [][]float64  // step, instance, y, z, and the size for a Hieron
	Alpha     [][4]float64 // instance, y, z, value
	Steps     int
	Epochs    int
	Converged bool
}

// scale returns a power of ten that makes integers of all values, which a matrix has without
// rounding then. The scale of the instances changes weights in proportion, and updates not at all.
func (p *problem) scale() float64 {
	for scale := 1.0; scale <= 1e6; scale *= 10 {
		if !slices.ContainsFunc(p.X, func(row []float64) bool {
			return slices.ContainsFunc(row, func(v float64) bool {
				return math.Abs(v*scale) > 1<<24 || math.Abs(v*scale-math.Round(v*scale)) > 1e-7
			})
		}) {
			return scale
		}
	}
	return 1
}

func (p *problem) dataset(g *taxonomy.Taxonomy, scale float64) *dataset.Dataset {
	x := &dataset.Matrix{Rows: len(p.X), Indptr: []int{0}}
	for _, row := range p.X {
		x.Cols = len(row)
		for f, v := range row {
			if scale > 1 {
				v = math.Round(v * scale)
			}
			if v != 0 {
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, float32(v))
			}
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	labels := p.Labels
	for _, y := range p.Y {
		labels = append(labels, []int{y})
	}
	return &dataset.Dataset{Name: "golden", Taxonomy: g, X: x, Labels: labels}
}

// prepare returns the taxonomy, the attributes and the loss of a case.
func (p *problem) prepare(t *testing.T) (*taxonomy.Taxonomy, *structured.Attributes, loss.Loss) {
	t.Helper()
	g, err := p.Taxonomy.New()
	if err != nil {
		t.Fatal(err)
	}
	var a *structured.Attributes
	switch p.Attributes {
	case "indicator":
		a = structured.Ancestors(g)
	case "flat":
		a = structured.Flat(g)
	case "inv_sqrt_maxdepth":
		a, err = structured.InvSqrtMaxDepth(g)
	case "inv_sqrt_depth":
		a, err = structured.InvSqrtDepth(g)
	default:
		t.Fatalf("unknown attributes %q", p.Attributes)
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := loss.Named(p.Loss, g)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range p.Table {
		for j, want := range row {
			if got := l.Cost(g.Leaves()[i], g.Leaves()[j]); math.Abs(got-want) > 1e-12*want {
				t.Errorf("loss %s of leaves %d and %d is %v, want %v", p.Loss, i, j, got, want)
			}
		}
	}
	return g, a, l
}

func near(got, want, scale float64) bool { return math.Abs(got-want) <= 1e-10*math.Max(scale, 1) }

// check compares a run with the reference. learn trains with the settings given on instances
// multiplied by scale.
func (want *run) check(t *testing.T, p *problem, a *structured.Attributes, scale float64, hieron bool, learn func(Settings) (*outcome, error)) {
	t.Helper()
	var updates []Update
	r, err := learn(Settings{Epochs: p.Epochs, Observe: func(u Update) { updates = append(updates, u) }})
	if err != nil {
		t.Fatal(err)
	}
	// In the scale of the case a step of a Hieron is the square of the factor longer.
	factor := 1.0
	if hieron {
		factor = scale * scale
	}
	alpha := make(map[[3]int]float64)
	for k, u := range updates {
		got := []float64{float64(u.Step), float64(u.Instance), float64(u.Label), float64(u.Other), u.Size * factor}
		if k >= len(want.Updates) {
			t.Fatalf("update %d is %v, and there are %d in the reference", k, got, len(want.Updates))
		}
		if !slices.Equal(got[:4], want.Updates[k][:4]) {
			t.Fatalf("update %d is %v, want %v", k, got, want.Updates[k])
		}
		if hieron && !near(got[4], want.Updates[k][4], want.Updates[k][4]) {
			t.Fatalf("update %d is %v, want %v", k, got, want.Updates[k])
		}
		alpha[[3]int{u.Instance, u.Label, u.Other}] += u.Size
	}
	if len(updates) != len(want.Updates) || r.updates != len(want.Updates) {
		t.Errorf("%d updates, %d reported, want %d", len(updates), r.updates, len(want.Updates))
	}
	if want.Steps > 0 && (r.steps != want.Steps || r.model.Training.Epochs != want.Epochs) {
		t.Errorf("%d steps in %d epochs, want %d in %d", r.steps, r.model.Training.Epochs, want.Steps, want.Epochs)
	}
	if converged := r.model.Training.Status == solver.Converged; converged != want.Converged {
		t.Errorf("converged %v, want %v", converged, want.Converged)
	}
	for _, entry := range want.Alpha {
		key := [3]int{int(entry[0]), int(entry[1]), int(entry[2])}
		if !near(alpha[key], entry[3], entry[3]) {
			t.Errorf("alpha%v is %v, want %v", key, alpha[key], entry[3])
		}
		delete(alpha, key)
	}
	if want.Alpha != nil && len(alpha) > 0 {
		t.Errorf("the reference has no alpha %v", alpha)
	}
	if want.W == nil {
		return
	}
	g := a.Taxonomy()
	nodes := g.Leaves()
	if len(want.W) != len(nodes) || hieron {
		nodes = nil
		for n := range want.W {
			nodes = append(nodes, n)
		}
	}
	largest := 0.0
	for _, row := range want.W {
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	for k, n := range nodes {
		for f, v := range r.model.Weights(n) {
			if hieron {
				v *= scale
			} else {
				v /= scale
			}
			if !near(v, want.W[k][f], largest) {
				t.Errorf("weight of node %d, feature %d is %v, want %v", n, f, v, want.W[k][f])
			}
		}
	}
}

func TestGolden(t *testing.T) {
	cases, err := golden.Read("perceptron")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var in struct {
				problem
				Flat      run `json:"alg3_flat"`
				Online    run `json:"alg4_online"`
				Averaged  run `json:"alg6_averaged"`
				Minover   run `json:"alg7_minover"`
				Dual      run `json:"alg5_dual_poly2"`
				Separable *struct {
					Gamma   float64
					Bound   float64 `json:"bound_5_12"`
					Updates int     `json:"updates_to_convergence"`
					Steps   int
				}
			}
			if err := c.Decode(&in); err != nil {
				t.Fatal(err)
			}
			g, a, l := in.prepare(t)
			scale := in.scale()
			d := in.dataset(g, scale)
			h := Hierarchical{Attributes: a, Loss: l}
			poly := gram.Polynomial{Degree: 2, Gamma: 1 / scale / scale, Offset: 1}
			for name, form := range map[string]struct {
				want *run
				make func(Settings) estimator
				like *structured.Attributes
			}{
				"flat":     {&in.Flat, func(s Settings) estimator { return Flat{Settings: s} }, structured.Flat(g)},
				"online":   {&in.Online, func(s Settings) estimator { h := h; h.Settings = s; return h }, a},
				"averaged": {&in.Averaged, func(s Settings) estimator { h := h; h.Averaged, h.Settings = true, s; return h }, a},
				"minover":  {&in.Minover, func(s Settings) estimator { h := h; h.Minover, h.Settings = true, s; return h }, a},
				"dual":     {&in.Dual, func(s Settings) estimator { h := h; h.Kernel, h.Settings = poly, s; return h }, a},
			} {
				t.Run(name, func(t *testing.T) {
					form.want.check(t, &in.problem, form.like, scale, false, func(s Settings) (*outcome, error) {
						return fit(t.Context(), form.make(s), d)
					})
				})
			}
			if in.Separable == nil {
				return
			}
			gamma := in.Separable.Gamma * scale
			bound, err := h.Bound(d, gamma)
			if err != nil {
				t.Fatal(err)
			}
			if !near(bound, in.Separable.Bound, in.Separable.Bound) {
				t.Errorf("bound %v, want %v", bound, in.Separable.Bound)
			}
			for _, h.Minover = range []bool{false, true} {
				h.Settings.Epochs = 1000
				o, err := fit(t.Context(), h, d)
				if err != nil {
					t.Fatal(err)
				}
				if o.model.Training.Status != solver.Converged || float64(o.updates) > bound {
					t.Errorf("Minover %v: %v after %d updates, the bound is %v", h.Minover, o.model.Training.Status, o.updates, bound)
				}
				if !h.Minover && (o.updates != in.Separable.Updates || o.steps != in.Separable.Steps) {
					t.Errorf("%d updates in %d steps, want %d in %d", o.updates, o.steps, in.Separable.Updates, in.Separable.Steps)
				}
				margin, err := Margin(o.model, d)
				if err != nil {
					t.Fatal(err)
				}
				if !(margin > 0) || margin > gamma*(1+1e-9) {
					t.Errorf("Minover %v: margin %v, the largest there is is %v", h.Minover, margin, gamma)
				}
			}
		})
	}
}

func TestGoldenHieron(t *testing.T) {
	cases, err := golden.Read("hieron")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var in struct {
				problem
				Online, Averaged run
			}
			if err := c.Decode(&in); err != nil {
				t.Fatal(err)
			}
			g, a, l := in.prepare(t)
			scale := in.scale()
			d := in.dataset(g, scale)
			for name, want := range map[string]*run{"online": &in.Online, "averaged": &in.Averaged} {
				t.Run(name, func(t *testing.T) {
					want.check(t, &in.problem, a, scale, true, func(s Settings) (*outcome, error) {
						return fit(t.Context(), Hieron{Attributes: a, Loss: l, Averaged: name == "averaged", Settings: s}, d)
					})
				})
			}
		})
	}
}
