package hierml_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// What data and settings have broken, and the tests of it:
//
//	C of 1e300, values of 1e30             TestExtremeNumbers
//	a feature of number 2147483646         TestManyFeatures
//	a limit of time, a deep taxonomy       TestTimeIsOver, and TestTimeOver of package solver
//	a shared SVM of contradictions         TestSharedOfContradictions
//	features of very different scales      TestNoteOfUnsolved of package svm
//	a C of 0                               TestZeroIsTheDefaultC of package svm
//	100 folds of 40 rows                   TestImpossibleDivisions of package experiment

// fitted is what a training ends with.
type fitted struct {
	model       *classifier.Model
	certificate *solver.Result // nil of methods that solve no problem
	predict     func(x *dataset.Matrix) any
}

// trainer is a way to train that the library has.
type trainer struct {
	name string
	fit  func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (*fitted, error)
}

// trainers are all estimators, the SVMs with all solvers that fit them.
func trainers() []trainer {
	of := func(name string, e func(s solver.Settings) svm.Regularized) trainer {
		return trainer{name, func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (*fitted, error) {
			m, err := e(s).WithC(c).Fit(ctx, d)
			return whole(m), err
		}}
	}
	without := func(name string, e classifier.Estimator) trainer {
		return trainer{name, func(ctx context.Context, d *dataset.Dataset, _ float64, _ solver.Settings) (*fitted, error) {
			m, err := e.Fit(ctx, d)
			return whole(m), err
		}}
	}
	all := []trainer{
		of("flat", func(s solver.Settings) svm.Regularized { return svm.Flat{Settings: s} }),
		of("flat, wide", func(s solver.Settings) svm.Regularized { s.Gap = 1e-6; return svm.Flat{Settings: s} }),
		of("flat, kernel", func(s solver.Settings) svm.Regularized {
			return svm.Flat{Settings: s, Kernel: gram.Polynomial{Degree: 3}}
		}),
		of("one against the rest", func(s solver.Settings) svm.Regularized { return svm.OneVsRest{Settings: s} }),
		of("one against the rest, by BCFW", func(s solver.Settings) svm.Regularized {
			return svm.OneVsRest{Settings: s, Method: solver.BCFW{}}
		}),
		of("max constraint", func(s solver.Settings) svm.Regularized { return svm.MaxConstraint{Settings: s} }),
		of("hierarchical", func(s solver.Settings) svm.Regularized { return svm.Hierarchical{Settings: s} }),
		of("global margin", func(s solver.Settings) svm.Regularized { return svm.GlobalMargin{Settings: s} }),
		of("hierarchical regularization", func(s solver.Settings) svm.Regularized { return svm.HR{Settings: s} }),
		of("hierarchical regularization, logistic", func(s solver.Settings) svm.Regularized { return svm.HR{Loss: solver.Logistic, Settings: s} }),
		of("recursive", func(s solver.Settings) svm.Regularized { return svm.Recursive{Settings: s} }),
		of("label tree", func(s solver.Settings) svm.Regularized { return svm.PLT{Settings: s} }),
		of("label tree of squared hinges", func(s solver.Settings) svm.Regularized {
			return svm.PLT{Link: classifier.CubedHinge, Policy: svm.Inclusive, Settings: s}
		}),
		of("hierarchical softmax", func(s solver.Settings) svm.Regularized { return svm.HierarchicalSoftmax{Settings: s} }),
		of("normalized", func(s solver.Settings) svm.Regularized { return svm.Normalized{Settings: s} }),
		of("normalized, MaxMin", func(s solver.Settings) svm.Regularized {
			return svm.Normalized{Settings: s, Weighting: weighting.MaxMin{}}
		}),
		of("shared", func(s solver.Settings) svm.Regularized { return svm.Shared{Settings: s} }),
		of("orthogonal", func(s solver.Settings) svm.Regularized { return svm.Orthogonal{Settings: s} }),
		of("orthogonal, RDA", func(s solver.Settings) svm.Regularized {
			return svm.Orthogonal{Settings: s, Method: solver.RDA{}}
		}),
		of("transfer", func(s solver.Settings) svm.Regularized { return svm.Transfer{Settings: s} }),
		of("tree loss", func(s solver.Settings) svm.Regularized { return svm.TreeLoss{Settings: s} }),
		of("ridge regression", func(s solver.Settings) svm.Regularized { return svm.Ridge{Kernel: gram.Linear{}, Workers: s.Workers} }),
		{"node sets", func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (*fitted, error) {
			m, err := svm.NodeSets{Method: svm.Flat{C: c, Settings: s}}.Fit(ctx, d)
			if m == nil {
				return nil, err
			}
			return &fitted{m.Model, m.Model.Training.Certificate, func(x *dataset.Matrix) any { return m.Predict(x) }}, err
		}},
		{"automatic hierarchy", func(ctx context.Context, d *dataset.Dataset, c float64, s solver.Settings) (*fitted, error) {
			m, err := clustering.Automatic{Estimator: svm.Hierarchical{C: c, Settings: s}}.Fit(ctx, d)
			if m == nil {
				return nil, err
			}
			return whole(m.Model.(*classifier.Model)), err
		}},
		without("perceptron", perceptron.Flat{}),
		without("perceptron, averaged", perceptron.Hierarchical{Averaged: true}),
		without("perceptron, kernel", perceptron.Hierarchical{Kernel: gram.Polynomial{Degree: 2}}),
		without("Minover", perceptron.Hierarchical{Minover: true}),
		without("Hieron", perceptron.Hieron{}),
	}
	for name, m := range map[string]solver.Method{
		"dual ascent": solver.DualAscent{}, "Pegasos": solver.Pegasos{}, "RDA": solver.RDA{}, "variable selection": solver.VariableSelection{}, "variable selection, joint": solver.VariableSelection{Joint: true},
	} {
		all = append(all, of("hierarchical, "+name, func(s solver.Settings) svm.Regularized { return svm.Hierarchical{Settings: s, Method: m} }))
	}
	return all
}

