package chart_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/chart"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleTaxonomy() {
	t, err := taxonomy.FromPaths([]string{"net/http/httptest", "net/mail", "strings"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	figure, err := chart.Taxonomy(t)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text)
	// Output: Taxonomy of 5 nodes, 3 leaves
}

func ExampleLearningCurve() {
	figure, err := chart.LearningCurve([]int{1, 5, 20}, map[string][]float64{
		"flat":       {0.28, 0.52, 0.66},
		"normalized": {0.27, 0.50, 0.64},
	})
	if err != nil {
		log.Fatal(err)
	}
	figure.X.Label.Text = "documents per class" // everything of a gonum plot can be changed
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	fmt.Println(figure.Save(filepath.Join(dir, "curve.svg")))
	// Output: <nil>
}

func ExampleConfusionOf() {
	t, err := taxonomy.FromPaths([]string{"go/ast", "go/build", "net/http"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	scores := mat.NewDense(2, 3, []float64{0.9, 0.1, 0.3, 0.2, 0.8, 0.5})
	report, err := metric.EvaluateScores(scores, [][]int{t.Leaves()[:1], t.Leaves()[2:]}, t)
	if err != nil {
		log.Fatal(err)
	}
	figure, err := chart.ConfusionOf(report)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text)
	// Output: Confusions: 1 of 2 right
}

func ExampleIcicle() {
	t, err := taxonomy.FromPaths([]string{"sport/baseball", "sport/hockey", "science"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	documents := []float64{70, 40, 30, 20} // of each node, in the order of their ids
	accuracies := []float64{0.9, 0.7, 0.8, 0.6}
	figure, err := chart.Icicle(t, documents, accuracies, "accuracy")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text)
	// Output: accuracy of 4 nodes
}

func ExampleIcicleOf() {
	figure, err := chart.IcicleOf(report())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text)
	// Output: Accuracy at each node, of 2 instances
}

func ExampleConfusionByLevel() {
	figure, err := chart.ConfusionByLevel(report())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text) // the family is right for both
	// Output: Confusions: 2 of 2 right
}

// report evaluates two instances. One is mistaken for another leaf of its family.
func report() *metric.Report {
	t, err := taxonomy.FromPaths([]string{"go/ast", "go/build", "net/http"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	scores := mat.NewDense(2, 3, []float64{0.3, 0.9, 0.1, 0.2, 0.5, 0.8})
	r, err := metric.EvaluateScores(scores, [][]int{t.Leaves()[:1], t.Leaves()[2:]}, t)
	if err != nil {
		log.Fatal(err)
	}
	return r
}

func ExampleContributions() {
	t, err := taxonomy.FromPaths([]string{"warm/red", "warm/orange", "cold/blue"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	points := mat.NewDense(3, 2, []float64{3, 0, 1, 1, -1, -2})
	data, err := dataset.FromDense("three points", t, points, [][]int{t.Leaves()[:1], t.Leaves()[1:2], t.Leaves()[2:]})
	if err != nil {
		log.Fatal(err)
	}
	model, err := svm.Hierarchical{C: 10}.Fit(context.Background(), data)
	if err != nil {
		log.Fatal(err)
	}
	why, err := model.Explain(data.X, 0)
	if err != nil {
		log.Fatal(err)
	}
	figure, err := chart.Contributions(why)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text)
	// Output: What speaks for warm/red
}

func ExampleParameter() {
	figure, err := chart.Parameter("C", "accuracy", []float64{0.1, 1, 10},
		map[string][]float64{"flat": {0.61, 0.70, 0.68}, "normalized": {0.66, 0.71, 0.69}},
		map[string][]float64{"flat": {0.02, 0.01, 0.03}, "normalized": {0.01, 0.02, 0.02}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text)
	// Output: accuracy over C
}

func ExampleReliability() {
	probabilities := []float64{0.1, 0.3, 0.35, 0.6, 0.8, 0.9}
	happened := []bool{false, false, true, true, false, true}
	r, err := calibration.NewReliability(probabilities, happened, 4, calibration.EqualWidth)
	if err != nil {
		log.Fatal(err)
	}
	figure, err := chart.Reliability(map[string]*calibration.Reliability{"flat": r})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text)
	// Output: Reliability
}

func ExampleDendrogram() {
	distances := mat.NewSymDense(4, []float64{
		0, 2, 7, 8,
		2, 0, 7, 9,
		7, 7, 0, 3,
		8, 9, 3, 0,
	})
	d, err := clustering.Agglomerative{}.Link(context.Background(), distances, []string{"autos", "motorcycles", "baseball", "hockey"})
	if err != nil {
		log.Fatal(err)
	}
	two, err := d.With(clustering.Number(2))
	if err != nil {
		log.Fatal(err)
	}
	figure, err := chart.Dendrogram(two)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text)
	// Output: Dendrogram of 4 classes, 2 clusters
}

func ExampleNodeValues() {
	t, err := taxonomy.FromPaths([]string{"sport/baseball", "sport/hockey", "science"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	norms := make([]float64, t.Len()) // such as those of Model.NodeWeights
	for n := range norms {
		norms[n] = float64(len(t.Descendants(n)))
	}
	figure, err := chart.NodeValues(t, norms, "nodes below")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text)
	// Output: nodes below of 4 nodes
}

func ExampleCompareRegions() {
	t, err := taxonomy.FromPaths([]string{"warm/red", "warm/orange", "cold/blue"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	points := mat.NewDense(3, 2, []float64{0, 0, 1, 0, 0, 2})
	var labels [][]int
	for _, leaf := range t.Leaves() {
		labels = append(labels, []int{leaf})
	}
	data, err := dataset.FromDense("three points", t, points, labels)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	flat, err := svm.Flat{C: 10}.Fit(ctx, data)
	if err != nil {
		log.Fatal(err)
	}
	first := chart.PredictFunc(func(x *dataset.Matrix) []int { // any function is a model
		predicted := make([]int, x.Rows)
		for i := range predicted {
			predicted[i] = t.Leaves()[0]
		}
		return predicted
	})
	figure, err := chart.CompareRegions(ctx, data, chart.Contender{Name: "flat", Model: flat}, chart.Contender{Name: "always the first", Model: first})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Beside[0].Title.Text)
	// Output:
	// always the first
	// accuracy 0.333
}

func ExampleMargins() {
	t, err := taxonomy.FromPaths([]string{"warm/red", "warm/orange", "cold/blue"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	points := mat.NewDense(6, 2, []float64{3, 0, 1, 0, 0, 1, 0, 3, -1, -1, -3, -3})
	var labels [][]int
	for i := range 6 {
		labels = append(labels, []int{t.Leaves()[i/2]})
	}
	data, err := dataset.FromDense("six points", t, points, labels)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	model, err := svm.Flat{C: 10, Settings: solver.Settings{Gap: 1e-6}}.Fit(ctx, data)
	if err != nil {
		log.Fatal(err)
	}
	figure, err := chart.Margins(ctx, model, data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure.Title.Text) // those nearest to the other classes
	// Output: Margins: 3 of 6 are support vectors
}

func ExampleArrows() {
	points, err := synthetic.Gaussians{}.Generate(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	model, err := svm.Hierarchical{}.Fit(context.Background(), points)
	if err != nil {
		log.Fatal(err)
	}
	figure, err := chart.Arrows(model)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(figure)
	// Output: hierarchical SVM (340 x 348 points)
}
