package metric_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	trees "github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// area is the average precision by its definition: at every threshold, the precision of what
// reaches it times the recall that it adds.
func area(scores []float64, is []bool) float64 {
	positives := 0
	for _, yes := range is {
		if yes {
			positives++
		}
	}
	if positives == 0 {
		return math.NaN()
	}
	thresholds := slices.Compact(slices.Sorted(slices.Values(scores)))
	slices.Reverse(thresholds)
	sum, before := 0.0, 0.0
	for _, threshold := range thresholds {
		reached, both := 0, 0
		for k, v := range scores {
			if v >= threshold {
				reached++
				if is[k] {
					both++
				}
			}
		}
		recall := float64(both) / float64(positives)
		sum += (recall - before) * float64(both) / float64(reached)
		before = recall
	}
	return sum
}

// randomNodes are scores of nodes, many of them equal, and labels that may be none or inner nodes.
func randomNodes(rng *rand.Rand, t *taxonomy.Taxonomy, n int) (*mat.Dense, [][]int) {
	scores, labels := mat.NewDense(n, t.Len(), nil), make([][]int, n)
	for i := range n {
		for v := range t.Len() {
			scores.Set(i, v, float64(rng.IntN(7))-3)
		}
		var set []int
		for range rng.IntN(3) {
			set = append(set, rng.IntN(t.Len()))
		}
		slices.Sort(set)
		labels[i] = t.MostSpecific(slices.Compact(set))
	}
	return scores, labels
}

func TestNodeScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		tax := trees.Random(rng, 2+rng.IntN(12), 3, 1+trial%2)
		n := 1 + rng.IntN(30)
		scores, labels := randomNodes(rng, tax, n)
		got, err := metric.NodeScores(scores, labels, tax)
		if err != nil {
			t.Fatal(err)
		}
		var all, below []float64
		var is, isBelow []bool
		var means, meansBelow []float64
		for v := range tax.Len() {
			var own []float64
			var yes []bool
			for i := range n {
				own = append(own, scores.At(i, v))
				yes = append(yes, slices.Contains(tax.Closure(labels[i]), v))
			}
			want := area(own, yes)
			near(t, "area of a node", got.Nodes[v], want)
			all, is, means = append(all, own...), append(is, yes...), append(means, want)
			if len(tax.Parents(v)) > 0 {
				below, isBelow, meansBelow = append(below, own...), append(isBelow, yes...), append(meansBelow, want)
			}
		}
		near(t, "pooled", got.Pooled, area(all, is))
		near(t, "mean", got.Mean, meanOf(means))
		near(t, "pooled without roots", got.RootlessPooled, area(below, isBelow))
		near(t, "mean without roots", got.RootlessMean, meanOf(meansBelow))
	}
}

