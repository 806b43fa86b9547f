// Package table writes tables as aligned text and as HTML, so that all tables of hierml look the
// same.
//
// The HTML has no colours of its own: text, lines and background are those of the page, light or
// dark. It needs no style sheet, so it looks the same in a saved notebook.
package table

import (
	"fmt"
	"html"
	"strings"

	"github.com/hierml/notebook/internal/visible"
)

// A Table is rows of cells below the names of their columns.
type Table struct {
	Title   string // a line above; "" for none
	Columns []Column
	Rows    [][]Cell // a row may have fewer cells than there are columns
	Notes   []string // lines below
}

// A Column says how its cells are shown. If no column has a name, there is no header.
type Column struct {
	Name  string
	Help  string // shown in HTML when the pointer rests on the name
	Right bool   // aligned to the right, as numbers are
	Head  bool   // its cells name their rows
}

// A Cell is one cell of a table.
type Cell struct {
	Text   string
	HTML   string // replaces the text in HTML, unescaped; "" for the text
	Help   string // shown in HTML when the pointer rests on the cell
	Strong bool   // bold in HTML, marked by a star in text
}

// Texts returns cells with the texts.
func Texts(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, t := range texts {
		cells[i].Text = t
	}
	return cells
}

// hasNames reports whether a column has a name.
func (t *Table) hasNames() bool {
	for _, c := range t.Columns {
		if c.Name != "" {
			return true
		}
	}
	return false
}

// String returns the table as text, with visible control characters: columns are aligned and
// separated by two blanks, without trailing blanks or a final newline.
func (t *Table) String() string {
	widths := make([]int, len(t.Columns))
	starred := make([]bool, len(t.Columns))
	if t.hasNames() {
		for k, c := range t.Columns {
			widths[k] = width(visible.Text(c.Name))
		}
	}
	for _, row := range t.Rows {
		for k, c := range row {
			widths[k] = max(widths[k], width(visible.Text(c.Text)))
			starred[k] = starred[k] || c.Strong
		}
	}
	var b strings.Builder
	line := func(cell func(k int) (text string, star bool)) {
		var l strings.Builder
		for k, c := range t.Columns {
			if k > 0 {
				l.WriteString("  ")
			}
			text, star := cell(k)
			text = visible.Text(text)
			space := strings.Repeat(" ", max(0, widths[k]-width(text)))
			mark := ""
			switch {
			case star:
				mark = "*"
			case starred[k]:
				mark = " "
			}
			if c.Right {
				l.WriteString(space + text + mark)
			} else {
				l.WriteString(text + mark + space)
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	if t.Title != "" {
		b.WriteString(visible.Text(t.Title) + "\n")
	}
	if t.hasNames() {
		line(func(k int) (string, bool) { return t.Columns[k].Name, false })
	}
	for _, row := range t.Rows {
		line(func(k int) (string, bool) {
			if k >= len(row) {
				return "", false
			}
			return row[k].Text, row[k].Strong
		})
	}
	for _, note := range t.Notes {
		b.WriteString(visible.Text(note) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HTML returns the table as a table element, and its notes below.
func (t *Table) HTML() string {
	var b strings.Builder
	b.WriteString(`<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">`)
	if t.Title != "" {
		fmt.Fprintf(&b, `<caption style="text-align:left">%s</caption>`, html.EscapeString(t.Title))
	}
	b.WriteByte('\n')
	if t.hasNames() {
		b.WriteString(`<thead><tr style="border-bottom:1px solid">`)
		for _, c := range t.Columns {
			b.WriteString(element("th", c.Right, c.Help, html.EscapeString(c.Name)))
		}
		b.WriteString("</tr></thead>\n")
	}
	b.WriteString("<tbody>\n")
	for _, row := range t.Rows {
		b.WriteString("<tr>")
		for k, cell := range row {
			name := "td"
			if t.Columns[k].Head {
				name = "th"
			}
			content := cell.HTML
			if content == "" {
				content = html.EscapeString(cell.Text)
			}
			if cell.Strong {
				content = "<strong>" + content + "</strong>"
			}
			b.WriteString(element(name, t.Columns[k].Right, cell.Help, content))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "<p style=\"margin:2px 8px\"><small>%s</small></p>\n", html.EscapeString(note))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// element returns a cell of a row as HTML.
func element(name string, right bool, help, content string) string {
	side := "left"
	if right {
		side = "right"
	}
	if help != "" {
		help = ` title="` + html.EscapeString(help) + `"`
	}
	return fmt.Sprintf(`<%s style="text-align:%s;padding:2px 8px"%s>%s</%s>`, name, side, help, content, name)
}
