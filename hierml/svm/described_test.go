package svm_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
)

// sees is an estimator that keeps what it is given.
type sees struct {
	svm.Flat
	given *dataset.Dataset
}

func (s *sees) Fit(_ context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.given = d
	return nil, nil
}
func (s *sees) WithC(float64) svm.Regularized { return s }

// fruits are a few texts.
func fruits(t *testing.T) *dataset.Dataset {
	t.Helper()
	c := example.Fruits("red apple", "sweet cherry of a tree", "the pear like apple", "a plum and a cherry", "apple cider")
	v, err := features.Text{}.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	return v.Transform(c)
}

// TestDescribedAddsItsWords compares what is trained on with the definition.
func TestDescribedAddsItsWords(t *testing.T) {
	d := fruits(t)
	leaves := d.Taxonomy.Leaves()
	text := "Apple, APPLE and (cherry)!"
	s := new(sees)
	of := svm.Described{Estimator: s, Descriptions: map[string]string{d.Taxonomy.LabelName(leaves[0]): text, d.Taxonomy.LabelName(leaves[1]): "nothing known"}, Weight: 2}
	d.Weights = []float64{1, 2, 3, 0, 4}
	d.Groups = []string{"a", "b", "a", "", "b"}
	if _, err := of.Fit(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	got := s.given
	if !slices.Equal(got.Labels[5], leaves[:1]) {
		t.Fatalf("labels %v", got.Labels)
	}
	for _, set := range got.Labels[5:] {
		if set[0] == leaves[1] {
			t.Errorf("something was added for a label without a word that is known")
		}
	}
	// The mean of a feature where it is not zero, and the mean length of rows.
	mean := func(word string) float64 {
		at := int32(slices.Index(d.Vocabulary, word))
		sum, n := 0.0, 0.0
		for i := range d.Len() {
			columns, values := d.X.Row(i)
			if k := slices.Index(columns, at); k >= 0 {
				sum, n = sum+float64(values[k]), n+1
			}
		}
		return sum / n
	}
	length := 0.0
	for i := range d.Len() {
		_, values := d.X.Row(i)
		square := 0.0
		for _, v := range values {
			square += float64(v) * float64(v)
		}
		length += math.Sqrt(square) / float64(d.Len())
	}
	want := map[string]float64{"apple": 2 * mean("apple"), "cherry": mean("cherry"), "and": mean("and")}
	square := 0.0
	for word, v := range want {
		if math.IsNaN(v) {
			delete(want, word)
			continue
		}
		square += v * v
	}
	columns, values := got.X.Row(5)
	if len(columns) != len(want) {
		t.Fatalf("%d words; want %v", len(columns), want)
	}
	for k, f := range columns {
		if v := want[d.Vocabulary[f]] * length / math.Sqrt(square); math.Abs(v-float64(values[k])) > 1e-6 {
			t.Errorf("%s has %v; want %v", d.Vocabulary[f], values[k], v)
		}
	}
	if added := len(got.Labels) - 5; !slices.Equal(got.Weights, append([]float64{1, 2, 3, 0, 4}, slices.Repeat([]float64{4}, added)...)) || len(got.Groups) != 5+added {
		t.Errorf("weights %v, groups %q", got.Weights, got.Groups)
	}
	if d.Len() != 5 || d.X.Rows != 5 || len(d.X.Indptr) != 6 {
		t.Error("the data were changed")
	}
	if err := got.Check(); err != nil {
		t.Error(err)
	}
}

// TestDescribedPredictsWithoutInstances has a label that no instance has.
func TestDescribedPredictsWithoutInstances(t *testing.T) {
	c := &dataset.Corpus{Name: "texts", Taxonomy: example.Fruit()}
	for label, text := range map[string]string{"apple": "red apple cider", "bread": "sweet baked flour", "tool": "hammer and steel"} {
		c.Documents = append(c.Documents, dataset.Document{Text: text, Labels: []int{example.Node(t, c.Taxonomy, label)}})
	}
	slices.SortFunc(c.Documents, func(a, b dataset.Document) int { return strings.Compare(a.Text, b.Text) })
	v, err := features.Text{}.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	train, pear := v.Transform(c), example.Node(t, c.Taxonomy, "pear")
	c.Documents = []dataset.Document{{Text: "something sweet and red", Labels: []int{pear}}}
	x := v.Transform(c).X
	for name, e := range map[string]svm.Regularized{"hierarchical": svm.Hierarchical{}, "one-vs-rest": svm.OneVsRest{}, "label tree": svm.PLT{}} {
		without, err := e.Fit(t.Context(), train)
		if err != nil {
			t.Fatal(err)
		}
		with, err := svm.Described{Estimator: e, Descriptions: map[string]string{"pear": "Sweet, red."}}.WithC(10).Fit(t.Context(), train)
		if err != nil {
			t.Fatal(err)
		}
		if got := without.Predict(x)[0]; got == pear {
			t.Errorf("%s: a label without instances was predicted", name)
		}
		if got := with.Predict(x)[0]; got != pear {
			t.Errorf("%s: %q; want pear", name, c.Taxonomy.Name(got))
		}
		if !strings.HasPrefix(with.Name, "described ") || with.C != 10 {
			t.Errorf("%q with C %v", with.Name, with.C)
		}
	}
}

func TestDescribedRefuses(t *testing.T) {
	d := fruits(t)
	nameless := *d
	nameless.Vocabulary = nil
	for name, c := range map[string]struct {
		of   svm.Described
		d    *dataset.Dataset
		says string
	}{
		"no estimator": {svm.Described{}, d, "needs an Estimator"},
		"no data":      {svm.Described{Estimator: svm.Flat{}}, nil, "needs an Estimator"},
		"no names":     {svm.Described{Estimator: svm.Flat{}}, &nameless, "have no names"},
		"weight":       {svm.Described{Estimator: svm.Flat{}, Weight: -1}, d, "Weight is -1"},
		"other label":  {svm.Described{Estimator: svm.Flat{}, Descriptions: map[string]string{"melon": "a melon"}}, d, `a text for "melon"`},
	} {
		if m, err := c.of.Fit(t.Context(), c.d); m != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}
