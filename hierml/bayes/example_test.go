package bayes_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/bayes"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// There are two documents about roses, without the word "petal". That roses have petals is learned
// from the other flowers.
func ExampleShrinkage() {
	t, err := taxonomy.New([]string{"all", "flower", "rose", "tulip", "tool", "hammer", "saw"},
		[][2]int{{0, 1}, {1, 2}, {1, 3}, {0, 4}, {4, 5}, {4, 6}})
	if err != nil {
		panic(err)
	}
	words := mat.NewDense(7, 5, []float64{ // thorn, petal, bulb, nail, wood
		2, 0, 1, 0, 0,
		3, 0, 1, 0, 0,
		0, 3, 1, 0, 0,
		0, 2, 2, 0, 0,
		0, 0, 0, 3, 1,
		0, 0, 0, 2, 2,
		0, 0, 0, 0, 3,
	})
	d, err := dataset.FromDense("garden", t, words, [][]int{{2}, {2}, {3}, {3}, {5}, {5}, {6}})
	if err != nil {
		panic(err)
	}
	m, err := bayes.Shrinkage{}.Fit(context.Background(), d)
	if err != nil {
		panic(err)
	}
	rose := m.Weights(2)
	fmt.Println("petals are likelier than nails:", rose[1] > rose[3])
	fmt.Println("and less likely than thorns:", rose[1] < rose[0])
	c := m.Training.Certificate
	fmt.Printf("held out words take %.3f nats, at best %.3f\n", c.Primal, c.Dual)
	// Output:
	// petals are likelier than nails: true
	// and less likely than thorns: true
	// held out words take 19.368 nats, at best 19.366
}
