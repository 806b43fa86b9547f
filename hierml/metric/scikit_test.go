package metric_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/testrun"
)

// known is a model whose answers for the rows of the data are known.
type known struct {
	scores, probabilities, nodes *mat.Dense
	sets                         [][]int
}

func (m *known) LeafScores(*dataset.Matrix) *mat.Dense                { return m.scores }
func (m *known) NodeProbabilities(*dataset.Matrix) *mat.Dense         { return m.nodes }
func (m *known) Probabilities(*dataset.Matrix, *mat.Dense) *mat.Dense { return m.probabilities }

func (m *known) Decide(*dataset.Matrix, *mat.Dense) ([][]int, error) { return m.sets, nil }

// empty returns a dataset without features.
func empty(t *taxonomy.Taxonomy, labels [][]int) *dataset.Dataset {
	return &dataset.Dataset{Taxonomy: t, X: &dataset.Matrix{Rows: len(labels), Indptr: make([]int, len(labels)+1)}, Labels: labels}
}

// scikit is a case of testdata/scikit.py.
type scikit struct {
	Kind                         string
	Parents                      []int
	Truth, Predicted             [][]int
	Scores, Probabilities, Nodes [][]float64
	Weights                      []float64
	Plain, Weighted              map[string]json.RawMessage
}

// TestScikitLearn compares with scikit-learn and HiClass, on cases with ties, empty sets, classes
// that do not occur, and a single one, with weights and without. The long form draws more.
func TestScikitLearn(t *testing.T) {
	text, err := os.ReadFile("testdata/scikit.json")
	if err != nil {
		t.Fatal(err)
	}
	compareWithScikit(t, text)
}

func TestScikitLearnOnMore(t *testing.T) {
	testrun.LeaveToLong(t, "TestScikitLearn has cases that were drawn in the same way")
	python := testrun.NumPy(t)
	out, err := exec.CommandContext(t.Context(), python, "-c", "import sklearn, hiclass").CombinedOutput()
	if err != nil {
		t.Skipf("%s has no scikit-learn, or no HiClass: %s", python, out)
	}
	seed := strconv.Itoa(rand.IntN(1 << 30))
	text, err := exec.CommandContext(t.Context(), python, "testdata/scikit.py", seed, "200").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %s", seed)
	compareWithScikit(t, text)
}

func compareWithScikit(t *testing.T, text []byte) {
	var cases []scikit
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	compared := make(map[string]int)
	for i, c := range cases {
		g := make(graph, len(c.Parents))
		for n, p := range c.Parents {
			if p >= 0 {
				g[n] = []int{p}
			}
		}
		made := g.taxonomy(t)
		model := &known{matrix(c.Scores), matrix(c.Probabilities), matrix(c.Nodes), c.Predicted}
		d := empty(made, c.Truth)
		for name, run := range map[string]struct {
			weights []float64
			want    map[string]json.RawMessage
		}{"plain": {nil, c.Plain}, "weighted": {c.Weights, c.Weighted}} {
			settings := metric.Settings{Weights: run.weights}
			r, err := settings.Evaluate(t.Context(), model, d)
			if err != nil {
				t.Fatal(err)
			}
			classes, err := r.ByNode()
			if err != nil {
				t.Fatal(err)
			}
			curve, err := settings.HierarchicalCurve(model.nodes, c.Truth, made)
			if err != nil {
				t.Fatal(err)
			}
			for measure, text := range run.want {
				what := fmt.Sprintf("case %d (%s), %s, %s", i, c.Kind, name, measure)
				compared[measure]++
				switch {
				case measure == "curve":
					var points [][3]float64
					if err := json.Unmarshal(text, &points); err != nil {
						t.Fatal(err)
					}
					checkCurve(t, what, curve, points)
				case strings.HasPrefix(measure, "nodes at"):
					var f1 map[int]float64
					if err := json.Unmarshal(text, &f1); err != nil {
						t.Fatal(err)
					}
					for n, want := range f1 {
						near(t, what, classes[n].F1, want)
					}
				case string(text) == "null":
					t.Errorf("%s: scikit-learn has no value", what)
				default:
					var want float64
					if err := json.Unmarshal(text, &want); err != nil {
						t.Fatal(err)
					}
					near(t, what, value(t, r, measure), want)
				}
			}
		}
	}
	for _, m := range metric.Measures() {
		if m.Group == "labels" && m.Name != "accuracy" && compared[m.Name] < len(cases)/3 {
			t.Errorf("%s was compared %d times", m.Name, compared[m.Name])
		}
	}
}