// meanOf is the mean of the numbers that are numbers.
func meanOf(values []float64) float64 {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// TestScikitLearnArea is sklearn.metrics.average_precision_score([0, 0, 1, 1], [.1, .4, .35, .8]),
// the example of its documentation.
func TestScikitLearnArea(t *testing.T) {
	tax, err := taxonomy.New([]string{"yes", "no"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	scores := mat.NewDense(4, 2, []float64{0.1, 0, 0.4, 0, 0.35, 0, 0.8, 0})
	got, err := metric.NodeScores(scores, [][]int{{1}, {}, {0}, {0}}, tax)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "area", got.Nodes[0], 5.0/6)
}

// nodeModel has scores of nodes, and its leaves the same.
type nodeModel struct {
	t     *taxonomy.Taxonomy
	nodes *mat.Dense
	next  int
}

func (m *nodeModel) NodeProbabilities(x *dataset.Matrix) *mat.Dense {
	return m.nodes.Slice(m.next, m.next+x.Rows, 0, m.t.Len()).(*mat.Dense)
}

func (m *nodeModel) LeafScores(x *dataset.Matrix) *mat.Dense {
	return mat.NewDense(x.Rows, len(m.t.Leaves()), nil)
}

func (m *nodeModel) Decide(x *dataset.Matrix, _ *mat.Dense) ([][]int, error) {
	m.next += x.Rows
	return make([][]int, x.Rows), nil
}

// TestReportOfNodeScores has reports with the areas of models that score nodes: in the taxonomy of
// the data as it was before Leafed, in several batches, and as JSON; and none of other models.
func TestReportOfNodeScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	tax := trees.Tree(2, 3)
	n := 2500
	_, labels := randomNodes(rng, tax, n)
	for i, set := range labels {
		if len(set) == 0 {
			labels[i] = []int{0}
		}
	}
	d := &dataset.Dataset{Taxonomy: tax, X: &dataset.Matrix{Rows: n, Cols: 1, Indptr: make([]int, n+1)}, Labels: labels}
	leafed, err := d.Leafed()
	if err != nil {
		t.Fatal(err)
	}
	scores, _ := randomNodes(rng, leafed.Taxonomy, n)
	r, err := metric.Settings{}.Evaluate(t.Context(), &nodeModel{t: leafed.Taxonomy, nodes: scores}, leafed)
	if err != nil {
		t.Fatal(err)
	}
	want, err := metric.NodeScores(mat.DenseCopyOf(scores.Slice(0, n, 0, tax.Len())), labels, tax)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var read metric.Report
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]float64{
		"AU(PRC)": want.Pooled, "mean AUPRC": want.Mean, "rootless AU(PRC)": want.RootlessPooled, "rootless mean AUPRC": want.RootlessMean,
	} {
		for _, r := range []*metric.Report{r, &read} {
			if got, ok := r.Value(name); !ok || math.Abs(got-v) > 1e-12 {
				t.Errorf("%s is %v in the report, want %v", name, got, v)
			}
		}
		if r.PerInstance(name) != nil {
			t.Errorf("%s has values of instances", name)
		}
	}
	if !strings.Contains(r.String(), "AU(PRC), mean of nodes") || !strings.Contains(r.HTML(), "AU(PRC), mean of nodes") {
		t.Errorf("shown as\n%v", r)
	}
	whole, err := metric.Evaluate(&nodeModel{t: leafed.Taxonomy, nodes: scores}, leafed)
	if err != nil {
		t.Fatal(err)
	}
	if want, err = metric.NodeScores(scores, leafed.Labels, leafed.Taxonomy); err != nil || whole.Nodes.Pooled != want.Pooled {
		t.Errorf("%+v, want %+v, %v", whole.Nodes, want, err)
	}
	other, err := metric.EvaluateScores(mat.NewDense(1, len(tax.Leaves()), nil), [][]int{{tax.Leaves()[0]}}, tax)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := other.Value("AU(PRC)"); ok || strings.Contains(other.String(), "AU(PRC)") {
		t.Error("a report without scores of nodes has an AU(PRC)")
	}
	table := metric.Compare([]string{"nodes", "leaves"}, []*metric.Report{whole, other})
	table.Measures = []string{"AU(PRC)"}
	if text := table.String(); !bytes.Contains([]byte(text), []byte("–")) {
		t.Errorf("the table is\n%s", text)
	}
	bad := mat.DenseCopyOf(scores)
	bad.Set(1, 1, math.NaN())
	if _, err := metric.Evaluate(&nodeModel{t: leafed.Taxonomy, nodes: bad}, leafed); err == nil || !strings.Contains(err.Error(), "instance 1 has a score of a node that is not a number") {
		t.Errorf("error %v", err)
	}
}

func TestNodeScoresErrors(t *testing.T) {
	tax := trees.Tree(2)
	for name, test := range map[string]struct {
		scores *mat.Dense
		labels [][]int
		words  string
	}{
		"no scores":    {nil, nil, "need a matrix and a taxonomy"},
		"another size": {mat.NewDense(1, 2, nil), [][]int{{0}}, "scores are 1 x 2"},
		"rows":         {mat.NewDense(2, 3, nil), [][]int{{0}}, "scores are 2 x 3"},
		"label":        {mat.NewDense(1, 3, nil), [][]int{{3}}, "label 3"},
		"NaN":          {mat.NewDense(1, 3, []float64{0, math.NaN(), 0}), [][]int{{1}}, "not a number"},
	} {
		if _, err := metric.NodeScores(test.scores, test.labels, tax); err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	none, err := metric.NodeScores(mat.NewDense(1, 3, nil), [][]int{{}}, tax)
	if err != nil || !math.IsNaN(none.Pooled) || !math.IsNaN(none.Mean) || !math.IsNaN(none.Nodes[0]) {
		t.Errorf("without labels %+v, %v", none, err)
	}
}
