package svm_test

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleNormalized_Fit() {
	t, err := taxonomy.FromPaths([]string{"animal/cat", "animal/dog", "car"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	id := func(name string) int {
		n, _ := t.Node(name)
		return n
	}
	data := &dataset.Dataset{
		Taxonomy:   t,
		Vocabulary: []string{"fur", "purrs", "barks", "wheels"},
		X: &dataset.Matrix{
			Rows: 3, Cols: 4,
			Indptr:  []int{0, 2, 4, 5},
			Indices: []int32{0, 1, 0, 2, 3},
			Values:  []float32{1, 1, 1, 1, 1},
		},
		Labels: [][]int{{id("animal/cat")}, {id("animal/dog")}, {id("car")}},
	}
	model, err := svm.Normalized{C: 10}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range model.Predict(data.X) {
		fmt.Println(t.Name(n))
	}
	fmt.Printf("%v, gap below 1e-3: %v\n", model.Training.Status, model.Training.Certificate.Gap < 1e-3)
	// Output:
	// animal/cat
	// animal/dog
	// car
	// converged, gap below 1e-3: true
}

// ExampleHR trains logistic regressions, of which that of a class with a single instance leans on
// its sibling's: its instance is more certain than by one-vs-rest.
func ExampleHR() {
	t, err := taxonomy.FromPaths([]string{"net/http", "net/url", "fmt"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	data := &dataset.Dataset{Taxonomy: t, X: &dataset.Matrix{
		Rows: 4, Cols: 3, Indptr: []int{0, 2, 4, 6, 7}, Indices: []int32{0, 1, 0, 1, 0, 2, 1}, Values: []float32{1, 1, 1, 1, 1, 1, 1},
	}}
	for _, name := range []string{"net/http", "net/http", "net/url", "fmt"} {
		n, _ := t.Node(name)
		data.Labels = append(data.Labels, []int{n})
	}
	for _, e := range []svm.Regularized{svm.OneVsRest{Loss: solver.Logistic}, svm.HR{Loss: solver.Logistic, Settings: solver.Settings{Gap: 1e-6}}} {
		model, err := e.Fit(context.Background(), data)
		if err != nil {
			fmt.Println(err)
			return
		}
		url, _ := t.Node("net/url")
		fmt.Printf("%s: log odds of %s for its instance %.2f\n", model.Name, t.Name(url), model.LeafScores(data.X).At(2, t.LeafIndex(url)))
	}
	// Output:
	// one-vs-rest logistic regression: log odds of net/url for its instance 0.30
	// hierarchically regularized logistic regression: log odds of net/url for its instance 0.41
}

// Labels that have neighbours and no hierarchy: the weights of one month are drawn to those of the
// next.
func ExampleHR_graph() {
	t, err := taxonomy.New([]string{"April", "July", "October"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	data := &dataset.Dataset{Taxonomy: t, Labels: [][]int{{0}, {1}, {2}}, X: &dataset.Matrix{
		Rows: 3, Cols: 3, Indptr: []int{0, 2, 4, 6}, Indices: []int32{0, 1, 0, 1, 1, 2}, Values: []float32{1, 0.5, 0.2, 1, 0.5, 1},
	}}
	model, err := svm.HR{C: 100, Graph: [][2]int{{0, 1}, {1, 2}}}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.NamesOf(model.Predict(data.X)...), model.Training.Status)
	// Output:
	// [April July October] converged
}

// ExampleRecursive trains one SVM among net and fmt and one below net, and adds their certificates.
func ExampleRecursive() {
	t, err := taxonomy.FromPaths([]string{"net/http", "net/url", "fmt"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	data := &dataset.Dataset{Taxonomy: t, X: &dataset.Matrix{
		Rows: 3, Cols: 3, Indptr: []int{0, 2, 4, 5}, Indices: []int32{0, 1, 0, 2, 1}, Values: []float32{1, 1, 1, 1, 1},
	}}
	for _, name := range []string{"net/http", "net/url", "fmt"} {
		n, _ := t.Node(name)
		data.Labels = append(data.Labels, []int{n})
	}
	model, err := svm.Recursive{C: 10}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range model.Predict(data.X) {
		fmt.Println(t.Name(n))
	}
	fmt.Printf("objective between %.2f and %.2f\n", model.Training.Certificate.Dual, model.Training.Certificate.Primal)
	// Output:
	// net/http
	// net/url
	// fmt
	// objective between 1.75 and 1.75
}
