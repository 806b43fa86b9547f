package svm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Scores of all nodes, about how likely a label is at or below each.
func ExampleRidge() {
	t, err := taxonomy.FromPaths([]string{"sport/ski", "sport/golf", "music/rock", "music/jazz"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	all := example.Texts(t, 400, 200, 20, 1)
	train, test := all.Subset(span(0, 300)), all.Subset(span(300, 400))
	model, err := svm.Ridge{}.Fit(context.Background(), train)
	if err != nil {
		log.Fatal(err)
	}
	scores := model.NodeScores(test.X)
	for _, name := range []string{"sport", "sport/ski", "music"} {
		n, _ := t.Node(name)
		fmt.Printf("%s %.1f\n", name, scores.At(0, n))
	}
	fmt.Println("predicted", t.Name(model.Predict(test.X)[0]))
	// Output:
	// sport 0.9
	// sport/ski 0.9
	// music 0.1
	// predicted sport/ski
}
