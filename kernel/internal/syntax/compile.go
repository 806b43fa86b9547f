package syntax

import (
	"strings"
)

// offset returns the offset of a line and a column, which may be 0.
func (s *Source) Offset(line, column int) int {
	at := 0
	for range line - 1 {
		newline := strings.IndexByte(s.Cell.Source[at:], '\n')
		if newline < 0 {
			break
		}
		at += newline + 1
	}
	return min(at+max(column-1, 0), len(s.Cell.Source))
}
