package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

func TestTransposed(t *testing.T) {
	x := &dataset.Matrix{Rows: 3, Cols: 4, Indptr: []int{0, 2, 2, 4}, Indices: []int32{1, 3, 0, 1}, Values: []float32{5, 6, 7, 8}}
	y := x.Transposed()
	if fmt.Sprint(y.Rows, y.Cols, y.Indptr, y.Indices, y.Values) != "4 3 [0 1 3 3 4] [2 0 2 0] [7 5 8 6]" {
		t.Error(y)
	}
}

func TestColumns(t *testing.T) {
	d, err := dataset.FromDense("rows", example.Fruit(), mat.NewDense(2, 3, []float64{1, 0, 3, 0, 2, 0}), make([][]int, 2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.ColumnsNamed("a"); err == nil || !strings.Contains(err.Error(), "have no names") {
		t.Error(err)
	}
	d.Vocabulary = []string{"a", "b", "b"}
	s, err := d.Columns([]int{1, 2})
	if err != nil || fmt.Sprint(s.X.Indptr, s.X.Indices, s.X.Values, s.Vocabulary) != "[0 1 2] [1 0] [3 2] [b b]" {
		t.Error(s, err)
	}
	d.Vocabulary = []string{"c", "b", "a"}
	s, err = d.ColumnsNamed("a", "c", "a")
	if err != nil || fmt.Sprint(s.Vocabulary, s.X.Values) != "[c a] [1 3]" {
		t.Error(s, err)
	}
	if _, err := d.ColumnsNamed("a", "z"); err == nil || !strings.Contains(err.Error(), `has no column "z"; there are 3`) {
		t.Error(err)
	}
	d.Vocabulary = []string{"a", "b", "b"}
	if _, err := d.ColumnsNamed("b"); err == nil || !strings.Contains(err.Error(), "columns 1 and 2") {
		t.Error(err)
	}
	if _, err := d.Columns([]int{3}); err == nil || !strings.Contains(err.Error(), "there is no column 3; the matrix has the columns 0 to 2") {
		t.Error(err)
	}
}
