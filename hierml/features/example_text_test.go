package features_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
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
	v, err := features.Text{
		StopWords: features.EnglishStopWords(),
		NGrams:    [2]int{1, 2},
		Weight:    features.BM25,
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
	v, err := features.Text{Tokens: features.Letters, NGrams: [2]int{3, 3}, KeepCase: true, Weight: features.Counts, Norm: features.NoNorm}.
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
	v, err := features.Text{Bits: 18, Weight: features.LogCounts}.Vectorizer()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v)
	fmt.Println(v.Vectors("a text that nobody has seen", "another"))
	// Output:
	// log counts of words in 262144 columns by hashing
	// sparse matrix, 2 x 262144, 7 entries (3.5 a row)
}

func ExampleVectorizer_Instances() {
	// What stands in a file that is larger than memory, such as a JSON line for each text, comes
	// one after the other.
	t, err := taxonomy.FromPaths([]string{"food/apple", "food/bread"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	file := strings.NewReader(`{"labels": ["food/apple"], "text": "sour"}
{"labels": ["food/bread"], "text": "rye and wheat"}`)
	v, err := features.Text{Bits: 18, Weight: features.LogCounts}.Vectorizer()
	if err != nil {
		log.Fatal(err)
	}
	texts := files.JSONLines{}.Documents(context.Background(), file, "texts.jsonl", t)
	for instance, err := range v.Instances(texts) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.2f\n", t.Name(instance.Labels[0]), instance.Values)
	}
	// Output:
	// food/apple [-1.00]
	// food/bread [0.58 -0.58 -0.58]
}

func ExampleVectorizer_Save() {
	v, err := features.Text{Weight: features.BM25}.Fit(corpusOf("sour apple", "rye bread"))
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "vectorizer")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "words.json")
	if err := v.Save(file); err != nil {
		log.Fatal(err)
	}
	loaded, err := features.LoadVectorizer(file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loaded)
	// Output: BM25 of 4 words, counted in 2 documents
}

func ExampleWeighing() {
	// Counts of words that come without their texts.
	t, err := taxonomy.FromPaths([]string{"apple", "bread"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	counts, err := files.ReadSVMLight(strings.NewReader("apple 1:3 2:1\nbread 2:1 3:2\n"), "counts.svm", t)
	if err != nil {
		log.Fatal(err)
	}
	w, err := features.Weighing{Weight: features.BM25, Norm: features.NoNorm}.Fit(counts)
	if err != nil {
		log.Fatal(err)
	}
	weighed, err := w.Transform(counts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %.3f\n", w, weighed.X.Values)
	// Output: BM25 of 3 columns, counted in 2 documents: [0.480 0.078 0.088 0.451]
}
