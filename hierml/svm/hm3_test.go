package svm_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// closedLabels returns instances with one feature a node, 1 for the labels, which are nodes of all
// depths, none above another, and sometimes none.
func closedLabels(r *rand.Rand, g *taxonomy.Taxonomy, rows int) *dataset.Dataset {
	x := &dataset.Matrix{Rows: rows, Cols: g.Len(), Indptr: []int{0}}
	labels := make([][]int, rows)
	for i := range labels {
		var set []int
		for n := range g.Len() {
			if r.IntN(4) == 0 {
				set = append(set, n)
			}
		}
		labels[i] = g.MostSpecific(set)
		for _, n := range labels[i] {
			x.Indices, x.Values = append(x.Indices, int32(n)), append(x.Values, 1)
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	return &dataset.Dataset{Name: "inner labels", Taxonomy: g, X: x, Labels: labels}
}

func TestHM3LearnsClosedSets(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for name, g := range map[string]*taxonomy.Taxonomy{
		"tree": example.Tree(2, 3), "forest": example.Random(r, 12, 3, 1), "graph": example.Random(r, 12, 2, 3),
	} {
		d := closedLabels(r, g, 60)
		for kernel, k := range map[string]gram.Kernel{"no": nil, "RBF": gram.RBF{Gamma: 0.5}} {
			m, err := svm.HM3{C: 300, Kernel: k, Settings: solver.Settings{Gap: 1e-4}}.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if m.Training.Status != solver.Converged {
				t.Errorf("%s, %s kernel: %v", name, kernel, m.Training.Certificate)
			}
			predicted, err := m.ClosedSets(d.X)
			if err != nil {
				t.Fatal(err)
			}
			for i, set := range predicted {
				if !slices.Equal(set, d.Labels[i]) {
					t.Errorf("%s, %s kernel: row %d has labels %v, predicted %v", name, kernel, i, d.Labels[i], set)
				}
			}
			var file bytes.Buffer
			if err := m.Write(&file, classifier.Format{}); err != nil {
				t.Fatal(err)
			}
			loaded, err := classifier.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
			if err != nil {
				t.Fatal(err)
			}
			if again, err := loaded.ClosedSets(d.X); err != nil || loaded.Rule != classifier.ClosedSet || !reflect.DeepEqual(again, predicted) {
				t.Errorf("%s, %s kernel: other sets after a way through a file, error %v", name, kernel, err)
			}
		}
	}
}

// TestHM3WithoutHierarchy holds that on nodes without edges, with the Hamming loss, it is half of
// one-vs-rest with twice the C.
func TestHM3WithoutHierarchy(t *testing.T) {
	g, err := taxonomy.New([]string{"a", "b", "c", "d"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := example.Dense(g, 40, 3, 4)
	d.Labels[1], d.Labels[2] = []int{0, 3}, nil
	settings := solver.Settings{Gap: 1e-9, MaxEpochs: 100000}
	m, err := svm.HM3{C: 0.7, Settings: settings}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := svm.OneVsRest{C: 1.4, Settings: settings}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Training.Certificate.Primal, rest.Training.Certificate.Primal/2; math.Abs(got-want) > 1e-7*want {
		t.Errorf("objective %v, half of one-vs-rest is %v", got, want)
	}
	for n := range g.Len() {
		for f, v := range m.Weights(n) {
			if want := rest.Weights(n)[f]; math.Abs(v-want) > 1e-4 {
				t.Errorf("weight of feature %d for node %d is %v, in one-vs-rest %v", f, n, v, want)
			}
		}
	}
}

// TestHM3LinearKernel holds that the kernel of inner products is no kernel.
func TestHM3LinearKernel(t *testing.T) {
	d := closedLabels(rand.New(rand.NewPCG(3, 1)), example.Graph(9, 2), 20)
	sub, err := svm.HM3{Settings: solver.Settings{Gap: 1e-8}}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := svm.HM3{Kernel: gram.Linear{}, Settings: solver.Settings{Gap: 1e-8}}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	a, b := sub.NodeScores(d.X), kernel.NodeScores(d.X)
	for i := range d.X.Rows {
		for n := range d.Taxonomy.Len() {
			if math.Abs(a.At(i, n)-b.At(i, n)) > 1e-3 {
				t.Errorf("score of node %d for row %d is %v, with the kernel %v", n, i, a.At(i, n), b.At(i, n))
			}
		}
	}
	if _, err := sub.Classes(); err == nil || !strings.Contains(err.Error(), "HM3") {
		t.Errorf("class weights of HM3: %v", err)
	}
}

// TestHM3IsEvaluated has a study's way to compare, by leaves, and the choice of C, by closed sets.
func TestHM3IsEvaluated(t *testing.T) {
	g := example.Tree(3, 3)
	d := separable(rand.New(rand.NewPCG(2, 1)), g, 60)
	sib, err := loss.Sib(g)
	if err != nil {
		t.Fatal(err)
	}
	choice, err := svm.ChooseC(t.Context(), svm.HM3{Loss: sib.(loss.Decomposing)}, d)
	if err != nil {
		t.Fatal(err)
	}
	if best := choice.Tried[len(choice.Tried)-1]; best.Loss > 1 || best.Accuracy < 0.5 {
		t.Errorf("C was chosen by %v", choice.Tried)
	}
	report, err := metric.Evaluate(choice.Model, d)
	if err != nil {
		t.Fatal(err)
	}
	if report.MicroF1 < 0.99 || report.HLoss > 0.01 {
		t.Errorf("micro F1 %v, H-loss %v of training data that can be separated", report.MicroF1, report.HLoss)
	}
}

func TestHM3Refuses(t *testing.T) {
	g := example.Tree(2)
	d := example.Dense(g, 4, 2, 1)
	other := example.Dense(example.Tree(3), 4, 2, 1)
	for name, call := range map[string]func() error{
		"C":       func() error { _, err := svm.HM3{C: -1}.Fit(t.Context(), d); return err },
		"no data": func() error { _, err := svm.HM3{}.Fit(t.Context(), nil); return err },
		"another loss": func() error {
			_, err := svm.HM3{Loss: loss.LeafSymdiff(other.Taxonomy)}.Fit(t.Context(), d)
			return err
		},
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
