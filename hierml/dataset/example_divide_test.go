package dataset_test

import (
	"fmt"
	"log"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// apples returns six documents of one class and four of another.
func apples() *dataset.Corpus {
	t, err := taxonomy.FromPaths([]string{"food/apple", "food/bread"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	apple, _ := t.Node("food/apple")
	bread, _ := t.Node("food/bread")
	c := &dataset.Corpus{Name: "apples", Taxonomy: t}
	for i := range 10 {
		label := apple
		if i >= 6 {
			label = bread
		}
		c.Documents = append(c.Documents, dataset.Document{ID: fmt.Sprint(i), Labels: []int{label}})
	}
	return c
}

func ExampleCorpus_Folds() {
	c := apples()
	folds, err := c.Folds(2, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, fold := range folds {
		_, test := c.Divide(fold)
		apples := 0
		for _, d := range test.Documents {
			if c.Taxonomy.Name(d.Labels[0]) == "food/apple" {
				apples++
			}
		}
		fmt.Println(fold, "of which", apples, "are apples")
	}
	// Output:
	// fold 1 of 2: 5 to train on, 5 to test on of which 3 are apples
	// fold 2 of 2: 5 to train on, 5 to test on of which 3 are apples
}

func ExampleCorpus_PerClassRounds() {
	rounds, err := apples().PerClassRounds(3, 2, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, round := range rounds {
		fmt.Println(round)
	}
	// Output:
	// round 1: 4 to train on, 6 to test on
	// round 2: 4 to train on, 6 to test on
	// round 3: 4 to train on, 6 to test on
}