func whole(m *classifier.Model) *fitted {
	if m == nil {
		return nil
	}
	return &fitted{m, m.Training.Certificate, func(x *dataset.Matrix) any { return m.Predict(x) }}
}

// contradictory returns texts of which every second row is the one before it, with another label.
func contradictory(scale float32) *dataset.Dataset {
	g := example.Tree(2, 3)
	d := example.Texts(g, 40, 50, 10, 1)
	rows := make([]int, d.Len())
	for i := range rows {
		rows[i] = i &^ 1
	}
	d.X = d.X.Subset(rows)
	leaves := g.Leaves()
	for i := range d.Labels {
		d.Labels[i] = []int{leaves[(i/2+i%2*3)%len(leaves)]}
	}
	for k := range d.X.Values {
		d.X.Values[k] *= scale
	}
	return d
}

// TestExtremeNumbers trains every estimator where numbers overflow or vanish. There is an error, or
// a certificate that is true: of two equal rows with different labels one costs C at least, times
// the difference of their losses.
func TestExtremeNumbers(t *testing.T) {
	for _, test := range []struct {
		name  string
		c     float64
		scale float32
	}{
		{"C = 1e308", 1e308, 1}, {"C = 1e300", 1e300, 1}, {"C = 1e200", 1e200, 1}, {"C = 1e-300", 1e-300, 1},
		{"values of 1e30", 1, 1e30}, {"values of 1e30, C = 1e300", 1e300, 1e30}, {"values of 1e-30", 1, 1e-30}, {"values of 1e-30, C = 1e300", 1e300, 1e-30},
		{"values of 1e150", 1, float32(math.Inf(1))}, // no float32 holds them
	} {
		for _, e := range trainers() {
			t.Run(test.name+"/"+e.name, func(t *testing.T) {
				d := contradictory(test.scale)
				m, err := e.fit(context.Background(), d, test.c, solver.Settings{MaxEpochs: 30})
				if err != nil {
					return
				}
				if math.IsInf(float64(test.scale), 0) {
					t.Fatal("no error")
				}
				m.predict(d.X)
				if scores := m.model.LeafScores(d.X).RawMatrix().Data; slices.ContainsFunc(scores, math.IsNaN) {
					t.Error("scores that are no numbers")
				}
				if r := m.certificate; r != nil {
					if least := test.c * 0.1; !(r.Primal >= least) || math.IsInf(r.Primal, 0) {
						t.Errorf("primal %v, which is %v at least", r.Primal, least)
					}
					if !(r.Dual >= 0 && r.Dual <= r.Primal*(1+1e-9)) || !(math.Abs(r.Gap-(r.Primal-r.Dual)/r.Primal) < 1e-6) {
						t.Errorf("dual %v, primal %v, gap %v", r.Dual, r.Primal, r.Gap)
					}
					if converged := r.Status == solver.Converged; converged != (r.Gap <= 1e-3) && e.name != "flat, wide" {
						t.Errorf("%v at gap %v", r.Status, r.Gap)
					}
				}
			})
		}
	}
}

