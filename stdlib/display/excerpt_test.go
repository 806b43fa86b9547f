package display

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/internal/table"
)

// Excerpts look as those of gonum, and are there where gonum has none.
func TestExcerpt(t *testing.T) {
	for _, size := range [][2]int{{13, 13}, {1, 13}, {21, 1}, {100, 3}, {2, 40}, {12, 13}, {21, 12}, {50, 60}} {
		rows, columns := size[0], size[1]
		m := mat.NewDense(rows, columns, nil)
		m.Apply(func(i, j int, _ float64) float64 { return float64(i*columns-j) / 7 }, m)
		// The longest numbers of all columns stand in the first row.
		for j := range columns {
			m.Set(0, j, -1234567.8)
		}
		want := fmt.Sprintf("%.5g", mat.Formatted(m, mat.Squeeze(), mat.Excerpt(maxColumns/2)))
		if got := excerpt(m); got != want {
			t.Errorf("%d by %d:\n%s\nwant\n%s", rows, columns, got, want)
		}
	}
	m := mat.NewDense(13, 13, nil)
	m.Set(5, 5, 1.5)
	b := Of(m)
	if got := b.Text(); strings.Contains(got, "PANIC") || !strings.Contains(got, "⎢0  0  0  0  0  1.5            0  0  0  0  0  0⎥\n .\n") {
		t.Errorf("shown as\n%s", got)
	}
	if html := b.Data[HTML].(string); !strings.Contains(html, ">1.5<") || strings.Count(html, ">0.0<") != 13*12-1 {
		t.Errorf("the numbers differ in form: %s", html)
	}
}

// Matrices of user types may have no rows.
func TestGridWithoutRows(t *testing.T) {
	for _, alike := range []bool{true, false} {
		shown := grid(0, 3, alike, table.Digits, func(i, j int) value { return valueOf(0.) })
		if len(shown.Columns) != 4 || len(shown.Rows) != 0 {
			t.Errorf("alike %t: %d columns and %d rows", alike, len(shown.Columns), len(shown.Rows))
		}
	}
}
