package svm_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestOneSlackForSeveralLabels shows why Transfer and Orthogonal may learn nothing from several
// labels an instance. All comparisons of an instance share one slack. Here the labels below P
// are independent of x, and those below Q are its sign. With a label below each, the weights of
// the comparisons below P cancel, so that zero weights are optimal, whatever x says of c and d;
// with the label below Q alone, or an SVM for each node, all instances are right.
func TestOneSlackForSeveralLabels(t *testing.T) {
	tax, err := taxonomy.New([]string{"P", "Q", "a", "b", "c", "d"}, [][2]int{{0, 2}, {0, 3}, {1, 4}, {1, 5}})
	if err != nil {
		t.Fatal(err)
	}
	const a, b, c, d = 2, 3, 4, 5 // c^1 is d
	data := func(several bool) *dataset.Dataset {
		var x []float64
		var labels [][]int
		for i := range 40 {
			below, sign := []int{a, b}[i%2], 1.0
			q := c
			if i/2%2 == 1 {
				sign, q = -1, d
			}
			x = append(x, sign)
			if several {
				labels = append(labels, []int{below, q})
			} else {
				labels = append(labels, []int{q})
			}
		}
		made, err := dataset.FromDense("one slack", tax, mat.NewDense(len(x), 1, x), labels)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	right := func(m *classifier.Model, d *dataset.Dataset) (share float64) {
		scores := m.NodeScores(d.X)
		for i, set := range d.Labels {
			if y := set[len(set)-1]; scores.At(i, y) > scores.At(i, y^1)+0.01 {
				share += 1 / float64(d.Len())
			}
		}
		return share
	}
	for _, test := range []struct {
		name            string
		e               classifier.Estimator
		several, little bool
	}{
		{"transfer", svm.Transfer{C: 10, Intercept: 1}, true, true}, {"transfer", svm.Transfer{C: 10, Intercept: 1}, false, false},
		{"orthogonal", svm.Orthogonal{C: 10, Intercept: 1}, true, true}, {"orthogonal", svm.Orthogonal{C: 10, Intercept: 1}, false, false},
		{"recursive", svm.Recursive{C: 10, Intercept: 1}, true, false},
	} {
		d := data(test.several)
		m := fit(t, test.e, d)
		r := m.Training.Certificate
		if want := map[bool]float64{true: 0, false: 1}[test.little]; math.Abs(right(m, d)-want) > 1e-9 || r.LearnedLittle() != test.little || test.little && r.Origin-r.Dual > 1e-3*r.Origin {
			t.Errorf("%s, several labels %v: %.2f of c and d are right, %v, origin %v", test.name, test.several, right(m, d), r, r.Origin)
		}
	}
}
