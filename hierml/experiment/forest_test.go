package experiment

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
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
