package decision_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// small returns a random taxonomy whose ids are in no order: a tree, a forest, or a graph, some of
// whose inner nodes are labels, for which it has leaves.
func small(t *testing.T, random *rand.Rand, kind string, most int) *taxonomy.Taxonomy {
	t.Helper()
	n := 2 + random.IntN(most-1)
	ids, names := random.Perm(n), make([]string, n)
	var edges [][2]int
	for i := range n {
		names[i] = strconv.Itoa(i)
		if i == 0 || kind == "forest" && random.IntN(3) == 0 {
			continue
		}
		parents := []int{random.IntN(i)}
		for kind == "graph" && random.IntN(2) == 0 {
			parents = append(parents, random.IntN(i))
		}
		slices.Sort(parents)
		for _, p := range slices.Compact(parents) {
			edges = append(edges, [2]int{ids[p], ids[i]})
		}
	}
	g, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	var inner []int
	for k := range g.Len() {
		if !g.IsLeaf(k) && random.IntN(3) == 0 {
			inner = append(inner, k)
		}
	}
	if len(inner) > 0 {
		if g, _, err = g.WithMiscellaneous(inner); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// drawn returns probabilities of the leaves, some of which are 0, or equal to others.
func drawn(random *rand.Rand, rows, leaves int) *mat.Dense {
	p := mat.NewDense(rows, leaves, nil)
	for i := range rows {
		row := p.RawRowView(i)
		for y := range row {
			row[y] = math.Pow(random.Float64(), 3)
			if i%3 == 0 {
				row[y] = float64(random.IntN(3)) / 4
			}
		}
		row[random.IntN(leaves)] += 0.25
		for y := range row {
			row[y] /= float64(leaves) + 0.25
		}
	}
	return p
}

// closures returns all sets of nodes of which every node above is in it too, as their most specific
// nodes, and all nodes by themselves.
func closures(g *taxonomy.Taxonomy) (sets, nodes [][]int) {
	for n := range g.Len() {
		nodes = append(nodes, []int{n})
	}
	for bits := range 1 << g.Len() {
		in := func(n int) bool { return bits>>n&1 == 1 }
		closed, set := true, []int{}
		for n := range g.Len() {
			lowest := in(n)
			for _, c := range g.Children(n) {
				closed = closed && (in(n) || !in(c))
				lowest = lowest && !in(c)
			}
			if lowest {
				set = append(set, n)
			}
		}
		if closed {
			sets = append(sets, set)
		}
	}
	return sets, nodes
}

// above marks the nodes at or above some.
func above(g *taxonomy.Taxonomy, set []int) []bool {
	in := make([]bool, g.Len())
	for _, n := range set {
		in[n] = true
	}
	for range g.Len() {
		for n := range in {
			for _, p := range g.Parents(n) {
				in[p] = in[p] || in[n]
			}
		}
	}
	return in
}

// f1 is that of two sets with the nodes above, 0 where both are empty.
func f1(g *taxonomy.Taxonomy, rootless bool, truth, predicted []int) float64 {
	both, one, other := 0.0, 0.0, 0.0
	y, z := above(g, truth), above(g, predicted)
	for n := range g.Len() {
		if rootless && len(g.Parents(n)) == 0 {
			continue
		}
		if y[n] {
			one++
		}
		if z[n] {
			other++
		}
		if y[n] && z[n] {
			both++
		}
	}
	if one+other == 0 {
		return 0
	}
	return 2 * both / (one + other)
}

// TestBruteForce compares each decision with all others, whose expected values are computed from
// the definitions, and its value with the mean of the report that package metric makes of it.
func TestBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	ctx := context.Background()
	looked := 0
	for _, kind := range []string{"tree", "forest", "graph"} {
		for range 60 {
			g := small(t, random, kind, 8)
			nodes, to := g.WithoutMiscellaneous()
			leaves := g.Leaves()
			p := drawn(random, 12, len(leaves))
			sets, single := closures(nodes)
			var ofLeaves [][]int
			for _, y := range leaves {
				ofLeaves = append(ofLeaves, []int{to[y]})
			}
			cost := func(truth, predicted []int) float64 { return -float64(nodes.Distance(truth[0], predicted[0])) }
			f := func(rootless bool) func(truth, predicted []int) float64 {
				return func(truth, predicted []int) float64 { return f1(nodes, rootless, truth, predicted) }
			}
			for name, c := range map[string]struct {
				rule    decision.Rule
				among   [][]int
				value   func(truth, predicted []int) float64
				measure func(*metric.Report) float64
			}{
				"tree loss of leaves": {decision.LeastLoss{}, ofLeaves, cost, func(r *metric.Report) float64 { return -r.TreeLoss }},
				"tree loss of nodes":  {decision.LeastLoss{Inner: true}, single, cost, func(r *metric.Report) float64 { return -r.TreeLoss }},
				"F1 of sets":          {decision.LargestF{}, sets, f(false), func(r *metric.Report) float64 { return r.HierarchicalSamplesF1 }},
				"F1 of nodes":         {decision.LargestF{Single: true}, single, f(false), func(r *metric.Report) float64 { return r.HierarchicalSamplesF1 }},
				"rootless F1 of sets": {decision.LargestF{Rootless: true}, sets, f(true), func(r *metric.Report) float64 {
					return r.RootlessSamplesF1
				}},
				"rootless F1 of nodes": {decision.LargestF{Rootless: true, Single: true}, single, f(true), func(r *metric.Report) float64 {
					return r.RootlessSamplesF1
				}},
			} {
				decided, values, err := c.rule.Decide(ctx, g, p)
				if err != nil {
					t.Fatalf("%s, %s of %v: %v", kind, name, g.Edges(), err)
				}
				for i := range decided {
					looked++
					row := p.RawRowView(i)
					sum := 0.0
					for _, v := range row {
						sum += v
					}
					expect := func(set []int) (value float64) {
						for y, v := range row {
							value += v / sum * c.value([]int{to[leaves[y]]}, set)
						}
						return value
					}
					own := []int{}
					for _, n := range decided[i] {
						own = append(own, to[n])
					}
					most := math.Inf(-1)
					for _, set := range c.among {
						most = max(most, expect(set))
					}
					got := values[i]
					if strings.HasPrefix(name, "tree") {
						got = -got
					}
					if math.Abs(expect(own)-most) > 1e-12 || math.Abs(got-most) > 1e-12 {
						t.Fatalf("%s, %s of %v, row %v: %v with %v, expected %v; the best has %v", kind, name, g.Edges(), row, decided[i], got, expect(own), most)
					}
					if !slices.ContainsFunc(c.among, func(set []int) bool {
						return slices.Equal(set, slices.Sorted(slices.Values(own)))
					}) {
						t.Fatalf("%s, %s: %v is no decision among %v", kind, name, decided[i], c.among)
					}
					if len(decided[i]) == 0 {
						continue // no prediction of one label
					}
					r, err := metric.Settings{Weights: row}.EvaluateSets(mat.NewDense(len(leaves), len(leaves), nil), slices.Repeat([][]int{decided[i]}, len(leaves)), labelled(leaves), g)
					if err != nil {
						t.Fatal(err)
					}
					if strings.HasPrefix(name, "rootless") && slices.ContainsFunc(leaves, func(y int) bool { return len(nodes.Parents(to[y])) == 0 }) {
						continue // such instances may be left out of the mean
					}
					if got := c.measure(r); math.Abs(got-most) > 1e-12 {
						t.Fatalf("%s, %s: the report has %v, expected %v", kind, name, got, most)
					}
				}
			}
		}
	}
	if looked < 10000 {
		t.Errorf("only %d decisions", looked)
	}
}

// labelled returns a label set for each leaf.
func labelled(leaves []int) (sets [][]int) {
	for _, y := range leaves {
		sets = append(sets, []int{y})
	}
	return sets
}

// TestLosses compares decisions for other losses with the sums of their costs.
func TestLosses(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 2))
	for round := range 120 {
		kind := []string{"tree", "forest", "graph"}[round%3]
		g := small(t, random, kind, 12)
		losses := map[string]loss.Loss{}
		for _, name := range loss.Names() {
			l, err := loss.Named(name, g)
			if err == nil { // some need a tree, or one root
				losses[name] = l
			}
		}
		weight := make([]float64, g.Len())
		for n := range weight {
			weight[n] = random.Float64()
		}
		weighted, err := loss.Weighted(g, weight, 0.7, 1.9)
		if err != nil {
			t.Fatal(err)
		}
		table := mat.NewDense(g.Len(), g.Len(), nil)
		for a := range g.Len() {
			for b := range g.Len() {
				if a != b {
					table.Set(a, b, random.Float64())
				}
			}
		}
		given, err := loss.FromTable(g, table)
		if err != nil {
			t.Fatal(err)
		}
		losses["weighted"], losses["table"] = weighted, given
		losses["function"] = loss.Func(func(y, n int) float64 { return table.At(n, y) })
		p := drawn(random, 40, len(g.Leaves()))
		for name, l := range losses {
			for _, inner := range []bool{false, true} {
				sets, values, err := decision.LeastLoss{Loss: l, Inner: inner}.Decide(context.Background(), g, p)
				if name == "normalized" && inner && !slices.ContainsFunc(g.Edges(), func(e [2]int) bool { return len(g.Parents(e[0])) > 0 }) {
					if err == nil {
						t.Fatalf("%s: the only inner nodes are roots, which have no cost, of %v", name, g.Edges())
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s of %v: %v", name, g.Edges(), err)
				}
				for i, set := range sets {
					least, own, sum := math.Inf(1), math.NaN(), 0.0
					for _, v := range p.RawRowView(i) {
						sum += v
					}
					for n := range g.Len() {
						if !inner && !g.IsLeaf(n) {
							continue
						}
						expected := 0.0
						for y, leaf := range g.Leaves() {
							expected += p.At(i, y) / sum * l.Cost(leaf, n)
						}
						if n == set[0] {
							own = expected
						}
						if expected < least {
							least = expected
						}
					}
					if len(set) != 1 || !(math.Abs(own-least) < 1e-12 && math.Abs(values[i]-least) < 1e-12) {
						t.Fatalf("%s, %s, inner %v of %v, row %d: %v with %v, the sum is %v; the least is %v", kind, name, inner, g.Edges(), i, set, values[i], own, least)
					}
				}
			}
		}
	}
}

