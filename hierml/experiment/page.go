package experiment

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/table"
)

// pageStyle scrolls wide tables on the screen, and fits them on paper.
const pageStyle = `body { font-family: sans-serif; max-width: 72em; margin: auto; padding: 1em; color-scheme: light dark }
section { overflow-x: auto }
pre { white-space: pre-wrap }
@page { size: landscape; margin: 12mm }
@media print {
	details::details-content { content-visibility: visible; block-size: auto }
	section { overflow: visible }
	table { font-size: 7pt }
	th, td { padding: 1pt 3pt !important; overflow-wrap: anywhere }
	tr { break-inside: avoid }
	svg { max-width: 100%; height: auto }
}
`

// Page returns the results as a self-contained HTML page: the tables with their tests, the data,
// all settings as JSON for ReadStudy, the programs that computed the cells, and every cell with its
// seed, so that a reviewer can see and repeat the study. If the study has Go functions, the page
// says that JSON cannot represent them.
func (r *Results) Page() string {
	var b strings.Builder
	title := html.EscapeString(cmp.Or(r.Name, "study"))
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n", title)
	b.WriteString("<style>\n" + pageStyle + "</style>\n</head>\n<body>\n")
	fmt.Fprintf(&b, "<h1>%s</h1>\n", title)
	section := func(name, content string) {
		fmt.Fprintf(&b, "<section>\n<h2>%s</h2>\n%s\n</section>\n", name, content)
	}
	section("Results", r.HTML())
	if len(r.Measures) > 0 {
		if figure, err := r.Plot(r.Measures[0], ""); err == nil { // else there is no parameter to draw it over
			section("Curve", figure.SVG())
		}
	}
	section("Data", r.dataTable().HTML())
	settings := "<p>The directory has no study.json.</p>"
	if r.study != nil {
		settings = "<p>The file for <code>hierml study run</code>. What was given in Go stands in it as a description.</p>\n<pre>" + html.EscapeString(indented(r.study)) + "</pre>"
	}
	section("Settings", settings)
	section("Programs", r.programTable().HTML())
	section("Cells", fmt.Sprintf("<details open>\n<summary>%s, and %s by which settings were chosen; <code>hierml study cell DIRECTORY KEY</code> runs one again</summary>\n%s</details>",
		plural(len(r.Cells), "cell"), plural(len(r.Inner), "cell"), r.cellTable().HTML()))
	b.WriteString("</body>\n</html>\n")
	return b.String()
}

// dataTable has a row for each data set and what is trained on.
func (r *Results) dataTable() *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "data", Head: true}, {Name: "trained on", Right: true}, {Name: "tested on", Right: true}, {Name: "features", Right: true}, {Name: "nodes", Right: true}, {Name: "leaves", Right: true},
	}}
	span := func(of func(*Cell) int, cells []*Cell) string {
		low, high := 0, 0
		for i, c := range cells {
			if v := of(c); i == 0 {
				low, high = v, v
			} else {
				low, high = min(low, v), max(high, v)
			}
		}
		switch {
		case high == 0:
			return "not recorded"
		case low == high:
			return strconv.Itoa(low)
		}
		return fmt.Sprintf("%d to %d", low, high)
	}
	for _, name := range names(r.Cells, func(c *Cell) string { return c.Data }) {
		var cells []*Cell
		for _, c := range r.Cells {
			if c.Data == name && c.Error == "" {
				cells = append(cells, c)
			}
		}
		t.Rows = append(t.Rows, table.Texts(name,
			span(func(c *Cell) int { return c.Train }, cells), span(func(c *Cell) int { return c.Test }, cells),
			span(func(c *Cell) int { return c.Features }, cells), span(func(c *Cell) int { return c.Nodes }, cells), span(func(c *Cell) int { return c.Leaves }, cells)))
	}
	return t
}

// programTable has a row for each program and machine that computed cells.
func (r *Results) programTable() *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: "computed by", Head: true}, {Name: "cells", Right: true}}}
	by := func(c *Cell) string { return cmp.Or(c.Program, "not recorded") }
	for _, name := range names(r.all(), by) {
		count := 0
		for _, c := range r.all() {
			if by(c) == name {
				count++
			}
		}
		t.Rows = append(t.Rows, table.Texts(name, strconv.Itoa(count)))
	}
	return t
}

// names returns the different names of cells in their order.
func names(cells []*Cell, of func(*Cell) string) []string {
	var found []string
	for _, c := range cells {
		if name := of(c); !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

// cellTable has a row for each cell of the table.
func (r *Results) cellTable() *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "key", Head: true}, {Name: "data"}, {Name: "method"}, {Name: "settings"}, {Name: "division"}, {Name: "seed", Right: true}, {Name: "seconds", Right: true},
	}}
	for _, m := range r.Measures {
		t.Columns = append(t.Columns, table.Column{Name: m, Right: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "note"})
	for _, c := range r.Cells {
		division := fmt.Sprintf("repeat %d", c.Repeat)
		if c.Fold > 0 {
			division += fmt.Sprintf(", fold %d", c.Fold)
		}
		if c.PerClass > 0 {
			division += fmt.Sprintf(", %d of every class", c.PerClass)
		}
		point := c.Point
		if c.Chosen {
			point += ", chosen"
		}
		row := table.Texts(c.Key, c.Data, c.Method, point, division, strconv.FormatUint(c.Seed, 10), fmt.Sprintf("%.3g", c.Seconds))
		for _, m := range r.Measures {
			text := ""
			if v, ok := c.value(m); ok {
				text = strconv.FormatFloat(v, 'g', 6, 64)
			}
			row = append(row, table.Cell{Text: text})
		}
		t.Rows = append(t.Rows, append(row, table.Cell{Text: cmp.Or(c.Error, c.Note)}))
	}
	return t
}

// program says what program this is, with the versions of hierml and Go, and on what machine.
func program() string {
	const library = "github.com/hierml/notebook"
	name := "hierml"
	if info, ok := debug.ReadBuildInfo(); ok {
		version := info.Main.Version
		if info.Main.Path != library {
			name = fmt.Sprintf("%s %s with hierml", info.Main.Path, cmp.Or(version, "(devel)"))
			for _, m := range info.Deps {
				if m.Path == library {
					version = m.Version
				}
			}
		}
		name += " " + cmp.Or(version, "(devel)")
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && !strings.Contains(version, s.Value[:min(len(s.Value), 12)]):
				name += ", commit " + s.Value[:min(len(s.Value), 12)]
			case s.Key == "vcs.modified" && s.Value == "true" && !strings.Contains(version, "dirty"):
				name += " with changes"
			}
		}
	}
	return fmt.Sprintf("%s, %s, %s/%s, %s", name, runtime.Version(), runtime.GOOS, runtime.GOARCH, plural(runtime.NumCPU(), "processor"))
}

// indented returns JSON with line breaks, or as it is where that is none.
func indented(study []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, bytes.TrimSpace(study), "", "  ") != nil {
		return string(study)
	}
	return b.String()
}
