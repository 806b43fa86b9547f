package svm_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// A model predicts of texts that it never saw by two files: its own, and that of the words it was
// trained with.
func Example_newTexts() {
	t, err := taxonomy.FromPaths([]string{"food/apple", "food/bread"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	apple, bread := t.Leaves()[0], t.Leaves()[1]
	train := &dataset.Corpus{Taxonomy: t, Documents: []dataset.Document{
		{Text: "A red apple is sweet.", Labels: []int{apple}}, {Text: "Rye bread is hard.", Labels: []int{bread}},
		{Text: "This apple is sour.", Labels: []int{apple}}, {Text: "The bread has a crust.", Labels: []int{bread}},
	}}
	words, err := features.Text{StopWords: features.EnglishStopWords()}.Fit(train)
	if err != nil {
		log.Fatal(err)
	}
	model, err := svm.Flat{C: 10}.Fit(context.Background(), words.Transform(train))
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "model")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := words.Save(filepath.Join(folder, "words.json")); err != nil {
		log.Fatal(err)
	}
	if err := model.Save(filepath.Join(folder, "model.safetensors")); err != nil {
		log.Fatal(err)
	}

	// In another program, another day:
	if words, err = features.LoadVectorizer(filepath.Join(folder, "words.json")); err != nil {
		log.Fatal(err)
	}
	if model, err = classifier.Load(filepath.Join(folder, "model.safetensors")); err != nil {
		log.Fatal(err)
	}
	for _, node := range model.Predict(words.Vectors("Sour and red!", "a hard crust")) {
		fmt.Println(model.Taxonomy.Name(node))
	}
	// Output:
	// food/apple
	// food/bread
}
