package svm_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestRecursiveEvaluated measures recursive SVMs on graphs, whose taxonomies have a node more for
// every edge, along the graphs themselves.
func TestRecursiveEvaluated(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	wider := 0
	for k := range 20 {
		g := example.Random(r, 8+r.IntN(8), 1+k%2, 3)
		d := example.Dense(g, 30, 4, uint64(k))
		m := fit(t, svm.Recursive{}, d)
		if m.Taxonomy.Len() > g.Len() {
			wider++
		}
		file := filepath.Join(t.TempDir(), "model.safetensors")
		if err := m.Save(file); err != nil {
			t.Fatal(err)
		}
		loaded, err := classifier.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*classifier.Model{m, loaded} {
			report, err := metric.Evaluate(m, d)
			if err != nil {
				t.Fatal(err)
			}
			right, edges := 0, 0
			for i, f := range m.Predict(d.X) {
				y := d.Labels[i][0]
				edges += g.Distance(y, f)
				if f == y {
					right++
				}
			}
			if report.Accuracy != float64(right)/30 || report.TreeLoss != float64(edges)/30 {
				t.Errorf("accuracy %v and tree loss %v, want %d and %d of 30", report.Accuracy, report.TreeLoss, right, edges)
			}
		}
		// One leaf more is another matter.
		other, err := taxonomy.New(append(g.Names(), "another"), append(g.Edges(), [2]int{g.Roots()[0], g.Len()}))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.CheckTaxonomy(other); err == nil || !strings.Contains(err.Error(), "in the given taxonomy") && !strings.Contains(err.Error(), "the given one has") {
			t.Errorf("with one leaf more: error %v", err)
		}
		longer, err := d.Under(other)
		if err != nil {
			t.Fatal(err)
		}
		if fit(t, svm.Flat{}, longer).CheckTaxonomy(g) == nil {
			t.Error("with one leaf less: no error")
		}
	}
	if wider < 10 {
		t.Errorf("%d taxonomies with nodes for edges", wider)
	}
}
