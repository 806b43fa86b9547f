package svm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hierml/notebook/hierml/calibration"
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
	model, err := svm.Hierarchical{C: 0.3}.Fit(context.Background(), data.Taxonomy, data)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Compact makes the file small and certifies what that costs.
	small, err := model.Compact(context.Background(), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	path := filepath.Join(dir, "model.safetensors")
	if err := small.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	loaded, err := svm.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(loaded.Name, loaded.C, loaded.Result.Primal == small.Result.Primal)
	fmt.Println(small.Result.Primal <= model.Result.Primal*(1+svm.DefaultRise), small.Result.Dual == model.Result.Dual)
	// Output:
	// hierarchical SVM 0.3 true
	// true true
}

func ExampleModel_Rank() {
	data := example.Texts(example.Tree(3, 4), 400, 600, 30, 1)
	model, err := svm.Hierarchical{}.Fit(context.Background(), data.Taxonomy, data)
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
	data := severalTexts(example.Tree(2, 3), 700, 1)
	train, held := data.Subset(span(0, 500)), data.Subset(span(500, 700))
	model, err := svm.OneVsRest{}.Fit(context.Background(), data.Taxonomy, train)
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

func ExampleCalibrate() {
	data := example.Texts(example.Tree(3, 4), 400, 600, 30, 1)
	p, err := svm.Calibrate(context.Background(), svm.Hierarchical{C: 0.3}, data.Taxonomy, data)
	if err != nil {
		fmt.Println(err)
		return
	}
	one := data.X.Subset([]int{17})
	nodes := p.NodeProbabilities(one)
	fmt.Printf("the root has probability %.1f\n", nodes.At(0, data.Taxonomy.Roots()[0]))
	// Output: the root has probability 1.0
}
