package hierml_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// transferCase is what the families of [ZXW11] share. Labels are single nodes; the paper's C is C
// times the number of instances.
type transferCase struct {
	instances
	Taxonomy golden.Taxonomy `json:"taxonomy_without_root"`
	C        float64
	Y        []int
}

// begin returns the taxonomy, with the labels put where instances has them.
func (c *transferCase) begin(t *testing.T) *taxonomy.Taxonomy {
	t.Helper()
	for _, y := range c.Y {
		c.Labels = append(c.Labels, []int{y})
	}
	return build(t, c.Taxonomy)
}

// perInstance returns the C of the estimators.
func (c *transferCase) perInstance() float64 { return c.C / float64(len(c.Y)) }

// largeC is the share of the optimum by which rounding of the instances may move it in these
// families, whose C goes up to 500.
const largeC = 1e-6

// predictions checks what a model predicts for the training instances, up to scores that the
// certificate cannot tell apart for an objective of that curvature, and that it is the same after
// the model has been written and read.
func predictions(t *testing.T, m *classifier.Model, d *dataset.Dataset, want []int, curvature float64) {
	t.Helper()
	g, nodes, r := m.Taxonomy, m.NodeScores(d.X), m.Training.Certificate
	distance := math.Sqrt(2 * (r.Primal - r.Dual + largeC*r.Primal) / curvature) // from the optimal weights
	tie := func(i, a, b int) float64 {
		norm := math.Sqrt2
		if m.Rule == classifier.Highest {
			norm = m.Attributes().NormDifference(m.Attributes().Candidate(a), m.Attributes().Candidate(b))
		}
		_, values := d.X.Row(i)
		var square float64
		for _, v := range values {
			square += float64(v) * float64(v)
		}
		return distance * norm * math.Sqrt(square)
	}
	score := func(i, n int) (sum float64) {
		if m.Rule == classifier.Descend {
			return nodes.At(i, n)
		}
		a := m.Attributes()
		of, values := a.Leaf(a.Candidate(n))
		for k, c := range of {
			sum += values[k] * nodes.At(i, c)
		}
		return sum
	}
	got := m.Predict(d.X)
	for i, n := range got {
		a, b := n, want[i]
		if m.Rule == classifier.Descend && a != b {
			// The children where the two ways part.
			path := slices.DeleteFunc(slices.Clone(g.Ancestors(a)), func(n int) bool { return slices.Contains(g.Ancestors(b), n) })
			other := slices.DeleteFunc(slices.Clone(g.Ancestors(b)), func(n int) bool { return slices.Contains(g.Ancestors(a), n) })
			higher := func(n, m int) int { return g.Depth(n) - g.Depth(m) }
			a, b = slices.MinFunc(path, higher), slices.MinFunc(other, higher)
		}
		if score(i, a)-score(i, b) > tie(i, a, b) {
			t.Errorf("row %d: predicts %d, want %d, which scores %v less", i, n, want[i], score(i, a)-score(i, b))
		}
	}
	var file bytes.Buffer
	if err := m.Write(&file, classifier.Format{}); err != nil {
		t.Fatal(err)
	}
	read, err := classifier.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if again := read.Predict(d.X); !slices.Equal(again, got) {
		t.Errorf("predictions after a way through a file %v, want %v", again, got)
	}
}

func TestGoldenOrthogonal(t *testing.T) {
	cases, err := golden.Read("orthogonal")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				transferCase
				Alpha       *float64 `json:"K_alpha"`
				K           [][]float64
				Predictions []int
				Errors      []int
				Tolerance   float64 `json:"W_tolerance"`
			}
			decode(t, c, &want)
			g := want.begin(t)
			k := mat.NewSymDense(len(want.K), nil)
			for i, row := range want.K {
				for j, v := range row {
					k.SetSym(i, j, v)
				}
			}
			convex, err := orthogonal.New(k)
			if err != nil {
				t.Fatal(err)
			}
			want.curvature, want.storage = convex.LambdaMin(), largeC
			estimators := []svm.Orthogonal{{K: k}}
			if want.Alpha != nil {
				estimators = append(estimators, svm.Orthogonal{Alpha: *want.Alpha})
			}
			for _, e := range estimators {
				e.C = want.perInstance()
				e.Settings.MaxEpochs = 100000
				want.compare(t, want.Objective, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
					e.Settings.Gap = gap
					m, err := e.Fit(context.Background(), d)
					if err != nil || gap >= objectiveTolerance {
						return m, err
					}
					predictions(t, m, d, want.Predictions, want.curvature)
					for i, y := range want.Predictions {
						if wrong := !slices.Contains(g.Ancestors(y), want.Y[i]); wrong != (want.Errors[i] != 0) {
							t.Errorf("row %d is predicted wrongly: %v, want %d", i, wrong, want.Errors[i])
						}
					}
					return m, nil
				})
				e.Settings = solver.Settings{Gap: 1e-12, MaxEpochs: 500}
				e.Method = solver.RDA{}
				m, err := e.Fit(context.Background(), want.dataset(g))
				if err != nil {
					t.Fatal(err)
				}
				r := m.Training.Certificate
				t.Logf("RDA: %v", r)
				if r.Primal < want.Objective*(1-largeC) || r.Dual > want.Objective*(1+largeC) {
					t.Errorf("RDA says the optimum is between %.10g and %.10g, it is %.10g", r.Dual, r.Primal, want.Objective)
				}
			}
		})
	}
}

func TestGoldenBaselines(t *testing.T) {
	cases, err := golden.Read("baselines004")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			type solution struct {
				Objective   float64
				W, U        [][]float64
				Classes     []int
				Predictions []int
			}
			var want struct {
				transferCase
				Flat     solution `json:"FLATMULT"`
				Transfer solution `json:"TRANSFER"`
				Leaves   solution `json:"TREELOSS_leaves"`
				Nodes    solution `json:"TREELOSS_all_nodes"`
			}
			decode(t, c, &want)
			g := want.begin(t)
			cost := want.perInstance()
			check := func(name string, s solution, w [][]float64, fit func(solver.Settings) classifier.Estimator) {
				t.Run(name, func(t *testing.T) {
					in := want.instances
					in.W, in.storage = w, largeC
					in.compare(t, s.Objective, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
						m, err := fit(solver.Settings{Gap: gap, MaxEpochs: 100000}).Fit(context.Background(), d)
						if err == nil && gap < objectiveTolerance {
							predictions(t, m, d, s.Predictions, 1)
						}
						return m, err
					})
				})
			}
			flat := make([][]float64, g.Len())
			for n := range flat {
				flat[n] = make([]float64, len(want.X[0]))
			}
			for k, n := range want.Flat.Classes {
				flat[n] = want.Flat.W[k]
			}
			check("FLATMULT", want.Flat, flat, func(s solver.Settings) classifier.Estimator { return svm.Flat{C: cost, Settings: s} })
			check("TRANSFER", want.Transfer, want.Transfer.W, func(s solver.Settings) classifier.Estimator { return svm.Transfer{C: cost, Settings: s} })
			check("TREELOSS leaves", want.Leaves, want.Leaves.U, func(s solver.Settings) classifier.Estimator { return svm.TreeLoss{C: cost, Settings: s} })
			check("TREELOSS nodes", want.Nodes, want.Nodes.U, func(s solver.Settings) classifier.Estimator {
				return svm.TreeLoss{C: cost, AllNodes: true, Settings: s}
			})
		})
	}
}
