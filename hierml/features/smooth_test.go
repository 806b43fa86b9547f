package features

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestSmoothIDF compares with scikit-learn 1.9.1: TfidfVectorizer(token_pattern=r"(?u)\b\w+\b"),
// and with sublinear_tf=True, fitted to the first four texts; and TfidfTransformer(norm=None).
func TestSmoothIDF(t *testing.T) {
	tree, err := taxonomy.New([]string{"a"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	corpus := func(texts ...string) *dataset.Corpus {
		c := &dataset.Corpus{Name: "texts", Taxonomy: tree}
		for _, text := range texts {
			c.Documents = append(c.Documents, dataset.Document{Labels: []int{0}, Text: text})
		}
		return c
	}
	train := corpus("the cat sat on the mat", "the dog sat on the log with the other dog", "the cats and the dogs", "a cat and one dog")
	words := strings.Fields("a and cat cats dog dogs log mat on one other sat the with")
	const one, two, three = 1.916290731874, 1.510825623766, 1.223143551314 // idf of words in so many texts
	idf := []float64{one, two, two, one, two, one, one, one, two, one, one, two, three, one}
	type row map[string]float64
	for _, c := range []struct {
		weight TermWeight
		rows   []row // of the second text, and of two others
	}{
		{PlainTFIDF, []row{
			{"dog": 0.489040242, "log": 0.310142768, "on": 0.244520121, "other": 0.310142768, "sat": 0.244520121, "the": 0.593880335, "with": 0.310142768},
			{"and": 0.261517515, "cat": 0.261517515, "dog": 0.261517515, "sat": 0.784552545, "the": 0.423441934}, {},
		}},
		{LogTFIDF, []row{
			{"dog": 0.477375161, "log": 0.357612066, "on": 0.28194546, "other": 0.357612066, "sat": 0.28194546, "the": 0.479027455, "with": 0.357612066},
			{"and": 0.328210822, "cat": 0.328210822, "dog": 0.328210822, "sat": 0.688787264, "the": 0.449894513}, {},
		}},
	} {
		v, err := Text{Weight: c.weight, SmoothIDF: true}.Fit(train)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(v.Vocabulary(), words) {
			t.Fatalf("%v: words %v, want %v", c.weight, v.Vocabulary(), words)
		}
		for j, got := range v.IDF() {
			if math.Abs(got-idf[j]) > 1e-11 {
				t.Errorf("%v: idf of %s is %v, want %v", c.weight, words[j], got, idf[j])
			}
		}
		x := v.Vectors(train.Documents[1].Text, "the dog and the unknown cat sat sat sat", "nothing known")
		for i, want := range c.rows {
			indices, values := x.Row(i)
			if len(indices) != len(want) {
				t.Errorf("%v: row %d has %d words, want %d", c.weight, i, len(indices), len(want))
			}
			for k, j := range indices {
				if math.Abs(float64(values[k])-want[words[j]]) > 1e-7 {
					t.Errorf("%v: row %d, %s is %v, want %v", c.weight, i, words[j], values[k], want[words[j]])
				}
			}
		}
		if got, want := v.String(), c.weight.String(); !strings.Contains(got, "tf-idf, smooth idf, of 14 words") {
			t.Errorf("%v shows as %s", want, got)
		}
	}

	counts := dense(t, [][]float64{{1, 0, 2, 0}, {0, 0, 3, 1}, {4, 0, 1, 0}}, [][]string{nil, nil, nil})
	w, err := Weighing{Weight: PlainTFIDF, SmoothIDF: true, Norm: NoNorm}.Fit(counts)
	if err != nil {
		t.Fatal(err)
	}
	x, err := w.Weigh(dense(t, [][]float64{{1, 1, 1, 1}}, [][]string{nil}).X)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{1.2876820724517808, 2.386294361119891, 1, 1.6931471805599454} {
		if math.Abs(float64(x.Values[j])-want) > 1e-6 {
			t.Errorf("column %d weighs %v, want %v", j, x.Values[j], want)
		}
	}

	// What stands in all texts, which the plain idf leaves out, in both structs of settings.
	same := corpus("all and some", "all and more")
	for smooth, want := range map[bool]int{false: 2, true: 4} {
		for name, fit := range map[string]func() (*Vectorizer, error){
			"TFIDF": func() (*Vectorizer, error) { return TFIDF{SmoothIDF: smooth}.Fit(same) },
			"Text":  func() (*Vectorizer, error) { return Text{SmoothIDF: smooth}.Fit(same) },
		} {
			if v, err := fit(); err != nil || v.Columns() != want {
				t.Errorf("%s, smooth %v: %v, %v, want %d words", name, smooth, v, err, want)
			}
		}
	}
	if _, err := (TFIDF{Counts: true, SmoothIDF: true}).Fit(same); err == nil || !strings.Contains(err.Error(), "SmoothIDF needs a tf-idf weight, and the weight is counts") {
		t.Errorf("counts: %v", err)
	}
}