// TestScale checks that probabilities need not add up to 1, and that decisions do not depend on how
// many rows there are.
func TestScale(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	g := small(t, random, "graph", 40)
	p := drawn(random, 200, len(g.Leaves()))
	var half mat.Dense
	half.Scale(0.5, p)
	for _, rule := range []decision.Rule{decision.LeastLoss{Inner: true}, decision.LeastLoss{Loss: loss.Tree(g)}, decision.LargestF{}, decision.LargestF{Single: true}} {
		sets, values, err := rule.Decide(context.Background(), g, p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range sets {
			set, value, err := rule.Decide(context.Background(), g, mat.NewDense(1, len(g.Leaves()), half.RawRowView(i)))
			if err != nil || !slices.Equal(set[0], sets[i]) || math.Abs(value[0]-values[i]) > 1e-12 {
				t.Fatalf("%T, row %d: %v with %v, %v; among others %v with %v", rule, i, set, value, err, sets[i], values[i])
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	g, err := taxonomy.New([]string{"a", "b", "c"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := taxonomy.New([]string{"x", "y"}, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	leaves, err := loss.FromTable(g, mat.NewDense(2, 2, []float64{0, 1, 1, 0}))
	if err != nil {
		t.Fatal(err)
	}
	one := mat.NewDense(1, 2, []float64{1, 0})
	for want, c := range map[string]struct {
		rule decision.Rule
		t    *taxonomy.Taxonomy
		p    *mat.Dense
	}{
		"needs a taxonomy":                      {decision.LargestF{}, nil, one},
		"needs a taxonomy and probabilities":    {decision.LeastLoss{}, g, nil},
		"probabilities of 3 labels":             {decision.LargestF{}, g, mat.NewDense(1, 3, nil)},
		`row 0, leaf "c": probability 1.5`:      {decision.LargestF{}, g, mat.NewDense(1, 2, []float64{0, 1.5})},
		`row 0, leaf "b": probability NaN`:      {decision.LeastLoss{}, g, mat.NewDense(1, 2, []float64{math.NaN(), 0})},
		"row 1: all probabilities are 0":        {decision.LeastLoss{}, g, mat.NewDense(2, 2, []float64{1, 0, 0, 0})},
		"made for a taxonomy of 2 nodes":        {decision.LeastLoss{Loss: loss.Tree(other)}, g, one},
		"no finite cost of any inner node":      {decision.LeastLoss{Loss: leaves, Inner: true}, g, one},
		"no decision has a finite expected los": {decision.LeastLoss{Loss: loss.Func(func(int, int) float64 { return math.NaN() })}, g, one},
	} {
		if _, _, err := c.rule.Decide(context.Background(), c.t, c.p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	cancel(why)
	for _, rule := range []decision.Rule{decision.LeastLoss{}, decision.LeastLoss{Loss: leaves}, decision.LargestF{}} {
		if _, _, err := rule.Decide(ctx, g, one); !errors.Is(err, why) {
			t.Errorf("%T: error %v", rule, err)
		}
		if sets, values, err := rule.Decide(context.Background(), g, new(mat.Dense)); len(sets) != 0 || len(values) != 0 || err != nil {
			t.Errorf("%T of no rows: %v, %v, %v", rule, sets, values, err)
		}
	}
}

// Of the second row the parent is nearer to the label, on average, than the likeliest leaf is, and
// both of its children have the largest expected F1.
func ExampleLeastLoss_Decide() {
	t, err := taxonomy.FromPaths([]string{"bird/duck", "bird/owl", "fish/eel", "fish/cod"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	p := mat.NewDense(2, 4, []float64{
		0.7, 0.1, 0.1, 0.1,
		0.4, 0.35, 0.05, 0.2,
	})
	for _, rule := range []decision.Rule{decision.LeastLoss{}, decision.LeastLoss{Inner: true}, decision.LargestF{}} {
		sets, values, err := rule.Decide(context.Background(), t, p)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v %.3f, %v %.3f\n", t.NamesOf(sets[0]...), values[0], t.NamesOf(sets[1]...), values[1])
	}
	// Output:
	// [bird/duck] 1.000, [bird/duck] 1.700
	// [bird/duck] 1.000, [bird] 1.500
	// [bird/duck] 0.750, [bird/duck bird/owl] 0.600
}
