package metric_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/internal/testrun"
)

// rowsOf returns rows of a matrix, which may be there several times.
func rowsOf(m *mat.Dense, rows []int) *mat.Dense {
	_, q := m.Dims()
	part := mat.NewDense(len(rows), q, nil)
	for i, r := range rows {
		part.SetRow(i, m.RawRowView(r))
	}
	return part
}

func setsOf(sets [][]int, rows []int) [][]int {
	var part [][]int
	for _, r := range rows {
		part = append(part, sets[r])
	}
	return part
}

// TestWeights holds that an instance of weight 2 counts as two, and one of weight 0 as none, in
// every measure, and that weights count only by what they are to each other.
func TestWeights(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	rounds := 60
	if testrun.Long() {
		rounds = 2000
	}
	for round := range rounds {
		g := randomGraph(random, []string{"tree", "forest", "chains", "graph"}[round%4], 10)
		made := g.taxonomy(t)
		leaves, n := made.Leaves(), 1+random.IntN(12)
		draw := func(columns, values int) *mat.Dense {
			m := mat.NewDense(n, columns, nil)
			for i := range n {
				for k := range columns {
					m.Set(i, k, float64(random.IntN(values))/float64(values))
				}
			}
			return m
		}
		model := &known{scores: draw(len(leaves), 4), probabilities: draw(len(leaves), 50), nodes: draw(len(g), 4)}
		var labels [][]int
		var weights, thirds []float64
		var rows []int
		for i := range n {
			var sets [2][]int
			for s := range sets {
				for _, y := range leaves {
					if random.IntN(3) == 0 {
						sets[s] = append(sets[s], y)
					}
				}
				if round%3 == 0 && len(sets[s]) > 1 {
					sets[s] = sets[s][:1]
				}
			}
			if len(sets[0]) == 0 {
				sets[0] = leaves[:1]
			}
			labels, model.sets = append(labels, sets[0]), append(model.sets, sets[1])
			w := random.IntN(3)
			if i == 0 {
				w = 2
			}
			weights, thirds = append(weights, float64(w)), append(thirds, float64(w)/3)
			for range w {
				rows = append(rows, i)
			}
		}
		repeated := &known{rowsOf(model.scores, rows), rowsOf(model.probabilities, rows), rowsOf(model.nodes, rows), setsOf(model.sets, rows)}
		propensities := make([]float64, len(leaves))
		for k := range propensities {
			propensities[k] = 0.1 + 0.9*random.Float64()
		}
		want, err := metric.Settings{Propensities: propensities}.Evaluate(t.Context(), repeated, empty(made, setsOf(labels, rows)))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range [][]float64{weights, thirds} {
			settings := metric.Settings{Weights: w, Propensities: propensities}
			got, err := settings.Evaluate(t.Context(), model, empty(made, labels))
			if err != nil {
				t.Fatal(err)
			}
			if got.Instances != n {
				t.Errorf("%d instances of %d", got.Instances, n)
			}
			for _, m := range want.Measures() {
				near(t, m.Name, value(t, got, m.Name), value(t, want, m.Name))
			}
			sets, err := settings.LabelSets(labels, model.sets, made)
			if err != nil {
				t.Fatal(err)
			}
			of, err := metric.LabelSets(setsOf(labels, rows), repeated.sets, made)
			if err != nil {
				t.Fatal(err)
			}
			a, b := averagesOf(sets), averagesOf(of)
			for k := range a {
				near(t, "average of sets", a[k], b[k])
			}
			for k, name := range []string{"samples precision", "samples recall", "samples F1", "samples Jaccard", "micro Jaccard", "macro Jaccard", "Hamming loss", "exact sets", "hierarchical samples F1", "micro F1", "hierarchical F1"} {
				near(t, name+" of sets", a[k], value(t, got, name))
			}
			curve, err := settings.RootlessCurve(model.nodes, labels, made)
			if err != nil {
				t.Fatal(err)
			}
			same, err := metric.RootlessCurve(repeated.nodes, setsOf(labels, rows), made)
			if err != nil || len(curve) != len(same) {
				t.Fatalf("%v, want %v (%v)", curve, same, err)
			}
			for k := range curve {
				near(t, "threshold", curve[k].Threshold, same[k].Threshold)
				near(t, "F1 of a threshold", curve[k].F1, same[k].F1)
			}
			var text bytes.Buffer
			if err := got.WriteJSON(&text); err != nil {
				t.Fatal(err)
			}
			back, err := metric.ReadJSON(&text, made)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, back, got)
			if text := back.String(); !strings.HasPrefix(text, "instances, weighted ") || text != got.String() {
				t.Errorf("read as\n%v\nwant\n%v", back, got)
			}
		}
		if t.Failed() {
			t.Fatalf("round %d: %v, labels %v, sets %v, weights %v", round, g, labels, model.sets, weights)
		}
	}
}

