package metric_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	examples "github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleHLoss() {
	t, err := taxonomy.New([]string{"animal", "bird", "fish", "owl", "duck"}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	truth := [][]int{{3}, {3}, {2, 3}}
	predicted := [][]int{{1}, {2}, {}} // a bird, a fish, nothing
	losses, err := metric.HLoss(truth, predicted, t, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(losses)
	// Output: [0.25 1 1]
}

func TestGoldenHLoss(t *testing.T) {
	cases, err := golden.Read("bsvm")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var want struct {
			Taxonomy golden.Taxonomy
			Costs    []float64
			Pairs    []struct {
				Y, Z  []int
				HLoss float64
			} `json:"hloss_pairs"`
		}
		if err := c.Decode(&want); err != nil {
			t.Fatal(err)
		}
		g, err := want.Taxonomy.New()
		if err != nil {
			t.Fatal(err)
		}
		var truth, predicted [][]int
		for _, p := range want.Pairs {
			truth, predicted = append(truth, p.Y), append(predicted, g.MostSpecific(p.Z))
		}
		got, err := metric.HLoss(truth, predicted, g, want.Costs)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range want.Pairs {
			if math.Abs(got[i]-p.HLoss) > 1e-12 {
				t.Errorf("%s: H-loss of %v for %v is %v, want %v", c.ID, p.Z, p.Y, got[i], p.HLoss)
			}
		}
	}
}

// TestHLossIsThatOfTraining compares with the loss that SVMs are trained with, and with a report.
func TestHLossIsThatOfTraining(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 50 {
		g := examples.Random(r, 1+r.IntN(12), 1, 1)
		l, err := loss.Sib(g)
		if err != nil {
			t.Fatal(err)
		}
		set := func() (nodes []int) {
			for n := range g.Len() {
				if r.IntN(3) == 0 {
					nodes = append(nodes, n)
				}
			}
			return nodes
		}
		truth, predicted := [][]int{set()}, [][]int{set()}
		want := l.(loss.SetLoss).SetCost(truth[0], predicted[0])
		for _, costs := range [][]float64{nil, loss.SiblingCosts(g)} {
			got, err := metric.HLoss(truth, predicted, g, costs)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got[0]-want) > 1e-12 {
				t.Fatalf("H-loss of %v for %v is %v, want %v", predicted, truth, got[0], want)
			}
		}
	}
}

func TestHLossRefuses(t *testing.T) {
	g := examples.Tree(2)
	one := [][]int{{1}}
	for name, call := range map[string]func() ([]float64, error){
		"no taxonomy":  func() ([]float64, error) { return metric.HLoss(one, one, nil, nil) },
		"lengths":      func() ([]float64, error) { return metric.HLoss(one, nil, g, nil) },
		"costs":        func() ([]float64, error) { return metric.HLoss(one, one, g, []float64{1}) },
		"cost of NaN":  func() ([]float64, error) { return metric.HLoss(one, one, g, []float64{1, 1, math.NaN()}) },
		"no such node": func() ([]float64, error) { return metric.HLoss(one, [][]int{{3}}, g, nil) },
		"order":        func() ([]float64, error) { return metric.HLoss([][]int{{2, 1}}, one, g, nil) },
	} {
		if _, err := call(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
