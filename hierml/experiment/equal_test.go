package experiment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestEqual has documents and vectors that stand in both parts.
func TestEqual(t *testing.T) {
	g, err := taxonomy.New([]string{"a", "b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := &dataset.Corpus{Name: "texts", Taxonomy: g}
	vectors := &dataset.Dataset{Name: "vectors", Taxonomy: g, X: &dataset.Matrix{Cols: 3, Indptr: []int{0}}}
	add := func(labels []int, first int32, values ...float32) {
		for k, v := range values {
			vectors.X.Indices, vectors.X.Values = append(vectors.X.Indices, first+int32(k)), append(vectors.X.Values, v)
		}
		vectors.X.Rows++
		vectors.X.Indptr, vectors.Labels = append(vectors.X.Indptr, len(vectors.X.Values)), append(vectors.Labels, labels)
	}
	for i := range 12 {
		text := fmt.Sprintf("word%d other%d", i, i)
		if i == 9 {
			text = "word2 other2"
		}
		texts.Documents = append(texts.Documents, dataset.Document{ID: fmt.Sprint("id", i), Text: text, Labels: []int{i % 2}})
		switch i {
		case 9:
			add([]int{1}, 0, 3, 0, 5) // row 3 with a stored zero
		case 10:
			add([]int{0}, 1, 3, 5) // in other columns
		case 3:
			add([]int{1}, 0, 3)
			vectors.X.Indices, vectors.X.Values = append(vectors.X.Indices, 2), append(vectors.X.Values, 5)
			vectors.X.Indptr[4]++
		default:
			add([]int{i % 2}, 0, 1, float32(i)+1)
		}
	}
	by := dataset.Division{Name: "by hand", Train: []int{0, 1, 2, 3, 4, 5}, Test: []int{6, 7, 8, 9, 10, 11}}
	other := dataset.Division{Name: "without", Train: []int{0, 1, 2, 3, 4, 5, 9}, Test: []int{6, 7, 8, 10, 11}}
	parts := &dataset.Collection{Name: "parts", Train: vectors.Subset(by.Train), Test: vectors.Subset(by.Test)}
	for _, test := range []struct {
		data Data
		want string
	}{
		{Data{Name: "texts", Corpus: texts}, `texts: in 1 of 2 divisions 1 of 6 instances for testing are equal to instances for training, such as document "id9" for testing and document "id2" for training; `},
		{Data{Name: "vectors", Set: vectors}, "vectors: in 1 of 2 divisions 1 of 6 instances for testing are equal to instances for training, such as row 9 for testing and row 3 for training; "},
		{Data{Name: "parts", Collection: parts}, "parts: in 1 of 2 divisions 1 of 6 instances for testing are equal to instances for training, such as row 9 for testing and row 3 for training; "},
	} {
		s := &Study{
			Data: []Data{test.data}, Methods: []Method{{Name: "m", Estimator: Centroids{}}, {Name: "n", Estimator: Centroids{Noise: 1}}},
			Split: Split{Rounds: []dataset.Division{by, other}}, Measures: []string{"accuracy"}, Directory: t.TempDir(),
		}
		complete(t, s)
		r, err := Load(s.Directory)
		if err != nil {
			t.Fatal(err)
		}
		if text := r.String(); strings.Count(text, test.want) != 1 {
			t.Errorf("no %q, or several, in\n%s", test.want, text)
		}
		s.Split.Rounds, s.Directory = []dataset.Division{by}, ""
		if text, want := complete(t, s).String(), strings.Replace(test.want, "in 1 of 2 divisions ", "", 1); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
		s.Split.Rounds = []dataset.Division{other}
		if text := complete(t, s).String(); strings.Contains(text, "equal to") {
			t.Errorf("equal instances where there are none:\n%s", text)
		}
	}
}