// checkCurve compares with the points of scikit-learn, by ascending threshold, of which we have
// those where the recall rises.
func checkCurve(t *testing.T, what string, got metric.Curve, want [][3]float64) {
	t.Helper()
	slices.Reverse(want)
	before := 0.0
	for _, p := range want {
		if p[2] == before {
			continue
		}
		before = p[2]
		if len(got) == 0 {
			t.Fatalf("%s: no point at %v", what, p)
		}
		near(t, what+", threshold", got[0].Threshold, p[0])
		near(t, what+", precision", got[0].Precision, p[1])
		near(t, what+", recall", got[0].Recall, p[2])
		near(t, what+", F1", got[0].F1, 2*p[1]*p[2]/(p[1]+p[2]))
		got = got[1:]
	}
	if len(got) > 0 {
		t.Errorf("%s: further points %v", what, got)
	}
}

// TestProbabilities has the log loss and the Brier score by their definitions.
func TestProbabilities(t *testing.T) {
	g := tree(t)
	one := &known{mat.NewDense(2, 3, nil), mat.NewDense(2, 3, []float64{0.5, 0.25, 0.25, 0, 1, 0}), nil, [][]int{{1}, {2}}}
	labels := [][]int{{1}, {4}}
	r, err := metric.Evaluate(scorerOf{one}, empty(g, labels))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "log loss", r.LogLoss, (math.Log(2)+52*math.Log(2))/2)
	near(t, "Brier score", r.Brier, (0.25+0.0625+0.0625+2)/2)
	if text := r.String(); !strings.Contains(text, "log loss, Brier score") {
		t.Errorf("shown as\n%s", text)
	}
	for what, p := range map[string]*mat.Dense{"not add up": mat.NewDense(2, 3, []float64{0.5, 0.5, 0.5, 0, 1, 0}), "several": one.probabilities} {
		own := *one
		own.probabilities = p
		truth := labels
		if what == "several" {
			truth = [][]int{{1, 2}, {4}}
		}
		r, err := metric.Evaluate(scorerOf{&own}, empty(g, truth))
		if err != nil {
			t.Fatal(err)
		}
		logs, squares := 0.0, 0.0
		for i, set := range truth {
			for k, y := range g.Leaves() {
				v, is := p.At(i, k), 0.0
				if slices.Contains(set, y) {
					is = 1
				}
				squares += (v - is) * (v - is) / 6
				logs -= math.Log(max(is*v+(1-is)*(1-v), 0x1p-52)) / 6
			}
		}
		near(t, what+": log loss", r.LabelsLogLoss, logs)
		near(t, what+": Brier score", r.LabelsBrier, squares)
	}
	for want, p := range map[string]*mat.Dense{
		"probability of leaf": mat.NewDense(2, 3, []float64{0.5, -0.1, 0, 0, 0, 0}), "is NaN": mat.NewDense(2, 3, []float64{math.NaN(), 0, 0, 0, 0, 0}),
		"are 1 x 3": mat.NewDense(1, 3, nil),
	} {
		own := *one
		own.probabilities = p
		if _, err := metric.Evaluate(scorerOf{&own}, empty(g, labels)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	without := *one
	without.probabilities = nil
	if r, err := metric.Evaluate(scorerOf{&without}, empty(g, labels)); err != nil || !math.IsNaN(r.LogLoss) || strings.Contains(r.String(), "log loss") {
		t.Errorf("without probabilities %v, %v", r, err)
	}
}

// scorerOf has the scores and probabilities of a model, and none of its nodes.
type scorerOf struct{ m *known }

func (s scorerOf) LeafScores(x *dataset.Matrix) *mat.Dense { return s.m.LeafScores(x) }
func (s scorerOf) Probabilities(x *dataset.Matrix, scores *mat.Dense) *mat.Dense {
	return s.m.Probabilities(x, scores)
}
