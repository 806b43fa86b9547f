package svm_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// TestExtremeData trains with every method where there is nothing to compare, or where numbers are
// so small that products of them vanish: the certificate is true and the scores are numbers.
func TestExtremeData(t *testing.T) {
	g := example.Tree(2, 3)
	scaled := func(d *dataset.Dataset, by float32) *dataset.Dataset {
		for k := range d.X.Values {
			d.X.Values[k] *= by
		}
		return d
	}
	all := example.Texts(g, 40, 50, 10, 1)
	for i := range all.Labels {
		all.Labels[i] = g.Leaves()
	}
	for name, test := range map[string]struct {
		c      float64
		d      *dataset.Dataset
		primal float64
	}{
		"nothing to compare": {1, all, 0},
		"tiny features":      {1, scaled(example.Texts(g, 40, 50, 10, 1), 1e-30), 40},
		"tiny C":             {1e-300, example.Texts(g, 40, 50, 10, 1), 40e-300},
	} {
		for method, m := range map[string]solver.Method{
			"default": nil, "dual ascent": solver.DualAscent{}, "Pegasos": solver.Pegasos{Batch: 7}, "variable selection": solver.VariableSelection{}, "RDA": solver.RDA{},
		} {
			model, err := svm.Flat{C: test.c, Method: m, Settings: solver.Settings{MaxEpochs: 50}}.Fit(context.Background(), test.d)
			if err != nil {
				t.Errorf("%s, %s: %v", name, method, err)
				continue
			}
			if !(math.Abs(model.Training.Certificate.Primal-test.primal) <= 1e-3*test.primal) || !(model.Training.Certificate.Gap <= 1e-3) {
				t.Errorf("%s, %s: primal %v, gap %v; want %v, solved", name, method, model.Training.Certificate.Primal, model.Training.Certificate.Gap, test.primal)
			}
			if scores := model.LeafScores(test.d.X).RawMatrix().Data; slices.ContainsFunc(scores, math.IsNaN) {
				t.Errorf("%s, %s: scores are not numbers", name, method)
			}
		}
	}
}

func TestFitRefusesUnorderedLabels(t *testing.T) {
	g := example.Tree(2, 3)
	leaves := g.Leaves()
	for _, set := range [][]int{{leaves[1], leaves[0]}, {leaves[0], leaves[0]}} {
		d := example.Texts(g, 40, 50, 10, 1)
		d.Labels[5] = set
		if _, err := (svm.Flat{}).Fit(context.Background(), d); err == nil || !strings.Contains(err.Error(), "row 5") || !strings.Contains(err.Error(), "ascending") {
			t.Errorf("labels %v: error %v", set, err)
		}
	}
}

func TestFitRefusesDataWithoutLabels(t *testing.T) {
	g := example.Tree(2, 3)
	d := example.Texts(g, 40, 50, 10, 1)
	clear(d.Labels)
	if _, err := (svm.Flat{}).Fit(context.Background(), d); err == nil || !strings.Contains(err.Error(), "no instance") {
		t.Errorf("error %v", err)
	}
}

func TestNegativeWorkers(t *testing.T) {
	g := example.Tree(2, 3)
	d := example.Texts(g, 40, 50, 10, 1)
	settings := solver.Settings{Workers: -1}
	for _, e := range []classifier.Estimator{svm.Flat{Settings: settings}, svm.Recursive{Settings: settings}, svm.OneVsRest{Settings: settings}, svm.HR{Settings: settings}} {
		if _, err := e.Fit(context.Background(), d); err == nil || !strings.Contains(err.Error(), "Workers is -1") {
			t.Errorf("%T: error %v", e, err)
		}
	}
}

func TestSaveNeedsAFile(t *testing.T) {
	g := example.Tree(2, 3)
	m := fit(t, svm.Flat{}, example.Texts(g, 40, 50, 10, 1))
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(folder); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: %v", err)
	}
	if err := m.Save(""); err == nil || !strings.Contains(err.Error(), "file name is empty") {
		t.Errorf("no name: %v", err)
	}
}