func averagesOf(f metric.F1) []float64 {
	return []float64{
		f.SamplesPrecision, f.SamplesRecall, f.Samples, f.SamplesJaccard, f.MicroJaccard, f.MacroJaccard, f.Hamming, f.Exact, f.HierarchicalSamples, f.Micro, f.Hierarchical,
		f.Macro, f.MacroOccurring, f.Rootless, f.HierarchicalSamplesPrecision, f.HierarchicalSamplesRecall, f.MicroPrecision, f.MicroRecall,
	}
}

// TestWeightsRefuse has weights that are none, and what does not take a weighted report.
func TestWeightsRefuse(t *testing.T) {
	g := tree(t)
	scores, labels := mat.NewDense(2, 3, []float64{1, 0, 0, 0, 1, 0}), [][]int{{1}, {4}}
	for want, weights := range map[string][]float64{
		"1 weights for 2 instances": {1}, "3 weights for 2": {1, 2, 3}, "0 weights": {}, "instance 1 is NaN": {1, math.NaN()}, "instance 0 is -1": {-1, 1},
		"is +Inf": {1, math.Inf(1)}, "sum to 0": {0, 0}, "sum to +Inf": {math.MaxFloat64, math.MaxFloat64},
	} {
		s := metric.Settings{Weights: weights}
		_, scored := s.EvaluateScores(scores, labels, g)
		_, evaluated := s.Evaluate(context.Background(), &known{scores: scores, sets: labels}, empty(g, labels))
		_, streamed := s.EvaluateInstances(context.Background(), &first{leaves: 3}, g, 0, empty(g, labels).Instances())
		_, sets := s.LabelSets(labels, labels, g)
		_, nodes := s.NodeScores(mat.NewDense(2, 5, nil), labels, g)
		_, curve := s.HierarchicalCurve(mat.NewDense(2, 5, nil), labels, g)
		for k, err := range []error{scored, evaluated, streamed, sets, nodes, curve} {
			if err == nil || !strings.Contains(err.Error(), want) && !(k == 2 && strings.Contains(err.Error(), "weights for")) {
				t.Errorf("%v: error %v of call %d, want one with %q", weights, err, k, want)
			}
		}
	}
	weighted, err := metric.Settings{Weights: []float64{1, 2}}.EvaluateScores(scores, labels, g)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := metric.EvaluateScores(scores, labels, g)
	if err != nil {
		t.Fatal(err)
	}
	_, interval := weighted.Interval("accuracy", 0.9)
	_, one := metric.Significance(weighted, plain, "accuracy")
	_, other := metric.Significance(plain, weighted, "accuracy")
	for _, err := range []error{interval, one, other} {
		if err == nil || !strings.Contains(err.Error(), "without Settings.Weights") {
			t.Errorf("of a weighted report: error %v", err)
		}
	}
	near(t, "accuracy", weighted.Accuracy, 1.0/3)
}

