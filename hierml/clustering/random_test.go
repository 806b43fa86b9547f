package clustering_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/taxonomy"
)

type profile struct {
	children    []int // ascending
	probability float64
}

// checkFrequencies compares frequencies of n draws with probabilities: each within 4.5 deviations,
// and none that has no probability.
func checkFrequencies(t *testing.T, name string, n int, seen map[string]int, want []profile) {
	t.Helper()
	total := 0
	for _, w := range want {
		got := float64(seen[fmt.Sprint(w.children)])
		total += int(got)
		mean, deviation := float64(n)*w.probability, math.Sqrt(float64(n)*w.probability*(1-w.probability))
		if math.Abs(got-mean) > 4.5*deviation+1e-6*float64(n) {
			t.Errorf("%s: %v children came %v times of %d, want %.1f give or take %.1f", name, w.children, got, n, mean, deviation)
		}
	}
	if total != n {
		t.Errorf("%s: %d of %d draws have numbers of children with no probability: %v", name, n-total, n, seen)
	}
}

func numbersOfChildren(parents []int, k int) string {
	children := make([]int, k)
	for _, p := range parents {
		children[p]++
	}
	slices.Sort(children)
	return fmt.Sprint(children)
}

// TestGoldenRandhier compares the numbers of children on the last level of hierarchies of several
// levels, and those of both ways to draw.
func TestGoldenRandhier(t *testing.T) {
	cases, err := golden.Read("randhier")
	if err != nil {
		t.Fatal(err)
	}
	const n = 4000
	ctx := context.Background()
	for _, c := range cases {
		var file struct {
			LevelSizes    []int    `json:"level_sizes"`
			Probabilities [][2]any `json:"child_count_profile_probability"`
		}
		if err := c.Decode(&file); err != nil {
			t.Fatal(err)
		}
		var want []profile
		for _, p := range file.Probabilities {
			var children []int
			for _, v := range p[0].([]any) {
				children = append(children, int(v.(float64)))
			}
			want = append(want, profile{children, p[1].(float64)})
		}
		sizes := file.LevelSizes
		k, m := sizes[len(sizes)-2], sizes[len(sizes)-1]
		seen := map[string]int{}
		for seed := range uint64(n) {
			h, err := clustering.Random{Seed: seed}.Levels(ctx, sizes)
			if err != nil {
				t.Fatal(err)
			}
			parents := make([]int, m)
			for i := range parents {
				parents[i] = h.Parents(h.Len() - m + i)[0] - (h.Len() - m - k)
			}
			seen[numbersOfChildren(parents, k)]++
		}
		checkFrequencies(t, c.ID, n, seen, want)
		rng := rand.New(rand.NewPCG(3, 4))
		for name, draw := range map[string]func(context.Context, *rand.Rand, int, int) ([]int, error){"by rejection": clustering.ByRejection, "by counts": clustering.ByCounts} {
			seen := map[string]int{}
			for range n {
				parents, err := draw(ctx, rng, m, k)
				if err != nil {
					t.Fatal(err)
				}
				seen[numbersOfChildren(parents, k)]++
			}
			checkFrequencies(t, c.ID+" "+name, n, seen, want)
		}
	}
}

// TestEveryChoiceIsDrawnAlike counts the 36 choices of parents for 4 children of 3 parents.
func TestEveryChoiceIsDrawnAlike(t *testing.T) {
	const n = 18000
	rng := rand.New(rand.NewPCG(5, 6))
	for name, draw := range map[string]func(context.Context, *rand.Rand, int, int) ([]int, error){"by rejection": clustering.ByRejection, "by counts": clustering.ByCounts} {
		seen := map[string]int{}
		for range n {
			parents, err := draw(context.Background(), rng, 4, 3)
			if err != nil {
				t.Fatal(err)
			}
			seen[fmt.Sprint(parents)]++
		}
		if len(seen) != 36 {
			t.Errorf("%s: %d choices, want 36", name, len(seen))
		}
		for choice, got := range seen {
			if math.Abs(float64(got)-n/36) > 5*math.Sqrt(n/36.0) {
				t.Errorf("%s: %s came %d times, want %d", name, choice, got, n/36)
			}
		}
	}
}

func TestOneChildEach(t *testing.T) {
	const n = 4000
	seen := map[string]int{}
	for seed := range uint64(n) {
		h, err := clustering.Random{OneChildEach: true, Seed: seed}.Levels(context.Background(), []int{2, 4})
		if err != nil {
			t.Fatal(err)
		}
		parents := make([]int, 4)
		for i := range parents {
			parents[i] = h.Parents(2 + i)[0]
		}
		seen[numbersOfChildren(parents, 2)]++
	}
	checkFrequencies(t, "one each", n, seen, []profile{{[]int{2, 2}, 0.5}, {[]int{1, 3}, 0.5}})
}

// TestLikeKeepsTheShape draws hierarchies like a forest with leaves on several levels, the WIPO
// section of [Cai08], and one for which rejection alone would not end.
func TestLikeKeepsTheShape(t *testing.T) {
	uneven, err := taxonomy.New([]string{"r", "s", "a", "b", "c", "d", "e", "lone"}, [][2]int{{0, 2}, {0, 3}, {1, 4}, {2, 5}, {2, 6}})
	if err != nil {
		t.Fatal(err)
	}
	shapes := []*taxonomy.Taxonomy{uneven}
	for _, sizes := range [][]int{{1, 7, 20, 160}, {1, 300, 310}, {5, 5, 5}, {3}} {
		h, err := clustering.Random{}.Levels(context.Background(), sizes)
		if err != nil {
			t.Fatal(err)
		}
		shapes = append(shapes, h)
	}
	for k, shape := range shapes {
		for _, each := range []bool{false, true} {
			h, err := clustering.Random{OneChildEach: each, Seed: 7}.Like(context.Background(), shape)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(h.Names(), shape.Names()) || !slices.Equal(h.Leaves(), shape.Leaves()) || !slices.Equal(h.Roots(), shape.Roots()) {
				t.Errorf("shape %d: names, leaves or roots differ", k)
			}
			for n := range h.Len() {
				if h.Depth(n) != shape.Depth(n) {
					t.Errorf("shape %d: node %d has depth %d, want %d", k, n, h.Depth(n), shape.Depth(n))
				}
			}
			again, err := clustering.Random{OneChildEach: each, Seed: 7}.Like(context.Background(), shape)
			if err != nil || !slices.Equal(h.Edges(), again.Edges()) {
				t.Errorf("shape %d: the same seed drew other edges (error %v)", k, err)
			}
		}
	}
}

func TestRandomRefuses(t *testing.T) {
	ctx := context.Background()
	// Both inner nodes of level 0 have their only child on level 2 through one of level 1.
	graph, err := taxonomy.New([]string{"a", "b", "c", "d"}, [][2]int{{0, 2}, {2, 3}, {1, 3}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (clustering.Random{}).Like(ctx, graph); err == nil || !strings.Contains(err.Error(), "too few") {
		t.Errorf("graph: error %v", err)
	}
	if _, err := (clustering.Random{}).Like(ctx, nil); err == nil {
		t.Error("no taxonomy: no error")
	}
	for _, sizes := range [][]int{nil, {0}, {1, -2}, {3, 2}} {
		if _, err := (clustering.Random{}).Levels(ctx, sizes); err == nil {
			t.Errorf("levels %v: no error", sizes)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := (clustering.Random{}).Levels(ended, []int{1, 300, 310}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: error %v", err)
	}
}
