package experiment_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/experiment"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
)

// ofPoints is a small study of two methods and two sizes on points in the plane.
func ofPoints() experiment.Study {
	return experiment.Study{
		Data: []experiment.Data{{Name: "points", Generator: synthetic.Gaussians{PerClass: 30}}},
		Methods: []experiment.Method{
			{Name: "SVM", Estimator: svm.Flat{Settings: solver.Settings{Gap: 0.1}}, Grid: experiment.Grid{"C": {1e-6, 10.0}}},
			{Name: "nothing", Estimator: svm.Flat{C: 1e-9, Settings: solver.Settings{Gap: 0.1}}},
		},
		Split: experiment.Split{PerClass: []int{2, 8}}, Inner: experiment.Split{HeldOut: 0.5}, Repeats: 3,
		Measures: []string{"accuracy", "tree loss"},
	}
}

// TestBest finds the better method, with the C that was chosen most often, and trains it.
func TestBest(t *testing.T) {
	ctx := context.Background()
	for _, inner := range []experiment.Split{{HeldOut: 0.5}, {}} {
		study := ofPoints()
		study.Inner = inner
		found, err := study.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, measure := range []string{"accuracy", "tree loss"} {
			best, err := found.Best(measure)
			if err != nil {
				t.Fatal(err)
			}
			if best.String() != "SVM, C=10" {
				t.Errorf("%s: the best is %v of\n%v", measure, best, found)
			}
			d, err := synthetic.Gaussians{Seed: 5}.Generate(ctx)
			if err != nil {
				t.Fatal(err)
			}
			m, err := best.Fit(ctx, d)
			if err != nil {
				t.Fatal(err)
			}
			report, err := metric.Evaluate(m, d)
			if err != nil || m.C != 10 || report.Accuracy < 0.5 {
				t.Errorf("trained with C = %v: %v, %v", m.C, report, err)
			}
			if _, err := best.Fit(ctx, nil); err == nil {
				t.Error("no data are no error")
			}
		}
		if _, err := found.Best("beauty"); err == nil || !strings.Contains(err.Error(), "no measure") {
			t.Errorf("another measure: %v", err)
		}
	}
	study := ofPoints()
	study.Directory = t.TempDir()
	study.Data = append(study.Data, experiment.Data{Name: "more points", Generator: synthetic.Gaussians{PerClass: 20}})
	found, err := study.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := found.Best("accuracy"); err == nil || !strings.Contains(err.Error(), "several data sets") {
		t.Errorf("several data sets: %v", err)
	}
	if found, err = experiment.Load(study.Directory); err != nil {
		t.Fatal(err)
	}
	if _, err := found.Best("accuracy"); err == nil || !strings.Contains(err.Error(), "run the study again") {
		t.Errorf("loaded: %v", err)
	}
}

// TestBeside puts published figures where their size and method are.
func TestBeside(t *testing.T) {
	study := ofPoints()
	study.Methods = append(study.Methods[1:], experiment.Method{Name: "perceptron", Estimator: perceptron.Flat{}})
	found, err := study.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	beside, err := found.Beside([]experiment.Published{{8, "perceptron", []float64{0.75, math.NaN()}}, {2, "nothing", []float64{0.25, 1.5}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range found.Summary().Rows {
		for _, line := range strings.Split(beside.String(), "\n") {
			if !strings.HasPrefix(strings.TrimSpace(line), map[int]string{2: "2", 8: "8"}[row.PerClass]) || !strings.Contains(line, row.Method) {
				continue
			}
			first, second := strings.Contains(line, "(0.75)"), strings.Contains(line, "(0.25)") && strings.Contains(line, "(1.5)")
			if first != (row.PerClass == 8 && row.Method == "perceptron") || second != (row.PerClass == 2 && row.Method == "nothing") {
				t.Errorf("%v has the line %q", row, line)
			}
		}
	}
	if !strings.Contains(beside.HTML(), "(0.75)") {
		t.Error("the published figures are missing in HTML")
	}
	for want, published := range map[string]experiment.Published{
		"for 2 measures": {2, "nothing", []float64{1}},
		"0 rows":         {3, "nothing", []float64{1, 1}},
	} {
		if _, err := found.Beside([]experiment.Published{published}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %q", err, want)
		}
	}
}
