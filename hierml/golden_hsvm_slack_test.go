package hierml_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// slackCase is a case of the family hsvm_slack.
type slackCase struct {
	instances
	Taxonomy   golden.Taxonomy
	Attributes string
	Lambda     [][]float64
	Loss       string
	Table      [][]float64 `json:"loss_table"`
	C          float64
	Kernel     struct {
		Type   string
		Gamma  float64
		Degree int
		Coef0  float64
	}
	TrainScores [][]float64 `json:"train_scores"`
	XTest       [][]float64 `json:"X_test"`
	TestScores  [][]float64 `json:"test_scores"`
	Regularizer *struct {
		Interior []int
		A, Q     [][]float64
	} `json:"class_regularizer"`
}

// kernel returns nil for the linear case.
func (c *slackCase) kernel(t *testing.T) gram.Kernel {
	t.Helper()
	switch c.Kernel.Type {
	case "linear":
		return nil
	case "rbf":
		return gram.RBF{Gamma: c.Kernel.Gamma}
	case "poly":
		return gram.Polynomial{Degree: c.Kernel.Degree, Offset: c.Kernel.Coef0}
	}
	t.Fatalf("unknown kernel %q", c.Kernel.Type)
	return nil
}

// attributes returns the class attributes by name, after comparing them with the case's.
func (c *slackCase) attributes(t *testing.T, g *taxonomy.Taxonomy) *structured.Attributes {
	t.Helper()
	var a *structured.Attributes
	var err error
	switch c.Attributes {
	case "indicator":
		a = structured.Ancestors(g)
	case "flat":
		a = structured.Flat(g)
	case "inv_sqrt_depth":
		a, err = structured.InvSqrtDepth(g)
	case "inv_sqrt_maxdepth":
		a, err = structured.InvSqrtMaxDepth(g)
	default: // others are given
		a, err = structured.NewAttributes(g, func(leaf int) ([]int, []float64) {
			nodes := make([]int, g.Len())
			for n := range nodes {
				nodes[n] = n
			}
			return nodes, c.Lambda[g.LeafIndex(leaf)]
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	for y, row := range c.Lambda {
		nodes, values := a.Leaf(y)
		got := make([]float64, len(row))
		for k, n := range nodes {
			got[n] = values[k]
		}
		for n, v := range row {
			if math.Abs(got[n]-v) > 1e-12 {
				t.Errorf("attribute of leaf %d at node %d is %v, want %v", y, n, got[n], v)
			}
		}
	}
	return a
}

// matrix returns rows as a sparse matrix.
func matrix(rows [][]float64) *dataset.Matrix {
	in := instances{X: rows}
	return in.dataset(nil).X
}

// sameScores compares scores with those of the case, which are right to the certificate's accuracy.
func sameScores(t *testing.T, name string, m *classifier.Model, got *mat.Dense, want [][]float64) {
	t.Helper()
	for i, row := range want {
		for y, v := range row {
			if math.Abs(got.At(i, y)-v) > 1e-4*(1+math.Abs(v)) && !hidden(m, got.At(i, y), y) {
				t.Errorf("%s score of row %d, leaf %d: %v, want %v", name, i, y, got.At(i, y), v)
			}
		}
	}
}

// TestGoldenSlack runs every case of the family hsvm_slack: slack rescaling, with one or several
// labels an instance, linear or with a kernel.
func TestGoldenSlack(t *testing.T) {
	cases, err := golden.Read("hsvm_slack")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want slackCase
			decode(t, c, &want)
			g := build(t, want.Taxonomy)
			l, err := loss.Named(want.Loss, g)
			if err != nil {
				t.Fatal(err)
			}
			for a, row := range want.Table {
				for b, v := range row {
					if got := l.Cost(g.Leaves()[a], g.Leaves()[b]); math.Abs(got-v) > 1e-12 {
						t.Errorf("loss of leaf %d for leaf %d is %v, want %v", b, a, got, v)
					}
				}
			}
			estimator := svm.Hierarchical{
				C: want.C, Loss: l, Rescaling: structured.Slack, Attributes: want.attributes(t, g), Kernel: want.kernel(t),
				Settings: solver.Settings{MaxEpochs: 100000},
			}
			want.compare(t, want.Objective, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
				estimator.Settings.Gap = gap
				return estimator.Fit(context.Background(), d)
			})
			kernels := []gram.Kernel{estimator.Kernel}
			if estimator.Kernel == nil {
				kernels = append(kernels, gram.Linear{})
			}
			for _, k := range kernels {
				estimator.Kernel = k
				estimator.Settings.Gap = 1e-10
				if k == nil {
					estimator.Settings.Gap = 1e-7 // weights are stored in single precision
				}
				d := want.dataset(g)
				m, err := estimator.Fit(context.Background(), d)
				if err != nil {
					t.Fatal(err)
				}
				sameScores(t, "training", m, m.LeafScores(d.X), want.TrainScores)
				if want.XTest == nil {
					continue
				}
				x := matrix(want.XTest)
				sameScores(t, "test", m, m.LeafScores(x), want.TestScores)
				products, err := gram.Cross(context.Background(), k, x, d.X, nil)
				if err != nil {
					t.Fatal(err)
				}
				scores, err := m.LeafScoresOf(products)
				if err != nil {
					t.Fatal(err)
				}
				sameScores(t, "test", m, scores, want.TestScores)
			}
		})
	}
}

