// Package describe writes what a model or another result is, in a few lines or as a table.
package describe

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/internal/table"
)

// Row is one line of a description.
type Row struct{ Name, Value string }

// Text returns the title and a line a row, without a newline at the end.
func Text(title string, rows []Row) string {
	width := 12
	for _, r := range rows {
		width = max(width, utf8.RuneCountInString(r.Name))
	}
	var b strings.Builder
	fmt.Fprintln(&b, title)
	for _, r := range rows {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, r.Name, r.Value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HTML returns a table with the title as its caption.
func HTML(title string, rows []Row) string {
	t := table.Table{Title: title, Columns: []table.Column{{Head: true}, {}}}
	for _, r := range rows {
		t.Rows = append(t.Rows, table.Texts(r.Name, r.Value))
	}
	return t.HTML()
}
