package hierml_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// withIntercept returns the estimator with a value in its field Intercept.
func withIntercept(e classifier.Estimator, value float64) classifier.Estimator {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	v.Set(reflect.ValueOf(e))
	v.FieldByName("Intercept").SetFloat(value)
	return v.Interface().(classifier.Estimator)
}

// linear are the estimators with a field Intercept.
func linear() []classifier.Estimator {
	s := solver.Settings{Seed: 1, Workers: 1}
	return []classifier.Estimator{
		svm.Flat{Settings: s}, svm.Hierarchical{Settings: s}, svm.Hierarchical{Sets: true, Settings: s}, svm.Normalized{Settings: s}, svm.Shared{Settings: s},
		svm.GlobalMargin{Settings: s}, svm.Recursive{Settings: s}, svm.OneVsRest{Settings: s}, svm.OneVsRest{Loss: solver.Logistic, Settings: s}, svm.HR{Settings: s},
		svm.PLT{Settings: s}, svm.PLT{Policy: svm.Exclusive, Link: classifier.CubedHinge, Settings: s}, svm.HierarchicalSoftmax{Settings: s}, svm.Orthogonal{Settings: s},
		svm.Transfer{Settings: s}, svm.TreeLoss{Settings: s}, svm.HM3{Settings: s}, svm.MaxConstraint{Settings: s},
		perceptron.Flat{}, perceptron.Hierarchical{Averaged: true}, perceptron.Hierarchical{Minover: true}, perceptron.Hieron{},
	}
}

// An intercept is a constant column: scores, rankings and certificates are those of a training with
// the column, before and after saving, also where few features occur.
func TestInterceptIsAConstantColumn(t *testing.T) {
	for shape, d := range map[string]*dataset.Dataset{
		"dense": example.Dense(example.Tree(2, 3), 60, 3, 1), "sparse": example.Texts(example.Tree(2, 3), 60, 2000, 8, 2),
	} {
		for _, e := range linear() {
			name := fmt.Sprintf("%s, %T", shape, e)
			const value = 0.5
			got, err := withIntercept(e, value).Fit(context.Background(), d)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			wide := d.WithConstant(value)
			want, err := e.Fit(context.Background(), wide)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if a, b := got.Training.Certificate, want.Training.Certificate; a != nil && (a.Primal != b.Primal || a.Dual != b.Dual) {
				t.Errorf("%s: the certificate is %v to %v; with the column it is %v to %v", name, a.Dual, a.Primal, b.Dual, b.Primal)
			}
			if got.Features() != d.X.Cols || strings.Join(got.Vocabulary, " ") != strings.Join(d.Vocabulary, " ") {
				t.Errorf("%s: the model has %d features", name, got.Features())
			}
			file := filepath.Join(t.TempDir(), "model")
			if err := got.Save(file); err != nil {
				t.Fatal(err)
			}
			loaded, err := classifier.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if a, err := got.Constraints(1); err == nil {
				b, err := want.Constraints(1)
				if err != nil {
					t.Fatal(err)
				}
				for k, c := range a.List {
					if other := b.List[k]; c.Label != other.Label || math.Abs(c.Lead-other.Lead) > 1e-5 {
						t.Errorf("%s: constraint %d is %v; with the column it is %v", name, k, c, other)
					}
				}
			} else if _, err := want.Constraints(1); err == nil {
				t.Errorf("%s: no constraints", name)
			}
			for form, m := range map[string]*classifier.Model{"trained": got, "loaded": loaded} {
				scores, with := m.LeafScores(d.X), want.LeafScores(wide.X)
				for i := range d.Len() {
					for y, v := range with.RawRowView(i) {
						if s := scores.At(i, y); math.Abs(s-v) > 1e-5*(1+math.Abs(v)) && s != v {
							t.Fatalf("%s, %s: the score of leaf %d in row %d is %v; with the column it is %v", name, form, y, i, s, v)
						}
					}
				}
				a, b := m.Predict(d.X), want.Predict(wide.X)
				differing := 0
				for i := range a {
					if a[i] != b[i] {
						differing++
					}
				}
				if differing > 1 { // by rounding
					t.Errorf("%s, %s: %d of %d labels differ", name, form, differing, len(a))
				}
			}
		}
	}
}

// An intercept is refused where there is none to have.
func TestInterceptIsRefused(t *testing.T) {
	d := example.Dense(example.Tree(2, 3), 20, 3, 1)
	for _, e := range linear() {
		for _, value := range []float64{-1, math.NaN(), math.Inf(1), 1e300, 1e-300} {
			if m, err := withIntercept(e, value).Fit(context.Background(), d); err == nil || m != nil {
				t.Errorf("%T trains with an intercept of %v", e, value)
			}
		}
	}
	for _, e := range []classifier.Estimator{
		svm.Flat{Kernel: gram.RBF{Gamma: 1}, Intercept: 1}, svm.Hierarchical{Kernel: gram.Linear{}, Intercept: 1}, svm.HR{Kernel: gram.Linear{}, Intercept: 1},
		svm.HM3{Kernel: gram.Linear{}, Intercept: 1}, svm.Orthogonal{Kernel: gram.Linear{}, Intercept: 1}, perceptron.Hieron{Kernel: gram.Linear{}, Intercept: 1},
	} {
		if _, err := e.Fit(context.Background(), d); err == nil || !strings.Contains(err.Error(), "Kernel") {
			t.Errorf("%T: %v with a kernel and an intercept", e, err)
		}
	}
	if _, err := (perceptron.Flat{Intercept: 1}).Learner(d.Taxonomy, 3); err == nil {
		t.Error("a learner takes an intercept")
	}
}
