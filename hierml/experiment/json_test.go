package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/hierml/weighting"
)

// TestStudyAsJSON reads the studies of testdata, and what is written of them.
func TestStudyAsJSON(t *testing.T) {
	for _, name := range []string{"newsgroups", "synthetic", "tea"} {
		t.Run(name, func(t *testing.T) {
			s, err := ReadStudy(filepath.Join("testdata", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			written, err := json.MarshalIndent(s, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			var again Study
			if err := json.Unmarshal(written, &again); err != nil {
				t.Fatalf("%v\n%s", err, written)
			}
			twice, err := json.MarshalIndent(&again, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(written, twice) {
				t.Errorf("written\n%s\nand, read again,\n%s", written, twice)
			}
			var a, b any
			text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			if json.Unmarshal(text, &a) != nil || json.Unmarshal(written, &b) != nil || canonical(a) != canonical(b) {
				t.Errorf("the file is\n%s\nand what is written of it\n%s", text, written)
			}
		})
	}
}

// TestGoAndJSONAreOne compares what cells are known by of methods in Go and the same methods in
// JSON.
func TestGoAndJSONAreOne(t *testing.T) {
	for text, method := range map[string]Method{
		`{"Estimator": "svm.Flat"}`:                                         {Estimator: svm.Flat{}},
		`{"Estimator": {"svm.Flat": {}}}`:                                   {Estimator: &svm.Flat{}},
		`{"Estimator": {"svm.Flat": {"C": 1e1, "Settings": {"Gap": 0.5}}}}`: {Estimator: svm.Flat{C: 10, Settings: solver.Settings{Gap: 0.5, Workers: 7}}},
		`{"Estimator": {"svm.Normalized": {"Weighting": {"weighting.Path": {"Directional": true}}, "DivideByNorm": true}}}`:  {Estimator: svm.Normalized{Weighting: weighting.Path{Directional: true}, DivideByNorm: true}},
		`{"Estimator": {"svm.Normalized": {"Weighting": "weighting.MaxMin", "Method": "solver.DualAscent", "Sets": false}}}`: {Estimator: svm.Normalized{Weighting: weighting.MaxMin{}, Method: solver.DualAscent{}}},
		`{"Estimator": {"svm.Recursive": {"Mean": "LocalMean"}}}`:                                                            {Estimator: svm.Recursive{Mean: svm.LocalMean}},
		`{"Estimator": {"forest.Forest": {"Trees": 5, "Features": "All", "Tree.MinLeaf": 2, "Seed": 3}}}`:                    {Named: Named{Type: "forest.Forest", Fields: map[string]any{"Trees": 5, "Features": "All", "Tree.MinLeaf": 2, "Seed": 3}}},
		`{"Estimator": {"svm.NodeSets": {"Method": {"svm.Hierarchical": {"C": 2}}, "Grid": [1, 2]}}}`:                        {Named: Named{Type: "svm.NodeSets", Fields: map[string]any{"Method": svm.Hierarchical{C: 2}, "Grid": []float64{1, 2}}}},
	} {
		var object map[string]any
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		s := Study{}
		if err := json.Unmarshal([]byte(`{"Methods": [`+text+`]}`), &s); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, want := s.Methods[0].identity(), method.identity(); got != want {
			t.Errorf("%s is %s in JSON and %s in Go", text, got, want)
		}
	}
}

// TestFaultyStudies lists what ReadStudy says of files that are no study.
func TestFaultyStudies(t *testing.T) {
	with := func(method string) string {
		return `{"Data": [{"Generator": "synthetic.LinearTree"}], "Methods": [` + method + `]}`
	}
	for _, test := range []struct{ text, want string }{
		{``, "study.json:1:1: the file ends in the middle of the study"},
		{"{\n\"Data\": [}", "study.json:2:10: invalid character '}'"},
		{"{}\nx", "study.json:1:3: there is text after the end of the study"},
		{`[]`, "study.json:1:1: the file is one JSON array; expected an object"},
		{`{}`, "a study needs Data and Methods"},
		{`{"Methodes": []}`, "the study has no field Methodes; it has Name, Data, Methods, Split, Inner, Select, Repeats"},
		{`{"Repeats": "three"}`, `the study.Repeats cannot be "three"; expected a whole number`},
		{`{"Repeats": 1.5}`, "the study.Repeats cannot be 1.5; expected a whole number"},
		{`{"Data": [{"Set": {"Name": "a"}}]}`, "which can be given in Go only"},
		{`{"Methods": [{"Name": "a", "Fit": "x"}]}`, "the study.Methods[0].Fit is a function, which can be given in Go only"},
		{`{"Methods": [{"Grid": {"C": 1}}]}`, "the study.Methods[0].Grid cannot be"},
		{with(`{"Estimator": "svm.Flut"}`), `nothing is called "svm.Flut" here; there are bayes.Multinomial, bayes.Shrinkage, clustering.Automatic, clustering.Balanced, clustering.Huffman, clustering.Randomized, decision.By, forest.Forest, forest.Tree, perceptron.Flat`},
		{with(`{"Estimator": {"svm.Flat": {"Gap": 1}}}`), "svm.Flat has no field Gap; it has C, Loss, Kernel, Intercept, Settings, Method"},
		{with(`{"Estimator": {"svm.Flat": {"Settings": {"Gp": 1}}}}`), "svm.Flat.Settings has no field Gp; it has Gap, MaxEpochs"},
		{with(`{"Estimator": "svm.Flat", "Grid": {"D": [1]}}`), "svm.Flat has no field D"},
		{with(`{"Estimator": "svm.Flat", "Grid": {"C": [1, 1.0]}}`), "the grid of C has the value 1 twice"},
		{with(`{"Estimator": "svm.Flat", "Grid": {"C": []}}`), "the grid has no values of C"},
		{with(`{"Estimator": {"svm.Flat": {"Loss": "treee"}}}`), `svm.Flat.Loss: no loss is called "treee"; the names are half`},
		{with(`{"Estimator": {"svm.Hierarchical": {"SetLoss": "treee"}}}`), `svm.Hierarchical.SetLoss: no loss of sets is called "treee"`},
		{with(`{"Estimator": {"svm.Normalized": {"Weighting": "Path"}}}`), `svm.Normalized.Weighting cannot be "Path"; there are weighting.MaxMin, weighting.Path`},
		{with(`{"Estimator": {"svm.Flat": {"Settings": {"Time": 3}}}}`), `expected a duration, such as "1m30s"`},
		{with(`{"Estimator": {"svm.Flat": {"Settings": {"Progress": 3}}}}`), "svm.Flat.Settings.Progress is a function"},
		{with(`{"Estimator": "svm.Flat"}, {"Estimator": "svm.Flat"}`), `two methods are called "svm.Flat"`},
		{`{"Measures": ["speed"], "Data": [{"Open": "x"}], "Methods": [{"Estimator": "svm.Flat"}]}`, `no measure is called "speed"; there are accuracy`},
		{`{"Split": {"Folds": 1}, "Data": [{"Open": "x"}], "Methods": [{"Estimator": "svm.Flat"}]}`, "Split.Folds is 1; it must be 2 or more"},
		{`{"Split": {"Folds": 2, "HeldOut": 0.5}, "Data": [{"Open": "x"}], "Methods": [{"Estimator": "svm.Flat"}]}`, "Split has several of HeldOut, Folds"},
		{`{"Data": [{"Open": "x", "Texts": "y"}], "Methods": [{"Estimator": "svm.Flat"}]}`, "has 2 of Open, Texts"},
		{`{"Data": [{"Texts": "x", "Text": {"Weight": "tfidf"}}]}`, "the study.Data[0].Text.Weight"},
		{`{"Baseline": "b", "Data": [{"Open": "x"}], "Methods": [{"Estimator": "svm.Flat"}]}`, `Baseline is "b"; the methods are svm.Flat`},
	} {
		file := filepath.Join(t.TempDir(), "study.json")
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadStudy(file); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.text, err, test.want)
		}
	}
}

// TestNames builds everything that has a name.
func TestNames(t *testing.T) {
	for name := range estimatorTypes() {
		m := Method{Name: name, Named: Named{Type: name}}
		if err := m.check(1); err != nil {
			t.Error(err)
		}
	}
	for name := range generatorTypes() {
		if _, err := generatorOf(Named{Type: name}, 1); err != nil {
			t.Error(err)
		}
	}
	for name := range stepTypes() {
		if _, err := stepOf(Named{Type: name}); err != nil {
			t.Error(err)
		}
	}
	for _, step := range []any{nil, 3, "synthetic.LinearTree", features.TFIDF{}} {
		if _, err := stepOf(step); err == nil {
			t.Errorf("%v is taken for a step", step)
		}
	}
}

// TestFaultyEstimators lists what is said of values that are none.
func TestFaultyEstimators(t *testing.T) {
	for _, test := range []struct {
		estimator classifier.Estimator
		grid      Grid
		want      string
	}{
		{Centroids{}, Grid{"C": {1}}, "experiment.Centroids has no field C; it has Noise, Fail, Seed"},
		{Centroids{}, Grid{"Noise": {"loud"}}, `experiment.Centroids.Noise cannot be "loud"; expected a number`},
		{(*Centroids)(nil), nil, "the estimator is a *experiment.Centroids that is nil"},
		{nil, nil, "has 0 of Estimator, Named and Fit"},
	} {
		m := Method{Name: "m", Estimator: test.estimator, Grid: test.grid}
		if err := m.check(1); err == nil || !strings.Contains(err.Error(), test.want) || strings.Count(err.Error(), "experiment: ") != 1 {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestFunctionAsMethod is known by its name and version.
func TestFunctionAsMethod(t *testing.T) {
	f := Method{Name: "svm.Flat", Fit: func(ctx context.Context, d *dataset.Dataset, _ Params) (metric.Scorer, error) {
		return Centroids{}.Fit(ctx, d)
	}}
	if f.identity() == (&Method{Named: Named{Type: "svm.Flat"}}).identity() || !f.blind() {
		t.Errorf("a function is %s", f.identity())
	}
	s := &Study{Data: []Data{{Set: linearTree(t, 30)}}, Methods: []Method{f}}
	if c := complete(t, s).Cells[0]; c.Error != "" {
		t.Error(c.Error)
	}
}

// TestNested sets fields of an estimator in an estimator, runs it and compares with the same in Go.
func TestNested(t *testing.T) {
	text := `{
		"Data": [{"Generator": {"synthetic.LinearTree": {"Depth": 2, "Instances": 60}}, "Steps": [{"features.Scaling": {"Columns": "z-score"}}, "features.DocumentFrequency"]}],
		"Methods": [{"Name": "random", "Estimator": {"clustering.Randomized": {"Estimator": {"perceptron.Hierarchical": {"Loss": "tree", "Settings": {"Epochs": 3, "Shuffle": true}}}}},
			"Grid": {"Estimator.Averaged": [true, false]}}]
	}`
	s := &Study{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	r := complete(t, s)
	for _, c := range r.Cells {
		if c.Error != "" {
			t.Error(c.Error)
		}
	}
	s.Data[0].Steps = []any{features.Scaling{Columns: features.ZScore}, features.DocumentFrequency{}}
	s.Data[0].Generator = synthetic.LinearTree{Depth: 2, Instances: 60}
	if got := complete(t, s); got.CSV() != r.CSV() {
		t.Errorf("in Go\n%s\nand in JSON\n%s", got.CSV(), r.CSV())
	}
	d := linearTree(t, 20)
	h := perceptron.Flat{}
	m := Method{Named: Named{Type: "clustering.Randomized", Fields: map[string]any{"Estimator": &h}}, Grid: Grid{"Estimator.Averaged": {true}}}
	if _, err := m.fitter(nil, 17, 3, d.Taxonomy); err != nil {
		t.Fatal(err)
	}
	if h.Settings.Seed != 0 || h.Averaged {
		t.Error("the user's estimator is changed")
	}
}

// TestDecisions decides by rules that are named, and compares with the same in Go.
func TestDecisions(t *testing.T) {
	text := `{
		"Data": [{"Generator": {"synthetic.LinearTree": {"Depth": 2, "Instances": 120}}}],
		"Measures": ["accuracy", "tree loss", "hierarchical samples F1"],
		"Methods": [
			{"Name": "softmax", "Estimator": "svm.HierarchicalSoftmax"},
			{"Name": "least loss", "Estimator": {"decision.By": {"Estimator": "svm.HierarchicalSoftmax", "Rule": {"decision.LeastLoss": {"Loss": "tree", "Inner": true}}}}},
			{"Name": "largest F", "Estimator": {"decision.By": {"Estimator": {"svm.Flat": {"C": 10}}, "Calibration": {"Folds": 3}, "Rule": "decision.LargestF"}}},
			{"Name": "thresholds", "Estimator": {"decision.By": {"Estimator": "svm.HierarchicalSoftmax", "Rule": "decision.NodeThresholds"}}},
			{"Name": "top down", "Estimator": {"decision.By": {"Estimator": "svm.HierarchicalSoftmax", "Rule": {"decision.TopDown": {}}}}}
		]
	}`
	s := &Study{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	r := complete(t, s)
	for _, c := range r.Cells {
		if c.Error != "" {
			t.Error(c.Error)
		}
	}
	s.Methods[1] = Method{Name: "least loss", Fit: func(ctx context.Context, d *dataset.Dataset, _ Params) (metric.Scorer, error) {
		return decision.By{Estimator: svm.HierarchicalSoftmax{}, Rule: decision.LeastLoss{Loss: loss.Tree(d.Taxonomy), Inner: true}}.Fit(ctx, d)
	}}
	s.Methods[2] = Method{Name: "largest F", Fit: func(ctx context.Context, d *dataset.Dataset, _ Params) (metric.Scorer, error) {
		return decision.By{Estimator: svm.Flat{C: 10}, Calibration: &svm.Calibration{Folds: 3}, Rule: decision.LargestF{}}.Fit(ctx, d)
	}}
	for i, c := range complete(t, s).Cells {
		for _, measure := range s.Measures {
			if got, want := c.Values[measure], r.Cells[i].Values[measure]; got != want {
				t.Errorf("%s, %s: %v in Go, and %v in JSON", c.Method, measure, got, want)
			}
		}
	}
	if values := r.Cells[0].Values; values["tree loss"] < r.Cells[1].Values["tree loss"] {
		t.Errorf("the tree loss %v of the likeliest leaves, and %v of the decisions", values, r.Cells[1].Values)
	}
}

// TestFields sets every kind of field.
func TestFields(t *testing.T) {
	s := Study{}
	text := `{"Data": [{"Texts": "x", "Text": {"Weight": "BM25", "NGrams": [1, 2], "StopWords": ["a", "b"], "K1": 2}}],
		"Methods": [{"Estimator": {"svm.Flat": {"Settings": {"Seed": 18446744073709551615, "Time": "1m30s"}}}}], "Seed": 18446744073709551615}`
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	d := s.Data[0].Text
	if d.Weight != features.BM25 || d.NGrams != [2]int{1, 2} || strings.Join(d.StopWords, "") != "ab" || d.K1 != 2 {
		t.Errorf("%+v", d)
	}
	built, err := s.Methods[0].Named.build(nil, estimatorTypes())
	if err != nil {
		t.Fatal(err)
	}
	if got := built.(svm.Flat).Settings; s.Seed != 1<<64-1 || got.Seed != 1<<64-1 || got.Time.Seconds() != 90 {
		t.Errorf("%v, %+v", s.Seed, got)
	}
}

// TestFormerNames reads names of measures as earlier versions had them.
func TestFormerNames(t *testing.T) {
	const former, current = "macro F1", "macro F1 of all classes"
	s := Study{Data: []Data{{Name: "tree", Generator: synthetic.LinearTree{Depth: 2, Instances: 60}}}, Methods: []Method{{Name: "flat", Estimator: svm.Flat{}}}, Measures: []string{"accuracy", former}, Select: former}
	c, err := s.checked()
	if err != nil || c.Select != current || c.Measures[1] != current || s.Measures[1] != former {
		t.Fatalf("checked as %v, %v from %v (%v)", c.Select, c.Measures, s.Measures, err)
	}
	var cell Cell
	if err := json.Unmarshal([]byte(`{"Values": {"macro F1": 0.5}}`), &cell); err != nil || cell.Values[current] != 0.5 {
		t.Errorf("a cell has %v (%v)", cell.Values, err)
	}
	r := &Results{Cells: []*Cell{&cell}}
	with, err := r.With(former)
	if err != nil || with.Measures[0] != current {
		t.Errorf("columns %v (%v)", with, err)
	}
}

// TestEmptyObjectsArePointersThatAreSet has a field of a pointer, where {} is not the same as
// nothing: it goes back to JSON, tells two methods apart, and has another key.
func TestEmptyObjectsArePointersThatAreSet(t *testing.T) {
	const text = `{"Data": [{"Name": "d", "Generator": {"synthetic.LinearTree": {"Depth": 2, "Instances": 60}}}], "Methods": [
		{"Name": "none", "Estimator": {"decision.By": {"Estimator": "svm.HierarchicalSoftmax", "Rule": "decision.LeastLoss"}}},
		{"Name": "calibrated", "Estimator": {"decision.By": {"Estimator": "svm.HierarchicalSoftmax", "Rule": "decision.LeastLoss", "Calibration": {}}}},
		{"Name": "within", "Estimator": {"svm.Described": {"Estimator": {"svm.Balanced": {"Estimator": "svm.Flat", "Balance": {}}}, "Weight": 2}}}
	]}`
	var s Study
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	for range 20 { // maps have no order
		back, err := s.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var again Study
		if err := json.Unmarshal(back, &again); err != nil {
			t.Fatal(err)
		}
		for i := range s.Methods {
			if canonical(again.Methods[i].Named) != canonical(s.Methods[i].Named) {
				t.Fatalf("%s became\n%s", canonical(s.Methods[i].Named), canonical(again.Methods[i].Named))
			}
		}
		if is := strings.Contains(canonical(again.Methods[1].Named), `"Calibration":{}`); !is || strings.Contains(canonical(again.Methods[0].Named), "Calibration") {
			t.Fatalf("calibration is lost: %s", back)
		}
		if text := canonical(again.Methods[2].Named); strings.Contains(text, "Balance\":{}") || !strings.Contains(text, `"Weight":2`) {
			t.Fatalf("fields of a struct within another: %s", text)
		}
		built, err := again.Methods[1].Named.build(nil, estimatorTypes())
		if err != nil {
			t.Fatal(err)
		}
		if by := built.(decision.By); by.Calibration == nil {
			t.Fatal("no calibration")
		}
	}
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Cells) != 3 || r.Cells[0].Key == r.Cells[1].Key {
		t.Errorf("%v", r.Cells)
	}
}
