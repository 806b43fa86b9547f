package dataset

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

// What String and HTML show at most.
const (
	shownRows    = 6
	shownClasses = 8
	shownText    = 96 // characters of a document
	shownLabels  = 4
	shownWords   = 5
)

// overview is what is shown of a data set or corpus.
type overview struct {
	Title   string
	Facts   []string
	Classes []class // the largest
	Head    [3]string
	Rows    [][3]string
	More    int // rows that are not shown
}

// class is a label with the number of its instances.
type class struct {
	Name  string
	Count int
}

// String describes the corpus in a few lines: how much there is of what, and the first documents.
func (c *Corpus) String() string { return c.overview().text() }

// HTML is String as a table.
func (c *Corpus) HTML() string { return c.overview().html() }

func (c *Corpus) overview() *overview {
	o := newOverview(c.Name, "document", c.Taxonomy, c.LabelSets())
	if c.Taxonomy == nil {
		return o
	}
	o.Head = [3]string{"document", "label", "text"}
	for i := range min(c.Len(), shownRows) {
		d := &c.Documents[i]
		o.Rows = append(o.Rows, [3]string{describe.Cut(d.ID, 40), labelNames(c.Taxonomy, d.Labels), describe.Cut(d.Text, shownText)})
	}
	return o
}

// String describes the data set in a few lines: how much there is of what, and the first instances.
func (d *Dataset) String() string { return d.overview().text() }

// HTML is String as a table.
func (d *Dataset) HTML() string { return d.overview().html() }

func (d *Dataset) overview() *overview {
	o := newOverview(d.Name, "instance", d.Taxonomy, d.Labels)
	if d.Taxonomy == nil || d.X == nil {
		return o
	}
	o.Facts = append(o.Facts, describe.Count(d.X.Cols, "feature", "features"))
	if d.Len() > 0 {
		o.Facts = append(o.Facts, fmt.Sprintf("%.1f entries a row", float64(d.X.NonZeros())/float64(d.Len())))
	}
	o.Head = [3]string{"row", "label", "largest features"}
	for i := range min(d.Len(), shownRows) {
		o.Rows = append(o.Rows, [3]string{fmt.Sprint(i), labelNames(d.Taxonomy, d.Labels[i]), d.largest(i)})
	}
	return o
}

// largest names the features of row i with the largest absolute values.
func (d *Dataset) largest(i int) string {
	indices, values := d.X.Row(i)
	order := make([]int, len(indices))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(max(values[b], -values[b]), max(values[a], -values[a])) })
	var parts []string
	for _, k := range order[:min(len(order), shownWords)] {
		name := fmt.Sprint(indices[k])
		if d.Vocabulary != nil {
			name = describe.Cut(d.Vocabulary[indices[k]], 24)
		}
		parts = append(parts, fmt.Sprintf("%s %.2g", name, values[k]))
	}
	if len(order) > shownWords {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

func newOverview(name, unit string, t *taxonomy.Taxonomy, labels [][]int) *overview {
	if t == nil {
		return &overview{Title: name, Facts: []string{describe.Count(len(labels), unit, unit+"s"), "no taxonomy"}}
	}
	size := make([]int, t.Len())
	total := 0
	for _, set := range labels {
		for _, n := range set {
			size[n]++
			total++
		}
	}
	var classes []class
	depth := 0
	for n, s := range size {
		if s > 0 {
			classes = append(classes, class{describe.Cut(t.LabelName(n), 40), s})
		}
		depth = max(depth, t.Depth(n))
	}
	slices.SortStableFunc(classes, func(a, b class) int { return b.Count - a.Count })
	o := &overview{
		Title: name,
		Facts: []string{
			labelled(labels, unit, unit+"s"),
			describe.Count(len(classes), "class", "classes"),
			fmt.Sprintf("taxonomy of %s, depth %d", describe.Count(t.Len(), "node", "nodes"), depth),
		},
		Classes: classes[:min(len(classes), shownClasses)],
		More:    max(len(labels)-shownRows, 0),
	}
	if total > len(labels) {
		o.Facts = append(o.Facts, fmt.Sprintf("%.2f labels each", float64(total)/float64(len(labels))))
	}
	return o
}

// labelled counts what has the labels, and what of it has none, if anything.
func labelled(labels [][]int, one, many string) string {
	text := describe.Count(len(labels), one, many)
	without := 0
	for _, set := range labels {
		if len(set) == 0 {
			without++
		}
	}
	if without > 0 {
		text += fmt.Sprintf(", %d without a label", without)
	}
	return text
}

func (o *overview) text() string {
	var b strings.Builder
	if o.Title != "" {
		fmt.Fprintf(&b, "%s: ", o.Title)
	}
	fmt.Fprintln(&b, strings.Join(o.Facts, ", "))
	if len(o.Classes) > 0 {
		fmt.Fprintf(&b, "largest classes: %s\n", o.largestClasses())
	}
	if len(o.Rows) == 0 {
		return b.String()
	}
	fmt.Fprintln(&b, o.table())
	if o.More > 0 {
		fmt.Fprintf(&b, "… %d more\n", o.More)
	}
	return b.String()
}

// table returns the first rows.
func (o *overview) table() *table.Table {
	t := &table.Table{}
	for _, name := range o.Head {
		t.Columns = append(t.Columns, table.Column{Name: name})
	}
	for _, row := range o.Rows {
		t.Rows = append(t.Rows, table.Texts(row[:]...))
	}
	return t
}

// Table returns the first rows as HTML.
func (o *overview) Table() template.HTML { return template.HTML(o.table().HTML()) }

func (o *overview) largestClasses() string {
	var parts []string
	for _, c := range o.Classes {
		parts = append(parts, fmt.Sprintf("%s %d", c.Name, c.Count))
	}
	return strings.Join(parts, ", ")
}

var overviewHTML = template.Must(template.New("overview").Parse(`<div class="hierml-dataset">
<div>{{with .Title}}<b>{{.}}</b>: {{end}}{{range $i, $fact := .Facts}}{{if $i}}, {{end}}{{$fact}}{{end}}</div>
{{- if .Classes}}
<div>largest classes: {{range $i, $class := .Classes}}{{if $i}}, {{end}}{{$class.Name}}&nbsp;<b>{{$class.Count}}</b>{{end}}</div>
{{- end}}
{{- if .Rows}}
{{.Table}}
{{- end}}
{{- if .More}}
<div>… {{.More}} more</div>
{{- end}}
</div>
`))

func (o *overview) html() string {
	var b strings.Builder
	if err := overviewHTML.Execute(&b, o); err != nil {
		return template.HTMLEscapeString(o.text())
	}
	return b.String()
}

// labelNames returns the names of the nodes, as many as are readable.
func labelNames(t *taxonomy.Taxonomy, nodes []int) string {
	var names []string
	for _, n := range nodes[:min(len(nodes), shownLabels)] {
		names = append(names, describe.Cut(t.LabelName(n), 40))
	}
	if len(nodes) > shownLabels {
		names = append(names, fmt.Sprintf("… %d more", len(nodes)-shownLabels))
	}
	return strings.Join(names, ", ")
}
