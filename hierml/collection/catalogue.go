package collection

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
)

// Entry is a data set of the catalogue: what it is, where it comes from, and the figures that were
// counted in it.
type Entry struct {
	Name  string
	Title string
	// Kind says what an instance is: "text", "counts", "images" and so on.
	Kind    string
	Licence string // as its source states it
	Source  string // where it is described
	// Citation is the work to cite, where one is known.
	Citation string

	// Files are what it consists of. They are found in a folder of HIERML_DATA or the cache, there
	// or in a folder with the name of the data set.
	Files []File
	// Hand says, for data sets that this package does not download, how to come by the files.
	Hand string
	// Format says what the files are.
	Format string

	// The figures; 0 where they are not known. Depth is the number of levels.
	Train, Test, Features      int
	Nodes, Leaves, Tops, Depth int
	// nodes with more than one parent; instances with more than one label
	SeveralParents, SeveralLabel int

	home  string // the folder of its files, where it shares them with another data set
	read  func(ctx context.Context, e *Entry, paths []string) (*dataset.Collection, error)
	texts func(ctx context.Context, e *Entry, paths []string) (*dataset.Corpus, error)
}

// File is a file of a data set.
type File struct {
	Name string
	// URL is where it can be had, empty where it cannot be downloaded without asking, or is made
	// from other files.
	URL string
	// SHA256 is its check sum in hexadecimal digits, as published; empty where none is.
	SHA256 string
	Bytes  int64 // 0 where it is not known
	// Optional files may be missing.
	Optional bool
}

// Entries is a list of data sets. It prints as a table.
type Entries []Entry

// Catalogue returns the public data sets that Open knows without being told where they are. Data
// sets in a folder of HIERML_DATA that are in the format of OpenContext need no entry.
func Catalogue() Entries { return slices.Clone(catalogue) }

// folder returns the name of the folder that its files are in.
func (e *Entry) folder() string { return cmp.Or(e.home, e.Name) }

// entry returns the data set of that name, or nil.
func entry(name string) *Entry {
	for i := range catalogue {
		if catalogue[i].Name == name {
			return &catalogue[i]
		}
	}
	return nil
}

// downloads reports whether the files can be had without a person.
func (e *Entry) downloads() bool {
	return !slices.ContainsFunc(e.Files, func(f File) bool { return !f.Optional && (f.URL == "" || f.SHA256 == "") })
}

// Bytes returns the size of all files, 0 where that of one is not known.
func (e Entry) Bytes() int64 {
	var sum int64
	for _, f := range e.Files {
		if f.Bytes == 0 {
			return 0
		}
		sum += f.Bytes
	}
	return sum
}

// Structure says in a word what the taxonomy is.
func (e Entry) Structure() string {
	switch {
	case e.Nodes == 0:
		return ""
	case e.SeveralParents > 0:
		return "DAG"
	}
	return "tree"
}

// how says how the data set comes here.
func (e *Entry) how() string {
	switch {
	case e.downloads():
		return "downloaded"
	default:
		return "by hand"
	}
}

// String says all of the data set, a line each.
func (e Entry) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", e.Name, e.Title)
	for _, f := range e.facts() {
		fmt.Fprintf(&b, "  %-9s  %s\n", f[0], f[1])
	}
	for _, f := range e.Files {
		fmt.Fprintf(&b, "  file       %s\n", f)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HTML is String as a table.
func (e Entry) HTML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<table><caption>%s</caption>", html.EscapeString(e.Name+": "+e.Title))
	row := func(name, value string) {
		fmt.Fprintf(&b, `<tr><th style="text-align:left">%s</th><td style="text-align:left">%s</td></tr>`, html.EscapeString(name), html.EscapeString(value))
	}
	for _, f := range e.facts() {
		row(f[0], f[1])
	}
	for _, f := range e.Files {
		row("file", f.String())
	}
	b.WriteString("</table>")
	return b.String()
}

func (e *Entry) facts() [][2]string {
	figures := ""
	if e.Train+e.Test > 0 {
		figures = fmt.Sprintf("%d training and %d test instances", e.Train, e.Test)
		if e.Features > 0 {
			figures += fmt.Sprintf(", %d features", e.Features)
		}
	}
	structure := ""
	if e.Nodes > 0 {
		structure = fmt.Sprintf("%s of %s, %s, depth %d", e.Structure(), describe.Count(e.Nodes, "node", "nodes"), describe.Count(e.Leaves, "leaf", "leaves"), e.Depth)
	}
	all := [][2]string{
		{"kind", e.Kind}, {"instances", figures}, {"taxonomy", structure}, {"licence", e.Licence},
		{"source", e.Source}, {"citation", e.Citation}, {"format", e.Format}, {"by hand", e.Hand},
	}
	return slices.DeleteFunc(all, func(f [2]string) bool { return f[1] == "" })
}

// String is the name of the file, its size, sum and URL.
func (f File) String() string {
	parts := []string{f.Name}
	if f.Bytes > 0 {
		parts = append(parts, Size(f.Bytes))
	}
	if f.SHA256 != "" {
		parts = append(parts, "SHA-256 "+f.SHA256)
	}
	if f.URL != "" {
		parts = append(parts, f.URL)
	}
	return strings.Join(parts, ", ")
}

var catalogueHead = []string{"name", "kind", "train", "test", "features", "nodes", "leaves", "depth", "taxonomy", "comes", "what"}

func (e *Entry) row() []string {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	return []string{e.Name, e.Kind, number(e.Train), number(e.Test), number(e.Features), number(e.Nodes), number(e.Leaves), number(e.Depth), e.Structure(), e.how(), e.Title}
}

// The columns of numbers.
const firstNumber, lastNumber = 2, 7

// String is a line for each data set.
func (e Entries) String() string {
	rows := [][]string{catalogueHead}
	width := make([]int, len(catalogueHead))
	for i := range e {
		rows = append(rows, e[i].row())
	}
	for _, r := range rows {
		for c, cell := range r {
			width[c] = max(width[c], len(cell))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		var line strings.Builder
		for c, cell := range r {
			if c > 0 {
				line.WriteString("  ")
			}
			if c >= firstNumber && c <= lastNumber {
				fmt.Fprintf(&line, "%*s", width[c], cell)
			} else {
				fmt.Fprintf(&line, "%-*s", width[c], cell)
			}
		}
		fmt.Fprintln(&b, strings.TrimRight(line.String(), " "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HTML is String as a table.
func (e Entries) HTML() string {
	var b strings.Builder
	b.WriteString("<table><thead><tr>")
	for _, h := range catalogueHead {
		fmt.Fprintf(&b, "<th>%s</th>", html.EscapeString(h))
	}
	b.WriteString("</tr></thead><tbody>")
	for i := range e {
		b.WriteString("<tr>")
		for c, cell := range e[i].row() {
			align := "left"
			if c >= firstNumber && c <= lastNumber {
				align = "right"
			}
			fmt.Fprintf(&b, `<td style="text-align:%s">%s</td>`, align, html.EscapeString(cell))
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// Size writes a number of bytes for people.
func Size(bytes int64) string {
	const step = 1000
	units := []string{"B", "kB", "MB", "GB", "TB"}
	value, unit := float64(bytes), 0
	for value >= step && unit < len(units)-1 {
		value /= step
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}
