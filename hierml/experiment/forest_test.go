package experiment

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
)

// TestForestsInAStudy compares forests by the measures of nodes, which other methods have not.
func TestForestsInAStudy(t *testing.T) {
	var s Study
	err := json.Unmarshal([]byte(`{
		"Data": [{"Name": "drawn", "Generator": {"synthetic.TextLike": {"Train": 100, "Test": 30, "Features": 40}}}],
		"Methods": [
			{"Name": "forest", "Estimator": {"forest.Forest": {"Trees": 5}}, "Grid": {"Tree.MinLeaf": [2, 5]}},
			{"Name": "tree", "Estimator": "forest.Tree"},
			{"Name": "flat", "Estimator": "svm.Flat"}],
		"Split": {"HeldOut": 0.3}, "Inner": {"HeldOut": 0.3}, "Measures": ["AU(PRC)", "hierarchical F1"], "Select": "hierarchical F1"}`), &s)
	if err != nil {
		t.Fatal(err)
	}
	r := complete(t, &s)
	if len(r.Cells) != 3 {
		t.Errorf("%d cells", len(r.Cells))
	}
	for _, c := range r.Cells {
		v, ok := c.Values["AU(PRC)"]
		if ok != (c.Method != "flat") || ok && !(v > 0 && v <= 1) || math.IsNaN(c.Values["hierarchical F1"]) {
			t.Errorf("cell of %s: AU(PRC) %v, %v, error %q", c.Method, v, ok, c.Error)
		}
	}
	if text := r.String(); !strings.Contains(text, "AU(PRC)") {
		t.Errorf("shown as\n%s", text)
	}
}

// TestSelectByWhatSomeLack chooses by a measure that a method does not have, which is an error and
// not a 0, and by one of a depth.
func TestSelectByWhatSomeLack(t *testing.T) {
	for measure, failing := range map[string]string{"AU(PRC)": "flat has no AU(PRC)", "macro F1 at depth 1": "", "log loss": "flat has no log loss"} {
		s := &Study{
			Data: []Data{{Name: "drawn", Generator: synthetic.LinearTree{Depth: 2, Instances: 60}}},
			Methods: []Method{
				{Name: "flat", Estimator: svm.Flat{}, Grid: Grid{"C": {0.1, 1}}},
				{Name: "softmax", Estimator: svm.HierarchicalSoftmax{}, Grid: Grid{"C": {0.1, 1}}}},
			Split: Split{HeldOut: 0.3}, Inner: Split{HeldOut: 0.3}, Measures: []string{measure},
		}
		r, err := s.Run(t.Context())
		if r == nil {
			t.Fatal(err)
		}
		for _, c := range r.Cells {
			fails := failing != "" && (c.Method == "flat" || measure == "AU(PRC)")
			if fails != (c.Error != "") || c.Method == "flat" && !strings.Contains(c.Error, failing) {
				t.Errorf("%s by %s: error %q", c.Method, measure, c.Error)
			}
			if v, ok := c.Values[measure]; ok == fails || ok && math.IsNaN(v) {
				t.Errorf("%s: %s is %v, %v", c.Method, measure, v, ok)
			}
		}
	}
}
