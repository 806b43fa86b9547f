package weighting_test

import (
	"fmt"

	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// The weights of [CSS16, (7)]: the smallest is as large as the longest path allows, and leaves take
// what their path has left.
func ExampleMaxMin() {
	t, err := taxonomy.FromPaths([]string{"go/ast", "go/build/constraint", "fmt"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	alpha, err := weighting.MaxMin{}.Weights(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	for n, a := range alpha {
		fmt.Printf("%-19s %.3f\n", t.Name(n), a)
	}
	// Output:
	// go                  0.333
	// go/ast              0.667
	// go/build            0.333
	// go/build/constraint 0.333
	// fmt                 1.000
}

// The graph with which [CSS16, Theorem 1] fails: its leaves 4 to 7 are in rows and columns, and the
// first row is there twice. As Rho tends to 1 the two nodes of that row together do not tend to the
// weight of the row in the minimal graph, which is 1/2, but to sqrt2/(1+sqrt2). Dividing the
// weights of the minimal graph among the duplicates is what changes nothing.
func ExampleSplit() {
	names := []string{"row 1", "row 2", "column 1", "column 2", "4", "5", "6", "7", "row 1 again"}
	edges := [][2]int{{0, 4}, {0, 5}, {1, 6}, {1, 7}, {2, 4}, {2, 6}, {3, 5}, {3, 7}}
	minimal, err := taxonomy.New(names[:8], edges)
	if err != nil {
		fmt.Println(err)
		return
	}
	twice, err := taxonomy.New(names, append(edges, [2]int{8, 4}, [2]int{8, 5}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, rho := range []float64{1.5, 1.1, 1.01} {
		once, err := weighting.Path{Rho: rho}.Weights(minimal)
		if err != nil {
			fmt.Println(err)
			return
		}
		alpha, err := weighting.Path{Rho: rho}.Weights(twice)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("Rho %.2f: row 1 weighs %.4f, its two nodes %.4f\n", rho, once[0], alpha[0]+alpha[8])
	}
	once, err := weighting.Path{}.Weights(minimal)
	if err != nil {
		fmt.Println(err)
		return
	}
	alpha, err := weighting.Split(9, [][]int{{0, 8}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}, once)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("split: %.4f and %.4f\n", alpha[0], alpha[8])
	// Output:
	// Rho 1.50: row 1 weighs 0.4444, its two nodes 0.5524
	// Rho 1.10: row 1 weighs 0.4998, its two nodes 0.5842
	// Rho 1.01: row 1 weighs 0.5000, its two nodes 0.5856
	// split: 0.2000 and 0.2000
}
