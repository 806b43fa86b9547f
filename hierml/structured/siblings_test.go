package structured

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// pairsOf lists the comparisons of a block.
func pairsOf(s *Siblings, b int) []string {
	var pairs []string
	for id := range int32(len(s.pairs[s.sets[b]].pairs)) {
		z, sibling := s.Competitor(b, id)
		pairs = append(pairs, fmt.Sprintf("%d>%d", z, sibling))
	}
	return pairs
}

func TestSiblingPairs(t *testing.T) {
	newTaxonomy := func(n int, edges [][2]int) *taxonomy.Taxonomy {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		g, err := taxonomy.New(names, edges)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	// Two roots 5 and 1; 5 has the children 2 and 0, 1 the children 4, 3; 2 the only child 6.
	forest := newTaxonomy(7, [][2]int{{5, 2}, {5, 0}, {1, 4}, {1, 3}, {2, 6}})
	// 3 has the parents 1 and 2, which are siblings.
	dag := newTaxonomy(5, [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {2, 4}})
	for _, c := range []struct {
		name    string
		g       *taxonomy.Taxonomy
		set     []int
		options SiblingOptions
		want    []string
	}{
		{"leaf of a chain", forest, []int{6}, SiblingOptions{Roots: true}, []string{"5>1", "2>0"}},
		{"roots are no siblings", forest, []int{6}, SiblingOptions{}, []string{"2>0"}},
		{"inner label", forest, []int{1}, SiblingOptions{Roots: true}, []string{"1>5"}},
		{"inner nodes only", forest, []int{4}, SiblingOptions{Roots: true, InnerOnly: true}, []string{"1>5"}},
		{"label set", forest, []int{4, 6}, SiblingOptions{Roots: true}, []string{"4>3", "2>0"}},
		{"all children", forest, []int{3, 4}, SiblingOptions{}, nil},
		{"no label", forest, nil, SiblingOptions{Roots: true}, nil},
		{"below two siblings", dag, []int{3}, SiblingOptions{Roots: true}, []string{"3>4"}},
		{"below one of them", dag, []int{4}, SiblingOptions{Roots: true}, []string{"2>1", "4>3"}},
	} {
		s, err := NewSiblings(Nodes(c.g), [][]int{nil, c.set}, c.options, 1)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		if s.Blocks() > 0 {
			got = pairsOf(s, 0)
			if s.Blocks() != 1 || s.Example(0) != 1 {
				t.Errorf("%s: %d blocks, the first of example %d; want one of example 1", c.name, s.Blocks(), s.Example(0))
			}
		}
		slices.Sort(c.want)
		sorted := slices.Clone(got)
		slices.Sort(sorted)
		if !slices.Equal(sorted, c.want) {
			t.Errorf("%s: compares %v, want %v", c.name, got, c.want)
		}
	}
	s, err := NewSiblings(Nodes(forest), [][]int{{6}}, SiblingOptions{Roots: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := pairsOf(s, 0); got[0] != "5>1" {
		t.Errorf("compares %v; parents come before children", got)
	}
}

func TestSiblingsRefused(t *testing.T) {
	g := example.Tree(2, 2)
	bad := loss.Func(func(int, int) float64 { return math.NaN() })
	for name, build := range map[string]func() (*Siblings, error){
		"no attributes": func() (*Siblings, error) { return NewSiblings(nil, nil, SiblingOptions{}, 1) },
		"C":             func() (*Siblings, error) { return NewSiblings(Nodes(g), nil, SiblingOptions{}, 0) },
		"label":         func() (*Siblings, error) { return NewSiblings(Nodes(g), [][]int{{7}}, SiblingOptions{}, 1) },
		"rescaling":     func() (*Siblings, error) { return NewSiblings(Nodes(g), nil, SiblingOptions{Rescaling: Norm}, 1) },
		"loss":          func() (*Siblings, error) { return NewSiblings(Nodes(g), [][]int{{3}}, SiblingOptions{Loss: bad}, 1) },
		"another's loss": func() (*Siblings, error) {
			return NewSiblings(Nodes(g), [][]int{{3}}, SiblingOptions{Loss: loss.Tree(example.Tree(2))}, 1)
		},
		"leaves' vectors": func() (*Siblings, error) { return NewSiblings(Ancestors(g), [][]int{{3}}, SiblingOptions{}, 1) },
	} {
		if _, err := build(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s, err := NewSiblings(Nodes(g), [][]int{{3}}, SiblingOptions{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.With(Ancestors(g)); err == nil {
		t.Error("comparisons move to other candidates")
	}
}

// TestSiblingsAgainstDefinition compares scores, directions, products and the search with plain
// loops, before and after a change of attributes.
func TestSiblingsAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	for trial := range 30 {
		g := example.Random(rng, 3+trial, 1+trial%3, 1+trial%2)
		labels := make([][]int, 6)
		for i := range labels {
			for range 1 + trial%2 {
				labels[i] = append(labels[i], rng.IntN(g.Len()))
			}
		}
		options := SiblingOptions{Roots: true, Rescaling: Rescaling(trial % 2 * int(Slack))}
		if trial%3 > 0 {
			options.Loss = loss.Func(func(y, z int) float64 { return float64(y) + 1.5*float64(z) })
		}
		s, err := NewSiblings(Nodes(g), labels, options, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		a, err := NewCandidates(g, allNodes(g), func(n int) ([]int, []float64) {
			above := g.Ancestors(n)
			values := make([]float64, len(above))
			for k, m := range above {
				values[k] = float64(1+m) / 3
			}
			return above, values
		})
		if err != nil {
			t.Fatal(err)
		}
		moved, err := s.With(a)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Siblings{s, moved} {
			checkSearch(t, rng, g, s, options)
		}
	}
}

func checkSearch(t *testing.T, rng *rand.Rand, g *taxonomy.Taxonomy, s *Siblings, options SiblingOptions) {
	t.Helper()
	a := s.Attributes()
	columns := a.Columns()
	scores := make([]float64, scoreWidth(len(columns)))
	for c := range columns {
		scores[c] = rng.NormFloat64() * 5
	}
	node := func(n int) (sum float64) {
		nodes, values := a.Leaf(a.Candidate(n))
		for k, m := range nodes {
			if c := a.Column(m); c >= 0 {
				sum += values[k] * scores[c]
			}
		}
		return sum
	}
	search := s.NewSearch()
	first, second := NewStep(len(columns)), NewStep(len(columns))
	for b := range s.Blocks() {
		worst := search.Load(b, scores)
		want := 0.0
		var order []int32
		for id := range int32(len(pairsOf(s, b))) {
			z, sibling := s.Competitor(b, id)
			cost, scale := 1.0, 1.0
			if options.Loss != nil {
				cost = options.Loss.Cost(z, sibling)
				if options.Rescaling == Slack {
					scale = cost
				}
			}
			v := cost - scale*(node(z)-node(sibling))
			want = max(want, v)
			if got := search.Violation(id); math.Abs(got-v) > 1e-9 || s.Cost(b, id) != cost {
				t.Errorf("block %d, %d: violation %v, want %v", b, id, got, v)
			}
			s.Direct(b, id, 1, first)
			var dot float64
			at, values := first.Take()
			for k, c := range at {
				dot += values[k] * scores[c]
			}
			if math.Abs(cost-dot-v) > 1e-9 {
				t.Errorf("block %d, %d: the direction gives violation %v, want %v", b, id, cost-dot, v)
			}
			for other := range id {
				if got, want := s.Product(b, id, other), DotSteps(s, b, id, other, first, second); math.Abs(got-want) > 1e-9 {
					t.Errorf("block %d: product %v, want %v", b, got, want)
				}
			}
			if v > 1 && id != 1 {
				order = append(order, id)
			}
		}
		if math.Abs(worst-want) > 1e-9 {
			t.Errorf("block %d: largest violation %v, want %v", b, worst, want)
		}
		slices.SortStableFunc(order, func(j, k int32) int {
			return int(math.Copysign(1, search.Violation(k)-search.Violation(j)))
		})
		if got := search.Worst(3, 1, []int32{1}, nil); !slices.Equal(got, order[:min(3, len(order))]) {
			t.Errorf("block %d: worst %v, want the first three of %v", b, got, order)
		}
	}
}

func TestSiblingsCertify(t *testing.T) {
	g := example.Tree(3, 2)
	data := example.Dense(g, 20, 4, 3)
	s, err := NewSiblings(Nodes(g), data.Labels, SiblingOptions{}, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	inputs, err := NewLinear(data.X)
	if err != nil {
		t.Fatal(err)
	}
	o, err := (&Problem{Inputs: inputs, Columns: s.Attributes().Columns(), Competitors: s}).Compile()
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := o.Origin(t.Context(), 2); math.Abs(got.Primal-0.3*20) > 1e-12 {
		t.Errorf("value of zero weights %v, want %v", got.Primal, 0.3*20)
	}
	d := o.NewDual()
	for b := range o.Blocks() {
		d.SetRow(b, []int32{int32(b % 2)}, []float64{0.3})
	}
	c, err := o.Certify(context.Background(), d, o.NewState(Single), make([]float64, o.Blocks()), 2)
	if err != nil {
		t.Fatal(err)
	}
	if c.Dual > c.Primal {
		t.Errorf("dual %v above primal %v", c.Dual, c.Primal)
	}
}
