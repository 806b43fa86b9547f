package metric_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestPerfect has models that are always right, and others, on random taxonomies with leaves at the
// top: what is right scores 1 wherever anything is defined, and a parent is never missed more often
// than its child.
func TestPerfect(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	tops, deeper := 0, 0
	for _, kind := range []string{"tree", "forest", "chains", "graph"} {
		for range 100 {
			g := randomGraph(random, kind, 12)
			made := g.taxonomy(t)
			leaves := made.Leaves()
			n := 1 + random.IntN(6)
			right, other := mat.NewDense(n, len(leaves), nil), mat.NewDense(n, len(leaves), nil)
			var labels [][]int
			atTop := random.IntN(2) == 0
			for i := range n {
				chosen := random.Perm(len(leaves))
				if atTop {
					chosen = slices.DeleteFunc(chosen, func(k int) bool { return len(g[leaves[k]]) > 0 })
				}
				if len(chosen) == 0 {
					chosen = random.Perm(len(leaves))
				}
				chosen = chosen[:1+random.IntN(min(3, len(chosen)))]
				slices.Sort(chosen)
				var set []int
				for _, k := range chosen {
					right.Set(i, k, 1)
					set = append(set, leaves[k])
				}
				labels = append(labels, set)
				for k := range leaves {
					other.Set(i, k, random.Float64())
				}
			}
			perfect, err := metric.Settings{}.EvaluateSets(right, labels, labels, made)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range perfect.Measures() {
				v, want := value(t, perfect, m.Name), 1.0
				switch {
				case strings.HasPrefix(m.Name, "precision at 1"), strings.HasPrefix(m.Name, "precision at 3"), strings.HasPrefix(m.Name, "precision at 5"), // of k leaves
					m.Name == "macro F1 of all classes", m.Name == "macro Jaccard", // of all classes
					strings.HasPrefix(m.Name, "accuracy at depth"): // of the one leaf predicted, which may be higher up than another label
					continue
				case m.Lower:
					want = 0
				}
				if !math.IsNaN(v) {
					near(t, m.Name, v, want)
				}
			}
			top := !slices.ContainsFunc(slices.Concat(labels...), func(y int) bool { return len(g[y]) > 0 })
			if top {
				tops++
			} else {
				deeper++
			}
			if math.IsNaN(perfect.ParentAccuracy) != top || math.IsNaN(perfect.RootlessF1) != top {
				t.Errorf("parent accuracy %v and rootless F1 %v; labels at the top alone: %v", perfect.ParentAccuracy, perfect.RootlessF1, top)
			}
			some, err := metric.EvaluateScores(other, labels, made)
			if err != nil {
				t.Fatal(err)
			}
			parent, own := some.PerInstance("parent accuracy"), some.PerInstance("accuracy")
			defined := 0
			for i := range parent {
				if parent[i] < own[i] {
					t.Errorf("instance %d of %v: parent accuracy %v, accuracy %v", i, g, parent[i], own[i])
				}
				if !math.IsNaN(parent[i]) {
					defined++
				}
			}
			if some.ParentInstances != defined {
				t.Errorf("%d instances of a parent accuracy, want %d", some.ParentInstances, defined)
			}
			if t.Failed() {
				return
			}
		}
	}
	if tops < 20 || deeper < 20 {
		t.Errorf("%d cases with labels at the top alone, and %d others", tops, deeper)
	}
}

// TestTopLeaves says what is over some instances, and what is over none.
func TestTopLeaves(t *testing.T) {
	g, err := taxonomy.FromPaths([]string{"a", "b", "c/d", "c/e"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	right := mat.NewDense(2, 4, []float64{1, 0, 0, 0, 0, 0, 1, 0})
	a, d := g.Leaves()[0], g.Leaves()[2]
	for want, labels := range map[string][][]int{"parent accuracy, of 1 ": {{a}, {d}}, "parent accuracy ": {{d}, {d}}} {
		r, err := metric.EvaluateScores(right, labels, g)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.String(), want) || strings.Contains(r.String(), "–") || strings.Contains(r.HTML(), "–") {
			t.Errorf("no %q, or a dash, in\n%v", want, r)
		}
	}
	r, err := metric.EvaluateScores(mat.NewDense(1, 4, []float64{1, 0, 0, 0}), [][]int{{a}}, g)
	if err != nil {
		t.Fatal(err)
	}
	const want = "– not defined on these instances"
	if !strings.Contains(r.String(), want) || !strings.Contains(r.HTML(), want) {
		t.Errorf("no %q in\n%v\n%v", want, r, r.HTML())
	}
}

// TestMacro compares with scikit-learn 1.9.1, for the labels 0 to 5 of instances of which two
// classes neither occur nor are predicted:
//
//	y, f = [0, 0, 1, 2, 2, 2], [0, 1, 1, 2, 2, 3]
//	f1_score(y, f, average="macro")
//	f1_score(y, f, average="macro", labels=range(6), zero_division=0)
func TestMacro(t *testing.T) {
	g, err := taxonomy.New([]string{"a", "b", "c", "d", "e", "f"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	scores := mat.NewDense(6, 6, nil)
	var labels, sets [][]int
	for i, f := range []int{0, 1, 1, 2, 2, 3} {
		scores.Set(i, f, 1)
		labels, sets = append(labels, []int{[]int{0, 0, 1, 2, 2, 2}[i]}), append(sets, []int{f})
	}
	r, err := metric.EvaluateScores(scores, labels, g)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "of those that occur", r.MacroF1Occurring, 0.5333333333333333)
	near(t, "of all", r.MacroF1, 0.35555555555555557)
	f, err := metric.LabelSets(labels, sets, g)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "of those that occur, of sets", f.MacroOccurring, r.MacroF1Occurring)
	if v, ok := r.Value("macro F1"); !ok || v != r.MacroF1 {
		t.Errorf("by its former name %v, %v", v, ok)
	}
	var old metric.Report
	if err := json.Unmarshal([]byte(`{"instances": 6, "measures": {"macro F1": 0.25}}`), &old); err != nil || old.MacroF1 != 0.25 || !math.IsNaN(old.MacroF1Occurring) || old.ParentInstances != 6 {
		t.Errorf("of an earlier version: %+v, %v", old, err)
	}
}
