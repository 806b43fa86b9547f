package files

import (
	"context"
	"fmt"
	"strings"

	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/rounding"
	"github.com/hierml/notebook/hierml/progress"
)

// columnCheck converts values to those of a matrix, and measures the loss.
type columnCheck struct {
	v     *vectorFile
	array string // its name for messages
	exact bool   // whether a float32 has every value as it is

	columns []rounding.Column
	// The positions in columns of those with a value in the first row of a sparse matrix. Others
	// also contain zeros, and there nothing is lost.
	sparse map[int]int

	bad   int    // values that are not finite
	first string // of them
}

// value returns a value as the matrix has it, and zero for one that it cannot have.
func (c *columnCheck) value(i, j int, v float64) (float32, error) {
	rounded := float32(v)
	if rounded-rounded != 0 {
		if c.bad++; c.bad == 1 {
			c.first = fmt.Sprintf("%s[%d, %d], %v", c.array, i, j, v)
		}
		if c.v.Repair == nil {
			return 0, nil // all are counted first
		}
		return 0, report(c.v.Repair, faultNotFinite, c.v.errorf("%s[%d, %d] is %v; expected finite numbers within the range of a float32", c.array, i, j, v))
	}
	if c.exact {
		return rounded, nil
	}
	at := j
	if c.sparse != nil {
		var candidate bool
		if at, candidate = c.sparse[j]; !candidate {
			return rounded, nil
		}
	}
	for len(c.columns) <= at {
		c.columns = append(c.columns, rounding.Column{})
	}
	c.columns[at].Add(v)
	return rounded, nil
}

// end returns the error of values that are not finite, and notes columns that lose by rounding.
func (c *columnCheck) end(ctx context.Context, rows int) error {
	if c.bad > 0 && c.v.Repair == nil {
		return c.v.errorf("%s not finite, or beyond a float32; the first: %s. Replace them before saving, or set Vectors{Repair: &files.Faults{}} to take them as zero and count them",
			describe.Count(c.bad, "value is", "values are"), c.first)
	}
	var lost []string
	example := 0.0
	column := make(map[int]int, len(c.sparse))
	for j, at := range c.sparse {
		column[at] = j
	}
	for j := range c.columns {
		number, loses := c.columns[j].Lost()
		if !loses || c.columns[j].Count() < rows {
			continue
		}
		if c.sparse != nil {
			j = column[j]
		}
		if len(lost) == 0 {
			example = number
		}
		lost = append(lost, fmt.Sprint(j))
	}
	if len(lost) == 0 {
		return nil
	}
	const most = 5
	list, number := strings.Join(lost[:min(len(lost), most)], ", "), "column"
	if len(lost) > 1 {
		number = "columns"
	}
	if len(lost) > most {
		list += fmt.Sprintf(" and %d more", len(lost)-most)
	}
	what := fmt.Sprintf("%.17g became %.17g", example, float64(float32(example)))
	progress.Note(ctx, fmt.Sprintf("%s: a float32 rounds the numbers in %s %s of %s, counted from 0, by more than a thousandth of their standard deviation: %s. Subtract their mean before saving.",
		c.v.name, number, list, c.array, what))
	return nil
}
