package structured

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// shortlistRows returns rows, some of them empty, alike, or with features that weights do not have,
// of few numbers so that scores are often equal.
func shortlistRows(rng *rand.Rand, n, features int) *dataset.Matrix {
	x := &dataset.Matrix{Rows: n, Cols: features + 5, Indptr: []int{0}}
	for i := range n {
		most := []int{0, 1, 2, 10, 40}[i%5]
		for f := range x.Cols {
			if rng.IntN(x.Cols) < most*(1+9*(f%2))/4 {
				v := float32(rng.NormFloat64())
				if i%2 == 0 {
					v = float32(rng.IntN(5) - 2)
				}
				x.Indices, x.Values = append(x.Indices, int32(f)), append(x.Values, v)
			}
		}
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	return x
}

// fill sets part of the weights of w at random, of some features more and of others fewer.
func fill(rng *rand.Rand, part float64, w *Weights) {
	for f := range w.Features {
		density := 2 * part * rng.Float64()
		for _, c := range rng.Perm(len(w.Columns)) {
			if rng.Float64() < density {
				w.Set(f, c, rng.NormFloat64())
			}
		}
	}
}

// alike makes columns of weights equal to others, or nearly so.
func alike(rng *rand.Rand, w *Weights) {
	for range len(w.Columns) / 3 {
		from, to, other := rng.IntN(len(w.Columns)), rng.IntN(len(w.Columns)), rng.IntN(w.Features)
		for f := range w.Features {
			v := w.At(f, from)
			if f == other && rng.IntN(2) == 0 {
				v += 1e-4 // about a unit, which depends on the first weight of the feature
			}
			if v != w.At(f, to) {
				w.Set(f, to, v)
			}
		}
	}
}

// ranked returns the positions of the k highest scores, of equal ones the first.
func ranked(scores []float64, k int) []int {
	order := make([]int, len(scores))
	for y := range order {
		order[y] = y
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return order[:min(k, len(order))]
}

// The candidates of a shortlist have the best labels among them, in the same order, with the bits
// of the scores that rows have one by one.
func TestShortlistsHaveTheBest(t *testing.T) {
	const features = 60
	tree, graph := example.Tree(5, 12, 4), example.Graph(400, 3)
	rows := make(map[string]int)
	for name, a := range map[string]*Attributes{"flat": Flat(tree), "tree": Ancestors(tree), "graph": Ancestors(graph), "nodes": Nodes(tree)} {
		for _, part := range []float64{0, 0.01, 0.3, 1} {
			rng := rand.New(rand.NewPCG(uint64(100*part), 7))
			w := newQuantizedWeights(a.Columns(), features)
			fill(rng, part, w)
			alike(rng, w)
			for _, c := range []struct{ rows, k, workers int }{{1, 1, 1}, {7, 3, 3}, {300, 1, 3}, {150, 5, 1}, {40, 10000, 2}, {3, 0, 1}, {0, 1, 1}} {
				x := shortlistRows(rng, c.rows, features)
				columns, sums := make([]float64, w.Stride), make([]float64, len(a.Columns())+1)
				want := make([]float64, len(a.Candidates()))
				seen := make([]int, c.rows)
				var mutex sync.Mutex
				err := Shortlist(context.Background(), a, w, nil, x, c.k, c.workers, func(i int, s *Shortlisted) {
					mutex.Lock()
					defer mutex.Unlock()
					seen[i]++
					indices, values := x.Row(i)
					w.Scores(indices, values, columns)
					a.Scores(columns, sums, want)
					near := s.Candidates()
					got := make([]float64, len(near))
					s.Scores(got)
					for j, y := range near {
						if math.Float64bits(got[j]) != math.Float64bits(want[y]) {
							t.Fatalf("%s, part %v, row %d of %d: candidate %d has the score %v, want %v", name, part, i, c.rows, y, got[j], want[y])
						}
					}
					best := ranked(want, c.k)
					for r, j := range ranked(got, c.k) {
						if int(near[j]) != best[r] {
							t.Fatalf("%s, part %v, row %d of %d: rank %d is %d, want %d", name, part, i, c.rows, r, near[j], best[r])
						}
					}
					switch {
					case len(near) == len(want):
						rows["all"]++
					case len(near) == c.k:
						rows["the best"]++
					default:
						rows["more"]++
					}
				})
				if err != nil || slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
					t.Errorf("%s, part %v: %v; rows are visited %v times", name, part, err, seen)
				}
			}
		}
	}
	for _, kind := range []string{"all", "the best", "more"} {
		if rows[kind] < 100 {
			t.Errorf("of %s candidates: %d rows, want 100 at least of each; %v", kind, rows[kind], rows)
		}
	}
}

// Where a score is not finite all candidates are listed, with the scores that a row alone has.
func TestShortlistsOfScoresThatAreNotFinite(t *testing.T) {
	tree := example.Tree(20, 10)
	for _, v := range []float64{math.Inf(1), math.NaN(), 1e300, 1e38} {
		for _, a := range []*Attributes{Flat(tree), Ancestors(tree)} {
			rng := rand.New(rand.NewPCG(4, 4))
			w := newQuantizedWeights(a.Columns(), 30)
			fill(rng, 0.5, w)
			w.addRow(3, 1, []int32{4, 90}, []float64{v, -v})
			x := shortlistRows(rng, 200, 30)
			for k := range x.Values {
				if k%50 == 0 {
					x.Values[k] = float32(math.Ldexp(1, 100))
				}
			}
			columns, sums, want := make([]float64, w.Stride), make([]float64, len(a.Columns())+1), make([]float64, len(a.Candidates()))
			err := Shortlist(context.Background(), a, w, nil, x, 1, 1, func(i int, s *Shortlisted) {
				indices, values := x.Row(i)
				w.Scores(indices, values, columns)
				a.Scores(columns, sums, want)
				near := s.Candidates()
				got := make([]float64, len(near))
				s.Scores(got)
				if !finite(want) && len(got) != len(want) {
					t.Fatalf("%v, row %d: %d candidates of %d", v, i, len(got), len(want))
				}
				best := Argmax(want)
				if at := Argmax(got); at < 0 && best >= 0 || at >= 0 && int(near[at]) != best {
					t.Fatalf("%v, row %d: %d of the candidates %v is the best, want %d", v, i, at, near, best)
				}
				for j, y := range near {
					if got[j] != want[y] && !(math.IsNaN(got[j]) && math.IsNaN(want[y])) {
						t.Fatalf("%v, row %d: candidate %d has the score %v, want %v", v, i, y, got[j], want[y])
					}
				}
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

func TestShortlistEndsWithItsContext(t *testing.T) {
	a := Flat(example.Tree(300))
	w := newQuantizedWeights(a.Columns(), 30)
	rng := rand.New(rand.NewPCG(4, 5))
	fill(rng, 0.5, w)
	ctx, cancel := context.WithCancel(context.Background())
	visited := 0
	err := Shortlist(ctx, a, w, nil, shortlistRows(rng, 1000, 30), 1, 1, func(int, *Shortlisted) {
		visited++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || visited != 1 {
		t.Errorf("%v after %d rows", err, visited)
	}
}

// Weights of so few columns are not Many as a rule.
func ExampleShortlisted() {
	t, err := taxonomy.New([]string{"all", "a", "b", "c"}, [][2]int{{0, 1}, {0, 2}, {0, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := Flat(t)
	w := newQuantizedWeights(a.Columns(), 1)
	for c, v := range []float64{0.5, 2, -1} {
		w.Set(0, c, v)
	}
	x := &dataset.Matrix{Rows: 1, Cols: 1, Indptr: []int{0, 1}, Indices: []int32{0}, Values: []float32{3}}
	err = Shortlist(context.Background(), a, w, nil, x, 1, 1, func(i int, s *Shortlisted) {
		scores := make([]float64, len(s.Candidates()))
		s.Scores(scores)
		fmt.Printf("%d %v %.3f\n", i, s.Candidates(), scores)
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 0 [1] [6.000]
}
