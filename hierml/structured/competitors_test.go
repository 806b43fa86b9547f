package structured

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// comparison is a competitor by its definition.
type comparison struct {
	cost      float64
	direction []float64 // over the columns
}

// vector returns the attribute vector of a node over the columns.
func vector(a *Attributes, node int) []float64 {
	v := make([]float64, len(a.Columns()))
	nodes, values := a.Leaf(a.Candidate(node))
	for k, n := range nodes {
		if c := a.Column(n); c >= 0 {
			v[c] = values[k]
		}
	}
	return v
}

// checkCompetitors compares what a solver asks for with the competitors of every block that want
// has, at random scores of the columns: costs, directions, products, and what is worst.
func checkCompetitors(t *testing.T, r *rand.Rand, c Competitors, columns int, want [][]comparison, idOf func(b, k int) int32) {
	t.Helper()
	if c.Blocks() != len(want) {
		t.Fatalf("%d blocks, want %d", c.Blocks(), len(want))
	}
	search := c.NewSearch()
	step, other := NewStep(columns), NewStep(columns)
	for _, b := range r.Perm(len(want)) {
		scores := make([]float64, scoreWidth(columns))
		for k := range columns {
			scores[k] = r.NormFloat64()
		}
		worst := 0.0
		violation := make(map[int32]float64)
		for k, w := range want[b] {
			id := idOf(b, k)
			violation[id] = w.cost - floats.Dot(w.direction, scores[:columns])
			worst = max(worst, violation[id])
			got := make([]float64, columns)
			c.Direct(b, id, 3, step)
			touched, values := step.Take()
			for j, column := range touched {
				got[column] = values[j] / 3
			}
			if !floats.EqualApprox(got, w.direction, 1e-12) || math.Abs(c.Cost(b, id)-w.cost) > 1e-12 {
				t.Errorf("block %d, competitor %d: cost %v, direction %v, want %v, %v", b, id, c.Cost(b, id), got, w.cost, w.direction)
			}
			l := r.IntN(len(want[b]))
			dot := floats.Dot(w.direction, want[b][l].direction)
			if got := c.Product(b, id, idOf(b, l)); math.Abs(got-dot) > 1e-9 {
				t.Errorf("block %d: product of %d and %d is %v, want %v", b, id, idOf(b, l), got, dot)
			}
			if got := DotSteps(c, b, id, idOf(b, l), step, other); math.Abs(got-dot) > 1e-9 {
				t.Errorf("block %d: product of the directions of %d and %d is %v, want %v", b, id, idOf(b, l), got, dot)
			}
		}
		if got := search.Load(b, scores); math.Abs(got-worst) > 1e-9 {
			t.Errorf("block %d: worst violation %v, want %v", b, got, worst)
		}
		for id, v := range violation {
			if got := search.Violation(id); math.Abs(got-v) > 1e-9 {
				t.Errorf("block %d: violation of %d is %v, want %v", b, id, got, v)
			}
		}
		var known, expected []int32
		floor := r.Float64() - 0.3
		for id, v := range violation {
			if r.IntN(3) == 0 {
				known = append(known, id)
			} else if v > max(floor, 0) {
				expected = append(expected, id)
			}
		}
		slices.SortFunc(expected, func(i, j int32) int {
			if violation[i] > violation[j] {
				return -1
			}
			return 1
		})
		n := 1 + r.IntN(4)
		expected = expected[:min(n, len(expected))]
		got := search.Worst(n, floor, known, []int32{-7})
		if got[0] != -7 || len(got)-1 != len(expected) {
			t.Fatalf("block %d: worst %v, want %v after -7", b, got, expected)
		}
		for k, id := range got[1:] {
			if math.Abs(violation[id]-violation[expected[k]]) > 1e-9 || slices.Contains(known, id) {
				t.Errorf("block %d: worst %v, want %v after -7, known %v", b, got, expected, known)
			}
		}
	}
}

