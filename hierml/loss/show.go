package loss

import (
	"fmt"
	"slices"

	tables "github.com/hierml/notebook/internal/table"
)

// Of a larger table of costs, the first rows and columns are shown.
const (
	maxRows    = 20
	maxColumns = 12
)

// String returns the costs as a table with the names of the nodes, the first rows and columns of a
// large one.
func (l table) String() string { return l.shown().String() }

// HTML returns the table of String in HTML.
func (l table) HTML() string { return l.shown().HTML() }

func (l table) shown() *tables.Table {
	kind, name := "nodes", l.t.Name
	if !l.nodes {
		leaves := l.t.Leaves()
		kind, name = "leaves", func(i int) string { return l.t.Name(leaves[i]) }
	}
	n, _ := l.costs.Dims()
	rows, columns := min(n, maxRows), min(n, maxColumns)
	var costs []float64
	for a := range rows {
		for b := range columns {
			costs = append(costs, l.costs.At(a, b))
		}
	}
	shown := &tables.Table{
		Title:   fmt.Sprintf("costs of %d %s, a row for each that is true and a column for each that is predicted", n, kind),
		Columns: []tables.Column{{Head: true}},
	}
	for b := range columns {
		shown.Columns = append(shown.Columns, tables.Column{Name: name(b), Right: true})
	}
	a := 0
	for row := range slices.Chunk(tables.Numbers(costs), max(columns, 1)) {
		shown.Rows = append(shown.Rows, tables.Texts(append([]string{name(a)}, row...)...))
		a++
	}
	if rows < n || columns < n {
		shown.Notes = []string{fmt.Sprintf("the first %d rows and %d columns", rows, columns)}
	}
	return shown
}
