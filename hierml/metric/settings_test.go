package metric_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	trees "github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
)

func TestSettingsRefuse(t *testing.T) {
	g := tree(t)
	scores, labels := mat.NewDense(1, 3, []float64{1, 2, 3}), [][]int{{1}}
	other, _, _, _ := example()
	for want, s := range map[string]metric.Settings{
		"precision at 0":   {At: []int{1, 0}},
		"another taxonomy": {Loss: loss.Tree(other)},
		"not finite":       {Loss: loss.Func(func(y, f int) float64 { return math.NaN() })},
	} {
		_, err := s.EvaluateScores(scores, labels, g)
		if want == "another taxonomy" {
			want = "taxonomy of 6 nodes"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	for name, sets := range map[string][][]int{"0 predicted": nil, "remove the upper one": {{0, 1}}, "not ascending": {{2, 1}}} {
		if _, err := (metric.Settings{}).EvaluateSets(scores, sets, labels, g); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestEvaluateEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d := &dataset.Dataset{Taxonomy: tree(t), X: &dataset.Matrix{Rows: 1, Cols: 3, Indptr: []int{0, 0}}, Labels: [][]int{{1}}}
	if _, err := (metric.Settings{}).Evaluate(ctx, &first{leaves: 3}, d); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestWorkers checks that who measures what makes no difference, down to the last digit, and which
// error is reported.
func TestWorkers(t *testing.T) {
	g := wide(t, 300)
	scores, labels := scored(g, 500, 20)
	one, err := metric.Settings{Workers: 1}.EvaluateScores(scores, labels, g)
	if err != nil {
		t.Fatal(err)
	}
	several, err := metric.Settings{Workers: 5}.EvaluateScores(scores, labels, g)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range one.Measures() {
		if a, b := value(t, one, m.Name), value(t, several, m.Name); a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
			t.Errorf("%s: %v by one, %v by several", m.Name, a, b)
		}
	}
	labels[77], labels[400] = nil, nil
	if _, err := (metric.Settings{Workers: 5}).EvaluateScores(scores, labels, g); err == nil || !strings.Contains(err.Error(), "instance 77 ") {
		t.Errorf("error %v, want one of instance 77", err)
	}
}

// TestInnerLabels counts sets with labels at inner nodes, and empty ones.
func TestInnerLabels(t *testing.T) {
	g := tree(t) // leaves 1, 2 below 0, and 4 below 3
	f, err := metric.LabelSets([][]int{{0}, {1, 3}, {}, {4}}, [][]int{{1}, {1, 4}, {}, nil}, g)
	if err != nil {
		t.Fatal(err)
	}
	// As labels: 0 | 1; 1 3 | 1 4; -; 4 | -. With ancestors: 0 | 0 1; 0 1 3 | 0 1 3 4; -; 3 4 | -.
	near(t, "micro precision", f.MicroPrecision, 1.0/3)
	near(t, "micro recall", f.MicroRecall, 1.0/4)
	near(t, "macro F1", f.Macro, (2.0/3)/5) // 0, 1, 2, 3, 4
	near(t, "hierarchical precision", f.HierarchicalPrecision, 4.0/6)
	near(t, "hierarchical recall", f.HierarchicalRecall, 4.0/6)
	near(t, "rootless precision", f.RootlessPrecision, 1.0/3)
	near(t, "rootless recall", f.RootlessRecall, 1.0/2)
	near(t, "exact", f.Exact, 1.0/4)
	none, err := metric.LabelSets([][]int{{}}, [][]int{{}}, g)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(none.Micro) || !math.IsNaN(none.Hierarchical) || !math.IsNaN(none.Rootless) || none.Exact != 1 || !strings.Contains(none.String(), "–") {
		t.Errorf("empty sets: %v", none)
	}
	for want, sets := range map[string][][]int{"upper one": {{0, 2}}, "ascending": {{2, 1}}, "label 9": {{9}}, "1 true": {}} {
		if _, err := metric.LabelSets([][]int{{1}}, sets, g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	if _, err := metric.LabelSets(nil, nil, nil); err == nil {
		t.Error("without a taxonomy")
	}
}

// TestTies has a model that gives all leaves one score, which counts against it except where it has
// to choose one.
func TestTies(t *testing.T) {
	got, err := metric.EvaluateScores(mat.NewDense(1, 3, nil), [][]int{{1, 4}}, tree(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"accuracy": 1, "parent accuracy": 1, "tree loss": 0, "top loss": 0, // the smallest leaf
		"average precision": 2.0 / 3, "ranking loss": 1, "maximal loss": 2, // of 4 and 2
		"accuracy at 1": 0, "accuracy at 3": 1, "precision at 1": 0, "precision at 3": 2.0 / 3, "precision at 5": 2.0 / 5,
		"nDCG at 1": 0, "nDCG at 3": (1/math.Log2(3) + 0.5) / (1 + 1/math.Log2(3)),
		"exact sets": 0, "H-loss": 0.5, "symmetric difference": 2, // {1} of {1, 4}
		"accuracy at depth 0": 1, "accuracy at depth 1": 1,
	} {
		near(t, name, value(t, got, name), want)
	}
}

// TestEmptyPrediction has a set without a label: its leaf is the one with the highest score.
func TestEmptyPrediction(t *testing.T) {
	got, err := metric.Settings{}.EvaluateSets(mat.NewDense(1, 3, []float64{0, 2, 1}), [][]int{{}}, [][]int{{2}}, tree(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"accuracy": 1, "exact sets": 0, "micro precision": 0, "micro recall": 0, "micro F1": 0, "macro F1": 0,
		"H-loss": 0.5, "symmetric difference": 2, "hierarchical precision": 0, "hierarchical F1": 0, "tree loss": 0,
	} {
		near(t, name, value(t, got, name), want)
	}
}

func TestValue(t *testing.T) {
	r := full(t, []int{1})
	if _, ok := r.Value("speed"); ok || r.PerInstance("speed") != nil || r.PerInstance("macro F1") != nil {
		t.Error("values that are not there")
	}
	if _, err := metric.Evaluate((*nilModel)(nil), nil); err == nil || !strings.Contains(err.Error(), "model is nil") {
		t.Errorf("no model: %v", err)
	}
	if _, ok := (*metric.Report)(nil).Value("accuracy"); ok || (*metric.Report)(nil).PerInstance("accuracy") != nil {
		t.Error("values of no report")
	}
	for _, m := range metric.Measures() {
		// the others are of models with probabilities, or with scores of nodes
		_, ok := r.Value(m.Name)
		if is := !strings.HasPrefix(m.Name, "log loss") && !strings.HasPrefix(m.Name, "Brier score") && !strings.Contains(m.Name, "PRC"); ok != is || m.Help == "" || m.Group == "" {
			t.Errorf("%+v is in the report: %v", m, ok)
		}
		if named, ok := metric.Named(m.Name); !ok || named.Name != m.Name {
			t.Errorf("%q is the name of %v", m.Name, named)
		}
	}
	for name, want := range map[string]bool{"F1 at depth 12": true, "macro F1": true, "F1 at depth": false, "F1 at depth -1": false, "F1 at depth 1e3": false, "F1 at depth 01": false, "F1 at depth 99999999999": false, "accuracy at 2": false} {
		if _, ok := metric.Named(name); ok != want {
			t.Errorf("%q is a measure: %v", name, ok)
		}
	}
	for name, reports := range map[string][2]*metric.Report{
		"accuracy": {r, full(t, []int{1}, []int{2})}, "macro F1": {r, r}, "speed": {r, r}, "tree loss": {r, {}}, "top loss": {nil, r},
	} {
		if _, err := metric.Significance(reports[0], reports[1], name); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := metric.Significance(r, r, "speed"); err == nil || !strings.Contains(err.Error(), "it has accuracy, exact sets") {
		t.Errorf("a measure that is none: %v", err)
	}
	interval, err := full(t, []int{1}, []int{1}, []int{2}).Interval("accuracy", 0.9)
	if err != nil || interval.Mean != 1 {
		t.Errorf("interval %v, %v", interval, err)
	}
	if _, err := r.Interval("macro F1", 0.9); err == nil {
		t.Error("an interval of what is no mean")
	}
}

// TestLeafedLabels measures labels at inner nodes, which Leafed has moved to leaves, as the labels
// that they are in the data.
func TestLeafedLabels(t *testing.T) {
	g := tree(t) // leaves 1, 2 below 0, and 4 below 3
	d := &dataset.Dataset{Taxonomy: g, X: &dataset.Matrix{Rows: 3, Cols: 4, Indptr: []int{0, 1, 2, 3}, Indices: []int32{0, 3, 3}, Values: []float32{1, 1, 1}}, Labels: [][]int{{0}, {0, 4}, {2}}}
	leafed, err := d.Leafed()
	if err != nil {
		t.Fatal(err)
	}
	misc := g.Len() // the leaves are 1, 2, 4 and this one, which is below 0
	sets := [][]int{{1, misc}, {4, misc}, {misc}}
	model := &deciding{first: first{leaves: 4}, sets: sets}
	got, err := metric.Evaluate(model, leafed)
	if err != nil {
		t.Fatal(err)
	}
	// As the data have them: 0 | 1 (which implies 0); 0 4 | 0 4; 2 | 0.
	for name, want := range map[string]float64{
		"exact sets": 1.0 / 3, "micro precision": 2.0 / 4, "micro recall": 2.0 / 4, "macro F1": (2.0/(2+2) + 1) / 4,
		"hierarchical precision": 5.0 / 6, "hierarchical recall": 5.0 / 6, "symmetric difference": 2.0 / 3, "H-loss": (0.25 + 0 + 0.25) / 3,
		"accuracy at depth 0": 1, "accuracy at depth 1": 0, // of 4 and 2; the prediction is 0
	} {
		near(t, name, value(t, got, name), want)
	}
	near(t, "accuracy", got.Accuracy, 1.0/3)
	f, err := metric.LabelSets(leafed.Labels, sets, leafed.Taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	specific, err := metric.LabelSets(d.Labels, [][]int{{1}, {0, 4}, {0}}, g)
	if err != nil || f != specific {
		t.Errorf("sets with leaves that stand for inner nodes: %+v, want %+v (%v)", f, specific, err)
	}
	near(t, "micro F1", got.MicroF1, f.Micro)
	near(t, "hierarchical F1", got.HierarchicalF1, f.Hierarchical)
	near(t, "macro F1", got.MacroF1, f.Macro)
	h, err := metric.HLoss(leafed.Labels, sets, leafed.Taxonomy, nil)
	if err != nil || !reflect.DeepEqual(h, got.PerInstance("H-loss")) {
		t.Errorf("H-loss %v, in the report %v (%v)", h, got.PerInstance("H-loss"), err)
	}
	classes, err := got.Classes()
	if err != nil || len(classes) != 4 || classes[0].Name != g.Name(0) || classes[0].Right != 1 || classes[0].Predicted != 2 {
		t.Errorf("classes %+v (%v)", classes, err)
	}
	var b strings.Builder
	if err := got.WriteInstancesCSV(&b); err != nil || strings.Contains(b.String(), "misc") || !strings.Contains(b.String(), "\n2,"+g.Name(2)+","+g.Name(0)+",") {
		t.Errorf("written as %s (%v)", b.String(), err)
	}
}

// TestLeafedDistances compares the measures of distances with their definitions, in the taxonomy
// before Leafed, where labels are any nodes of random trees and graphs.
func TestLeafedDistances(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := trees.Random(rng, 12, 3, 1+int(seed%2))
		n := 40
		d := &dataset.Dataset{Taxonomy: g, X: &dataset.Matrix{Rows: n, Cols: 1, Indptr: make([]int, n+1)}}
		for range n {
			set := []int{rng.IntN(g.Len())}
			if rng.IntN(3) == 0 {
				set = append(set, rng.IntN(g.Len()))
			}
			d.Labels = append(d.Labels, slices.Compact(g.MostSpecific(set)))
		}
		leafed, err := d.Leafed()
		if err != nil {
			t.Fatal(err)
		}
		leaves := leafed.Taxonomy.Leaves()
		scores := mat.NewDense(n, len(leaves), nil)
		for i := range n {
			for y := range leaves {
				scores.Set(i, y, float64(rng.IntN(20)))
			}
		}
		r, err := metric.EvaluateScores(scores, leafed.Labels, leafed.Taxonomy)
		if err != nil {
			t.Fatal(err)
		}
		half := loss.Half(g)
		for i, truth := range d.Labels {
			top := 0
			for y := range leaves {
				if scores.At(i, y) > scores.At(i, top) {
					top = y
				}
			}
			f := leafed.Taxonomy.Label(leaves[top])
			treeLoss, topLoss, parent, maximal := 0.0, 0.0, math.NaN(), 0.0
			for _, y := range truth {
				treeLoss, topLoss = max(treeLoss, float64(g.Distance(y, f))), max(topLoss, half.Cost(y, f))
				if len(g.Parents(y)) > 0 && !(parent == 1) {
					parent = 0
					if slices.ContainsFunc(g.Parents(y), func(p int) bool { return p == f || slices.Contains(g.Parents(f), p) }) || slices.Contains(g.Parents(f), y) {
						parent = 1
					}
				}
				own := slices.IndexFunc(leaves, func(z int) bool { return leafed.Taxonomy.Label(z) == y })
				for z, leaf := range leaves {
					if label := leafed.Taxonomy.Label(leaf); !slices.Contains(truth, label) && scores.At(i, z) >= scores.At(i, own) {
						maximal = max(maximal, half.Cost(y, label))
					}
				}
			}
			if slices.Contains(truth, f) {
				treeLoss, topLoss = 0, 0
				if !math.IsNaN(parent) {
					parent = 1
				}
			}
			for name, want := range map[string]float64{"tree loss": treeLoss, "top loss": topLoss, "parent accuracy": parent, "maximal loss": maximal} {
				if got := r.PerInstance(name)[i]; !(math.Abs(got-want) < 1e-12 || math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("seed %d, instance %d, labels %v, predicted %d: %s %v, want %v", seed, i, truth, f, name, got, want)
				}
			}
		}
	}
}

// TestAllocations checks that measuring more instances takes no more allocations, once the taxonomy
// knows its ancestors. It counts again where they differ, as under the race detector pools are
// emptied at random.
func TestAllocations(t *testing.T) {
	g := wide(t, 300)
	of := func(n int) float64 {
		scores, labels := scored(g, n, 20)
		return testing.AllocsPerRun(1, func() {
			if _, err := (metric.Settings{Workers: 1}).EvaluateScores(scores, labels, g); err != nil {
				t.Fatal(err)
			}
		})
	}
	of(500)
	var few, many float64
	for range 10 {
		if few, many = of(100), of(500); many <= few+10 {
			return
		}
	}
	t.Errorf("%v allocations for 100 instances, %v for 500", few, many)
}

// TestEvaluateInstances checks that instances read one after the other are measured like those in
// memory.
func TestEvaluateInstances(t *testing.T) {
	const n = 2500
	g := tree(t)
	d := &dataset.Dataset{Taxonomy: g, X: &dataset.Matrix{Rows: n, Cols: 3, Indptr: []int{0}}}
	for i := range n {
		d.X.Indices, d.X.Values = append(d.X.Indices, int32(i*i%3)), append(d.X.Values, float32(1+i%2))
		d.X.Indptr = append(d.X.Indptr, i+1)
		d.Labels = append(d.Labels, []int{g.Leaves()[i%3]})
	}
	model := &first{leaves: 3}
	want, err := metric.Evaluate(model, d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := metric.Settings{}.EvaluateInstances(context.Background(), model, g, 3, d.Instances())
	if err != nil {
		t.Fatal(err)
	}
	if inJSON(t, got) != inJSON(t, want) {
		t.Errorf("%v, want %v", got, want)
	}
	wider := func(yield func(dataset.Instance, error) bool) {
		for in := range d.Instances() {
			in.Columns, in.Values = append([]int32{}, in.Columns...), append([]float32{}, in.Values...)
			if !yield(dataset.Instance{Labels: in.Labels, Columns: append(in.Columns, 9), Values: append(in.Values, 5)}, nil) {
				return
			}
		}
	}
	if got, err = (metric.Settings{}).EvaluateInstances(context.Background(), model, g, 3, wider); err != nil || inJSON(t, got) != inJSON(t, want) {
		t.Errorf("with columns that are not known %v, want %v (%v)", got, want, err)
	}
	broken := func(yield func(dataset.Instance, error) bool) {
		_ = yield(dataset.Instance{Labels: []int{1}}, nil) && yield(dataset.Instance{}, errors.New("line 2 is torn"))
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for want, run := range map[string]func() (*metric.Report, error){
		"torn": func() (*metric.Report, error) {
			return metric.Settings{}.EvaluateInstances(context.Background(), model, g, 3, broken)
		},
		"canceled": func() (*metric.Report, error) {
			return metric.Settings{}.EvaluateInstances(cancelled, model, g, 3, d.Instances())
		},
		"too wide": func() (*metric.Report, error) {
			return metric.Settings{}.EvaluateInstances(context.Background(), &first{leaves: 3, check: errors.New("too wide")}, g, 3, d.Instances())
		},
		"needs": func() (*metric.Report, error) {
			return metric.Settings{}.EvaluateInstances(context.Background(), model, g, 3, nil)
		},
		"no instances": func() (*metric.Report, error) {
			return metric.Settings{}.EvaluateInstances(context.Background(), model, g, 3, d.Subset(nil).Instances())
		},
	} {
		if _, err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

// TestOneLabelEach says that one label each was predicted, where several are true.
func TestOneLabelEach(t *testing.T) {
	g := tree(t)
	scores := mat.NewDense(2, 3, []float64{3, 1, 0, 0, 2, 1})
	for name, c := range map[string]struct {
		labels, sets [][]int
		says         bool
	}{
		"several": {[][]int{{1, 2}, {4}}, nil, true}, "one": {[][]int{{1}, {4}}, nil, false}, "sets": {[][]int{{1, 2}, {4}}, [][]int{{1, 2}, {4}}, false},
		"sets of one": {[][]int{{1, 2}, {4}}, [][]int{{1}, {4}}, true}, "an empty set": {[][]int{{1, 2}, {4}}, [][]int{{}, {4}}, false},
	} {
		r, err := metric.EvaluateScores(scores, c.labels, g)
		if c.sets != nil {
			r, err = metric.Settings{Workers: 2}.EvaluateSets(scores, c.sets, c.labels, g)
		}
		if err != nil {
			t.Fatal(err)
		}
		short, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var back metric.Report
		if err := json.Unmarshal(short, &back); err != nil {
			t.Fatal(err)
		}
		if back.String() != r.String() {
			t.Errorf("read as\n%v", &back)
		}
		table := metric.Compare([]string{"this"}, []*metric.Report{r, nil})
		for _, text := range []string{table.String(), table.HTML()} {
			if strings.Contains(text, "this: one label each, where 1.50 are true") != c.says {
				t.Errorf("%s: compared as\n%s", name, text)
			}
		}
		for _, text := range []string{r.String(), r.HTML()} {
			if says := strings.Contains(text, "one label each, where 1.50 are true") && strings.Contains(text, "LabelSets"); says != c.says {
				t.Errorf("%s: shown as\n%s", name, text)
			}
		}
	}
}

// nilModel is a model that is not there.
type nilModel struct{ metric.Scorer }
