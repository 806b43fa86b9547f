package features_test

import (
	"fmt"
	"log"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleTFIDF() {
	t, err := taxonomy.FromPaths([]string{"food/apple", "food/bread"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	apple, _ := t.Node("food/apple")
	bread, _ := t.Node("food/bread")
	train := &dataset.Corpus{Taxonomy: t, Documents: []dataset.Document{
		{Text: "Red and sweet.", Labels: []int{apple}},
		{Text: "Sweet, sour and green!", Labels: []int{apple}},
		{Text: "Brown and hard.", Labels: []int{bread}},
	}}
	v, err := features.TFIDF{}.Fit(train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Vocabulary()) // without "and", which is everywhere
	_, values := v.Transform(train).X.Row(0)
	fmt.Printf("red %.3f, sweet %.3f\n", values[0], values[1])
	// Output:
	// [brown green hard red sour sweet]
	// red 0.938, sweet 0.346
}

// The weights of scikit-learn's TfidfVectorizer, with its defaults but for the words of one letter.
func ExampleText_smoothIDF() {
	t, err := taxonomy.New([]string{"apple", "bread"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	train := &dataset.Corpus{Taxonomy: t, Documents: []dataset.Document{
		{Text: "Red and sweet.", Labels: []int{0}},
		{Text: "Sweet, sour and green!", Labels: []int{0}},
		{Text: "Brown and hard.", Labels: []int{1}},
	}}
	v, err := features.Text{Weight: features.PlainTFIDF, SmoothIDF: true}.Fit(train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v\n%.4f\n", v.Vocabulary(), v.IDF())
	// Output:
	// [and brown green hard red sour sweet]
	// [1.0000 1.6931 1.6931 1.6931 1.6931 1.6931 1.2877]
}
