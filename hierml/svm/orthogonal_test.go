package svm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// innerLabels gives every fifth instance the parent of its label.
func innerLabels(d *dataset.Dataset) *dataset.Dataset {
	moved := *d
	moved.Labels = slices.Clone(d.Labels)
	for i := range moved.Labels {
		if parents := d.Taxonomy.Parents(d.Labels[i][0]); i%5 == 0 && len(parents) > 0 {
			moved.Labels[i] = []int{parents[0]}
		}
	}
	return &moved
}

// Weights of thousands of nodes have 16 bits. Those of the nodes are sums of them, many of which
// are zero.
func TestTransferOfManyNodes(t *testing.T) {
	d := example.Texts(example.Tree(90, 100), 40, 60, 8, 1)
	m, err := svm.Transfer{Settings: solver.Settings{Gap: 1e-2}}.Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, y := range m.Predict(d.X) {
		if y != d.Labels[i][0] {
			wrong++
		}
	}
	if wrong > 0 || m.Training.Certificate.Status != solver.Converged {
		t.Errorf("%d of %d training rows are wrong; %v", wrong, len(d.Labels), m.Training.Certificate)
	}
}

// TestTransferMethods trains the methods of [ZXW11] on trees, forests and DAGs with labels at inner
// nodes.
func TestTransferMethods(t *testing.T) {
	single, err := taxonomy.New([]string{"only"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]*taxonomy.Taxonomy{
		"tree": example.Tree(3, 2, 2), "chain": example.Tree(1, 1, 2, 1), "DAG": example.Graph(14, 3), "one node": single,
	} {
		d := innerLabels(example.Dense(g, 60, 12, 4))
		for _, e := range []classifier.Estimator{
			svm.Orthogonal{C: 2}, svm.Orthogonal{Alpha: 0.2}, svm.Orthogonal{Method: solver.RDA{}, Settings: solver.Settings{MaxEpochs: 50, Gap: 1e-6}},
			svm.Transfer{C: 2}, svm.TreeLoss{C: 2, AllNodes: true},
		} {
			what := fmt.Sprintf("%s, %T", name, e)
			m, err := e.Fit(context.Background(), d)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			if r := m.Training.Certificate; r.Dual > r.Primal || r.Status != solver.Converged && r.Status != solver.MaxEpochs {
				t.Errorf("%s: %v", what, r)
			}
			predicted := m.Predict(d.X)
			for i, y := range predicted {
				if _, all := e.(svm.TreeLoss); !all && !g.IsLeaf(y) {
					t.Errorf("%s: row %d is predicted to be the inner node %d", what, i, y)
				}
			}
			var file bytes.Buffer
			if err := m.Write(&file, classifier.Format{}); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			read, err := classifier.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !slices.Equal(read.Predict(d.X), predicted) || !mat.Equal(read.NodeScores(d.X), m.NodeScores(d.X)) {
				t.Errorf("%s: another model after a way through a file", what)
			}
		}
	}
}

// TestOrthogonalWithoutCoupling compares orthogonal transfer with K = 1 and TRANSFER on one level,
// where both are the flat SVM.
func TestOrthogonalWithoutCoupling(t *testing.T) {
	g, err := taxonomy.New([]string{"a", "b", "c", "d"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := example.Dense(g, 40, 5, 9)
	settings := solver.Settings{Gap: 1e-6, MaxEpochs: 100000}
	flat := fit(t, svm.Flat{Settings: settings}, d)
	sameOptimum(t, "orthogonal transfer on one level", flat, fit(t, svm.Orthogonal{Settings: settings}, d), 1)
	sameOptimum(t, "transfer on one level", flat, fit(t, svm.Transfer{Settings: settings}, d), 1)
}

// TestOrthogonalKernel compares the kernel form with the linear kernel with the linear form [ZXW11,
// Theorem 3], and lets a kernel that grows fit more.
func TestOrthogonalKernel(t *testing.T) {
	g := example.Tree(2, 2)
	d := innerLabels(example.Dense(g, 40, 6, 2))
	settings := solver.Settings{Gap: 1e-6, MaxEpochs: 100000}
	linear := fit(t, svm.Orthogonal{C: 2, Settings: settings}, d)
	kernel := fit(t, svm.Orthogonal{C: 2, Kernel: gram.Linear{}, Settings: settings}, d)
	if r, s := linear.Training.Certificate, kernel.Training.Certificate; math.Abs(r.Primal-s.Primal) > 2e-6*r.Primal {
		t.Errorf("linear kernel: %v, without: %v", s, r)
	}
	sameScores(t, "linear kernel", linear.NodeScores(d.X), kernel.NodeScores(d.X), 0.05)
	curved := fit(t, svm.Orthogonal{C: 2, Kernel: gram.Polynomial{Degree: 3}, Settings: settings}, d)
	if curved.Training.Certificate.Primal >= kernel.Training.Certificate.Primal {
		t.Errorf("polynomial kernel: %v, linear: %v", curved.Training.Certificate, kernel.Training.Certificate)
	}
	if _, err := (svm.Orthogonal{Kernel: gram.RBF{Gamma: -1}}).Fit(context.Background(), d); err == nil {
		t.Error("a kernel that is none is accepted")
	}
}

func TestOrthogonalRefuses(t *testing.T) {
	g := example.Tree(2, 2, 2)
	d := example.Dense(g, 20, 6, 1)
	most := orthogonal.MaxAlpha(g, 0)
	var refused *orthogonal.ConvexityError
	for _, alpha := range []float64{1, most} {
		m, err := svm.Orthogonal{Alpha: alpha}.Fit(context.Background(), d)
		if !errors.As(err, &refused) || m != nil {
			t.Errorf("alpha %v: %v", alpha, err)
		} else if alpha == 1 && (math.Abs(refused.MaxAlpha-most) > 1e-9 || refused.LambdaMin >= 0) {
			t.Errorf("alpha 1: %v, the largest alpha is %v", err, most)
		}
	}
	if m := fit(t, svm.Orthogonal{Alpha: 0.99 * most}, d); m.Training.Certificate.Gap > 1e-3 {
		t.Errorf("just below the largest alpha: %v", m.Training.Certificate)
	}
	for name, try := range map[string]func() (*classifier.Model, error){
		"alpha and K": func() (*classifier.Model, error) {
			return svm.Orthogonal{Alpha: 0.1, K: mat.NewSymDense(1, nil)}.Fit(context.Background(), d)
		},
		"K of another size": func() (*classifier.Model, error) {
			return svm.Orthogonal{K: mat.NewSymDense(2, []float64{1, 0, 0, 1})}.Fit(context.Background(), d)
		},
		"C":           func() (*classifier.Model, error) { return svm.Transfer{C: -1}.Fit(context.Background(), d) },
		"nothing":     func() (*classifier.Model, error) { return svm.Orthogonal{}.Fit(context.Background(), nil) },
		"inner label": func() (*classifier.Model, error) { return svm.TreeLoss{}.Fit(context.Background(), innerLabels(d)) },
		"Pegasos, coupled": func() (*classifier.Model, error) {
			return svm.Orthogonal{Method: solver.Pegasos{}}.Fit(context.Background(), d)
		},
	} {
		if m, err := try(); err == nil || m != nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOrthogonalCancelled(t *testing.T) {
	g := example.Tree(2, 2, 2)
	d := example.Dense(g, 50, 6, 1)
	ctx, cancel := context.WithCancel(context.Background())
	settings := solver.Settings{Gap: 1e-12, MaxEpochs: 100000, Progress: func(p solver.Progress) error {
		if p.Epoch == 3 {
			cancel()
		}
		return nil
	}}
	m, err := svm.Orthogonal{Settings: settings}.Fit(ctx, d)
	if !errors.Is(err, context.Canceled) || m == nil || m.Training.Status != solver.Cancelled || m.Training.Certificate.Gap >= 1 {
		t.Fatalf("cancelled after three epochs: %v, %v", m, err)
	}
	if optimum := fit(t, svm.Orthogonal{Settings: solver.Settings{Gap: 1e-6}}, d).Training.Certificate; optimum.Primal < m.Training.Certificate.Dual || m.Training.Certificate.Primal < optimum.Dual {
		t.Errorf("a cancelled training says the optimum is between %v and %v, it is %v", m.Training.Certificate.Dual, m.Training.Certificate.Primal, optimum.Primal)
	}
}
