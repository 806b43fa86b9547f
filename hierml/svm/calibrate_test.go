package svm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// severalTexts are texts with one or two labels.
func severalTexts(t *taxonomy.Taxonomy, rows int, seed uint64) *dataset.Dataset {
	all := example.Texts(t, 2*rows, 300, 25, seed)
	a, b := all.Subset(span(0, rows)), all.Subset(span(rows, 2*rows))
	d := &dataset.Dataset{Name: "several", Taxonomy: t, X: &dataset.Matrix{Rows: rows, Cols: 300, Indptr: []int{0}}}
	for i := range rows {
		values := make([]float32, 300)
		set := slices.Clone(a.Labels[i])
		for k, m := range []*dataset.Matrix{a.X, b.X}[:1+i%2] {
			f, v := m.Row(i)
			for j := range f {
				values[f[j]] += v[j]
			}
			if k == 1 {
				set = append(set, b.Labels[i]...)
			}
		}
		slices.Sort(set)
		d.Labels = append(d.Labels, slices.Compact(set))
		for f, v := range values {
			if v != 0 {
				d.X.Indices, d.X.Values = append(d.X.Indices, int32(f)), append(d.X.Values, v)
			}
		}
		d.X.Indptr = append(d.X.Indptr, len(d.X.Values))
	}
	return d
}

// miss is the mean squared difference between probabilities and what is true.
func miss(p *mat.Dense, relevant [][]int) float64 {
	n, q := p.Dims()
	var sum float64
	for i := range n {
		for y := range q {
			v := p.At(i, y)
			if slices.Contains(relevant[i], y) {
				v--
			}
			sum += v * v / float64(n)
		}
	}
	return sum
}

