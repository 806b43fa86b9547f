package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/pipeline"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func Example() {
	ctx := context.Background()
	t, err := taxonomy.Read(strings.NewReader("animal\tcat\nanimal\tdog\nplant\toak\n"), "kinds.tsv")
	if err != nil {
		fmt.Println(err)
		return
	}
	texts := &dataset.Corpus{Name: "kinds", Taxonomy: t}
	for _, d := range [][2]string{
		{"cat", "It purrs and has whiskers"}, {"cat", "It purrs, and climbs trees"}, {"dog", "It barks and has a tail"},
		{"dog", "It barks at trees"}, {"oak", "It has acorns and leaves"}, {"oak", "Its leaves are green"},
	} {
		label, _ := t.Node(d[0])
		texts.Documents = append(texts.Documents, dataset.Document{Text: d[1], Labels: []int{label}})
	}
	words, err := features.TFIDF{}.Fit(texts)
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := svm.Hierarchical{C: 10}.Fit(ctx, words.Transform(texts))
	if err != nil {
		fmt.Println(err)
		return
	}

	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "model.hierml")
	p := pipeline.Pipeline{Vectorizer: words, Model: model}
	if err := p.Save(file); err != nil {
		fmt.Println(err)
		return
	}
	loaded, err := pipeline.Load(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	label, err := loaded.Predict("What barks, and has a tail?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(label.Name, label.Path)
	// Output: dog [animal dog]
}
