package svm_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
)

func TestSaveCalibrated(t *testing.T) {
	g := example.Tree(2, 3)
	for name, c := range map[string]struct {
		svm.Calibration
		several bool
	}{
		"Platt":             {svm.Calibration{Folds: 3}, false},
		"isotonic":          {svm.Calibration{Folds: 3, Form: svm.Isotonic}, false},
		"isotonic, several": {svm.Calibration{Folds: 2, Form: svm.Isotonic, Seed: 7}, true},
		"beta, several":     {svm.Calibration{Folds: 2, Form: svm.Beta}, true},
		"levels, several":   {svm.Calibration{Folds: 2, Form: svm.VennABERS, Levels: true}, true},
		"Venn-ABERS":        {svm.Calibration{Folds: 2, Form: svm.VennABERS}, false},
		"temperature":       {svm.Calibration{Folds: 2, Form: svm.Temperature}, false},
		"temperatures":      {svm.Calibration{Folds: 2, Form: svm.Temperature, Levels: true}, false},
		"beta, levels":      {svm.Calibration{Folds: 2, Form: svm.Beta, Levels: true}, false},
	} {
		d := example.Texts(g, 200, 100, 10, 1)
		if c.several {
			d = severalTexts(g, 100, 1)
		}
		p, err := c.Fit(context.Background(), svm.OneVsRest{}, d)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := svm.ReadCalibrated(data, p.Model)
		if err != nil {
			t.Fatal(name, err)
		}
		if !mat.Equal(got.LeafProbabilities(d.X), p.LeafProbabilities(d.X)) || !mat.Equal(got.NodeProbabilities(d.X), p.NodeProbabilities(d.X)) {
			t.Errorf("%s: other probabilities", name)
		}
		if got.String() != p.String() {
			t.Errorf("%s: read\n%v\nwritten\n%v", name, got, p)
		}
	}
}

func TestReadCalibratedRefuses(t *testing.T) {
	m, err := svm.Flat{}.Fit(context.Background(), example.Dense(example.Tree(2), 20, 3, 1))
	if err != nil {
		t.Fatal(err)
	}
	const good = `{"format":"hierml.calibrated","version":1,"calibration":{"Folds":5,"Isotonic":false,"Seed":0},"instances":20,"one label":true,` +
		`"functions":[{"A":-1,"B":2},{"scores":[1,2],"probabilities":[0.25,1]}],"leaves":[0,1]}`
	if _, err := svm.ReadCalibrated([]byte(good), m); err != nil {
		t.Fatal(err)
	}
	if _, err := svm.ReadCalibrated([]byte(good), nil); err == nil {
		t.Error("no error without a model")
	}
	for _, c := range []struct{ old, new, want string }{
		{`"version":1`, `"version":3`, "in version 3"},
		{`hierml.calibrated`, `hierml.scaler`, `the format is "hierml.scaler"`},
		{`"instances"`, `"rows"`, `unknown field "rows"`},
		{`[0,1]`, `[0]`, "functions of 1 leaves, and the model has 2"},
		{`[0,1]`, `[0,2]`, "the leaves name function 2 of 2"},
		{`[0,1]`, `[0,-1]`, "the leaves name function -1 of 2"},
		{`"one label":true`, `"one label":false`, "functions of 0 nodes, and the model has 3"},
		{`[1,2]`, `[1]`, "function 1: 1 scores, 2 probabilities"},
		{`[1,2]`, `[2,1]`, "is not beyond the one before"},
		{`[0.25,1]`, `[0.25,1.5]`, "from 0 to 1"},
		{`[0.25,1]`, `[0.25,0.2]`, "is not beyond the one before"},
		{`"scores":[1,2],`, ``, "0 scores, 2 probabilities"},
		{`"A":-1,`, `"A":-1,"beta":[1,2],`, "it must have three numbers"},
		{`"A":-1,`, `"A":-1,"inverse temperature":1,`, "parameters of several forms"},
		{`"A":-1,"B":2`, `"inverse temperature":1`, "function 0 is not of the form Platt"},
		{`"probabilities":[0.25,1]`, `"low":[0.5,1],"high":[0.25,1]`, "low 0.5 is above high 0.25"},
		{`"probabilities":[0.25,1]`, `"low":[0.5,1]`, "2 scores, 0 probabilities"},
		{`"Folds":5`, `"Folds":5,"Form":"Beta"`, "version 1 has no form Beta"},
		{`"Folds":5`, `"Folds":5,"Form":"Gamma"`, "cannot be \"Gamma\""},
		{good, ``, "EOF"},
	} {
		if _, err := svm.ReadCalibrated([]byte(strings.Replace(good, c.old, c.new, 1)), m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v does not say %q", c.new, c.old, err, c.want)
		}
	}
}
