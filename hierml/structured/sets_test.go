package structured

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// closed returns the attribute vector of a set of leaves over the columns, given the value of each
// node.
func closed(a *Attributes, values []float64, set []int) []float64 {
	v := make([]float64, len(a.Columns()))
	for _, n := range a.Taxonomy().Closure(set) {
		if c := a.Column(n); c >= 0 {
			v[c] = values[n]
		}
	}
	return v
}

// allSets returns all non-empty sets of leaves.
func allSets(g *taxonomy.Taxonomy) [][]int {
	var sets [][]int
	for bits := 1; bits < 1<<len(g.Leaves()); bits++ {
		var set []int
		for k, l := range g.Leaves() {
			if bits>>k&1 == 1 {
				set = append(set, l)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

func TestSetsAgainstAllSets(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for k := range 60 {
		g := example.Random(r, 3+r.IntN(11), 1+r.IntN(2), 1+k%3)
		if len(g.Leaves()) > 8 {
			continue
		}
		alpha := make([]float64, g.Len())
		for n := range alpha {
			alpha[n] = max(0, r.Float64()-0.2)
		}
		a, err := SqrtAlpha(g, alpha)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float64, len(alpha))
		for n, v := range alpha {
			values[n] = math.Sqrt(v)
		}
		for _, l := range []loss.Decomposing{loss.LeafSymdiff(g), loss.Symdiff(g).(loss.Decomposing)} {
			all := allSets(g)
			labels := [][]int{all[r.IntN(len(all))], all[r.IntN(len(all))], all[len(all)-1]}
			s, err := NewSets(a, labels, l, 2, 0)
			if err != nil {
				t.Fatal(err)
			}
			checkSets(t, r, s, values, all, labels, l)
			if s, err = NewSets(a, labels, l, 2, 0.3); err != nil {
				t.Fatal(err)
			}
			checkShare(t, r, s, values, all, labels, l)
		}
	}
}

func TestOriginOfSetsEndsWithItsContext(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 30 {
		g := example.Random(r, 12, 2, 2)
		x := example.Dense(g, 6, 2, 1).X
		all := allSets(g)
		var labels [][]int
		for range x.Rows {
			labels = append(labels, all[r.IntN(len(all))])
		}
		for _, l := range []loss.Decomposing{loss.LeafSymdiff(g), loss.Symdiff(g).(loss.Decomposing)} {
			a := Ancestors(g)
			s, err := NewSets(a, labels, l, 2, 0)
			if err != nil {
				t.Fatal(err)
			}
			inputs, err := NewLinear(x)
			if err != nil {
				t.Fatal(err)
			}
			o, err := (&Problem{Inputs: inputs, Columns: a.Columns(), Competitors: s}).Compile()
			if err != nil {
				t.Fatal(err)
			}
			value, known := o.Origin(t.Context(), 1)
			bound, alsoKnown := o.Origin(ended, 1)
			if !known || alsoKnown || bound.Primal < value.Primal || bound.Dual != 0 {
				t.Errorf("%v, known: %v; without time %v, known: %v", value, known, bound, alsoKnown)
			}
		}
	}
}

func checkSets(t *testing.T, r *rand.Rand, s *Sets, values []float64, all, labels [][]int, l loss.Decomposing) {
	t.Helper()
	a := s.Attributes()
	columns := len(a.Columns())
	search, step, other := s.NewSearch(), NewStep(columns), NewStep(columns)
	known := make([][]int32, len(labels))
	for range 12 {
		b := r.IntN(len(labels))
		scores := make([]float64, scoreWidth(columns))
		for c := range columns {
			scores[c] = 2 * r.NormFloat64()
		}
		truth := closed(a, values, labels[b])
		worst := 0.0
		var at comparison
		for _, set := range all {
			direction := closed(a, values, set)
			floats.SubTo(direction, truth, direction)
			c := comparison{l.SetCost(labels[b], set), direction}
			if v := c.cost - floats.Dot(direction, scores[:columns]); v > worst {
				worst, at = v, c
			}
		}
		if got := search.Load(b, scores); math.Abs(got-worst) > 1e-9 {
			t.Fatalf("worst violation %v, want %v", got, worst)
		}
		got := search.Worst(3, 0, nil, []int32{-7})
		if worst == 0 {
			if len(got) != 1 {
				t.Errorf("competitors %v without a violation", got[1:])
			}
			continue
		}
		id := got[1]
		if len(got) != 2 || math.Abs(search.Violation(id)-worst) > 1e-9 || math.Abs(s.Cost(b, id)-at.cost) > 1e-12 {
			t.Errorf("competitors %v, violation %v, cost %v; want one, %v, %v", got[1:], search.Violation(id), s.Cost(b, id), worst, at.cost)
		}
		if more := search.Worst(3, 0, []int32{id}, nil); len(more) > 0 {
			t.Errorf("known competitor %v found again", more)
		}
		if more := search.Worst(3, worst+1e-6, nil, nil); len(more) > 0 {
			t.Errorf("competitor %v above a floor that none is above", more)
		}
		s.Direct(b, id, 2, step)
		direction := make([]float64, columns)
		touched, twice := step.Take()
		for k, c := range touched {
			direction[c] = twice[k] / 2
		}
		if !floats.EqualApprox(direction, at.direction, 1e-12) {
			t.Errorf("direction %v, want %v", direction, at.direction)
		}
		known[b] = append(known[b], id)
		for _, k := range known[b] {
			if dot := DotSteps(s, b, id, k, step, other); math.Abs(s.Product(b, id, k)-dot) > 1e-12 {
				t.Errorf("product %v, want %v", s.Product(b, id, k), dot)
			}
		}
	}
}

// checkShare checks that inexact searches bound the largest violation and find one near it.
func checkShare(t *testing.T, r *rand.Rand, s *Sets, values []float64, all, labels [][]int, l loss.Decomposing) {
	t.Helper()
	columns := len(s.Attributes().Columns())
	search := s.NewSearch()
	for range 12 {
		b := r.IntN(len(labels))
		scores := make([]float64, scoreWidth(columns))
		for c := range columns {
			scores[c] = 2 * r.NormFloat64()
		}
		truth := closed(s.Attributes(), values, labels[b])
		worst := 0.0
		for _, set := range all {
			direction := closed(s.Attributes(), values, set)
			floats.SubTo(direction, truth, direction)
			worst = max(worst, l.SetCost(labels[b], set)-floats.Dot(direction, scores[:columns]))
		}
		bound := search.Load(b, scores)
		found := 0.0
		for _, id := range search.Worst(1, 0, nil, nil) {
			found = search.Violation(id)
		}
		if bound < worst-1e-9 || found > worst+1e-9 || bound > found*1.3+1e-9 {
			t.Errorf("bound %v, found %v, the largest violation is %v", bound, found, worst)
		}
	}
}

func TestSetsRefuse(t *testing.T) {
	g := example.Tree(2, 2)
	a := Ancestors(g)
	uneven, err := NewAttributes(g, func(leaf int) ([]int, []float64) {
		return []int{1, leaf}, []float64{float64(leaf), 1}
	})
	if err != nil {
		t.Fatal(err)
	}
	l := loss.LeafSymdiff(g)
	for name, c := range map[string]struct {
		a      *Attributes
		labels [][]int
		l      loss.Decomposing
		c      float64
		share  float64
		says   string
	}{
		"no attributes":  {nil, nil, l, 1, 0, "needs Attributes"},
		"no loss":        {a, nil, nil, 1, 0, "needs Attributes and a loss"},
		"C":              {a, nil, l, -1, 0, "C is -1"},
		"another's loss": {a, [][]int{{3}}, loss.LeafSymdiff(example.Tree(2)), 1, 0, "taxonomy of 3 nodes"},
		"no labels":      {a, [][]int{{3}, nil}, l, 1, 0, "row 1 has no labels"},
		"inner node":     {a, [][]int{{1}}, l, 1, 0, "not a leaf"},
		"unknown node":   {a, [][]int{{70}}, l, 1, 0, "not a leaf"},
		"other values":   {uneven, [][]int{{3}}, l, 1, 0, "need one value per node"},
		"share":          {a, [][]int{{3}}, l, 1, 1.5, "share of 1.5"},
		"nodes as label": {Nodes(g), [][]int{{3}}, l, 1, 0, "sets of leaves"},
	} {
		if s, err := NewSets(c.a, c.labels, c.l, c.c, c.share); s != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
}
