package features

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

// Weighing counts gives what Text gives of the texts, where no term is left out.
func TestWeighing(t *testing.T) {
	train, test := drawnTexts(t, 60, 1), drawnTexts(t, 30, 2)
	counter, err := Text{Weight: Counts, Norm: NoNorm}.Fit(train)
	if err != nil {
		t.Fatal(err)
	}
	for i := range test.Documents { // a term outside the vocabulary is in the length of a document, for BM25, but not in the counts
		kept := slices.DeleteFunc(strings.Fields(test.Documents[i].Text), func(w string) bool {
			_, ok := slices.BinarySearch(counter.Vocabulary(), w)
			return !ok
		})
		test.Documents[i].Text = strings.Join(kept, " ")
	}
	for _, settings := range []Weighing{
		{}, {Weight: BM25}, {Weight: BM25, K1: 3, B: -1, Norm: NoNorm}, {Weight: PlainTFIDF, Norm: UnitSum}, {Weight: Binary}, {Weight: LogCounts}, {Weight: Counts},
	} {
		t.Run(fmt.Sprintf("%+v", settings), func(t *testing.T) {
			v, err := Text{Weight: settings.Weight, K1: settings.K1, B: settings.B, Norm: settings.Norm}.Fit(train)
			if err != nil {
				t.Fatal(err)
			}
			w, err := settings.Fit(counter.Transform(train))
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.Transform(counter.Transform(test))
			if err != nil {
				t.Fatal(err)
			}
			example.CheckMatrix(t, got.X)
			if want := v.Transform(test); !slices.Equal(got.X.Values, want.X.Values) || !slices.Equal(got.X.Indptr, want.X.Indptr) {
				t.Error("other weights than of the texts")
			}
			path := filepath.Join(t.TempDir(), "weigher.json")
			if err := w.Save(path); err != nil {
				t.Fatal(err)
			}
			loaded, err := LoadWeigher(path)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := loaded.Transform(counter.Transform(test)); err != nil || !reflect.DeepEqual(again.X, got.X) || loaded.HTML() != w.HTML() {
				t.Errorf("a loaded weigher weighs otherwise: %v, %v", loaded, err)
			}
		})
	}
}

func TestWeighingErrors(t *testing.T) {
	labels := [][]string{nil, nil}
	counts := dense(t, [][]float64{{1, 0}, {2, 1}}, labels)
	w, err := Weighing{}.Fit(counts)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.String(); got != "tf-idf of 2 columns, counted in 2 documents" {
		t.Error(got)
	}
	for want, fails := range map[string]func() error{
		"TermWeight is 9": func() error { _, err := Weighing{Weight: 9}.Fit(counts); return err },
		"RowNorm is 9":    func() error { _, err := Weighing{Norm: 9}.Fit(counts); return err },
		"SmoothIDF needs a tf-idf weight, and the weight is BM25": func() error { _, err := Weighing{Weight: BM25, SmoothIDF: true}.Fit(counts); return err },
		"K1 is NaN":    func() error { _, err := Weighing{K1: math.NaN()}.Fit(counts); return err },
		"no instances": func() error { _, err := Weighing{}.Fit(counts.Subset(nil)); return err },
		"row 1 has -1 in column 0, which is not a count": func() error {
			_, err := Weighing{Weight: Binary}.Fit(dense(t, [][]float64{{1, 0}, {-1, 1}}, labels))
			return err
		},
		"row 0 has 0.5 in column 1, where a count": func() error {
			_, err := w.Transform(dense(t, [][]float64{{1, 0.5}, {0, 1}}, labels))
			return err
		},
		"3 columns, and the weigher was fitted on 2": func() error { _, err := w.Transform(counts.WithConstant(1)); return err },
		"the format is": func() error {
			path := filepath.Join(t.TempDir(), "v.json")
			if err := os.WriteFile(path, []byte(`{"format":"x"}`), 0o600); err != nil {
				return err
			}
			_, err := LoadWeigher(path)
			return err
		},
		"column 0 is in 3 of 2": func() error {
			path := filepath.Join(t.TempDir(), "v.json")
			if err := os.WriteFile(path, []byte(`{"format":"hierml.weigher","version":1,"documents":2,"document frequencies":[3]}`), 0o600); err != nil {
				return err
			}
			_, err := LoadWeigher(path)
			return err
		},
	} {
		if err := fails(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// streamed gives the documents one after the other, and then the error.
func streamed(c *dataset.Corpus, err error) iter.Seq2[dataset.Document, error] {
	return func(yield func(dataset.Document, error) bool) {
		for _, d := range c.Documents {
			if !yield(d, nil) {
				return
			}
		}
		if err != nil {
			yield(dataset.Document{}, err)
		}
	}
}

// Documents read one after the other give the same vectors as a corpus.
func TestStreamedDocuments(t *testing.T) {
	train, test := drawnTexts(t, 60, 1), drawnTexts(t, 30, 2)
	for _, settings := range []Text{{}, {Weight: BM25, MinDocuments: 2}, {Bits: 6}, {Bits: 9, Weight: Counts}} {
		want, err := settings.Fit(train)
		if err != nil {
			t.Fatal(err)
		}
		v, err := settings.FitDocuments(context.Background(), streamed(train, nil))
		if err != nil {
			t.Fatal(err)
		}
		d, err := dataset.Collect(test.Name, test.Taxonomy, v.Columns(), v.Instances(streamed(test, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if d.Vocabulary = v.Vocabulary(); !reflect.DeepEqual(d.X.Values, want.Transform(test).X.Values) || !reflect.DeepEqual(d.Labels, test.LabelSets()) || d.X.Cols != v.Columns() {
			t.Errorf("%v: other vectors", v)
		}
	}
	broken := errors.New("broken")
	if _, err := (Text{}).FitDocuments(context.Background(), streamed(train, broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := (Text{}).FitDocuments(context.Background(), streamed(&dataset.Corpus{}, nil)); err == nil || !strings.Contains(err.Error(), "there are no documents") {
		t.Error(err)
	}
	if _, err := (Text{MinDocuments: 1000}).FitDocuments(context.Background(), streamed(train, nil)); err == nil || !strings.Contains(err.Error(), "no word is in at least 1000") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Text{}).FitDocuments(ctx, streamed(train, nil)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	v, err := Text{}.Fit(train)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range v.Instances(streamed(test, broken)) {
		if n++; n > test.Len() && !errors.Is(err, broken) || n <= test.Len() && err != nil {
			t.Errorf("instance %d: %v", n, err)
		}
	}
	if n != test.Len()+1 {
		t.Errorf("%d instances", n)
	}
}
