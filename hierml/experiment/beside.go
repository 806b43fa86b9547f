package experiment

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hierml/notebook/internal/table"
)

// Published are the figures of a method in a publication.
type Published struct {
	PerClass int // instances of each class that were trained on; 0 for all
	Method   string
	// Values has a figure for each of the measures of the results, in their units and order; NaN
	// where the publication has none.
	Values []float64
}

// Comparison is a table of measured and published figures.
type Comparison struct{ table *table.Table }

// Beside returns the means with the published figures behind them in brackets. It is an error if a
// row of published matches no row of the results by size and method, or several, or if it does not
// have a value for each measure.
func (r *Results) Beside(published []Published) (*Comparison, error) {
	s := r.Summary()
	type place struct {
		perClass int
		method   string
	}
	figures := make(map[place][]float64)
	for _, p := range published {
		if len(p.Values) != len(s.Measures) {
			return nil, fmt.Errorf("experiment: %d published figures of %q for %d measures; give one for each, and NaN for a figure that was not published", len(p.Values), p.Method, len(s.Measures))
		}
		matches := 0
		for _, row := range s.Rows {
			if row.PerClass == p.PerClass && row.Method == p.Method {
				matches++
			}
		}
		if matches != 1 {
			return nil, fmt.Errorf("experiment: the published figures of %q with %s match %d rows of the results; they must match exactly one", p.Method, sizeOf(p.PerClass), matches)
		}
		figures[place{p.PerClass, p.Method}] = p.Values
	}
	heads := s.headings()
	t := &table.Table{Notes: []string{"in brackets: published"}}
	for _, h := range heads {
		t.Columns = append(t.Columns, table.Column{Name: h, Head: h == "method"})
	}
	for _, m := range s.Measures {
		t.Columns = append(t.Columns, table.Column{Name: m + " " + arrow(m), Right: true})
	}
	for i := range s.Rows {
		row := &s.Rows[i]
		cells := table.Texts(row.under(heads)...)
		others := figures[place{row.PerClass, row.Method}]
		for k, v := range row.Values {
			text := figure(s.Measures[k], v.Mean)
			if others != nil && !math.IsNaN(others[k]) {
				text += " (" + strconv.FormatFloat(others[k], 'f', -1, 64) + ")"
			}
			cells = append(cells, table.Cell{Text: text})
		}
		t.Rows = append(t.Rows, cells)
	}
	return &Comparison{t}, nil
}

func sizeOf(perClass int) string {
	if perClass == 0 {
		return "all instances"
	}
	return fmt.Sprintf("%d of each class", perClass)
}

// String returns the table as text.
func (c *Comparison) String() string { return c.table.String() }

// HTML returns the table.
func (c *Comparison) HTML() string { return c.table.HTML() }
