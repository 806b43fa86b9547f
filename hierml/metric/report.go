package metric

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"
)

// Report has the measures of one model on one data set, all averages over its instances. Y are an instance's true
// labels, F the scores, f the leaf with the highest score or, of a Decider, of the leaves that it predicts that with the
// highest score (of all leaves, if it predicts none). Equations are of Cai's thesis.
type Report struct {
	// Instances is the number of instances.
	Instances int
	// Accuracy is how often f is in Y (7.3); 1 minus the one-error.
	Accuracy float64
	// ParentAccuracy is how often f and a label in Y have a parent in common (7.6); never where f is a root.
	ParentAccuracy float64
	// TreeLoss is the number of edges of the taxonomy between f and the farthest label in Y, 0 where f is in Y: with one
	// label an instance, the distance between prediction and truth. Half of it is the tree loss that
	// the papers print, and on trees the top loss (4.22).
	TreeLoss float64
	// AveragePrecision is the mean over the labels y in Y of the fraction of the leaves with a score of at least F(y) that
	// are in Y (7.4).
	AveragePrecision float64
	// RankingLoss is the fraction of pairs of a label y in Y and a leaf z not in Y with F(y) <= F(z) (7.5). Instances
	// whose labels are all leaves have no such pair and are left out; it is NaN if there is no other.
	RankingLoss float64
	// MicroF1, MacroF1 and HierarchicalF1 are those of LabelSets, where the predicted set is {f} unless the model
	// predicts sets. With one label an instance and {f} MicroF1 is the Accuracy.
	MicroF1, MacroF1, HierarchicalF1 float64

	perInstance [][]float64 // a column a measure, NaN where it is not defined; nil where they are not known
}

// String returns the measures, one a line.
func (r *Report) String() string {
	width := 0
	for _, m := range measures {
		width = max(width, len(m.Name))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s %8d\n", width, "instances", r.Instances)
	for _, m := range measures {
		fmt.Fprintf(&b, "%-*s %s\n", width, m.Name, pad(m.format(r), 8))
	}
	return b.String()
}

// pad aligns text to the right.
func pad(text string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text))) + text
}

// HTML returns the measures as a table.
func (r *Report) HTML() string {
	page := struct {
		Instances int
		Rows      []row
	}{Instances: r.Instances}
	for _, m := range measures {
		page.Rows = append(page.Rows, row{Name: m.Name, Help: m.Help, Arrow: m.arrow(), Cells: []cell{{Text: m.format(r)}}})
	}
	return render(reportTemplate, page)
}

type row struct {
	Name, Help, Arrow string
	Instances         string
	Cells             []cell
}

type cell struct {
	Text string
	Best bool
}

var reportTemplate = template.Must(template.New("report").Parse(`<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">
<thead><tr style="border-bottom:1px solid"><th style="text-align:left;padding:2px 12px 2px 4px">measure</th><th style="text-align:right;padding:2px 4px">{{.Instances}} instances</th></tr></thead>
<tbody>
{{- range .Rows}}
<tr title="{{.Help}}"><td style="text-align:left;padding:2px 12px 2px 4px">{{.Name}}&nbsp;{{.Arrow}}</td><td style="text-align:right;padding:2px 4px">{{range .Cells}}{{.Text}}{{end}}</td></tr>
{{- end}}
</tbody>
</table>
`))

// render executes a template of this package on its own data, which cannot fail for what a user does.
func render(t *template.Template, data any) string {
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return template.HTMLEscapeString(err.Error())
	}
	return b.String()
}
