package clustering_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/taxonomy"
)

var distances = mat.NewSymDense(5, []float64{
	0, 2, 7, 8, 20,
	2, 0, 7, 9, 21,
	7, 7, 0, 3, 19,
	8, 9, 3, 0, 22,
	20, 21, 19, 22, 0,
})

var groups = []string{"autos", "motorcycles", "baseball", "hockey", "atheism"}

// Cuts by number make a deeper hierarchy.
func ExampleAgglomerative_Link() {
	d, err := clustering.Agglomerative{}.Link(context.Background(), distances, groups)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(d)
	h, err := d.Taxonomy(clustering.Number(2), clustering.Number(3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(h)
	// Output:
	// Dendrogram of 5 classes by average linkage: 3 clusters, threshold of inconsistency 0.9232
	// cluster 1: autos, motorcycles
	// cluster 2: baseball, hockey
	// cluster 3: atheism
	// link     height  size inconsistency
	//    0          2     2        0.0000   autos + motorcycles
	//    1          3     2        0.0000   baseball + hockey
	//    2       7.75     4        1.1393 × link 0 + link 1
	//    3       20.5     5        0.7071 × atheism + link 2
	// forest of 2 trees: 10 nodes, 5 leaves, depth 2
	// cluster 1
	// ├── cluster 1.1
	// │   ├── autos
	// │   └── motorcycles
	// └── cluster 1.2
	//     ├── baseball
	//     └── hockey
	// cluster 2
	// └── cluster 2.1
	//     └── atheism
}

// small returns eight instances of four classes.
func small() *dataset.Dataset {
	t, err := taxonomy.FromPaths([]string{"vehicles/autos", "vehicles/motorcycles", "sports/baseball", "sports/hockey"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	d, err := files.ReadSVMLight(strings.NewReader(`vehicles/autos 1:1 2:0.5
vehicles/motorcycles 1:1 3:0.5
sports/baseball 4:1 5:0.5
sports/hockey 4:1 6:0.5
vehicles/autos 1:1 2:0.4
vehicles/motorcycles 1:1 3:0.4
sports/baseball 4:1 5:0.4
sports/hockey 4:1 6:0.4
`), "small", t)
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// Centroids of few texts are longer than others, which makes them far from all others, but not
// their angles.
func ExampleForTexts() {
	h, err := clustering.ForTexts().Fit(context.Background(), small())
	if err != nil {
		log.Fatal(err)
	}
	if h, err = h.With(clustering.Number(2)); err != nil {
		log.Fatal(err)
	}
	for _, cluster := range h.Clusters {
		fmt.Println(h.Name(cluster[0]), h.Name(cluster[1]))
	}
	// Output:
	// vehicles/autos vehicles/motorcycles
	// sports/baseball sports/hockey
}

// A perceptron learns under the hierarchy that is learned from its instances, and is judged by the
// true one.
func ExampleAutomatic() {
	d := small()
	ctx := context.Background()
	model, err := clustering.Automatic{
		Estimator: perceptron.Hierarchical{Averaged: true},
		Cuts:      []clustering.Cut{clustering.Number(2)},
	}.Fit(ctx, d)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(model.From)
	report, err := metric.Evaluate(model, d)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("parent accuracy", report.ParentAccuracy)
	// Output:
	// forest of 2 trees: 6 nodes, 4 leaves, depth 1
	// cluster 1
	// ├── vehicles/autos
	// └── vehicles/motorcycles
	// cluster 2
	// ├── sports/baseball
	// └── sports/hockey
	// parent accuracy 1
}

func ExampleRandom() {
	h, err := clustering.Random{Seed: 1}.Like(context.Background(), small().Taxonomy)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(h.Roots()), "roots,", len(h.Leaves()), "leaves")
	// Output: 2 roots, 4 leaves
}
