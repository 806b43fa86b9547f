package dataset_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// corpusOf returns the texts, in turn of two classes.
func corpusOf(texts ...string) *dataset.Corpus {
	t, err := taxonomy.FromPaths([]string{"food/apple", "food/bread"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	c := &dataset.Corpus{Name: "food", Taxonomy: t}
	for i, text := range texts {
		c.Documents = append(c.Documents, dataset.Document{Text: text, Labels: []int{t.Leaves()[i%2]}})
	}
	return c
}

func ExampleText() {
	train := corpusOf("It's a very sour apple.", "The rye bread wasn't sour.", "Sour apple, sweet apple!")
	v, err := dataset.Text{
		StopWords: dataset.EnglishStopWords(),
		NGrams:    [2]int{1, 2},
		Weight:    dataset.BM25,
	}.Fit(train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v)
	fmt.Println(strings.Join(v.Vocabulary(), ", "))
	// Output:
	// BM25 of 10 1- to 2-grams of words, counted in 3 documents
	// apple, apple sweet, bread, bread sour, rye, rye bread, sour, sour apple, sweet, sweet apple
}

func ExampleText_letters() {
	v, err := dataset.Text{Tokens: dataset.Letters, NGrams: [2]int{3, 3}, KeepCase: true, Weight: dataset.Counts, Norm: dataset.NoNorm}.
		Fit(corpusOf("MKVLMKV", "MKVAA"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Vocabulary())
	_, values := v.Vectors("MKVLMKV").Row(0)
	fmt.Println(values)
	// Output:
	// [KVA KVL LMK MKV VAA VLM]
	// [1 1 2 1]
}

func ExampleText_Vectorizer() {
	// Hashed terms need no training texts, and as much memory for a billion of them as for ten.
	v, err := dataset.Text{Bits: 18, Weight: dataset.LogCounts}.Vectorizer()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v)
	fmt.Println(v.Vectors("a text that nobody has seen", "another"))
	// Output:
	// log counts of words in 262144 columns by hashing
	// sparse matrix, 2 x 262144, 7 entries (3.5 a row)
}