func TestProbabilitiesAreCalibrated(t *testing.T) {
	for name, g := range map[string]*taxonomy.Taxonomy{"tree": example.Tree(3, 3), "DAG": example.Graph(14, 3)} {
		train, test := example.Texts(g, 600, 300, 12, 5).Subset(span(0, 400)), example.Texts(g, 600, 300, 12, 5).Subset(span(400, 600))
		for _, c := range []struct {
			svm.Calibration
			e classifier.Estimator
		}{
			{svm.Calibration{}, svm.Hierarchical{}}, {svm.Calibration{Form: svm.Isotonic}, svm.Hierarchical{}}, {svm.Calibration{}, svm.Recursive{}},
			{svm.Calibration{Form: svm.Beta}, svm.Flat{}}, {svm.Calibration{Form: svm.VennABERS}, svm.Recursive{}}, {svm.Calibration{Form: svm.Temperature}, svm.Hierarchical{}},
			{svm.Calibration{Levels: true}, svm.Hierarchical{}}, {svm.Calibration{Form: svm.Temperature, Levels: true}, svm.Recursive{}},
		} {
			c.Folds = 4
			p, err := c.Fit(context.Background(), c.e, train)
			if c.Levels && !g.IsTree() {
				if err == nil || !strings.Contains(err.Error(), "Levels needs a tree") {
					t.Errorf("error %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			relevant := make([][]int, test.Len())
			for i, set := range test.Labels {
				relevant[i] = []int{g.LeafIndex(set[0])}
			}
			leaves, nodes := p.LeafProbabilities(test.X), p.NodeProbabilities(test.X)
			checkProbabilities(t, name, p.Model.Taxonomy, leaves, nodes)
			var confidence, right float64
			hard := mat.NewDense(test.Len(), len(g.Leaves()), nil)
			for i, n := range p.Model.Predict(test.X) {
				if sum := mat.Sum(leaves.RowView(i)); math.Abs(sum-1) > 1e-9 {
					t.Errorf("%s: row %d adds up to %v", name, i, sum)
				}
				for v := range g.Len() { // one label: the sum over the leaves below
					var below float64
					for _, leaf := range g.Descendants(v) {
						if g.IsLeaf(leaf) {
							below += leaves.At(i, g.LeafIndex(leaf))
						}
					}
					if g.IsLeaf(v) {
						below = leaves.At(i, g.LeafIndex(v))
					}
					if math.Abs(nodes.At(i, v)-below) > 1e-9 {
						t.Errorf("%s, %v: row %d: node %d has %v, the leaves below %v", name, c, i, v, nodes.At(i, v), below)
					}
				}
				for _, root := range g.Roots() {
					if len(g.Roots()) == 1 && math.Abs(nodes.At(i, root)-1) > 1e-9 {
						t.Errorf("%s: the root of row %d has %v", name, i, nodes.At(i, root))
					}
				}
				hard.Set(i, g.LeafIndex(n), 1)
				confidence += leaves.At(i, g.LeafIndex(n)) / float64(test.Len())
				if slices.Contains(test.Labels[i], n) {
					right += 1 / float64(test.Len())
				}
			}
			if got, all := miss(leaves, relevant), miss(hard, relevant); got > all {
				t.Errorf("%s, %v: probabilities miss by %v, predictions taken as certain by %v", name, c, got, all)
			}
			if math.Abs(confidence-right) > 0.1 {
				t.Errorf("%s, %v: %v sure, %v right", name, c, confidence, right)
			}
		}
	}
}

// checkProbabilities checks that all are probabilities and none rises from a node to a child.
func checkProbabilities(t *testing.T, name string, g *taxonomy.Taxonomy, leaves, nodes *mat.Dense) {
	t.Helper()
	rows, _ := leaves.Dims()
	for i := range rows {
		for _, p := range append(slices.Clone(leaves.RawRowView(i)), nodes.RawRowView(i)...) {
			if !(p >= 0 && p <= 1+1e-9) {
				t.Fatalf("%s: row %d has probability %v", name, i, p)
			}
		}
		for _, e := range g.Edges() {
			if nodes.At(i, e[1]) > nodes.At(i, e[0])+1e-9 {
				t.Fatalf("%s: row %d: %v above %v", name, i, nodes.At(i, e[0]), nodes.At(i, e[1]))
			}
		}
	}
}

func TestProbabilitiesOfLabelSets(t *testing.T) {
	g := example.Tree(2, 3)
	all := severalTexts(g, 700, 1)
	train, test := all.Subset(span(0, 500)), all.Subset(span(500, 700))
	for _, c := range []svm.Calibration{{}, {Levels: true}, {Form: svm.Beta, Levels: true}, {Form: svm.VennABERS}} {
		p, err := c.Fit(context.Background(), svm.OneVsRest{}, train)
		if err != nil {
			t.Fatal(err)
		}
		checkSets(t, p, test)
	}
}

// checkSets compares probabilities with how often each leaf is a label.
func checkSets(t *testing.T, p *svm.Calibrated, test *dataset.Dataset) {
	g := test.Taxonomy
	leaves, nodes := p.LeafProbabilities(test.X), p.NodeProbabilities(test.X)
	checkProbabilities(t, "sets", g, leaves, nodes)
	relevant, err := p.Model.Relevant(test)
	if err != nil {
		t.Fatal(err)
	}
	rate := mat.NewDense(test.Len(), len(g.Leaves()), nil)
	for _, set := range relevant {
		for _, y := range set {
			for i := range test.Len() {
				rate.Set(i, y, rate.At(i, y)+1/float64(test.Len()))
			}
		}
	}
	if got, base := miss(leaves, relevant), miss(rate, relevant); got > 0.95*base {
		t.Errorf("probabilities miss by %v, rates by %v", got, base)
	}
}

func TestPredictSets(t *testing.T) {
	g := example.Tree(2, 3)
	all := severalTexts(g, 700, 1)
	train, test := all.Subset(span(0, 500)), all.Subset(span(500, 700))
	m := fit(t, svm.OneVsRest{}, train)
	relevant, err := m.Relevant(train)
	if err != nil {
		t.Fatal(err)
	}
	scores := m.LeafScores(train.X)
	threshold, err := calibration.Threshold(scores, relevant)
	if err != nil {
		t.Fatal(err)
	}
	size, err := calibration.Size(scores, relevant)
	if err != nil {
		t.Fatal(err)
	}
	each, err := calibration.PerLabel(scores, relevant)
	if err != nil {
		t.Fatal(err)
	}
	for name, cut := range map[string]calibration.Cut{"threshold": threshold, "size": size, "each": each, "zero": calibration.Above(0)} {
		var hits, wrong float64
		for i, set := range m.PredictSets(test.X, cut) {
			if !slices.IsSorted(set) {
				t.Errorf("%s: row %d: %v", name, i, set)
			}
			for _, n := range set {
				if !g.IsLeaf(n) {
					t.Fatalf("%s: row %d: %v", name, i, set)
				}
				if slices.Contains(test.Labels[i], n) {
					hits++
				} else {
					wrong++
				}
			}
			for _, n := range test.Labels[i] {
				if !slices.Contains(set, n) {
					wrong++
				}
			}
		}
		if f1 := 2 * hits / (2*hits + wrong); f1 < 0.45 {
			t.Errorf("%s: F1 %v", name, f1)
		}
	}
	report, err := metric.Evaluate(classifier.Cutting{Model: m, Cut: threshold}, test)
	if err != nil {
		t.Fatal(err)
	}
	f, err := metric.LabelSets(test.Labels, m.PredictSets(test.X, threshold), g)
	if err != nil {
		t.Fatal(err)
	}
	if report.MicroF1 != f.Micro || report.HierarchicalF1 != f.Hierarchical {
		t.Errorf("evaluated as\n%v\nthe sets have\n%v", report, f)
	}
	if _, err := metric.Evaluate(classifier.Cutting{Model: m}, test); err == nil {
		t.Error("no cut: no error")
	}
	if _, err := m.Relevant(&dataset.Dataset{Labels: [][]int{{0}}}); err == nil || !strings.Contains(err.Error(), "label 0 of row 0") {
		t.Errorf("error %v", err)
	}
	if _, err := m.Relevant(nil); err == nil {
		t.Error("no error")
	}
}

func TestCalibratedSaysHow(t *testing.T) {
	g := example.Tree(2, 3)
	p, err := svm.Calibration{Folds: 3, Form: svm.Isotonic}.Fit(context.Background(), svm.Flat{}, example.Texts(g, 60, 100, 10, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"flat SVM with probabilities", "isotonic", "60 instances", "3 folds", "relative gap"} {
		if !strings.Contains(p.String(), want) || !strings.Contains(p.HTML(), want) {
			t.Errorf("no %q in\n%v\n%s", want, p, p.HTML())
		}
	}
}

func TestCalibrationRefuses(t *testing.T) {
	g := example.Tree(2, 3)
	d := example.Texts(g, 60, 100, 10, 1)
	inner := d.Subset(span(0, 60))
	inner.Labels[7] = []int{g.Children(g.Roots()[0])[0]}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		c    svm.Calibration
		ctx  context.Context
		e    classifier.Estimator
		d    *dataset.Dataset
		says string
	}{
		"no estimator": {svm.Calibration{}, context.Background(), nil, d, "needs an estimator"},
		"no data":      {svm.Calibration{}, context.Background(), svm.Flat{}, nil, "needs an estimator"},
		"one fold":     {svm.Calibration{Folds: 1}, context.Background(), svm.Flat{}, d, "1 folds"},
		"many folds":   {svm.Calibration{Folds: 61}, context.Background(), svm.Flat{}, d, "61 folds of 60"},
		"all nodes":    {svm.Calibration{}, context.Background(), svm.TreeLoss{AllNodes: true}, d, "predicts inner nodes"},
		"inner node":   {svm.Calibration{}, context.Background(), svm.Recursive{}, inner, "inner node"},
		"temperature":  {svm.Calibration{Form: svm.Temperature}, context.Background(), svm.Flat{}, severalTexts(g, 100, 1), "one label per instance"},
		"no form":      {svm.Calibration{Form: 5}, context.Background(), svm.Flat{}, d, "unknown Form 5"},
		"C":            {svm.Calibration{}, context.Background(), svm.Flat{C: -1}, d, "C is -1"},
	} {
		if p, err := c.c.Fit(c.ctx, c.e, c.d); p != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if _, err := svm.Calibrate(cancelled, svm.Flat{}, d); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func span(lo, hi int) []int {
	rows := make([]int, hi-lo)
	for i := range rows {
		rows[i] = lo + i
	}
	return rows
}

func ExampleCalibrate() {
	data := example.Texts(example.Tree(3, 4), 400, 600, 30, 1)
	p, err := svm.Calibrate(context.Background(), svm.Hierarchical{C: 0.3}, data)
	if err != nil {
		fmt.Println(err)
		return
	}
	one := data.X.Subset([]int{17})
	nodes := p.NodeProbabilities(one)
	fmt.Printf("the root has probability %.1f\n", nodes.At(0, data.Taxonomy.Roots()[0]))
	// Output: the root has probability 1.0
}
