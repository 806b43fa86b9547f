package decision_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleHLoss_Decide() {
	t, err := taxonomy.New([]string{"animal", "bird", "fish", "owl", "duck"}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	decisions, err := decision.NewHLoss(t, loss.SiblingCosts(t))
	if err != nil {
		fmt.Println(err)
		return
	}
	// How likely each node is given its parent, as a label tree says it, of two instances.
	p := mat.NewDense(2, t.Len(), []float64{
		1, 0.9, 0.1, 0.8, 0.3,
		1, 0.6, 0.3, 0.5, 0.5,
	})
	sets, risks, err := decisions.Decide(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, set := range sets {
		fmt.Printf("%v, expected loss %.4f\n", t.NamesOf(set...), risks[i])
	}
	// Output:
	// [owl], expected loss 0.2125
	// [animal], expected loss 0.4500
}
