package dataset

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/internal/table"
)

const (
	shownSmall    = 20 // rows of a table that is shown whole
	shownExamples = 3  // values of a column
	shownColumns  = 12 // of the first rows
	shownValue    = 32 // characters of a value
)

// String describes the table: how many rows it has, what its columns are, and the first rows. Of
// one with few rows it shows them all, and not what the columns are.
func (t *Table) String() string {
	parts := []string{t.title()}
	if t.Len() > shownSmall || t.Len() == 0 {
		parts = append(parts, t.columns().String())
	}
	if t.Len() > 0 {
		parts = append(parts, t.head().String())
	}
	return strings.Join(parts, "\n") + "\n"
}

// HTML is String as tables.
func (t *Table) HTML() string {
	html := "<div class=\"hierml-table\">\n<div>" + template.HTMLEscapeString(t.title()) + "</div>\n"
	if t.Len() > shownSmall || t.Len() == 0 {
		html += t.columns().HTML() + "\n"
	}
	if t.Len() > 0 {
		html += "<div style=\"overflow-x:auto\">\n" + t.head().HTML() + "\n</div>\n"
	}
	return html + "</div>\n"
}

// title says how much there is.
func (t *Table) title() string {
	o := newOverview(t.Name, "row", t.Taxonomy, t.labelLists())
	facts := strings.Join(o.Facts, ", ")
	if t.Taxonomy == nil {
		facts = describe.Count(t.Len(), "row", "rows") + ", no labels"
	}
	facts = describe.Count(len(t.Columns), "column", "columns") + ", " + facts
	if t.Name == "" {
		return facts
	}
	return t.Name + ": " + facts
}

// columns returns a table with a row a column: its kind, role, missing and distinct values, range
// and examples.
func (t *Table) columns() *table.Table {
	shown := &table.Table{Columns: []table.Column{
		{Name: "column", Head: true}, {Name: "kind"}, {Name: "role"}, {Name: "missing", Right: true},
		{Name: "distinct", Right: true}, {Name: "range, or the most frequent values"},
	}}
	for k := range t.Columns {
		c := &t.Columns[k]
		counts := c.counts()
		shown.Rows = append(shown.Rows, table.Texts(describe.Cut(c.Name, 40), c.Kind.String(), c.Role.String(),
			fmt.Sprint(c.MissingCount()), fmt.Sprint(len(counts)), c.summary(counts)))
	}
	return shown
}

// summary returns the range of numbers, and else the most frequent values, or the first ones if all
// are different.
func (c *Column) summary(counts []valueCount) string {
	if len(counts) == 0 {
		return ""
	}
	if c.Kind == Number {
		d := c.Describe()
		texts := table.Numbers([]float64{d.Least, d.Median, d.Largest})
		return fmt.Sprintf("%s to %s, median %s", texts[0], texts[2], texts[1])
	}
	var examples []string
	if counts[0].rows == 1 {
		for w := range c.words {
			if examples = append(examples, describe.Cut(w, shownValue)); len(examples) == shownExamples {
				break
			}
		}
	} else {
		for _, v := range counts[:min(len(counts), shownExamples)] {
			examples = append(examples, fmt.Sprintf("%s (%d)", describe.Cut(v.value, shownValue), v.rows))
		}
	}
	if len(counts) > len(examples) {
		examples = append(examples, "…")
	}
	return strings.Join(examples, ", ")
}

// head returns the first rows.
func (t *Table) head() *table.Table {
	shown := &table.Table{}
	columns := t.Columns[:min(len(t.Columns), shownColumns)]
	for k := range columns {
		shown.Columns = append(shown.Columns, table.Column{Name: describe.Cut(columns[k].Name, shownValue), Right: columns[k].Kind == Number})
	}
	rows := shownRows
	if t.Len() <= shownSmall {
		rows = t.Len()
	}
	for i := range min(t.Len(), rows) {
		var row []string
		for k := range columns {
			row = append(row, describe.Cut(columns[k].Value(i), shownValue))
		}
		shown.Rows = append(shown.Rows, table.Texts(row...))
	}
	if more := t.Len() - rows; more > 0 {
		shown.Notes = append(shown.Notes, fmt.Sprintf("… %d more", more))
	}
	if more := len(t.Columns) - shownColumns; more > 0 {
		shown.Notes = append(shown.Notes, fmt.Sprintf("%d more columns are not shown", more))
	}
	return shown
}

// Description has the figures of a column of numbers. Those of no numbers at all are NaN.
type Description struct {
	Count, Missing         int
	Mean, Deviation        float64 // the deviation of all numbers: their number is divided by
	Least, Median, Largest float64
}

// Describe returns the figures of a column of numbers; of other columns it counts only.
func (c *Column) Describe() Description {
	d := Description{Missing: c.MissingCount()}
	d.Count = c.Len() - d.Missing
	d.Mean, d.Deviation, d.Least, d.Median, d.Largest = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if c.Kind != Number || d.Count == 0 {
		return d
	}
	sorted := slices.DeleteFunc(slices.Clone(c.Numbers), math.IsNaN)
	slices.Sort(sorted)
	n := len(sorted)
	d.Least, d.Largest = sorted[0], sorted[n-1]
	d.Median = sorted[(n-1)/2]/2 + sorted[n/2]/2
	d.Mean = 0
	for k, v := range sorted {
		d.Mean += (v - d.Mean) / float64(k+1)
	}
	squares, scale := 0.0, max(d.Largest-d.Mean, d.Mean-d.Least)
	if scale > 0 {
		for _, v := range sorted {
			squares += (v - d.Mean) / scale * ((v - d.Mean) / scale)
		}
	}
	d.Deviation = scale * math.Sqrt(squares/float64(n))
	return d
}
