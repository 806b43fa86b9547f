package dataset_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleReadSVMLight() {
	t, err := taxonomy.Read(strings.NewReader("fruit\tapple\nfruit\tpear\n"), "fruit.hier.tsv")
	if err != nil {
		log.Fatal(err)
	}
	d, err := dataset.ReadSVMLight(strings.NewReader("apple 1:0.5 3:2\npear 2:1\n"), "fruit.svm", t)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.X)
	_, err = dataset.ReadSVMLight(strings.NewReader("apple 1:0.5\npear 2:one\n"), "fruit.svm", t)
	fmt.Println(err)
	// Output:
	// sparse matrix, 2 x 3, 3 entries (1.5 a row)
	// fruit.svm:2:8: "one" is not a value; expected a finite decimal number within the range of a float32
}

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
	v, err := dataset.TFIDF{}.Fit(train)
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

func ExampleTextLike() {
	c, err := dataset.TextLike{Levels: []int{3, 9, 40}, Train: 1000, Test: 200, Features: 5000, Tail: 0.9}.Generate(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	t := c.Train.Taxonomy
	fmt.Println(t.Len(), "nodes,", len(t.Leaves()), "leaves;", c.Train.Len(), "and", c.Test.Len(), "instances of", c.Train.X.Cols, "features")
	// Output: 52 nodes, 40 leaves; 1000 and 200 instances of 5000 features
}
