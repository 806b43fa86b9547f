package collection_test

import (
	"fmt"

	"github.com/hierml/notebook/hierml/collection"
)

// The data sets that Open knows by name; in a notebook the whole list is a table.
func ExampleCatalogue() {
	for _, e := range collection.Catalogue() {
		if e.Depth == 4 {
			fmt.Printf("%s: %s, %d leaves\n", e.Name, e.Structure(), e.Leaves)
		}
	}
	// Output:
	// lyrl2004: tree, 82 leaves
}

// What is not here is downloaded into the cache by Open; with a Download one sees how far it is. In
// a notebook, take nb.Bar("20 Newsgroups") for Progress.
func ExampleDownload() {
	d := collection.Download{Progress: func(done float64, state string) error {
		fmt.Printf("%3.0f%% %s\n", 100*done, state)
		return nil
	}}
	_ = d // posts, err := d.OpenTexts(ctx, "20news-bydate")
}