// randomSets returns sets of leaves, some empty and some full.
func randomSets(r *rand.Rand, g *taxonomy.Taxonomy, rows int) [][]int {
	sets := make([][]int, rows)
	for i := range sets {
		for _, k := range r.Perm(len(g.Leaves()))[:r.IntN(len(g.Leaves())+1)] {
			sets[i] = append(sets[i], g.Leaves()[k])
		}
	}
	return sets
}

// rankings returns the comparisons of sets by definition, and their competitors' ids.
func rankings(a *Attributes, sets [][]int, l loss.Loss, r Rescaling) (want [][]comparison, ids [][]int32) {
	q := len(a.Candidates())
	for _, set := range sets {
		sorted := slices.Compact(slices.Sorted(slices.Values(set)))
		var block []comparison
		var names []int32
		for k, y := range sorted {
			for z, n := range a.Candidates() {
				if slices.Contains(set, n) {
					continue
				}
				w := comparison{l.Cost(y, n), make([]float64, len(a.Columns()))}
				floats.SubTo(w.direction, vector(a, y), vector(a, n))
				if r == Slack {
					floats.Scale(w.cost, w.direction)
				}
				block = append(block, w)
				names = append(names, int32(k*q+z))
			}
		}
		if len(block) > 0 {
			want, ids = append(want, block), append(ids, names)
		}
	}
	return want, ids
}

func TestRanking(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 60 {
		n := 2 + r.IntN(15)
		g := example.Random(r, n, 1+r.IntN(min(n, 3)), 1+r.IntN(2))
		sets := randomSets(r, g, 12)
		for k, rescaling := range []Rescaling{Margin, Slack, Margin, Slack} {
			a, l := Ancestors(g), loss.Tree(g)
			if k >= 2 {
				l = loss.ZeroOne() // all pairs have the same loss
			}
			c, err := NewRanking(a, sets, l, rescaling, 0.5)
			if err != nil {
				t.Fatal(err)
			}
			want, ids := rankings(a, sets, l, rescaling)
			idOf := func(b, k int) int32 { return ids[b][k] }
			checkCompetitors(t, r, c, len(a.Columns()), want, idOf)
			c.rows = nil // as where the losses don't fit into memory
			checkCompetitors(t, r, c, len(a.Columns()), want, idOf)
			for b := range c.Blocks() {
				if c.C(b) != 0.5 || len(sets[c.Example(b)]) == 0 || len(sets[c.Example(b)]) == len(g.Leaves()) {
					t.Errorf("block %d of example %d, with weight %v", b, c.Example(b), c.C(b))
				}
			}
		}
	}
}

func TestBothAndRestrict(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for range 60 {
		n := 2 + r.IntN(15)
		g := example.Random(r, n, 1+r.IntN(min(n, 3)), 1+r.IntN(2))
		every := OfNodes(g)
		leaves, err := every.Restrict(g.Leaves())
		if err != nil {
			t.Fatal(err)
		}
		for _, leaf := range g.Leaves() {
			if !slices.Equal(vector(every, leaf), vector(leaves, leaf)) {
				t.Errorf("leaf %d: restricted vector %v, was %v", leaf, vector(leaves, leaf), vector(every, leaf))
			}
		}
		sets, l := randomSets(r, g, 9), loss.Symdiff(g)
		labels := make([][]int, 5)
		for i := range labels {
			labels[i] = []int{r.IntN(n), r.IntN(n)}
		}
		first, err := NewRanking(leaves, sets, l, Slack, 1)
		if err != nil {
			t.Fatal(err)
		}
		second, err := NewRanking(every, labels, l, Margin, 2)
		if err != nil {
			t.Fatal(err)
		}
		want, ids := rankings(leaves, sets, l, Slack)
		others, theirs := rankings(every, labels, l, Margin)
		c := Both(first, second)
		ids = append(ids, theirs...)
		checkCompetitors(t, r, c, len(every.Columns()), append(want, others...), func(b, k int) int32 { return ids[b][k] })
		for b := range c.Blocks() {
			if c.C(b) != 1 && b < first.Blocks() || c.C(b) != 2 && b >= first.Blocks() {
				t.Errorf("block %d has weight %v", b, c.C(b))
			}
			if b >= first.Blocks() && c.Example(b) != second.Example(b-first.Blocks()) {
				t.Errorf("block %d belongs to example %d", b, c.Example(b))
			}
		}
	}
}

