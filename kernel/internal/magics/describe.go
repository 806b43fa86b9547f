package magics

import (
	"fmt"
	"html"
	"strings"
	"text/tabwriter"

	"github.com/hierml/notebook/kernel/internal/program"
)

// Fenced returns a block of Go in Markdown. The fence is longer than any row of backquotes in the
// code.
func Fenced(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "go\n" + code + "\n" + fence
}

// Help lists the magics.
func Help() *program.Bundle {
	var rows [][]string
	for _, k := range Kinds {
		rows = append(rows, []string{k.Usage, k.doc, k.example})
	}
	for _, k := range []Kind{ShellKind, QuestionKind} {
		rows = append(rows, []string{k.Usage, k.doc, k.example})
	}
	var text strings.Builder
	for i, r := range rows {
		if i > 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "%s\n    %s\n    Example: %s\n", r[0], strings.ReplaceAll(wrapped(r[1], 76), "\n", "\n    "), r[2])
	}
	_, page := Table([]string{"magic", "what it does", "example"}, rows, 0, 2)
	return &program.Bundle{Data: map[string]any{"text/plain": text.String(), "text/html": page}}
}

// wrapped breaks a text at blanks into lines of at most width bytes.
func wrapped(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// Table formats rows as text and as HTML. The columns with the numbers in code contain code.
func Table(head []string, rows [][]string, code ...int) (text, page string) {
	var b, h strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	h.WriteString("<table><thead><tr>")
	for _, cell := range head {
		fmt.Fprintf(&h, `<th style="text-align:left">%s</th>`, html.EscapeString(cell))
	}
	h.WriteString("</tr></thead><tbody>")
	lines := append([][]string{head}, rows...)
	for i, row := range lines {
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t")) // a strings.Builder does not fail
		if i == 0 {
			continue
		}
		h.WriteString("<tr>")
		for column, cell := range row {
			cell = html.EscapeString(cell)
			for _, c := range code {
				if c == column && cell != "" {
					cell = "<code>" + cell + "</code>"
					break
				}
			}
			fmt.Fprintf(&h, `<td style="text-align:left">%s</td>`, cell)
		}
		h.WriteString("</tr>")
	}
	h.WriteString("</tbody></table>")
	_ = w.Flush()
	var trimmed []string
	for line := range strings.Lines(b.String()) {
		trimmed = append(trimmed, strings.TrimRight(line, " \n"))
	}
	return strings.Join(trimmed, "\n") + "\n", h.String()
}
