package metric

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/internal/table"
)

// Mistake is an instance whose prediction is none of its labels.
type Mistake struct {
	Instance         int // from 0
	Truth, Predicted int // as those of Confusion
	TruthName        string
	PredictedName    string
	// Distance is the number of edges of the taxonomy between the two labels.
	Distance int
	// Margin is the score of the prediction minus that of the highest true label. It is negative if
	// a Decider predicts a label with a lower score.
	Margin float64
	ID     string // of the document
	Text   string
}

// Mistakes are the mistakes of a report.
type Mistakes []Mistake

// Mistakes returns the instances whose prediction is none of their labels, the worst first: by
// falling Distance, then by falling Margin, then in their order. The texts are those of the corpus,
// whose documents must be the instances in their order; the corpus may be nil. It returns an error
// if a mistake's document does not have its label, or if the report does not come from Evaluate.
func (r *Report) Mistakes(c *dataset.Corpus) (Mistakes, error) {
	if r == nil || r.confusion == nil || r.margins == nil {
		return nil, errors.New("metric: the report has no predictions of instances; use a report returned by Evaluate")
	}
	if c != nil && len(c.Documents) != r.Instances {
		return nil, fmt.Errorf("metric: a corpus of %d documents for a report on %d instances; pass the texts of the instances", len(c.Documents), r.Instances)
	}
	t := r.confusion.Taxonomy
	l := labelsOf(t)
	mistakes := Mistakes{}
	for i, right := range r.perInstance["accuracy"] {
		if right == 1 {
			continue
		}
		m := Mistake{Instance: i, Truth: r.confusion.Truth[i], Predicted: r.confusion.Predicted[i], Margin: r.margins[i]}
		m.TruthName, m.PredictedName, m.Distance = t.LabelName(m.Truth), t.LabelName(m.Predicted), l.nodes.Distance(l.to[m.Truth], l.to[m.Predicted])
		if c != nil {
			d := c.Documents[i]
			if !r.labelled(c, d.Labels, m.Truth) {
				return nil, fmt.Errorf("metric: document %d of %q does not have the label %q of instance %d; pass the texts of the instances, in their order", i, c.Name, m.TruthName, i)
			}
			m.ID, m.Text = d.ID, d.Text
		}
		mistakes = append(mistakes, m)
	}
	slices.SortStableFunc(mistakes, func(a, b Mistake) int {
		return cmp.Or(b.Distance-a.Distance, cmp.Compare(b.Margin, a.Margin))
	})
	return mistakes, nil
}

// labelled reports whether one of the labels of a document is that of the leaf, by name.
func (r *Report) labelled(c *dataset.Corpus, labels []int, leaf int) bool {
	name := r.confusion.Taxonomy.LabelName(leaf)
	return slices.ContainsFunc(labels, func(n int) bool { return c.Taxonomy.LabelName(n) == name })
}

// Limits for printing mistakes.
const (
	mistakesShown = 20
	textShown     = 80 // characters
)

func (m Mistakes) table() *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "instance", Right: true}, {Name: "true"}, {Name: "predicted"},
		{Name: "distance", Right: true, Help: "edges of the taxonomy between the two"},
		{Name: "margin", Right: true, Help: "score of the prediction above that of the truth"},
	}}
	shown := m[:min(len(m), mistakesShown)]
	texts := slices.ContainsFunc(shown, func(m Mistake) bool { return m.Text != "" })
	if texts {
		t.Columns = append(t.Columns, table.Column{Name: "text"})
	}
	margins := make([]float64, len(shown))
	for k, m := range shown {
		margins[k] = m.Margin
	}
	for k, margin := range table.Numbers(margins) {
		m := shown[k]
		row := table.Texts(strconv.Itoa(m.Instance), m.TruthName, m.PredictedName, strconv.Itoa(m.Distance), margin)
		if texts {
			row = append(row, table.Cell{Text: beginning(m.Text)})
		}
		t.Rows = append(t.Rows, row)
	}
	if n := len(m) - len(shown); n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("and %d more", n))
	}
	return t
}

// beginning returns the beginning of a text, in one line.
func beginning(text string) string {
	const enough = 8 * textShown // bytes, including white space that is removed
	cut := len(text) > enough
	runes := []rune(strings.Join(strings.Fields(text[:min(len(text), enough)]), " "))
	if cut || len(runes) > textShown {
		return string(runes[:min(len(runes), textShown-1)]) + "…"
	}
	return string(runes)
}

// String returns a table, of the first 20.
func (m Mistakes) String() string { return m.table().String() }

// HTML returns the table of String in HTML.
func (m Mistakes) HTML() string { return m.table().HTML() }

// WriteCSV writes one line per mistake: instance, id, true, predicted, distance, margin, text.
func (m Mistakes) WriteCSV(w io.Writer) error {
	lines := [][]string{{"instance", "id", "true", "predicted", "distance", "margin", "text"}}
	for _, k := range m {
		lines = append(lines, []string{strconv.Itoa(k.Instance), k.ID, k.TruthName, k.PredictedName, strconv.Itoa(k.Distance), inCSV(k.Margin), k.Text})
	}
	return table.WriteCSV(w, lines)
}