func TestRankingRefuses(t *testing.T) {
	g := example.Tree(2, 2)
	a := Ancestors(g)
	negative := loss.Func(func(y, z int) float64 { return -1 })
	for name, build := range map[string]func() (*Ranking, error){
		"no attributes": func() (*Ranking, error) { return NewRanking(nil, nil, loss.ZeroOne(), Slack, 1) },
		"no loss":       func() (*Ranking, error) { return NewRanking(a, nil, nil, Slack, 1) },
		"C":             func() (*Ranking, error) { return NewRanking(a, nil, loss.ZeroOne(), Slack, 0) },
		"rescaling":     func() (*Ranking, error) { return NewRanking(a, nil, loss.ZeroOne(), Norm, 1) },
		"no node":       func() (*Ranking, error) { return NewRanking(a, [][]int{{3}, {7}}, loss.ZeroOne(), Slack, 1) },
		"inner node":    func() (*Ranking, error) { return NewRanking(a, [][]int{{1}}, loss.ZeroOne(), Slack, 1) },
		"negative loss": func() (*Ranking, error) { return NewRanking(a, [][]int{{3}}, negative, Slack, 1) },
		"other loss":    func() (*Ranking, error) { return NewRanking(a, [][]int{{3}}, loss.Tree(example.Tree(2)), Slack, 1) },
	} {
		if _, err := build(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, candidates := range [][]int{nil, {3, 3}, {1}} {
		if _, err := a.Restrict(candidates); err == nil {
			t.Errorf("restricted to %v: no error", candidates)
		}
	}
}

func TestRest(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for _, columns := range []int{1, 3, 9} {
		classes := make([][]int, 20)
		var want [][]comparison
		for i := range classes {
			classes[i] = r.Perm(columns)[:r.IntN(columns+1)]
			for k := range columns {
				w := comparison{1, make([]float64, columns)}
				w.direction[k] = -1
				if slices.Contains(classes[i], k) {
					w.direction[k] = 1
				}
				want = append(want, []comparison{w})
			}
		}
		c, err := NewRest(columns, classes, 2)
		if err != nil {
			t.Fatal(err)
		}
		checkCompetitors(t, r, c, columns, want, func(b, k int) int32 { return 0 })
		for b := range c.Blocks() {
			if c.Example(b) != b/columns || c.C(b) != 2 {
				t.Errorf("block %d of example %d with weight %v", b, c.Example(b), c.C(b))
			}
		}
	}
	for name, build := range map[string]func() (*Rest, error){
		"no class":     func() (*Rest, error) { return NewRest(0, nil, 1) },
		"C":            func() (*Rest, error) { return NewRest(1, nil, -1) },
		"class 2 of 2": func() (*Rest, error) { return NewRest(2, [][]int{{2}}, 1) },
	} {
		if _, err := build(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestWiden(t *testing.T) {
	g := example.Tree(2, 2)
	flat := Flat(g)
	wide, err := flat.Widen([]int{2})
	if err != nil {
		t.Fatal(err)
	}
	if flat.Column(2) >= 0 || wide.Column(2) < 0 || wide.Column(1) >= 0 || len(wide.Columns()) != 5 {
		t.Errorf("columns %v, from %v", wide.Columns(), flat.Columns())
	}
	scores, sums, leaves := make([]float64, 8), make([]float64, 8), make([]float64, 4)
	for c, n := range wide.Columns() {
		scores[c] = float64(n)
	}
	wide.Scores(scores, sums, leaves)
	for k, n := range g.Leaves() {
		if leaves[k] != float64(n) {
			t.Errorf("scores %v of the leaves %v", leaves, g.Leaves())
		}
	}
	if _, err := flat.Widen([]int{7}); err == nil {
		t.Error("a column for a node that is not there")
	}
}
