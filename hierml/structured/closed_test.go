package structured

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// metric returns M of Edges by its definition: B B', where a row of B is a node and a column the
// vector of an edge and two states.
func metric(t *taxonomy.Taxonomy) [][]float64 {
	n := t.Len()
	m := make([][]float64, n)
	for v := range m {
		m[v] = make([]float64, n)
	}
	add := func(entries map[int]float64) {
		for a, x := range entries {
			for b, y := range entries {
				m[a][b] += x * y
			}
		}
	}
	for c := range n {
		parents := t.Parents(c)
		if len(parents) == 0 {
			add(map[int]float64{c: 1})  // 11
			add(map[int]float64{c: -1}) // 10, with the other end above the root
		}
		for _, p := range parents {
			add(map[int]float64{c: 1})
			add(map[int]float64{c: -1, p: 1})
			add(map[int]float64{p: -1}) // 00
		}
	}
	return m
}

func TestEdgesAreAFactorOfTheMetric(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for trial := range 60 {
		g := example.Random(r, 1+r.IntN(14), 1+r.IntN(3), 1+trial%3)
		e, err := NewEdges(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		if entries := len(e.values); g.IsTree() && entries != g.Len()+len(g.Edges()) {
			t.Errorf("%d entries for %d nodes and %d edges", entries, g.Len(), len(g.Edges()))
		}
		rows := make([][]float64, g.Len())
		for n := range rows {
			rows[n] = make([]float64, g.Len())
			columns, factors := e.Row(n)
			for k, c := range columns {
				rows[n][c] = factors[k]
			}
		}
		for a, want := range metric(g) {
			column := make([]float64, g.Len())
			e.multiply(int32(a), 1, column)
			for b, v := range want {
				var got float64
				for c := range rows {
					got += rows[a][c] * rows[b][c]
				}
				if math.Abs(got-v) > 1e-12*float64(g.Len()) || column[b] != v {
					t.Fatalf("entry %d, %d is %v, and %v, want %v; edges %v", a, b, got, column[b], v, g.Edges())
				}
			}
		}
	}
}

func TestGoldenEdges(t *testing.T) {
	cases, err := golden.Read("hm3")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var want struct {
			Taxonomy golden.Taxonomy
			M        [][]float64 `json:"theta_metric"`
		}
		if err := c.Decode(&want); err != nil {
			t.Fatal(err)
		}
		g, err := want.Taxonomy.New()
		if err != nil {
			t.Fatal(err)
		}
		e, err := NewEdges(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		for n, row := range want.M {
			column := make([]float64, g.Len())
			e.multiply(int32(n), 1, column)
			for m, v := range row {
				if column[m] != v {
					t.Errorf("%s: M of %d, %d is %v, want %v", c.ID, n, m, column[m], v)
				}
			}
		}
	}
}

// TestClosedSetsAgainstDefinition compares searches, costs, directions and products with plain
// loops over all closed sets.
func TestClosedSetsAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for trial := range 60 {
		g := example.Random(r, 1+r.IntN(9), 1+r.IntN(3), 1+trial%2)
		l := loss.Symdiff(g).(loss.Decomposing)
		if g.IsTree() {
			costs := make([]float64, g.Len())
			for n := range costs {
				costs[n] = r.Float64()
			}
			var err error
			if l, err = loss.HLoss(g, costs); err != nil {
				t.Fatal(err)
			}
		}
		var labels [][]int
		for range 3 {
			var set []int
			for n := range g.Len() {
				if r.IntN(4) == 0 {
					set = append(set, n)
				}
			}
			labels = append(labels, set)
		}
		e, err := NewEdges(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewClosedSets(e, labels, l, 1)
		if err != nil {
			t.Fatal(err)
		}
		search := s.NewSearch()
		for b, set := range labels {
			for range 6 {
				scores := make([]float64, scoreWidth(g.Len()))
				for c := range g.Len() {
					scores[c] = r.NormFloat64()
				}
				theta := make([]float64, g.Len())
				e.Nodes(scores, theta)
				value := func(nodes []int) (sum float64) {
					for _, n := range nodes {
						sum += theta[n]
					}
					return sum
				}
				var want float64
				for bits := range 1 << g.Len() {
					var nodes []int
					for n := range g.Len() {
						if bits>>n&1 == 1 {
							nodes = append(nodes, n)
						}
					}
					if len(g.Closure(nodes)) == len(nodes) {
						want = max(want, l.SetCost(set, nodes)+value(nodes)-value(g.Closure(set)))
					}
				}
				got := search.Load(b, scores)
				if math.Abs(got-want) > 1e-9 {
					t.Fatalf("violation %v, want %v", got, want)
				}
				if ids := search.Worst(1, 0, nil, nil); len(ids) == 1 {
					if v := search.Violation(ids[0]); math.Abs(v-want) > 1e-9 {
						t.Fatalf("violation of the worst %v, want %v", v, want)
					}
					step := NewStep(g.Len())
					s.Direct(b, ids[0], 1, step)
					v := s.Cost(b, ids[0])
					columns, values := step.Take()
					for k, c := range columns {
						v -= values[k] * scores[c]
					}
					if math.Abs(v-want) > 1e-9 {
						t.Fatalf("cost less direction %v, want %v", v, want)
					}
				}
			}
			n := len(s.sets(b))
			first, second := NewStep(g.Len()), NewStep(g.Len())
			for k := range n {
				for l := range n {
					got, want := s.Product(b, int32(k), int32(l)), DotSteps(s, b, int32(k), int32(l), first, second)
					if math.Abs(got-want) > 1e-9*float64(g.Len()) {
						t.Fatalf("product of %d and %d is %v, want %v", k, l, got, want)
					}
				}
			}
		}
	}
}

func TestClosedSetsRefuse(t *testing.T) {
	g, other := example.Tree(2, 2), example.Tree(3)
	e, err := NewEdges(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	l := loss.Symdiff(g).(loss.Decomposing)
	for name, call := range map[string]func() error{
		"no edges":      func() error { _, err := NewClosedSets(nil, nil, l, 1); return err },
		"no loss":       func() error { _, err := NewClosedSets(e, nil, nil, 1); return err },
		"C":             func() error { _, err := NewClosedSets(e, nil, l, 0); return err },
		"another loss":  func() error { _, err := NewClosedSets(e, nil, loss.Symdiff(other).(loss.Decomposing), 1); return err },
		"no such label": func() error { _, err := NewClosedSets(e, [][]int{{9}}, l, 1); return err },
		"attributes":    func() error { _, err := e.Weights(NewWeights(e.Columns(), 1), Flat(g)); return err },
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