// TestGoldenSlackByVariableSelection solves the cases of hsvm_slack by [Cai08, Algorithm 2], with
// both forms of its step 8.
func TestGoldenSlackByVariableSelection(t *testing.T) {
	cases, err := golden.Read("hsvm_slack")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want slackCase
			decode(t, c, &want)
			g := build(t, want.Taxonomy)
			l, err := loss.Named(want.Loss, g)
			if err != nil {
				t.Fatal(err)
			}
			estimator := svm.Hierarchical{
				C: want.C, Loss: l, Rescaling: structured.Slack, Attributes: want.attributes(t, g), Kernel: want.kernel(t),
				Settings: solver.Settings{Gap: objectiveTolerance, MaxEpochs: 20000},
			}
			for _, method := range []solver.VariableSelection{{}, {Joint: true}} {
				estimator.Method = method
				m, err := estimator.Fit(context.Background(), want.dataset(g))
				if err != nil {
					t.Fatal(err)
				}
				r := m.Training.Certificate
				t.Logf("%+v: %v, reference %.10g", method, r, want.Objective)
				if math.Abs(r.Primal-want.Objective) > objectiveTolerance*want.Objective {
					t.Errorf("%+v: objective %.10g, want %.10g", method, r.Primal, want.Objective)
				}
				if r.Primal < want.Objective*(1-storageTolerance) || r.Dual > want.Objective*(1+storageTolerance) {
					t.Errorf("%+v: the certificate says the optimum is between %.10g and %.10g, it is %.10g", method, r.Dual, r.Primal, want.Objective)
				}
			}
		})
	}
}

// TestGoldenClassRegularizer compares the regularizer's view in class weights, [Cai08, (4.40) to
// (4.48)], and looks at models trained through it.
func TestGoldenClassRegularizer(t *testing.T) {
	cases, err := golden.Read("hsvm_slack")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want slackCase
			decode(t, c, &want)
			g := build(t, want.Taxonomy)
			l, err := loss.Named(want.Loss, g)
			if err != nil {
				t.Fatal(err)
			}
			m, err := svm.Hierarchical{
				C: want.C, Loss: l, Rescaling: structured.Slack, Attributes: want.attributes(t, g), Kernel: want.kernel(t),
				Settings: solver.Settings{Gap: 1e-8, MaxEpochs: 20000},
			}.Fit(context.Background(), want.dataset(g))
			if err != nil {
				t.Fatal(err)
			}
			classes, err := m.Classes()
			if err != nil {
				t.Fatal(err)
			}
			var norm float64
			for n := range g.Len() {
				for _, v := range m.Weights(n) {
					norm += v * v / 2
				}
			}
			if want.Kernel.Type == "linear" && math.Abs(classes.Value-norm) > 1e-6*norm {
				t.Errorf("regularizer of class weights %v, of node weights %v", classes.Value, norm)
			}
			if classes.Value > want.Objective {
				t.Errorf("regularizer %v, more than the objective %v", classes.Value, want.Objective)
			}
			if want.W != nil {
				sameNodes(t, classes, m, want.W)
			}
			if want.Regularizer == nil {
				return
			}
			ran++
			if !slices.Equal(classes.Interior, want.Regularizer.Interior) {
				t.Errorf("interior nodes %v, want %v", classes.Interior, want.Regularizer.Interior)
			}
			same := func(name string, got mat.Matrix, want [][]float64) {
				for i, row := range want {
					for j, v := range row {
						if math.Abs(got.At(i, j)-v) > 1e-10*(1+math.Abs(v)) {
							t.Errorf("%s of %d, %d is %v, want %v", name, i, j, got.At(i, j), v)
						}
					}
				}
			}
			same("A", classes.A, want.Regularizer.A)
			same("Q", classes.Q, want.Regularizer.Q)
		})
	}
	if ran == 0 {
		t.Error("no case has a regularizer")
	}
}

// sameNodes checks that the node weights of the reference are the smallest that give its class
// weights.
func sameNodes(t *testing.T, c *classifier.Classes, m *classifier.Model, w [][]float64) {
	t.Helper()
	g := m.Taxonomy
	class := mat.NewDense(len(g.Leaves()), len(w[0]), nil)
	for y := range g.Leaves() {
		nodes, values := m.Attributes().Leaf(y)
		for k, n := range nodes {
			for f, v := range w[n] {
				class.Set(y, f, class.At(y, f)+values[k]*v)
			}
		}
	}
	nodes, err := c.Nodes(class)
	if err != nil {
		t.Fatal(err)
	}
	var square float64
	for n, row := range w {
		for f, v := range row {
			square += v * v / 2
			if math.Abs(nodes.At(n, f)-v) > 1e-6 {
				t.Errorf("weight of node %d, feature %d is %v, want %v", n, f, nodes.At(n, f), v)
			}
		}
	}
	var products mat.SymDense
	products.SymOuterK(1, class)
	if v := c.Evaluate(&products); math.Abs(v-square) > 1e-9*square {
		t.Errorf("regularizer of the reference's class weights %v, of its node weights %v", v, square)
	}
}
