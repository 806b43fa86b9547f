package metric_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/chart"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestTurnsByBruteForce walks down from the roots in plain loops, on trees and forests.
func TestTurnsByBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, kind := range []string{"tree", "forest", "chains"} {
		for range 20 {
			g := randomGraph(random, kind, 15)
			made := g.taxonomy(t)
			leaves := made.Leaves()
			c := &metric.Confusion{Taxonomy: made}
			want := make(map[[3]int]int)
			for range 50 {
				y, f := leaves[random.IntN(len(leaves))], leaves[random.IntN(len(leaves))]
				c.Truth, c.Predicted = append(c.Truth, y), append(c.Predicted, f)
				path := func(n int) []int {
					up := []int{n}
					for len(g[n]) > 0 {
						n = g[n][0]
						up = append(up, n)
					}
					slices.Reverse(up)
					return up
				}
				node := metric.AboveRoots
				a, b := path(y), path(f)
				for i := range a {
					want[[3]int{node, a[i], b[i]}]++
					if a[i] != b[i] {
						break
					}
					node = a[i]
				}
			}
			turns, err := c.Turns()
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[[3]int]int)
			wrong := 1 << 30
			for _, turn := range turns {
				instances, right := 0, 0
				for _, cell := range turn.Cells {
					got[[3]int{turn.Node, cell.Truth, cell.Predicted}] = cell.Count
					instances += cell.Count
					if cell.Truth == cell.Predicted {
						right += cell.Count
					}
				}
				if instances != turn.Instances || right != turn.Right || turn.Instances-turn.Right > wrong {
					t.Errorf("turn %+v after one with %d wrong", turn, wrong)
				}
				wrong = turn.Instances - turn.Right
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%v: %v, want %v", g, got, want)
			}
		}
	}
}

// TestFold checks the taxonomy cut at a depth against the accuracy by depth, with leaves above it.
func TestFold(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 4))
	for _, kind := range []string{"tree", "forest", "chains", "graph"} {
		for range 20 {
			g := randomGraph(random, kind, 15)
			made := g.taxonomy(t)
			leaves := made.Leaves()
			scores, labels := mat.NewDense(60, len(leaves), nil), make([][]int, 60)
			for i := range labels {
				for k := range leaves {
					scores.Set(i, k, random.Float64())
				}
				labels[i] = leaves[random.IntN(len(leaves)):][:1]
			}
			r, err := metric.EvaluateScores(scores, labels, made)
			if err != nil {
				t.Fatal(err)
			}
			c, err := r.Confusion()
			if err != nil {
				t.Fatal(err)
			}
			for d := range r.Levels {
				folded, err := c.Fold(d)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := chart.Confusion(folded.Taxonomy, folded.Truth, folded.Predicted); err != nil {
					t.Fatal(err)
				}
				deep, hits := 0, 0
				for i, y := range folded.Truth {
					node, ok := made.Node(folded.Taxonomy.Name(y))
					if above := slices.Contains(made.Ancestors(c.Truth[i]), node); !ok || !above || made.Depth(node) > d {
						t.Fatalf("%d is folded to %q at depth %d", c.Truth[i], folded.Taxonomy.Name(y), d)
					}
					if made.Depth(c.Truth[i]) < d {
						continue
					}
					deep++
					if y == folded.Predicted[i] {
						hits++
					}
				}
				if kind == "graph" {
					continue // a leaf of the cut graph need not be as deep as the cut
				}
				if deep != r.Levels[d].Instances {
					t.Errorf("%d instances at depth %d, want %d", deep, d, r.Levels[d].Instances)
				}
				near(t, "accuracy of the fold", float64(hits), r.Levels[d].Accuracy*float64(deep))
			}
		}
	}
}

// TestTurnsOfGraph has a leaf with two parents, that is taken for a neighbour below each.
func TestTurnsOfGraph(t *testing.T) {
	g, err := taxonomy.New([]string{"top", "a", "b", "both", "left", "right"}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {1, 4}, {2, 5}})
	if err != nil {
		t.Fatal(err)
	}
	c := &metric.Confusion{Taxonomy: g, Truth: []int{3, 3, 4, 3}, Predicted: []int{4, 5, 5, 3}}
	turns, err := c.Turns()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, turn := range turns {
		fmt.Fprintln(&b, turn.Name, turn.Instances, turn.Right, turn.Cells)
	}
	want := `top 4 3 [{1 1 2} {1 2 1} {2 2 1}]
a 2 1 [{3 3 1} {3 4 1}]
b 2 1 [{3 3 1} {3 5 1}]
(all) 4 4 [{0 0 4}]
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	var out bytes.Buffer
	if err := c.WriteCSV(&out); err != nil || !strings.Contains(out.String(), "\na,both,left,1\n") || !strings.Contains(out.String(), "\n,top,top,4\n") {
		t.Errorf("%s (%v)", out.String(), err)
	}
	for _, wrong := range []*metric.Confusion{{}, {Taxonomy: g, Truth: []int{3}}, {Taxonomy: g, Truth: []int{0}, Predicted: []int{3}}, {Taxonomy: g, Truth: []int{3}, Predicted: []int{9}}} {
		if _, err := wrong.Turns(); err == nil || !strings.Contains(wrong.String(), "metric:") || !strings.Contains(wrong.HTML(), "metric:") {
			t.Errorf("no error for %+v", *wrong)
		}
	}
	if _, err := c.Fold(-1); err == nil {
		t.Error("cut at depth -1")
	}
	if _, err := (&metric.Report{}).Confusion(); err == nil {
		t.Error("a confusion from nothing")
	}
}

func ExampleReport_Confusion() {
	g, flat, _, labels := example()
	report, err := metric.EvaluateScores(flat, labels, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	confusion, err := report.Confusion()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(confusion)
	// Output:
	// node   instances   right  instead
	// (all)         40  0.5000  10 × go as net, 10 × net as go
	// go            10  0.7000  3 × go/ast as go/build
	// net           10  0.7000  3 × net/http as net/mail
}
