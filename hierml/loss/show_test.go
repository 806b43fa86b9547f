package loss_test

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
)

// TestTableShown shows losses that are made from tables.
func TestTableShown(t *testing.T) {
	g := twoLeaves(t)
	large := example.Tree(7, 7)
	nodes := mat.NewDense(5, 5, nil)
	nodes.Set(3, 2, 0.5)
	for _, test := range []struct {
		l    func() (loss.Loss, error)
		want string
	}{
		{func() (loss.Loss, error) { return loss.FromTable(g, mat.NewDense(2, 2, []float64{0, 3.5, 14, 0})) },
			"costs of 2 leaves, a row for each that is true and a column for each that is predicted\n      d    e\nd   0.0  3.5\ne  14.0  0.0"},
		{func() (loss.Loss, error) { return loss.FromTable(g, nodes) },
			"costs of 5 nodes, a row for each that is true and a column for each that is predicted\n     a    b    c    d    e\na  0.0"},
		{func() (loss.Loss, error) { return loss.FromTable(large, table(t, loss.ZeroOne(), large)) },
			"costs of 49 leaves, a row for each that is true and a column for each that is predicted\n"},
	} {
		l, err := test.l()
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(l)
		if !strings.HasPrefix(text, test.want) {
			t.Errorf("shown as\n%s\nwant\n%s", text, test.want)
		}
		html := l.(interface{ HTML() string }).HTML()
		if !strings.Contains(html, "<table") || len(html) > 40000 {
			t.Errorf("shown as %d bytes: %.200s", len(html), html)
		}
		if big := strings.Contains(text, "49 leaves"); big != strings.HasSuffix(text, "\nthe first 20 rows and 12 columns") {
			t.Errorf("ends as\n%s", text)
		}
	}
}
