package synthetic_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hierml/notebook/hierml/synthetic"
)

func ExampleTextLike() {
	c, err := synthetic.TextLike{Levels: []int{3, 9, 40}, Train: 1000, Test: 200, Features: 5000, Tail: 0.9}.Generate(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	t := c.Train.Taxonomy
	fmt.Println(t.Len(), "nodes,", len(t.Leaves()), "leaves;", c.Train.Len(), "and", c.Test.Len(), "instances of", c.Train.X.Cols, "features")
	// Output: 52 nodes, 40 leaves; 1000 and 200 instances of 5000 features
}
