package classifier_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

func TestClassesExplainTheModel(t *testing.T) {
	g := example.Tree(2, 3)
	d := example.Dense(g, 60, 5, 1)
	set := solver.Settings{Gap: 1e-6, MaxEpochs: 2000}
	linear, err := fit(t, svm.Hierarchical{C: 0.1, Settings: set}, d).Classes()
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := fit(t, svm.Hierarchical{C: 0.1, Kernel: gram.Linear{}, Settings: set}, d).Classes()
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(linear.Products, kernel.Products, 1e-2*mat.Max(linear.Products)) || math.Abs(linear.Value-kernel.Value) > 1e-2*linear.Value {
		t.Errorf("the linear kernel gives\n%v, its weights\n%v", kernel, linear)
	}
	couplings := linear.Couplings()
	if len(couplings) != 15 {
		t.Errorf("%d couplings of 6 classes", len(couplings))
	}
	for k, c := range couplings {
		if k > 0 && math.Abs(c.Term) > math.Abs(couplings[k-1].Term) {
			t.Errorf("coupling %v comes after %v", c, couplings[k-1])
		}
		// Siblings are drawn together more than others.
		siblings := g.Parents(c.Class)[0] == g.Parents(c.Other)[0]
		if c.Q >= 0 || c.Class >= c.Other || math.Abs(c.Cosine) > 1+1e-12 || siblings != (c.Q < -0.2) {
			t.Errorf("coupling %+v", c)
		}
	}
	if s := linear.String(); !strings.Contains(s, "and 5 more") || !strings.Contains(s, "cosine") {
		t.Error(s)
	}
	if flat, err := fit(t, svm.Flat{}, d).Classes(); err != nil || len(flat.Couplings()) != 0 {
		t.Errorf("flat: %v, %v", flat, err)
	}
}
