package metric_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func tree(t testing.TB) *taxonomy.Taxonomy {
	t.Helper()
	g, err := taxonomy.FromPaths([]string{"go/ast", "go/build", "net/http"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	return g // go 0, go/ast 1, go/build 2, net 3, net/http 4
}

// first scores a leaf by the value of its feature.
type first struct {
	leaves int
	check  error
	most   int
}

func (f *first) Check(*dataset.Matrix) error { return f.check }

func (f *first) LeafScores(x *dataset.Matrix) *mat.Dense {
	f.most = max(f.most, x.Rows)
	s := mat.NewDense(x.Rows, f.leaves, nil)
	for i := range x.Rows {
		indices, values := x.Row(i)
		for k, j := range indices {
			s.Set(i, int(j), float64(values[k]))
		}
	}
	return s
}

// TestEvaluateInBatches checks that a data set of several batches is scored as one.
func TestEvaluateInBatches(t *testing.T) {
	const n = 2500
	g := tree(t)
	d := &dataset.Dataset{Taxonomy: g, X: &dataset.Matrix{Rows: n, Cols: 3, Indptr: []int{0}}}
	for i := range n {
		d.X.Indices = append(d.X.Indices, int32(i%3))
		d.X.Values = append(d.X.Values, 1)
		d.X.Indptr = append(d.X.Indptr, i+1)
		truth := i % 3
		if i%10 == 9 {
			truth = (i + 1) % 3
		}
		d.Labels = append(d.Labels, []int{g.Leaves()[truth]})
	}
	model := &first{leaves: 3}
	got, err := metric.Evaluate(model, d)
	if err != nil {
		t.Fatal(err)
	}
	if got.Instances != n {
		t.Errorf("%d instances, want %d", got.Instances, n)
	}
	near(t, "accuracy", got.Accuracy, 0.9)
	near(t, "micro F1", got.MicroF1, 0.9)
	if model.most >= n {
		t.Errorf("all %d instances were scored at once", model.most)
	}
	whole, err := metric.EvaluateScores(model.LeafScores(d.X), d.Labels, g)
	if err != nil {
		t.Fatal(err)
	}
	if inJSON(t, whole) != inJSON(t, got) {
		t.Errorf("in batches %v, at once %v", got, whole)
	}
}

// inJSON returns all that a report has.
func inJSON(t *testing.T, r *metric.Report) string {
	t.Helper()
	var text strings.Builder
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestRefuses(t *testing.T) {
	g := tree(t)
	x := &dataset.Matrix{Rows: 1, Cols: 3, Indptr: []int{0, 1}, Indices: []int32{0}, Values: []float32{1}}
	data := func(labels ...[]int) *dataset.Dataset {
		return &dataset.Dataset{Name: "d", Taxonomy: g, X: x, Labels: labels}
	}
	for name, test := range map[string]struct {
		model *first
		d     *dataset.Dataset
		want  string
	}{
		"no dataset":      {&first{leaves: 3}, nil, "dataset"},
		"label count":     {&first{leaves: 3}, data(), "labels for 0"},
		"no label":        {&first{leaves: 3}, data(nil), "no labels"},
		"label range":     {&first{leaves: 3}, data([]int{5}), "label 5"},
		"label order":     {&first{leaves: 3}, data([]int{2, 1}), "ascending"},
		"label twice":     {&first{leaves: 3}, data([]int{1, 1}), "ascending"},
		"columns":         {&first{leaves: 4}, data([]int{1}), "1 x 4"},
		"the model's own": {&first{leaves: 3, check: errors.New("too wide")}, data([]int{1}), "too wide"},
		"no instances":    {&first{leaves: 3}, &dataset.Dataset{Taxonomy: g, X: &dataset.Matrix{Indptr: []int{0}}}, "no instances"},
	} {
		_, err := metric.Evaluate(test.model, test.d)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
	_, err := metric.Evaluate(&first{leaves: 3}, data([]int{0}))
	var inner *metric.InnerLabelError
	if !errors.As(err, &inner) || inner.Node != 0 || inner.Name != "go" {
		t.Errorf("inner label: error %v", err)
	}
	if _, err := metric.EvaluateScores(mat.NewDense(1, 3, []float64{0, math.NaN(), 0}), [][]int{{1}}, g); err == nil {
		t.Error("NaN: no error")
	}
}

// deciding is first with decisions of its own.
type deciding struct {
	first
	sets [][]int
}

func (d *deciding) Decide(*dataset.Matrix, *mat.Dense) ([][]int, error) {
	if d.sets == nil {
		return nil, errors.New("undecided")
	}
	return d.sets, nil
}

// choosing is first that prefers leaves by the opposite of their scores.
type choosing struct{ first }

func (c *choosing) ChoiceScores(x *dataset.Matrix) *mat.Dense {
	s := c.LeafScores(x)
	s.Scale(-1, s)
	return s
}

// TestChooser ranks leaves by the scores that a model chooses by.
func TestChooser(t *testing.T) {
	g := tree(t)
	x := &dataset.Matrix{Rows: 1, Cols: 3, Indptr: []int{0, 3}, Indices: []int32{0, 1, 2}, Values: []float32{3, 2, 1}}
	d := &dataset.Dataset{Name: "d", Taxonomy: g, X: x, Labels: [][]int{{4}}}
	for want, model := range map[float64]metric.Scorer{0: &first{leaves: 3}, 1: &choosing{first{leaves: 3}}} {
		got, err := metric.Evaluate(model, d)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "accuracy", got.Accuracy, want)
		near(t, "ranking loss", got.RankingLoss, 1-want)
	}
}

// TestDecider evaluates decisions that are not the highest scores.
func TestDecider(t *testing.T) {
	g := tree(t) // leaves 1, 2 below 0, and 4 below 3
	x := &dataset.Matrix{
		Rows: 3, Cols: 3, Indptr: []int{0, 2, 3, 4},
		Indices: []int32{0, 1, 0, 2}, Values: []float32{2, 1, 1, 1}, // the highest are 1, 1, 4
	}
	d := &dataset.Dataset{Name: "d", Taxonomy: g, X: x, Labels: [][]int{{2}, {2, 4}, {4}}}
	model := &deciding{first: first{leaves: 3}, sets: [][]int{{2}, {1, 4}, nil}}
	got, err := metric.Evaluate(model, d)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "accuracy", got.Accuracy, 2.0/3) // of the second the prediction is 1, of the third 4: it has no set
	near(t, "tree loss", got.TreeLoss, 4.0/3)
	near(t, "micro F1", got.MicroF1, 4.0/7)
	near(t, "hierarchical F1", got.HierarchicalF1, 10.0/14)
	// An inner node: of the first it is the parent of the label, of the second the label's uncle.
	model.sets = [][]int{{0}, {3}, {4}}
	d.Labels = [][]int{{2}, {2}, {4}}
	if got, err = metric.Evaluate(model, d); err != nil {
		t.Fatal(err)
	}
	near(t, "accuracy", got.Accuracy, 1.0/3)
	near(t, "tree loss", got.TreeLoss, (1+3+0)/3.0)
	near(t, "hierarchical samples F1", got.HierarchicalSamplesF1, (2.0/3+0+1)/3)
	if got.InnerPredictions != 2 || !strings.Contains(got.String(), "taxonomy (an inner node is predicted for 2 instances)") {
		t.Errorf("%d inner predictions in\n%s", got.InnerPredictions, got)
	}
	for name, v := range map[string]float64{"hierarchical samples F1": got.HierarchicalSamplesF1, "rootless samples F1": got.RootlessSamplesF1} {
		if want := fmt.Sprintf(`\n  %s +%.4f\n`, name, v); !regexp.MustCompile(want).MatchString(got.String()) {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
	confusion, err := got.Confusion()
	if err != nil {
		t.Fatal(err)
	}
	turns, err := confusion.Turns()
	if err != nil {
		t.Fatal(err)
	}
	stopped := metric.Turn{Node: 0, Name: "go", Instances: 1, Cells: []metric.Cell{{Truth: 2, Predicted: 0, Count: 1}}}
	if !slices.ContainsFunc(turns, func(u metric.Turn) bool { return reflect.DeepEqual(u, stopped) }) {
		t.Errorf("turns %+v without %+v", turns, stopped)
	}
	folded, err := confusion.Fold(0)
	if err != nil || !slices.Equal(folded.Predicted, []int{0, 1, 1}) || !slices.Equal(folded.Truth, []int{0, 0, 1}) {
		t.Errorf("folded to the roots: %+v, %v", folded, err)
	}
	var file bytes.Buffer
	if err := got.WriteJSON(&file); err != nil {
		t.Fatal(err)
	}
	if read, err := metric.ReadJSON(&file, g); err != nil || read.InnerPredictions != 2 || read.String() != got.String() {
		t.Errorf("read %v, %v", read, err)
	}
	for name, sets := range map[string][][]int{"undecided": nil, "decisions for 2 of 3": {{2}, {2}}, "remove the upper one": {{0, 1}, {2}, {2}}, "not ascending": {{2, 1}, {2}, {2}}} {
		model.sets = sets
		if _, err := metric.Evaluate(model, d); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestF1Text(t *testing.T) {
	f, err := metric.LabelSets([][]int{{1}, {2}}, [][]int{{1}, {4}}, tree(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"hierarchical", "0.5000", "exact"} {
		if !strings.Contains(f.String(), want) || !strings.Contains(f.HTML(), want) {
			t.Errorf("no %q in\n%s\n%s", want, f, f.HTML())
		}
	}
}

// TestFullLabels has an instance for which no pair can be ranked.
func TestFullLabels(t *testing.T) {
	g := tree(t)
	got, err := metric.EvaluateScores(mat.NewDense(2, 3, []float64{1, 2, 3, 1, 2, 3}), [][]int{{1, 2, 4}, {1}}, g)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ranking loss", got.RankingLoss, 1)
	got, err = metric.EvaluateScores(mat.NewDense(1, 3, []float64{1, 2, 3}), [][]int{{1, 2, 4}}, g)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(got.RankingLoss) || !strings.Contains(got.String(), "–") {
		t.Errorf("ranking loss %v without pairs:\n%v", got.RankingLoss, got)
	}
}

func TestCompareMarks(t *testing.T) {
	a := &metric.Report{Instances: 10, Accuracy: 0.8, TreeLoss: 0.5, MicroF1: 0.70001, RankingLoss: math.NaN()}
	b := &metric.Report{Instances: 10, Accuracy: 0.7, TreeLoss: 0.4, MicroF1: 0.70002, RankingLoss: 0.1}
	table := metric.Compare([]string{"<a>", "b"}, []*metric.Report{a, b, nil})
	html := table.HTML()
	for _, want := range []string{"&lt;a&gt;", "<strong>0.8000</strong>", "<strong>0.400</strong>", ">3</th>"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
	for _, wrong := range []string{"<strong>0.7000</strong>", "<strong>0.500</strong>", "<strong>–", "<a>", "NaN"} {
		if strings.Contains(html, wrong) {
			t.Errorf("%s in\n%s", wrong, html)
		}
	}
	if strings.Contains(metric.Compare([]string{"a"}, []*metric.Report{a}).HTML(), "strong") {
		t.Error("a table of one report has a best value")
	}
}

func ExampleEvaluateScores() {
	t, err := taxonomy.FromPaths([]string{"go/ast", "go/build", "net/http"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	ast, _ := t.Node("go/ast")
	http, _ := t.Node("net/http")
	// The columns are go/ast, go/build, net/http.
	scores := mat.NewDense(2, 3, []float64{
		0.9, 0.1, 0.3,
		0.2, 0.8, 0.5,
	})
	report, err := metric.EvaluateScores(scores, [][]int{{ast}, {http}}, t)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(report)
	// Output:
	// instances                                   2
	// labels
	//   accuracy                             0.5000
	//   exact sets                           0.5000
	//   micro precision, recall, F1          0.5000   0.5000   0.5000
	//   macro F1 of all classes              0.3333
	//   macro F1 of occurring classes        0.3333
	// ranking
	//   average precision                    0.7500
	//   ranking loss                         0.2500
	//   accuracy at 1, 3, 5                  0.5000   1.0000   1.0000
	//   precision at 1, 3, 5                 0.5000   0.3333   0.2000
	//   nDCG at 1, 3, 5                      0.5000   0.8155   0.8155
	// taxonomy
	//   parent accuracy                      0.5000
	//   tree loss                             2.000
	//   top loss, maximal loss                1.000    1.000
	//   H-loss                               0.5000
	//   symmetric difference                  2.000
	//   hierarchical precision, recall, F1   0.5000   0.5000   0.5000
	//   without roots                        0.5000   0.5000   0.5000
	//   accuracy at depth 0 to 1             0.5000   0.5000
}

func ExampleCompare() {
	flat := &metric.Report{Instances: 200, Accuracy: 0.71, ParentAccuracy: 0.82, TreeLoss: 0.96, AveragePrecision: 0.80, RankingLoss: 0.05, MicroF1: 0.71, MacroF1: 0.64, HierarchicalF1: 0.79}
	normalized := &metric.Report{Instances: 200, Accuracy: 0.74, ParentAccuracy: 0.82, TreeLoss: 0.81, AveragePrecision: 0.82, RankingLoss: 0.04, MicroF1: 0.74, MacroF1: 0.63, HierarchicalF1: 0.81}
	table := metric.Compare([]string{"flat", "normalized"}, []*metric.Report{flat, normalized})
	for line := range strings.Lines(table.String()) {
		fmt.Println(strings.TrimRight(line, " \n"))
	}
	// Output:
	//             instances  accuracy ↑       parent accuracy ↑  tree loss ↓       average precision ↑       ranking loss ↓       micro F1 ↑       macro F1 of all classes ↑       hierarchical F1 ↑
	// flat              200      0.7100                  0.8200        0.960                    0.8000               0.0500           0.7100                          0.6400 best             0.7900
	// normalized        200      0.7400 best             0.8200        0.810 best               0.8200 best          0.0400 best      0.7400 best                     0.6300                  0.8100 best
}

// example returns the scores of two models for forty instances of four leaves.
func example() (g *taxonomy.Taxonomy, flat, hierarchical *mat.Dense, labels [][]int) {
	g, err := taxonomy.FromPaths([]string{"go/ast", "go/build", "net/http", "net/mail"}, "/")
	if err != nil {
		panic(err)
	}
	flat, hierarchical = mat.NewDense(40, 4, nil), mat.NewDense(40, 4, nil)
	for i := range 40 {
		k := i % 4
		labels = append(labels, []int{g.Leaves()[k]})
		flat.Set(i, (k+i%3)%4, 1)
		hierarchical.Set(i, k, 1)
		if i%5 < 2 {
			hierarchical.Set(i, k^1, 2)
		}
	}
	return g, flat, hierarchical, labels
}
