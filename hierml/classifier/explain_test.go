package classifier_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestRankIsTheOrderOfScores(t *testing.T) {
	for name, m := range models(t) {
		x := matrix(m.Features())
		leaves := m.Taxonomy.Leaves()
		scores := m.LeafScores(x)
		if m.Rule == classifier.Descend {
			for i, ranked := range m.Rank(x, len(leaves)) {
				if len(ranked) != len(slices.DeleteFunc(slices.Clone(leaves), m.Unseen)) || ranked[0].Score != 0 || ranked[0].Node != m.Predict(x)[i] {
					t.Errorf("%s: row %d: %v", name, i, ranked)
				}
			}
			continue
		}
		for _, k := range []int{-1, 0, 1, 3, 1000} {
			for i, ranked := range m.Rank(x, k) {
				want := slices.DeleteFunc(slices.Clone(leaves), m.Unseen)
				score := func(n int) float64 { return scores.At(i, m.Taxonomy.LeafIndex(n)) }
				slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(score(b), score(a)) })
				want = want[:max(0, min(k, len(want)))]
				if len(ranked) != len(want) {
					t.Fatalf("%s: %d labels of %d for k = %d", name, len(ranked), len(leaves), k)
				}
				for j, r := range ranked {
					if r.Node != want[j] || r.Score != score(want[j]) {
						t.Errorf("%s: row %d, rank %d: %v; want node %d with score %v", name, i, j, r, want[j], score(want[j]))
					}
				}
				if k > 0 && ranked[0].Node != m.Predict(x)[i] {
					t.Errorf("%s: row %d: the first is not the prediction", name, i)
				}
			}
		}
		one := m.Scores(x, 3)
		if !slices.Equal(one.Leaves, scores.RawRowView(3)) || !slices.Equal(one.Nodes, m.NodeScores(x).RawRowView(3)) {
			t.Errorf("%s: scores of one row differ from those of all", name)
		}
		if !strings.Contains(one.String(), m.Taxonomy.Name(m.Rank(x, 1)[3][0].Node)) {
			t.Errorf("%s: %v", name, one)
		}
	}
}

func TestExplanationsAddUpToScores(t *testing.T) {
	total := func(parts []classifier.Contribution) (s float64) {
		for k, c := range parts {
			s += c.Contribution
			if c.Contribution != c.Value*c.Weight || k > 0 && math.Abs(parts[k-1].Contribution) < math.Abs(c.Contribution) {
				t.Errorf("contribution %v", c)
			}
		}
		return s
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6*max(1, math.Abs(a)) }
	for name, m := range models(t) {
		if m.Weights(0) == nil {
			continue // kernel models have no features to explain by
		}
		x := matrix(m.Features())
		predicted, nodes := m.Predict(x), m.NodeScores(x)
		for i := range x.Rows {
			e, err := m.Explain(x, i)
			if err != nil {
				t.Fatal(name, err)
			}
			if e.Predicted != predicted[i] || e.Name != m.Taxonomy.Name(predicted[i]) {
				t.Errorf("%s: row %d: explains %v, predicted %v", name, i, e.Predicted, predicted[i])
			}
			var path float64
			for _, p := range e.Path {
				path += p.Score
				if m.Link() != classifier.NoLink {
					if !near(p.Attribute*nodes.At(i, p.Node), total(p.Features)) {
						t.Errorf("%s: row %d: node %d has margin %v, its features %v", name, i, p.Node, nodes.At(i, p.Node), total(p.Features))
					}
				} else if !near(p.Score, total(p.Features)) || !near(p.Score, p.Attribute*nodes.At(i, p.Node)) {
					t.Errorf("%s: row %d: node %d has score %v, its features %v", name, i, p.Node, p.Score, total(p.Features))
				}
				if p.Rival >= 0 && !near(total(p.Against), nodes.At(i, p.Node)-nodes.At(i, p.Rival)) {
					t.Errorf("%s: row %d: against %d: %v", name, i, p.Rival, total(p.Against))
				}
				if p.Rival >= 0 && nodes.At(i, p.Rival) > p.Score {
					t.Errorf("%s: row %d: the rival %d has a higher score", name, i, p.Rival)
				}
			}
			if m.Rule == classifier.Descend {
				if e.RunnerUp >= 0 || !near(path, e.Score) {
					t.Errorf("%s: row %d: %+v", name, i, e)
				}
				continue
			}
			if !near(path, e.Score) {
				t.Errorf("%s: row %d: the path adds up to %v of %v", name, i, path, e.Score)
			}
			ranked := m.Rank(x, 2)[i]
			if len(ranked) > 1 && (e.RunnerUp != ranked[1].Node || m.Link() == classifier.NoLink && !near(total(e.Against), e.Score-e.RunnerUpScore)) {
				t.Errorf("%s: row %d: against %d: %v", name, i, e.RunnerUp, total(e.Against))
			}
		}
	}
}

func TestExplainRefuses(t *testing.T) {
	m := models(t)["tree"]
	x := matrix(m.Features())
	for name, c := range map[string]struct {
		x *dataset.Matrix
		i int
	}{"row": {x, 20}, "negative": {x, -1}, "width": {matrix(3), 0}, "nothing": {nil, 0}} {
		if e, err := m.Explain(c.x, c.i); e != nil || err == nil {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
}

func TestExplanationsAreEscaped(t *testing.T) {
	g, err := taxonomy.New([]string{"<b>", "a&b", "c"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	d := example.Dense(g, 10, 2, 1)
	d.Vocabulary = []string{"<script>", `"`}
	m := fit(t, svm.Hierarchical{}, d)
	e, err := m.Explain(d.X, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := e.HTML()
	if strings.Contains(text, "<script>") || strings.Contains(text, "<b>") || !strings.Contains(text, "&lt;script&gt;") || !strings.HasSuffix(text, "</table>") {
		t.Error(text)
	}
}

func ExampleModel_Explain() {
	t, err := taxonomy.FromPaths([]string{"animal/cat", "animal/dog", "car"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	id := func(name string) int {
		n, _ := t.Node(name)
		return n
	}
	d := &dataset.Dataset{
		Taxonomy:   t,
		Vocabulary: []string{"fur", "purrs", "barks", "wheels"},
		X: &dataset.Matrix{
			Rows: 3, Cols: 4,
			Indptr:  []int{0, 2, 4, 5},
			Indices: []int32{0, 1, 0, 2, 3},
			Values:  []float32{1, 1, 1, 1, 1},
		},
		Labels: [][]int{{id("animal/cat")}, {id("animal/dog")}, {id("car")}},
	}
	model, err := svm.Hierarchical{C: 10}.Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	why, err := model.Explain(d.X, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(why.Name, "rather than", why.RunnerUpName)
	for _, node := range why.Path {
		fmt.Println(node.Name+":", node.Features[0].Name)
	}
	fmt.Println("decided by", why.Against[0].Name)
	// Output:
	// animal/dog rather than animal/cat
	// animal: fur
	// animal/dog: barks
	// decided by barks
}
