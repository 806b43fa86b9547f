package dataset

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// generated returns the text of rows with the given number of entries, and texts as long, as a file of
// ng15's kind has them.
func generated(t testing.TB, rows, entries int) (svmlight string, corpus *Corpus) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	tax := fruit(t)
	corpus = &Corpus{Name: "generated", Taxonomy: tax}
	var b strings.Builder
	for i := range rows {
		leaf := tax.Leaves()[rng.IntN(len(tax.Leaves()))]
		b.WriteString(tax.Name(leaf))
		var text strings.Builder
		column := 0
		for range entries {
			column += 1 + rng.IntN(400)
			fmt.Fprintf(&b, " %d:.%05d", column, rng.IntN(100000))
			fmt.Fprintf(&text, "Word%d, ", int(rng.ExpFloat64()*3000))
		}
		b.WriteByte('\n')
		corpus.Documents = append(corpus.Documents, Document{ID: fmt.Sprint(i), Text: text.String(), Labels: []int{leaf}})
	}
	return b.String(), corpus
}

func BenchmarkReadSVMLight(b *testing.B) {
	text, corpus := generated(b, 4000, 130)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ReadSVMLight(strings.NewReader(text), "generated", corpus.Taxonomy); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTFIDF(b *testing.B) {
	_, corpus := generated(b, 4000, 130)
	size := 0
	for _, d := range corpus.Documents {
		size += len(d.Text)
	}
	b.Run("Fit", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			if _, err := (TFIDF{MinDocuments: 2}).Fit(corpus); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Transform", func(b *testing.B) {
		v, err := TFIDF{MinDocuments: 2}.Fit(corpus)
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
	needData(b)
	texts, err := OpenTexts("ng15")
	if err != nil {
		b.Fatal(err)
	}
	size := 0
	for _, d := range texts.Documents {
		size += len(d.Text)
	}
	for name, settings := range map[string]Text{
		"words":      {MinDocuments: 3},
		"pattern":    {MinDocuments: 3, Pattern: `[a-z][a-z0-9]+`},
		"stop words": {MinDocuments: 3, StopWords: EnglishStopWords()},
		"pairs":      {MinDocuments: 3, NGrams: [2]int{1, 2}},
		"hashed":     {Bits: 18},
		"characters": {MinDocuments: 3, Tokens: Characters, NGrams: [2]int{4, 4}},
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

func BenchmarkGoDoc(b *testing.B) {
	for b.Loop() {
		if _, err := GoDoc(""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	needData(b)
	for b.Loop() {
		if _, err := Open("ng15"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMap(b *testing.B) {
	text, corpus := generated(b, 4000, 130)
	file := filepath.Join(b.TempDir(), "rows.map")
	instances := SVMLight{}.Instances(b.Context(), strings.NewReader(text), "generated", corpus.Taxonomy)
	if err := SaveMap(b.Context(), file, "rows", corpus.Taxonomy, nil, instances); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m, err := Map(b.Context(), file)
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
