package svm_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// flatForest has nodes that are all leaves.
func flatForest(t *testing.T, names ...string) *taxonomy.Taxonomy {
	t.Helper()
	g, err := taxonomy.New(names, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPLTIsOneVsRest holds that label trees are logistic regressions of one leaf against the rest
// where the taxonomy is flat, below one root where all instances have labels, and by the policies
// that have all others as negatives.
func TestPLTIsOneVsRest(t *testing.T) {
	forest := flatForest(t, "a", "b", "c", "d", "e")
	star := example.Tree(5)
	deep := example.Tree(3, 3)
	for name, c := range map[string]struct {
		g *taxonomy.Taxonomy
		e svm.PLT
	}{
		"flat": {forest, svm.PLT{}}, "star": {star, svm.PLT{}}, "less inclusive": {forest, svm.PLT{Policy: svm.LessInclusive}},
		"siblings": {star, svm.PLT{Policy: svm.Siblings}}, "exclusive": {deep, svm.PLT{Policy: svm.Exclusive}},
		"less exclusive": {deep, svm.PLT{Policy: svm.LessExclusive}},
	} {
		d := example.Texts(c.g, 150, 100, 12, 1)
		c.e.C, c.e.Settings.Gap = 3, 1e-8
		m, rest := fit(t, c.e, d), fit(t, svm.OneVsRest{C: 3, Loss: solver.Logistic, Settings: c.e.Settings}, d)
		if p, q := m.Training.Certificate.Primal, rest.Training.Certificate.Primal; math.Abs(p-q) > 1e-7*q {
			t.Errorf("%s: objective %v, one-vs-rest has %v", name, p, q)
		}
		scores, margins := m.LeafScores(d.X), rest.LeafScores(d.X)
		for i := range d.Len() {
			for y := range c.g.Leaves() {
				if want := -math.Log1p(math.Exp(-margins.At(i, y))); math.Abs(scores.At(i, y)-want) > 1e-3 || c.g == forest && name == "flat" && scores.At(i, y) != want && margins.At(i, y) > 0 {
					t.Errorf("%s: row %d, leaf %d: %v, want %v", name, i, y, scores.At(i, y), want)
				}
			}
		}
	}
}

// TestSoftmaxOfTwoIsLogistic holds that a softmax of two classes is half of the logistic regression
// of one of them with 2 C.
func TestSoftmaxOfTwoIsLogistic(t *testing.T) {
	d := example.Dense(flatForest(t, "a", "b"), 60, 5, 1)
	s := solver.Settings{Gap: 1e-9}
	m, rest := fit(t, svm.HierarchicalSoftmax{C: 0.7, Settings: s}, d), fit(t, svm.OneVsRest{C: 1.4, Loss: solver.Logistic, Settings: s}, d)
	// OneVsRest has the problem twice, once for each class.
	if p, q := m.Training.Certificate.Primal, rest.Training.Certificate.Primal/4; math.Abs(p-q) > 1e-7*q {
		t.Errorf("objective %v, want %v", p, q)
	}
	for f, w := range rest.Weights(0) {
		if a, b := m.Weights(0)[f], m.Weights(1)[f]; math.Abs(a-w/2) > 1e-4 || math.Abs(a+b) > 1e-4 {
			t.Errorf("feature %d: weights %v and %v, want half of %v and its opposite", f, a, b, w)
		}
	}
}

// TestProbabilitiesOfInnerLabels trains with labels at inner nodes, of which PLT learns that no
// child is there, and hierarchical softmax nothing.
// TestSoftmaxOfRowsWithoutFeatures has no feature below one inner node, and below any: the children
// there are equally probable.
func TestSoftmaxOfRowsWithoutFeatures(t *testing.T) {
	g := example.Tree(2, 2)
	var labels [][]int
	for _, y := range g.Leaves() {
		labels = append(labels, []int{y})
	}
	for name, values := range map[string][]float64{"one node": {1, 0, 0, 1, 0, 0, 0, 0}, "all": make([]float64, 8)} {
		d, err := dataset.FromDense("d", g, mat.NewDense(4, 2, values), labels)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*dataset.Dataset{d, d.Subset([]int{0, 1, 2, 2, 3})} {
			m, err := svm.HierarchicalSoftmax{}.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if r := m.Training.Certificate; r.Status != solver.Converged {
				t.Errorf("%s: %v", name, r)
			}
			p, err := m.LeafProbabilities(d.X)
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.Len() {
				row := p.RawRowView(i)
				if row[2] != row[3] || math.Abs(mat.Sum(p.RowView(i))-1) > 1e-9 || name == "all" && math.Abs(row[0]-0.25) > 1e-12 {
					t.Errorf("%s: row %d has probabilities %v", name, i, row)
				}
			}
		}
	}
}

func TestProbabilitiesOfInnerLabels(t *testing.T) {
	g := example.Tree(2, 2) // 0; 1, 2; 3, 4, 5, 6
	x := &dataset.Matrix{Rows: 4, Cols: 1, Indptr: []int{0, 1, 2, 3, 4}, Indices: []int32{0, 0, 0, 0}, Values: []float32{1, 1, 1, 1}}
	inner := g.Children(0)[0]
	leaf := g.Children(inner)[0]
	d := &dataset.Dataset{Taxonomy: g, X: x, Labels: [][]int{{inner}, {inner}, {leaf}, {inner}}}
	plt, softmax := fit(t, svm.PLT{C: 1e4}, d), fit(t, svm.HierarchicalSoftmax{C: 1e4}, d)
	p, err := plt.ConditionalProbabilities(x)
	if err != nil {
		t.Fatal(err)
	}
	q, err := softmax.ConditionalProbabilities(x)
	if err != nil {
		t.Fatal(err)
	}
	other := g.Children(inner)[1]
	if p.At(0, inner) != 1 || math.Abs(p.At(0, leaf)-0.25) > 0.01 || p.At(0, other) != 0 {
		t.Errorf("a label tree has %v", p.RawRowView(0))
	}
	if q.At(0, leaf) < 0.9 || q.At(0, other) > 0.1 {
		t.Errorf("a softmax has %v", q.RawRowView(0))
	}
}

// TestSaturatedLinksAreUntied holds that leaves with probability 1 are ranked by their margins.
func TestSaturatedLinksAreUntied(t *testing.T) {
	g := flatForest(t, "a", "b", "c")
	x := &dataset.Matrix{Rows: 2, Cols: 2, Indptr: []int{0, 1, 2}, Indices: []int32{0, 1}, Values: []float32{1, 1}}
	d := &dataset.Dataset{Taxonomy: g, X: x, Labels: [][]int{{0, 1}, {2}}}
	for _, link := range []classifier.Link{classifier.CubedHinge, classifier.SquaredHinge} {
		m := fit(t, svm.PLT{C: 100, Link: link}, d)
		w := m.Training.Certificate.Weights
		w.Set(0, 0, 2)
		w.Set(0, 1, 3)
		p, err := m.LeafProbabilities(x)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(p.At(0, 0)-1) > 1e-11 || math.Abs(p.At(0, 1)-1) > 1e-11 || m.Predict(x)[0] != 1 {
			t.Errorf("%v: probabilities %v, predicted %d", link, p.RawRowView(0), m.Predict(x)[0])
		}
	}
}

func TestLocalClassifiersRefuse(t *testing.T) {
	d := example.Dense(example.Tree(2, 2), 20, 3, 1)
	graph := example.Dense(example.Graph(15, 3), 40, 4, 1)
	for says, c := range map[string]struct {
		e classifier.Estimator
		d *dataset.Dataset
	}{
		"Dataset.Under":  {svm.PLT{}, graph},
		"single path":    {svm.HierarchicalSoftmax{}, graph},
		"Link Softmax":   {svm.PLT{Link: classifier.Softmax}, d},
		"unknown Policy": {svm.PLT{Policy: 9}, d},
		"C":              {svm.HierarchicalSoftmax{C: -1}, d},
		"Gap":            {svm.HierarchicalSoftmax{Settings: solver.Settings{Gap: -1}}, d},
	} {
		if m, err := c.e.Fit(context.Background(), c.d); err == nil || m != nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want an error that says %q", err, says)
		}
	}
	m := fit(t, svm.PLT{Link: classifier.Margin}, d)
	if _, err := m.LeafProbabilities(d.X); err == nil {
		t.Error("margins have probabilities")
	}
	if _, err := m.LabelSets(d.X); err == nil {
		t.Error("a label tree scores label sets")
	}
	for name, err := range map[string]error{
		"unknown": m.SetLink(9, nil, nil), "certain without a link": m.SetLink(classifier.NoLink, []int{0}, nil),
		"descending": m.SetLink(classifier.Sigmoid, []int{2, 1}, nil), "both": m.SetLink(classifier.Sigmoid, []int{1}, []int{1}),
		"softmax": m.SetLink(classifier.Softmax, nil, []int{1}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestCalibrateLabelTrees calibrates, and learns sets from, models with leaves that have
// probability 0, in some folds and in all.
func TestCalibrateLabelTrees(t *testing.T) {
	d := example.Texts(example.Tree(3, 4), 60, 300, 15, 1)
	leaves := d.Taxonomy.Leaves()
	for i := range d.Labels {
		if d.Labels[i][0] == leaves[3] {
			d.Labels[i] = []int{leaves[2]} // nothing has the fourth
		}
	}
	d.Labels[0] = []int{leaves[5]}
	for i, set := range d.Labels[1:] {
		if set[0] == leaves[5] {
			d.Labels[i+1] = []int{leaves[4]} // one has the sixth
		}
	}
	p, err := svm.Calibrate(context.Background(), svm.PLT{}, d)
	if err != nil {
		t.Fatal(err)
	}
	probabilities := p.LeafProbabilities(d.X)
	for i := range d.Len() {
		sum := 0.0
		for _, v := range probabilities.RawRowView(i) {
			sum += v
		}
		if !(math.Abs(sum-1) < 1e-9) {
			t.Errorf("row %d: the probabilities %v add up to %v", i, probabilities.RawRowView(i), sum)
		}
	}
	if _, never := p.Model.Certain(); len(never) == 0 {
		t.Error("all leaves can be")
	}
	sets, err := svm.NodeSets{Method: svm.PLT{}}.Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	if f := sets.HeldOut; !(f > 0.5) {
		t.Errorf("node sets have an F1 of %v", f)
	}
}

// TestGreedyLabelTrees goes down label trees, past nodes that cannot be, also where no child can.
func TestGreedyLabelTrees(t *testing.T) {
	g := example.Tree(3, 3)
	d := example.Texts(g, 60, 100, 12, 1)
	inner := g.Children(0)
	for i, set := range d.Labels {
		switch parent := g.Parents(set[0])[0]; {
		case parent == inner[0]:
			d.Labels[i] = []int{inner[0]} // with no child
		case parent == inner[1]:
			d.Labels[i] = g.Children(inner[1])[2:]
		}
	}
	m := fit(t, svm.PLT{C: 10, Link: classifier.CubedHinge}, d)
	m.Rule = classifier.Descend
	beam, err := m.NewBeam(g.Len())
	if err != nil {
		t.Fatal(err)
	}
	ranked, beamed := m.Rank(d.X, 4), beam.Rank(d.X, 4)
	for i, y := range m.Predict(d.X) {
		if g.Parents(y)[0] == inner[1] && y != g.Children(inner[1])[2] {
			t.Errorf("row %d: predicted %d, which cannot be", i, y)
		}
		for k, r := range ranked[i] {
			if r.Node != beamed[i][k].Node || math.IsNaN(r.Score) || k == 0 && (r.Node != y || r.Score != 0) {
				t.Errorf("row %d: predicted %d, ranked %v, by the beam %v", i, y, ranked[i], beamed[i])
				break
			}
		}
	}
}
