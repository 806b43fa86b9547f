package metric

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Table compares reports, one per row.
type Table struct {
	Names   []string  // of the rows
	Reports []*Report // of the rows
	// Measures are the names of the columns, any that Report.Value accepts. The default is eight:
	// accuracy, parent accuracy, tree loss, average precision, ranking loss, micro F1, macro F1 of
	// all classes, and hierarchical F1.
	Measures []string
}

var defaultColumns = []string{"accuracy", "parent accuracy", "tree loss", "average precision", "ranking loss", "micro F1", allClasses, "hierarchical F1"}

// columns returns the measures of the table. A measure that no report has becomes a column of
// dashes.
func (t *Table) columns() []Measure {
	names := t.Measures
	if len(names) == 0 {
		names = defaultColumns
	}
	all := Measures()
	for _, r := range t.Reports {
		if r != nil {
			all = append(all, r.Measures()...)
		}
	}
	var chosen []Measure
	for _, name := range names {
		m, ok := find(all, name)
		if !ok {
			m = Measure{Name: name, Help: "no report has this measure", fixed: func(*Report) *float64 { return nil }}
		}
		chosen = append(chosen, m)
	}
	return chosen
}

// Compare returns a table of the reports, one row each, labelled with the names. A report without a
// name is labelled with its position, from 1. A name without a report gets a row without values.
func Compare(names []string, reports []*Report) *Table {
	t := &Table{}
	for i := range max(len(names), len(reports)) {
		name, report := strconv.Itoa(i+1), (*Report)(nil)
		if i < len(names) {
			name = names[i]
		}
		if i < len(reports) {
			report = reports[i]
		}
		t.Names = append(t.Names, name)
		t.Reports = append(t.Reports, report)
	}
	return t
}

// rows returns the cells. It marks the best values of each column, compared as shown. If there is
// one report, or all values are equal, nothing is marked.
func (t *Table) rows(measures []Measure) []row {
	rows := make([]row, len(t.Names))
	for i, name := range t.Names {
		rows[i] = row{Name: name, Instances: dash}
		if r := t.Reports[i]; r != nil {
			rows[i].Instances = strconv.Itoa(r.Instances)
		}
	}
	for _, m := range measures {
		best, differ := "", false
		bestValue := 0.0
		for _, r := range t.Reports {
			text := m.format(r)
			if text == dash {
				continue
			}
			differ = differ || best != "" && text != best
			if value := *m.field(r); best == "" || m.Lower && value < bestValue || !m.Lower && value > bestValue {
				best, bestValue = text, value
			}
		}
		for i, r := range t.Reports {
			text := m.format(r)
			rows[i].Cells = append(rows[i].Cells, cell{Text: text, Best: differ && text == best})
		}
	}
	return rows
}

// String returns the table as aligned text, with "best" after the best value of each column.
func (t *Table) String() string {
	measures := t.columns()
	rows := t.rows(measures)
	name := 0
	for _, r := range rows {
		name = max(name, utf8.RuneCountInString(r.Name))
	}
	marks := make([]int, len(measures)) // how wide they are
	for _, r := range rows {
		for j, c := range r.Cells {
			marks[j] = max(marks[j], len(c.mark()))
		}
	}
	var line, b strings.Builder
	end := func() {
		fmt.Fprintln(&b, strings.TrimRight(line.String(), " "))
		line.Reset()
	}
	fmt.Fprintf(&line, "%*s  instances", name, "")
	for j, m := range measures {
		fmt.Fprintf(&line, "  %s %s%*s", m.Name, m.arrow(), marks[j], "")
	}
	end()
	for _, r := range rows {
		fmt.Fprintf(&line, "%s%s  %s", r.Name, pad("", name-utf8.RuneCountInString(r.Name)), pad(r.Instances, len("instances")))
		for j, c := range r.Cells {
			fmt.Fprintf(&line, "  %s%-*s", pad(c.Text, utf8.RuneCountInString(measures[j].Name)+2), marks[j], c.mark())
		}
		end()
	}
	for _, note := range t.notes() {
		fmt.Fprintln(&b, note)
	}
	return b.String()
}

// notes lists the rows with one predicted label each where several are true.
func (t *Table) notes() []string {
	var notes []string
	for i, name := range t.Names {
		if note := t.Reports[i].note(); note != "" {
			notes = append(notes, name+": "+note)
		}
	}
	return notes
}

// mark follows the text of the best value.
func (c cell) mark() string {
	if c.Best {
		return " best"
	}
	return ""
}

// HTML returns the table with the best value of each column in bold.
func (t *Table) HTML() string {
	measures := t.columns()
	page := struct {
		Head, Rows []row
		Notes      []string
	}{Rows: t.rows(measures), Notes: t.notes()}
	for _, m := range measures {
		page.Head = append(page.Head, row{Name: m.Name, Help: m.Help, Arrow: m.arrow()})
	}
	return render(tableTemplate, page)
}

var tableTemplate = template.Must(template.New("table").Parse(`<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">
<thead><tr style="border-bottom:1px solid"><th></th><th style="text-align:right;padding:2px 8px">instances</th>
{{- range .Head}}<th style="text-align:right;padding:2px 8px" title="{{.Help}}">{{.Name}}&nbsp;{{.Arrow}}</th>{{end}}</tr></thead>
<tbody>
{{- range .Rows}}
<tr><th style="text-align:left;padding:2px 8px">{{.Name}}</th><td style="text-align:right;padding:2px 8px">{{.Instances}}</td>
{{- range .Cells}}<td style="text-align:right;padding:2px 8px">{{if .Best}}<strong>{{.Text}}</strong>{{else}}{{.Text}}{{end}}</td>{{end}}</tr>
{{- end}}
</tbody>
</table>
{{- range .Notes}}
<p style="margin:2px 4px"><small>{{.}}</small></p>
{{- end}}
`))