// TestManyFeatures trains every estimator on rows of which one has the largest feature that there
// is. The model is that of the same rows where the features are numbered without gaps, also saved
// and loaded, and features that it was not trained with change nothing.
func TestManyFeatures(t *testing.T) {
	g := example.Tree(2, 3)
	const last = math.MaxInt32 - 1
	narrow := example.Texts(g, 40, 50, 10, 1)
	far := example.Texts(g, 40, 50, 10, 1)
	narrow.X.Cols, far.X.Cols = 51, last+1
	add := func(d *dataset.Dataset, feature int32) {
		d.X.Indices, d.X.Values = append(d.X.Indices, feature), append(d.X.Values, 1)
		d.X.Indptr[d.X.Rows]++
	}
	add(narrow, 50)
	add(far, last)
	other := *far.X // with features that no instance has
	other.Indices, other.Values = append(slices.Clone(far.X.Indices), last+0), append(slices.Clone(far.X.Values), 5)
	other.Indices[len(other.Indices)-2] = 1 << 30
	other.Indptr = slices.Clone(far.X.Indptr)
	other.Indptr[other.Rows]++
	with := *narrow.X
	with.Values = slices.Clone(narrow.X.Values)
	with.Values[len(with.Values)-1] = 5
	for _, e := range trainers() {
		t.Run(e.name, func(t *testing.T) {
			want, err := e.fit(context.Background(), narrow, 1, solver.Settings{MaxEpochs: 20})
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.fit(context.Background(), far, 1, solver.Settings{MaxEpochs: 20})
			if err != nil {
				t.Fatal(err)
			}
			if n := got.model.Features(); n != last+1 {
				t.Errorf("%d features", n)
			}
			if !reflect.DeepEqual(got.predict(far.X), want.predict(narrow.X)) {
				t.Error("other predictions")
			}
			var file bytes.Buffer
			if err := got.model.Write(&file, classifier.Format{}); err != nil {
				t.Fatal(err)
			}
			if file.Len() > 1<<20 {
				t.Errorf("a file of %d bytes", file.Len())
			}
			loaded, err := classifier.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
			if err != nil {
				t.Fatal(err)
			}
			for name, m := range map[string]*classifier.Model{"trained": got.model, "loaded": loaded} {
				if err := m.Check(&other); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				for _, x := range [][2]*dataset.Matrix{{far.X, narrow.X}, {&other, &with}} {
					scores, expected := m.LeafScores(x[0]), want.model.LeafScores(x[1])
					if !mat.EqualApprox(scores, expected, 1e-6*mat.Max(expected)) {
						t.Errorf("%s: other scores", name)
					}
				}
			}
			if beam, err := got.model.NewBeam(2); err == nil && !slices.Equal(beam.Predict(far.X), loaded.Predict(far.X)) && e.name == "recursive" {
				t.Error("a beam predicts otherwise")
			}
			if x, err := got.model.Explain(far.X, far.X.Rows-1); err == nil && x.Predicted != got.model.Predict(far.X)[far.X.Rows-1] {
				t.Error("explains another prediction")
			}
		})
	}
}

