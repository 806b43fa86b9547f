package syntax

import (
	"github.com/hierml/notebook/kernel/internal/program"
)

// cellTitle returns what errors call a cell.
func (c *Files) CellTitle(number int) string {
	if src := c.CellSource(number); src != nil {
		return src.Cell.Title()
	}
	return program.Cell{Number: number}.Title()
}

func (c *Files) CellSource(cell int) *Source {
	for _, src := range c.Sources {
		if src.Cell.Number == cell {
			return src
		}
	}
	return nil
}
