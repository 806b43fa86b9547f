package metric

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/hierml/notebook/internal/table"
)

// Class has the counts of one label.
type Class struct {
	Node int // of Taxonomy.WithoutMiscellaneous: of the data's taxonomy, unless that is Leafed
	Name string
	// Instances is the number of instances with this true label, Predicted the number with this
	// predicted label, and Right the number with both.
	Instances, Predicted, Right int
	// Precision is Right / Predicted, Recall Right / Instances, and F1 their harmonic mean. A
	// quotient with denominator 0 is 0, or NaN if the label is neither true nor predicted. With
	// weights they are computed from sums of weights, and the counts are those of instances with a
	// weight above 0.
	Precision, Recall, F1 float64
}

// Classes are the classes of a report: all leaves, and the inner nodes that are a label.
type Classes []Class

// Classes returns the counts of each class, in the order of nodes, from the true and predicted
// label sets of the micro F1. It returns an error if the report does not come from Evaluate.
func (r *Report) Classes() (Classes, error) {
	if r == nil || r.classes == nil {
		return nil, errors.New("metric: the report has no predictions of classes; use a report returned by Evaluate")
	}
	return slices.Clone(r.classes), nil
}

// ByNode is Classes for every node of the taxonomy: an instance has a node if it has a label at or
// below it, and likewise for predictions [SF11]. Report.Levels has the averages of the nodes of
// each depth.
func (r *Report) ByNode() (Classes, error) {
	if r == nil || r.byNode == nil {
		return nil, errors.New("metric: the report has no predictions of nodes; use a report returned by Evaluate")
	}
	return slices.Clone(r.byNode), nil
}

// classes returns the requested nodes that were counted.
func (c *counts) classes(of []tally, asked func(n int) bool) Classes {
	all := Classes{}
	for n, o := range of {
		if asked(n) {
			all = append(all, Class{n, c.t.Name(n), o.instances, o.said, o.right, o.precision(), o.recall(), o.f1()})
		}
	}
	return all
}

// By returns the classes sorted by a column. "class" sorts by name, "instances", "predicted" and
// "right" put the largest first, and "precision", "recall" and "F1" the smallest first and
// undefined ones last. The sort is stable.
func (c Classes) By(column string) (Classes, error) {
	worst := func(value func(Class) float64) func(a, b Class) int {
		return func(a, b Class) int {
			v, w := value(a), value(b)
			if math.IsNaN(v) || math.IsNaN(w) {
				return cmp.Compare(w, v) // NaN is below all
			}
			return cmp.Compare(v, w)
		}
	}
	orders := map[string]func(a, b Class) int{
		"class":     func(a, b Class) int { return cmp.Compare(a.Name, b.Name) },
		"instances": func(a, b Class) int { return b.Instances - a.Instances },
		"predicted": func(a, b Class) int { return b.Predicted - a.Predicted },
		"right":     func(a, b Class) int { return b.Right - a.Right },
		"precision": worst(func(k Class) float64 { return k.Precision }),
		"recall":    worst(func(k Class) float64 { return k.Recall }),
		"F1":        worst(func(k Class) float64 { return k.F1 }),
	}
	order, ok := orders[column]
	if !ok {
		return nil, fmt.Errorf("metric: classes have no column %q; use one of %q", column, classColumns)
	}
	sorted := slices.Clone(c)
	slices.SortStableFunc(sorted, order)
	return sorted, nil
}

// classColumns are those of the table, and of CSV.
var classColumns = []string{"class", "instances", "predicted", "right", "precision", "recall", "F1"}

// classesShown is the number of classes in a printed table.
const classesShown = 50

func (c Classes) table() *table.Table {
	t := &table.Table{}
	for k, name := range classColumns {
		t.Columns = append(t.Columns, table.Column{Name: name, Head: k == 0, Right: k > 0})
	}
	value := func(v float64) string {
		if math.IsNaN(v) {
			return dash
		}
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	for _, k := range c[:min(len(c), classesShown)] {
		t.Rows = append(t.Rows, table.Texts(k.Name, strconv.Itoa(k.Instances), strconv.Itoa(k.Predicted), strconv.Itoa(k.Right), value(k.Precision), value(k.Recall), value(k.F1)))
	}
	if n := len(c) - classesShown; n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("and %d more", n))
	}
	return t
}

// String returns a table, of the first 50.
func (c Classes) String() string { return c.table().String() }

// HTML returns the table of String in HTML.
func (c Classes) HTML() string { return c.table().HTML() }

// WriteCSV writes one line per class, with the column names of By. An undefined value is empty.
func (c Classes) WriteCSV(w io.Writer) error {
	lines := [][]string{classColumns}
	for _, k := range c {
		lines = append(lines, []string{k.Name, strconv.Itoa(k.Instances), strconv.Itoa(k.Predicted), strconv.Itoa(k.Right), inCSV(k.Precision), inCSV(k.Recall), inCSV(k.F1)})
	}
	return table.WriteCSV(w, lines)
}
