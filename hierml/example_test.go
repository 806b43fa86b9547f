package hierml_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

const categories = `
animal	cat
animal	dog
plant	oak
plant	rose
`

const lines = `
{"text": "It purrs and hunts mice.", "labels": ["cat"]}
{"text": "It purrs when it sleeps.", "labels": ["cat"]}
{"text": "It barks and hunts.", "labels": ["dog"]}
{"text": "It barks at night.", "labels": ["dog"]}
{"text": "It has leaves and acorns.", "labels": ["oak"]}
{"text": "It drops acorns and leaves.", "labels": ["oak"]}
{"text": "It has leaves and thorns.", "labels": ["rose"]}
{"text": "It smells and has thorns.", "labels": ["rose"]}
`

// The life of an instance: from a line of text to a weight and a measure.
func Example() {
	ctx := context.Background()
	t, err := taxonomy.Read(strings.NewReader(categories), "categories.tsv")
	check(err)
	texts, err := files.ReadJSONLines(strings.NewReader(lines), "lines.jsonl", t)
	check(err)
	words, err := features.TFIDF{}.Fit(texts)
	check(err)
	d := words.Transform(texts)
	model, err := svm.Normalized{C: 10}.Fit(ctx, d)
	check(err)
	report, err := metric.Evaluate(model, d)
	check(err)
	fmt.Printf("gap at most 1e-3: %t, accuracy %.2f\n", model.Training.Certificate.Gap <= 1e-3, report.Accuracy)
	// Output:
	// gap at most 1e-3: true, accuracy 1.00
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
