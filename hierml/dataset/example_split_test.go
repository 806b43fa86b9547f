package dataset_test

import (
	"fmt"
	"log"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleCorpus_Split() {
	t, err := taxonomy.FromPaths([]string{"a", "b"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	c := &dataset.Corpus{Taxonomy: t}
	for i := range 10 {
		c.Documents = append(c.Documents, dataset.Document{Labels: []int{i / 9}}) // nine of a, one of b
	}
	train, test, err := c.Split(0.3, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(train.Len(), test.Len(), train.Documents[6].Labels)
	// Output: 7 3 [1]
}