// TestThreshold chooses a threshold on validation data and applies it to test data: what the curve
// says of a threshold is what the sets above it have.
func TestThreshold(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	rounds := 60
	if testrun.Long() {
		rounds = 1000
	}
	for round := range rounds {
		g := randomGraph(random, []string{"tree", "forest", "chains", "graph"}[round%4], 10)
		made := g.taxonomy(t)
		n := 1 + random.IntN(10)
		scores, labels := randomNodes(random, made, n)
		for name, of := range map[string]struct {
			curve func(*mat.Dense) (metric.Curve, error)
			f1    func(metric.F1) [3]float64
		}{
			"hierarchical": {func(m *mat.Dense) (metric.Curve, error) { return metric.HierarchicalCurve(m, labels, made) },
				func(f metric.F1) [3]float64 {
					return [3]float64{f.HierarchicalPrecision, f.HierarchicalRecall, f.Hierarchical}
				}},
			"rootless": {func(m *mat.Dense) (metric.Curve, error) { return metric.RootlessCurve(m, labels, made) },
				func(f metric.F1) [3]float64 { return [3]float64{f.RootlessPrecision, f.RootlessRecall, f.Rootless} }},
		} {
			curve, err := of.curve(scores)
			if err != nil {
				t.Fatal(err)
			}
			at := func(threshold float64) [3]float64 {
				sets, err := metric.NodesAbove(scores, threshold, made)
				if err != nil {
					t.Fatal(err)
				}
				f, err := metric.LabelSets(labels, sets, made)
				if err != nil {
					t.Fatal(err)
				}
				return of.f1(f)
			}
			for _, p := range curve {
				got := at(p.Threshold)
				near(t, name+" precision", got[0], p.Precision)
				near(t, name+" recall", got[1], p.Recall)
				near(t, name+" F1", got[2], p.F1)
			}
			best, err := curve.Best()
			if (err != nil) != (len(curve) == 0) {
				t.Fatalf("best of %v: %v", curve, err)
			}
			for threshold := -3.5; err == nil && threshold < 4; threshold += 0.5 { // the scores are from -3 to 3
				if f := at(threshold)[2]; f > best.F1+1e-12 {
					t.Errorf("%s F1 %v at %v, and the best of %v is %v", name, f, threshold, curve, best)
				}
			}
			if text := curve.String() + curve.HTML(); len(curve) > 0 && !strings.Contains(text, "highest F1") {
				t.Errorf("shown as %s", text)
			}
		}
		if t.Failed() {
			t.Fatalf("round %d: %v, labels %v, scores %v", round, g, labels, mat.Formatted(scores))
		}
	}
	g := tree(t)
	nan := mat.NewDense(1, 5, []float64{0, 0, 0, 0, math.NaN()})
	_, none := metric.NodesAbove(nil, 0, g)
	_, columns := metric.NodesAbove(mat.NewDense(1, 2, nil), 0, g)
	_, threshold := metric.NodesAbove(mat.NewDense(1, 5, nil), math.NaN(), g)
	_, score := metric.NodesAbove(nan, 0, g)
	_, curve := metric.HierarchicalCurve(nan, [][]int{{1}}, g)
	_, best := metric.Curve{}.Best()
	for k, err := range []error{none, columns, threshold, score, curve, best} {
		if err == nil {
			t.Errorf("call %d: no error", k)
		}
	}
	if sets, err := metric.NodesAbove(new(mat.Dense), 0, g); err != nil || len(sets) != 0 {
		t.Errorf("of no rows %v, %v", sets, err)
	}
}

// TestEmptySets counts sets of which both are empty, which no report has.
func TestEmptySets(t *testing.T) {
	g := tree(t)
	f, err := metric.LabelSets([][]int{{}, {1, 2}, {1}}, [][]int{{}, {}, {1, 4}}, g)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "precision", f.SamplesPrecision, (0+0.5)/2)
	near(t, "recall", f.SamplesRecall, (0+1.0)/2)
	near(t, "F1", f.Samples, (0+2.0/3)/2)
	near(t, "Jaccard", f.SamplesJaccard, (0+0.5)/2)
	near(t, "Hamming", f.Hamming, 3.0/9)
	near(t, "exact", f.Exact, 1.0/3)
	nothing, err := metric.LabelSets(nil, nil, g)
	if err != nil {
		t.Fatal(err)
	}
	if got := averagesOf(nothing); !math.IsNaN(got[0]) || slices.ContainsFunc(got, func(v float64) bool { return math.IsInf(v, 0) }) {
		t.Errorf("of nothing %v", got)
	}
}

// TestManyScores has so many different scores that they are found by buckets: of one size, of sizes
// that differ much, and infinite ones.
func TestManyScores(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 1))
	made := wide(t, 40)
	leaves := made.Leaves()
	const n = 60
	for name, draw := range map[string]func() float64{
		"uniform": random.Float64, "tails": func() float64 { return math.Exp(40 * random.NormFloat64()) }, "few": func() float64 { return math.Floor(1000 * random.Float64()) },
		"infinite": func() float64 { return math.Log(math.Floor(1000 * random.Float64())) }, "largest": func() float64 { return (2*random.Float64() - 1) * math.MaxFloat64 },
	} {
		scores, nodes := mat.NewDense(n, len(leaves), nil), mat.NewDense(n, made.Len(), nil)
		var labels [][]int
		var all []float64
		var is []bool
		for i := range n {
			for k := range leaves {
				scores.Set(i, k, draw())
			}
			set := []int{leaves[i%len(leaves)]}
			for _, y := range leaves {
				if y != set[0] && random.IntN(3) == 0 {
					set = append(set, y)
				}
			}
			slices.Sort(set)
			labels = append(labels, set)
			for v := range made.Len() {
				nodes.Set(i, v, draw())
				all, is = append(all, nodes.At(i, v)), append(is, slices.Contains(made.Closure(set), v))
			}
		}
		r, err := metric.EvaluateScores(scores, labels, made)
		if err != nil {
			t.Fatal(err)
		}
		checkROC(t, r, leaves, scores, labels)
		p, err := metric.NodeScores(nodes, labels, made)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "pooled, "+name, p.Pooled, area(all, is))
	}
}
