package dataset_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

func TestDense(t *testing.T) {
	tax := example.Fruit()
	x := mat.NewDense(2, 3, []float64{1, 0, -2, 0, 0.5, 0})
	labels, err := dataset.LabelSets(tax, [][]string{{"food", "apple"}, {"tool", "bread"}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.FromDense("rows", tax, x, labels)
	if err != nil {
		t.Fatal(err)
	}
	example.CheckMatrix(t, d.X)
	if got := fmt.Sprint(d.X.Indptr, d.X.Indices, d.X.Values, d.Labels); got != fmt.Sprint([]int{0, 2, 3}, []int{0, 2, 1}, []float32{1, -2, 0.5}, [][]int{{example.Node(t, tax, "apple")}, {example.Node(t, tax, "bread"), example.Node(t, tax, "tool")}}) {
		t.Error(got)
	}
	if back := d.X.Dense(); !mat.Equal(back, x) {
		t.Error(mat.Formatted(back))
	}
	if again, err := dataset.FromDense("rows", tax, x.T(), [][]int{nil, nil, {0, 0}}); err != nil || !mat.Equal(again.X.Dense(), x.T()) || len(again.Labels[2]) != 1 {
		t.Error(again, err)
	}
	if !(&dataset.Matrix{Cols: 3, Indptr: []int{0}}).Dense().IsEmpty() {
		t.Error("a matrix without rows is not empty")
	}
	d.Vocabulary = []string{"a", "b", "c"}
	one := d.WithConstant(3)
	example.CheckMatrix(t, one.X)
	if fmt.Sprint(one.X.Indices, one.X.Values, one.Vocabulary, d.Vocabulary) != "[0 2 3 1 3] [1 -2 3 0.5 3] [a b c (constant)] [a b c]" {
		t.Error(one)
	}
	for want, fails := range map[string]func() error{
		"needs a taxonomy and a matrix": func() error { _, err := dataset.FromDense("r", nil, x, labels); return err },
		"2 rows and the labels of 1":    func() error { _, err := dataset.FromDense("r", tax, x, labels[:1]); return err },
		"row 1 of \"r\" has the label 99": func() error {
			_, err := dataset.FromDense("r", tax, x, [][]int{{0}, {99}})
			return err
		},
		"row 0, column 1 of \"r\" is 1e+300": func() error {
			_, err := dataset.FromDense("r", tax, mat.NewDense(1, 2, []float64{0, 1e300}), [][]int{nil})
			return err
		},
		"column 0 of \"r\" is NaN": func() error {
			_, err := dataset.FromDense("r", tax, mat.NewDense(1, 1, []float64{math.NaN()}), [][]int{nil})
			return err
		},
		"instance 1: label \"plum\" is not a node": func() error {
			_, err := dataset.LabelSets(tax, [][]string{{"apple"}, {"plum"}})
			return err
		},
		"instance 0: label \"pear\" is given twice": func() error {
			_, err := dataset.LabelSets(tax, [][]string{{"pear", "pear"}})
			return err
		},
	} {
		if err := fails(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// TestMatrixOf makes matrices of rows, and refuses what is none.
func TestMatrixOf(t *testing.T) {
	m, err := dataset.MatrixOf([]float64{0, 1.5, 0}, []float64{0, 0, 0}, []float64{-2, 0, 3})
	if err != nil || m.Rows != 3 || m.Cols != 3 || fmt.Sprint(m.Indptr, m.Indices, m.Values) != "[0 1 1 3] [1 0 2] [1.5 -2 3]" {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := dataset.MatrixOf(); err != nil || m.Rows != 0 {
		t.Errorf("of nothing: %+v, %v", m, err)
	}
	for _, rows := range [][][]float64{{{1}, {1, 2}}, {{math.NaN()}}, {{1e39}}} {
		if _, err := dataset.MatrixOf(rows...); err == nil {
			t.Errorf("%v is a matrix", rows)
		}
	}
}

// TestRounded refuses numbers of which a float32 would not tell apart those of different rows, and
// takes them when their mean is subtracted.
func TestRounded(t *testing.T) {
	tax := example.Fruit()
	labels := [][]int{{1}, {2}, {1}}
	for _, test := range []struct {
		numbers []float64
		refused string
	}{
		{[]float64{20240101, 20240102, 20240228}, "a float32 rounds 20240101 in column 1 to 20240100"},
		{[]float64{16777216, 16777217, 16777218}, "a float32 rounds 16777217 in column 1 to 16777216"},
		{[]float64{1e9 + 1, 1e9 + 2, 1e9 + 3}, "a float32 rounds 1000000003 in column 1 to 1000000000"},
		{[]float64{16777217, 16777217, 16777217}, ""},
		{[]float64{20240101, 0, 20240102}, ""},
		{[]float64{0.1, 1.7e9, 5}, ""},
	} {
		x := mat.NewDense(3, 2, nil)
		x.SetCol(1, test.numbers)
		_, err := dataset.FromDense("rows", tax, x, labels)
		_, rows := dataset.MatrixOf(x.RawRowView(0), x.RawRowView(1), x.RawRowView(2))
		for _, err := range []error{err, rows} {
			if (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused+", ") {
				t.Errorf("%v: %v", test.numbers, err)
			}
		}
		mean := (test.numbers[0] + test.numbers[1] + test.numbers[2]) / 3
		for i := range 3 {
			x.Set(i, 1, x.At(i, 1)-mean)
		}
		if _, err := dataset.FromDense("rows", tax, x, labels); err != nil {
			t.Errorf("%v less their mean: %v", test.numbers, err)
		}
		if _, err := dataset.MatrixOf([]float64{0, test.numbers[0]}); err != nil {
			t.Errorf("%v alone: %v", test.numbers[0], err)
		}
	}
}
