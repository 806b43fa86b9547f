package decision_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestThresholds compares learned thresholds with all others, decisions with a descent in plain
// loops, and their values with the expected F1 of the set.
func TestThresholds(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 3))
	ctx := context.Background()
	told := 0
	for round := range 60 {
		g := small(t, random, []string{"tree", "forest", "graph"}[round%3], 9)
		nodes, to := g.WithoutMiscellaneous()
		leaves := g.Leaves()
		const rows = 25
		p := drawn(random, rows, len(leaves))
		var labels [][]int
		var weights []float64
		likely := mat.NewDense(rows, nodes.Len(), nil)
		for i := range rows {
			sum := 0.0
			for _, v := range p.RawRowView(i) {
				sum += v
			}
			best := 0
			for y, v := range p.RawRowView(i) {
				for n, in := range above(nodes, []int{to[leaves[y]]}) {
					if in {
						likely.Set(i, n, likely.At(i, n)+v/sum)
					}
				}
				if v > p.At(i, best) {
					best = y
				}
			}
			y := leaves[best]
			if random.IntN(2) == 0 {
				y = leaves[random.IntN(len(leaves))]
			}
			labels, weights = append(labels, []int{y}), append(weights, float64(random.IntN(3)))
		}
		if round%2 == 0 {
			weights = nil
		}
		weight := func(i int) float64 {
			if weights == nil {
				return 1
			}
			return weights[i]
		}
		own := func(sets [][]int) (mapped [][]int) {
			for _, set := range sets {
				m := []int{}
				for _, n := range set {
					m = append(m, to[n])
				}
				mapped = append(mapped, m)
			}
			return mapped
		}
		decide := func(rule decision.Rule) [][]int {
			sets, values, err := rule.Decide(ctx, g, p)
			if err != nil {
				t.Fatal(err)
			}
			sets = own(sets)
			for i, set := range sets {
				want, sum := 0.0, 0.0
				for y, v := range p.RawRowView(i) {
					want += v * f1(nodes, false, []int{to[leaves[y]]}, set)
					sum += v
				}
				if math.Abs(values[i]-want/sum) > 1e-12 {
					t.Fatalf("%v of row %d has the value %v, expected F1 %v", set, i, values[i], want/sum)
				}
			}
			return sets
		}
		reached := func(sets [][]int) (f float64) {
			for i, set := range sets {
				f += weight(i) * f1(nodes, false, []int{to[labels[i][0]]}, set)
			}
			return f
		}

		learned, err := decision.TopDown{}.Learn(ctx, g, p, labels, weights...)
		if err != nil {
			t.Fatal(err)
		}
		got := reached(decide(learned))
		for k := range 201 {
			threshold := float64(k) / 200
			sets := decide(decision.TopDown{Threshold: threshold})
			if f := reached(sets); f > got+1e-9 {
				t.Fatalf("threshold %v reaches %v, the learned one, %v, %v", threshold, f, learned, got)
			}
			for i, set := range sets {
				at, above, among := -1, 1.0, nodes.Roots()
				for {
					best := among[0]
					for _, n := range among {
						if likely.At(i, n) > likely.At(i, best)+1e-12 {
							best = n
						}
					}
					stop := 0.0 // how likely the node itself is the label
					for y, leaf := range leaves {
						if to[leaf] == at {
							stop = p.At(i, y)
						}
					}
					tied := 0
					for _, n := range among {
						if likely.At(i, n) > likely.At(i, best)-1e-9 {
							tied++
						}
					}
					if at >= 0 && (math.Abs(likely.At(i, best)/above-threshold) < 1e-9 || stop > 0) || tied > 1 {
						at = -1 // too near to tell by rounding, or a label itself
						break
					}
					if at >= 0 && likely.At(i, best)/above < threshold {
						break
					}
					at, above, among = best, likely.At(i, best), nodes.Children(best)
					if len(among) == 0 {
						break
					}
				}
				if at >= 0 {
					told++
				}
				if at >= 0 && !slices.Equal(set, []int{at}) {
					t.Fatalf("threshold %v, row %d of %v: %v, the descent ends at %d", threshold, i, nodes.Edges(), set, at)
				}
			}
		}

		if learned, err = (decision.NodeThresholds{}).Learn(ctx, g, p, labels, weights...); err != nil {
			t.Fatal(err)
		}
		thresholds := learned.(decision.NodeThresholds).Thresholds
		sets := decide(learned)
		for n := range nodes.Len() {
			f := func(threshold float64) float64 {
				var both, all float64
				for i, set := range sets {
					in, truth := above(nodes, set), above(nodes, []int{to[labels[i][0]]})[n]
					on := likely.At(i, n) > threshold
					for _, parent := range nodes.Parents(n) {
						on = on && in[parent]
					}
					if on {
						all += weight(i)
					}
					if truth {
						all += weight(i)
					}
					if on && truth {
						both += weight(i)
					}
				}
				if both == 0 {
					return 0
				}
				return 2 * both / all
			}
			got := f(thresholds[n])
			for i := range rows {
				if other := f(likely.At(i, n) - 1e-9); likely.At(i, n) > 0 && other > got+1e-9 {
					t.Fatalf("node %d of %v: the threshold %v reaches %v, and another %v", n, nodes.Edges(), thresholds[n], got, other)
				}
			}
		}
	}
	if told < 50000 {
		t.Errorf("only %d descents were compared", told)
	}
}

func TestThresholdsRefuse(t *testing.T) {
	g, err := taxonomy.New([]string{"a", "b", "c"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	one := mat.NewDense(1, 2, []float64{1, 0})
	for want, rule := range map[string]decision.Rule{
		"the threshold is 2":          decision.TopDown{Threshold: 2},
		"the threshold is NaN":        decision.TopDown{Threshold: math.NaN()},
		"0 thresholds for 3 nodes":    decision.NodeThresholds{},
		"\"a\" has the threshold NaN": decision.NodeThresholds{Thresholds: []float64{math.NaN(), 0, 1}},
		"\"b\" has the threshold 2":   decision.NodeThresholds{Thresholds: []float64{0, 2, 1}},
		"\"c\" has the threshold -1":  decision.NodeThresholds{Thresholds: []float64{0, 1, -1}},
	} {
		if _, err := decision.Marshal(rule, g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v of Marshal", want, err)
		}
		if _, _, err := rule.Decide(ctx, g, one); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	for _, rule := range []decision.Learner{decision.TopDown{}, decision.NodeThresholds{}} {
		for want, c := range map[string]struct {
			p       *mat.Dense
			labels  [][]int
			weights []float64
		}{
			"there are no instances":   {new(mat.Dense), nil, nil},
			"labels of 2":              {one, [][]int{{1}, {1}}, nil},
			"and 2 weights":            {one, [][]int{{1}}, []float64{1, 1}},
			"weight 0 is NaN":          {one, [][]int{{1}}, []float64{math.NaN()}},
			"weight 0 is -1":           {one, [][]int{{1}}, []float64{-1}},
			"weight 0 is +Inf":         {one, [][]int{{1}}, []float64{math.Inf(1)}},
			"all weights are 0":        {one, [][]int{{1}}, []float64{0}},
			"has the labels [1 2]":     {one, [][]int{{1, 2}}, nil},
			"has the labels [0]":       {one, [][]int{{0}}, nil},
			"all probabilities are 0;": {mat.NewDense(1, 2, nil), [][]int{{1}}, nil},
		} {
			if _, err := rule.Learn(ctx, g, c.p, c.labels, c.weights...); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%T, %s: error %v", rule, want, err)
			}
		}
	}
}
