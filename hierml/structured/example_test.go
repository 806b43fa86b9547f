package structured_test

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Two examples of one feature each, and a point of the dual that gives the competitor of each the
// coefficient 1/2.
func ExampleProblem() {
	t, err := taxonomy.New([]string{"all", "cat", "dog"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := &dataset.Matrix{Rows: 2, Cols: 2, Indptr: []int{0, 1, 2}, Indices: []int32{0, 1}, Values: []float32{1, 1}}
	inputs, err := structured.NewLinear(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	attributes := structured.Ancestors(t)
	labels, err := structured.NewLabels(attributes, []int{1, 2}, loss.ZeroOne(), structured.Margin, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	problem := &structured.Problem{Inputs: inputs, Columns: attributes.Columns(), Competitors: labels}
	oracle, err := problem.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	dual := oracle.NewDual()
	dual.SetRow(0, []int32{1}, []float64{0.5})
	dual.SetRow(1, []int32{0}, []float64{0.5})
	state := oracle.NewState(structured.Single)
	certificate, err := oracle.Certify(context.Background(), dual, state, make([]float64, 2), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	weights := structured.LinearWeights(state)
	fmt.Println("primal", certificate.Primal, "dual", certificate.Dual)
	fmt.Println("cat", weights.Node(1), "dog", weights.Node(2))
	// Output:
	// primal 0.5 dual 0.5
	// cat [0.5 -0.5] dog [-0.5 0.5]
}
