package forest_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// genes returns instances of two features that say what they do: labels are inner nodes, leaves,
// or several.
func genes() (*dataset.Dataset, error) {
	t, err := taxonomy.FromPaths([]string{"metabolism/sugar", "metabolism/fat", "transport/in", "transport/out"}, "/")
	if err != nil {
		return nil, err
	}
	x := mat.NewDense(120, 2, nil)
	labels := make([][]int, 120)
	for i := range labels {
		a, b := float64(i%12)-5.5, float64(i%10)-4.5
		x.SetRow(i, []float64{a, b})
		node := func(name string) {
			if n, ok := t.Node(name); ok {
				labels[i] = append(labels[i], n)
			}
		}
		switch {
		case a > 2:
			node("metabolism/sugar")
		case a > 0:
			node("metabolism")
		default:
			node("metabolism/fat")
		}
		if b > 1 {
			node("transport/out")
		}
	}
	return dataset.FromDense("genes", t, x, labels)
}

// A single tree, whose leaves hold how often each node is a label.
func ExampleTree() {
	d, err := genes()
	if err != nil {
		log.Fatal(err)
	}
	model, err := forest.Tree{}.Fit(context.Background(), d)
	if err != nil {
		log.Fatal(err)
	}
	sets := model.Predict(d.X)
	for _, i := range []int{0, 6, 9} {
		fmt.Println(d.Taxonomy.NamesOf(d.Labels[i]...), "predicted", d.Taxonomy.NamesOf(sets[i]...))
	}
	fmt.Println(model.Leaves(), "leaves")
	// Output:
	// [metabolism/fat] predicted [metabolism/fat]
	// [metabolism transport/out] predicted [metabolism transport/out]
	// [metabolism/sugar transport/out] predicted [metabolism/sugar transport/out]
	// 6 leaves
}

// A random forest, and the area under the precision-recall curve of its probabilities.
func ExampleForest() {
	d, err := genes()
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := d.Split(0.3, 1)
	if err != nil {
		log.Fatal(err)
	}
	model, err := forest.Forest{Trees: 20}.Fit(context.Background(), train)
	if err != nil {
		log.Fatal(err)
	}
	areas, err := metric.NodeScores(model.NodeProbabilities(test.X), test.Labels, test.Taxonomy)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("AU(PRC) %.2f\n", areas.Pooled)
	// Output: AU(PRC) 1.00
}