// TestTimeIsOver trains every estimator that has a bound of time, on a deep taxonomy, when it is
// over at once. The certificate is true. A training keeps a checkpoint and goes on from it, or says
// that it keeps none and leaves none.
func TestEveryTrainingKeepsACheckpointOrSaysSo(t *testing.T) {
	d := example.Texts(example.Tree(2, 3), 60, 50, 10, 1)
	keep := 0
	for _, e := range trainers() {
		if e.name == "ridge regression" { // has no such settings
			continue
		}
		path := filepath.Join(t.TempDir(), "checkpoint")
		m, err := e.fit(context.Background(), d, 1, solver.Settings{Gap: 1e-2, Checkpoint: path})
		_, left := os.Stat(path)
		switch {
		case err != nil:
			if left == nil || !strings.Contains(err.Error(), " empty") {
				t.Errorf("%s: %v, and a file is left: %v", e.name, err, left == nil)
			}
		case m.certificate == nil: // solves no problem
		case e.name == "node sets": // are trained several times, and need no file then
			if left == nil {
				t.Errorf("%s: a file is left", e.name)
			}
		case left != nil:
			t.Errorf("%s: no error and no file", e.name)
		default:
			keep++
			again, err := e.fit(context.Background(), d, 1, solver.Settings{Gap: 1e-2, Checkpoint: path, MaxEpochs: 1})
			if err != nil || again.certificate.Gap > 1e-2 {
				t.Errorf("%s: %v, %v; want no more than an epoch after the end", e.name, again, err)
			}
		}
	}
	if keep < 10 {
		t.Errorf("%d trainings keep a checkpoint", keep)
	}
}

func TestTimeIsOver(t *testing.T) {
	names, edges, at := []string{"0"}, [][2]int{}, 0
	for range 60 { // a node of a chain and a leaf beside it
		for range 2 {
			edges = append(edges, [2]int{at, len(names)})
			names = append(names, strconv.Itoa(len(names)))
		}
		at = len(names) - 1
	}
	g, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	d := example.Dense(g, 244, 10, 1)
	for _, e := range trainers() {
		if e.name == "ridge regression" { // has no such settings; its Time is tested in package svm
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			m, err := e.fit(context.Background(), d, 1, solver.Settings{Time: 1})
			if e.name == "flat, kernel" { // without the kernel there is nothing to predict by
				if err == nil || !strings.Contains(err.Error(), "the time of 1ns was up before the training") {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r := m.certificate
			if r == nil {
				return
			}
			if r.Status != solver.TimeLimit || !(r.Primal > 0) || math.IsInf(r.Primal, 0) || !(r.Gap > 0 && r.Gap <= 1) {
				t.Errorf("%v", r)
			}
			if scores := m.model.LeafScores(d.X).RawMatrix().Data; slices.ContainsFunc(scores, math.IsNaN) {
				t.Error("scores that are no numbers")
			}
		})
	}
}

// TestSharedOfContradictions trains the shared SVM on equal rows with different labels and a C
// beyond what the data bear: the optimum is zero weights, and the bound reaches it.
func TestSharedOfContradictions(t *testing.T) {
	d := contradictory(1)
	dense := example.Dense(d.Taxonomy, 40, 5, 1)
	for i := range dense.Labels {
		dense.Labels[i] = d.Labels[i]
		copy(dense.X.Values[i*5:(i+1)*5], dense.X.Values[(i&^1)*5:])
	}
	for name, d := range map[string]*dataset.Dataset{"texts": d, "dense": dense} {
		m, err := svm.Shared{C: 1000}.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		if r := m.Training.Certificate; r.Status != solver.Converged || !(r.Gap <= 1e-3) || math.Abs(r.Primal-40000) > 100 {
			t.Errorf("%s: %v", name, r)
		}
	}
}
