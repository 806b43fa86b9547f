package dataset_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestCheckVocabulary(t *testing.T) {
	for _, c := range []struct {
		own, other []string
		want       string // what the error begins with; none if empty
	}{
		{nil, nil, ""},
		{[]string{"a"}, nil, ""},
		{nil, []string{"a"}, ""},
		{[]string{"a", "b"}, []string{"a", "b"}, ""},
		{[]string{"a", "c"}, []string{"a", "b"}, `column 1 of the matrix is "c", but column 1 of the training data is "b". Transform texts with the vectorizer`},
		{[]string{"b", "a"}, []string{"a", "b"}, `column 0 of the matrix is "b", but column 0 of the training data is "a". `},
		{[]string{"a", "b"}, []string{"a"}, `column 1 of the matrix is "b", but the model was trained on 1 columns. `},
		{[]string{"a"}, []string{"a", "b"}, `the matrix has 1 columns, but column 1 of the training data is "b". `},
		{[]string{"b"}, []string{"a", "b"}, `column 0 of the matrix is "b", but column 0 of the training data is "a". `},
	} {
		x := &dataset.Matrix{Cols: len(c.own), Indptr: []int{0}, Vocabulary: c.own}
		err := x.CheckVocabulary(c.other)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q against %q: %v", c.own, c.other, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%q against %q: %v, want %s", c.own, c.other, err, c.want)
		}
	}
}

// TestMatricesKeepTheNamesOfTheirColumns looks at all that makes a matrix of another.
func TestMatricesKeepTheNamesOfTheirColumns(t *testing.T) {
	tree, err := taxonomy.New([]string{"a", "b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.FromDense("numbers", tree, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}), [][]int{{0}, {1}})
	if err != nil {
		t.Fatal(err)
	}
	d.Vocabulary = []string{"x", "y", "z"}
	d.X.Vocabulary = d.Vocabulary
	columns, err := d.Columns([]int{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	wide := *d.X
	wide.Cols = 1 << 20
	wide.Vocabulary = make([]string, wide.Cols)
	copy(wide.Vocabulary, d.Vocabulary)
	narrow, _ := wide.Occurring()
	for _, c := range []struct {
		name string
		x    *dataset.Matrix
		want string
	}{
		{"subset", d.Subset([]int{1}).X, "x y z"},
		{"columns", columns.X, "x z"},
		{"constant", d.WithConstant(1).X, "x y z (constant)"},
		{"occurring", narrow, "x y z"},
	} {
		if got := strings.Join(c.x.Vocabulary, " "); got != c.want || len(c.x.Vocabulary) != c.x.Cols {
			t.Errorf("%s: columns %q, want %q", c.name, got, c.want)
		}
	}
	if with := d.WithConstant(1); &with.Vocabulary[0] != &with.X.Vocabulary[0] {
		t.Error("data set and matrix with a constant have two vocabularies")
	}
}
