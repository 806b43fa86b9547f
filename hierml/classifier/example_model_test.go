package classifier_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
)

func ExampleModel_Save() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	data := example.Texts(example.Tree(3, 4), 400, 600, 30, 1)
	trained, err := svm.Hierarchical{C: 0.3}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Compact makes the file small and certifies what that costs.
	small, err := trained.Compact(context.Background(), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	path := filepath.Join(dir, "model.safetensors")
	if err := small.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	loaded, err := classifier.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(loaded.Name, loaded.C, loaded.Training.Certificate.Primal == small.Training.Certificate.Primal)
	fmt.Println(small.Training.Certificate.Primal <= trained.Training.Certificate.Primal*(1+classifier.DefaultRise), small.Training.Certificate.Dual == trained.Training.Certificate.Dual)
	// Output:
	// hierarchical SVM 0.3 true
	// true true
}

func ExampleModel_Rank() {
	data := example.Texts(example.Tree(3, 4), 400, 600, 30, 1)
	model, err := svm.Hierarchical{}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	one := data.X.Subset([]int{17})
	top := model.Rank(one, 5)[0]
	fmt.Println(len(top), top[0].Node == model.Predict(one)[0], top[0].Score >= top[1].Score)
	// Output: 5 true true
}

func ExampleModel_PredictSets() {
	train := example.Texts(example.Tree(2, 3), 500, 300, 20, 1)
	held := example.Texts(train.Taxonomy, 200, 300, 20, 2)
	model, err := svm.OneVsRest{}.Fit(context.Background(), train)
	if err != nil {
		fmt.Println(err)
		return
	}
	relevant, err := model.Relevant(held)
	if err != nil {
		fmt.Println(err)
		return
	}
	cut, err := calibration.Threshold(model.LeafScores(held.X), relevant)
	if err != nil {
		fmt.Println(err)
		return
	}
	sets := model.PredictSets(held.X, cut)
	fmt.Println(len(sets))
	// Output: 200
}
