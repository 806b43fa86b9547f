package features_test

import (
	"testing"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/internal/testrun/given"
)

func BenchmarkTFIDF(b *testing.B) {
	_, corpus := example.Rows(4000, 130)
	size := 0
	for _, d := range corpus.Documents {
		size += len(d.Text)
	}
	b.Run("Fit", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			if _, err := (features.TFIDF{MinDocuments: 2}).Fit(corpus); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Transform", func(b *testing.B) {
		v, err := features.TFIDF{MinDocuments: 2}.Fit(corpus)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(size))
		for b.Loop() {
			v.Transform(corpus)
		}
	})
}

// BenchmarkNewsgroups makes vectors of the texts of ng15.
func BenchmarkNewsgroups(b *testing.B) {
	given.Folder(b, given.Data)
	texts, err := collection.OpenTexts("ng15")
	if err != nil {
		b.Fatal(err)
	}
	size := 0
	for _, d := range texts.Documents {
		size += len(d.Text)
	}
	for name, settings := range map[string]features.Text{
		"words":      {MinDocuments: 3},
		"pattern":    {MinDocuments: 3, Pattern: `[a-z][a-z0-9]+`},
		"stop words": {MinDocuments: 3, StopWords: features.EnglishStopWords()},
		"pairs":      {MinDocuments: 3, NGrams: [2]int{1, 2}},
		"hashed":     {Bits: 18},
		"characters": {MinDocuments: 3, Tokens: features.Characters, NGrams: [2]int{4, 4}},
	} {
		b.Run(name+"/Fit", func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := settings.Fit(texts); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/Transform", func(b *testing.B) {
			v, err := settings.Fit(texts)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				v.Transform(texts)
			}
		})
	}
}
