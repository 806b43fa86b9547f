package features

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Selection is a selection of columns by their scores, made by ChiSquare or DocumentFrequency on
// training data. Transform selects them in other data, and Vectorizer.Keep returns a vectorizer
// with only its Columns.
type Selection struct {
	Columns []int    // chosen, ascending
	Names   []string // of the chosen columns, or nil if they have none

	// Scores has the score of every column of the data, chosen or not. Classes has the node of the
	// class that the column indicates most, or -1 if none; it is nil if the scores do not depend on
	// classes. If few of many columns have an entry, Scored has these, ascending, and Scores and
	// Classes belong to them; otherwise Scored is nil.
	Scores  []float64
	Classes []int
	Scored  []int32

	all      int // columns of the data
	method   string
	taxonomy *taxonomy.Taxonomy
}

// choose returns at most most columns (0 is no limit) with the highest scores, all at least least.
// In case of a tie the first columns are chosen.
func choose(d *dataset.Dataset, of occurring, method string, scores []float64, classes []int, most int, least float64) (*Selection, error) {
	var chosen []int // positions
	for k, score := range scores {
		if score > 0 && score >= least {
			chosen = append(chosen, k)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("features: no column of %q has a score, by %s, above zero and at least %v", d.Name, method, least)
	}
	if most > 0 && len(chosen) > most {
		slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		chosen = slices.Clone(chosen[:most])
		slices.Sort(chosen)
	}
	columns := make([]int, len(chosen))
	for k, at := range chosen {
		columns[k] = int(of.column(at))
	}
	s := &Selection{Columns: columns, Scores: scores, Classes: classes, Scored: of.columns, all: of.all, method: method, taxonomy: d.Taxonomy}
	if d.Vocabulary != nil {
		s.Names = make([]string, len(columns))
		for k, j := range columns {
			s.Names[k] = d.Vocabulary[j]
		}
	}
	return s, nil
}

// checkChoice returns an error for settings that choose nothing.
func checkChoice(d *dataset.Dataset, features int, least float64) error {
	if d == nil || d.X == nil {
		return errNoData
	}
	if d.Len() == 0 || d.X.Cols == 0 {
		return fmt.Errorf("features: data set %q has no instances or no columns to choose from", d.Name)
	}
	if features < 0 {
		return fmt.Errorf("features: Features is %d; it must be the number of columns to keep, or 0 for all with a score", features)
	}
	if math.IsNaN(least) {
		return fmt.Errorf("features: the least score is not a number")
	}
	return nil
}

// Transform returns the data with only the chosen columns. The data must have the columns of the
// training data.
func (s *Selection) Transform(d *dataset.Dataset) (*dataset.Dataset, error) {
	if d == nil || d.X == nil {
		return nil, errNoData
	}
	if d.X.Cols != s.all {
		return nil, fmt.Errorf("features: data set %q has %d columns, and the selection was fitted on %d", d.Name, d.X.Cols, s.all)
	}
	for k, name := range s.Names {
		if d.Vocabulary != nil && d.Vocabulary[s.Columns[k]] != name {
			return nil, fmt.Errorf("features: column %d of %q is %s; in the training data it is %s", s.Columns[k], d.Name, textfile.Quote(d.Vocabulary[s.Columns[k]]), textfile.Quote(name))
		}
	}
	return d.Columns(s.Columns)
}

// How many of the chosen columns String and HTML show.
const (
	shownColumns = 6
	shownInTable = 16
)

// best returns the chosen columns with the highest scores, at most n: name, score and class of
// each.
func (s *Selection) best(n int) [][3]string {
	of := occurring{s.all, s.Scored}
	order := make([]int, len(s.Columns))
	score := make([]float64, len(s.Columns))
	for k := range order {
		order[k], score[k] = k, s.Scores[of.find(int32(s.Columns[k]))]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	var rows [][3]string
	for _, k := range order[:min(n, len(order))] {
		j := s.Columns[k]
		row := [3]string{fmt.Sprint(j), fmt.Sprintf("%.4g", score[k]), ""}
		if s.Names != nil {
			row[0] = describe.Cut(s.Names[k], 40)
		}
		if s.Classes != nil {
			if class := s.Classes[of.find(int32(j))]; class >= 0 {
				row[2] = describe.Cut(s.taxonomy.LabelName(class), 40)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// String says how many columns were chosen, and which are the best.
func (s *Selection) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d features by %s; best:", len(s.Columns), s.all, s.method)
	for i, row := range s.best(shownColumns) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s %s", row[0], row[1])
		if row[2] != "" {
			fmt.Fprintf(&b, " (%s)", row[2])
		}
	}
	return b.String()
}

var selectionHTML = template.Must(template.New("selection").Parse(`<div class="hierml-selection">
<div>{{.Chosen}} of {{.All}} features by {{.Method}}</div>
<table>
<thead><tr><th style="text-align:left">best</th><th>score</th>{{if .Classes}}<th style="text-align:left">class</th>{{end}}</tr></thead>
<tbody>
{{- $classes := .Classes}}
{{- range .Rows}}
<tr><td style="text-align:left">{{index . 0}}</td><td>{{index . 1}}</td>{{if $classes}}<td style="text-align:left">{{index . 2}}</td>{{end}}</tr>
{{- end}}
</tbody>
</table>
</div>
`))

// HTML is String as a table.
func (s *Selection) HTML() string {
	var b strings.Builder
	if err := selectionHTML.Execute(&b, map[string]any{
		"Chosen": len(s.Columns), "All": s.all, "Method": s.method, "Classes": s.Classes != nil, "Rows": s.best(shownInTable),
	}); err != nil {
		return template.HTMLEscapeString(s.String())
	}
	return b.String()
}

// DocumentFrequency selects columns by the number of instances in which they are not zero.
type DocumentFrequency struct {
	// Features is the maximum number of columns to keep, those in the most instances. The default,
	// 0, is no limit.
	Features int
	// MinDocuments is the minimum number of instances with a column. The default value is 1.
	MinDocuments int
	// MaxShare is the maximum share of instances with a column. The default value is 1.
	MaxShare float64
}

// Fit selects columns of training data. It returns an error if none is left.
func (s DocumentFrequency) Fit(d *dataset.Dataset) (*Selection, error) {
	if err := checkChoice(d, s.Features, 0); err != nil {
		return nil, err
	}
	if !(s.MaxShare >= 0 && s.MaxShare <= 1) {
		return nil, fmt.Errorf("features: MaxShare is %v; it must be a share of the instances, from 0 to 1", s.MaxShare)
	}
	x, of := occurringIn(d.X)
	frequencies := make([]float64, x.Cols)
	for k, j := range x.Indices {
		if x.Values[k] != 0 {
			frequencies[j]++
		}
	}
	scores := frequencies
	if s.MaxShare > 0 {
		scores = slices.Clone(frequencies)
		for j, f := range scores {
			if f > s.MaxShare*float64(d.Len()) {
				scores[j] = 0
			}
		}
	}
	selection, err := choose(d, of, "document frequency", scores, nil, s.Features, float64(s.MinDocuments))
	if err != nil {
		return nil, err
	}
	selection.Scores = frequencies
	return selection, nil
}
