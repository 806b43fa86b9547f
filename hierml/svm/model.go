package svm

import (
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Model is a trained SVM. It is safe for concurrent use.
type Model struct {
	Name      string // method
	Taxonomy  *taxonomy.Taxonomy
	C         float64
	Instances int            // trained on
	Result    *solver.Result // weights and certificate
	Rule      Rule           // how scores become labels

	// Vocabulary names the features, or is nil where they have no names.
	Vocabulary []string

	attributes *structured.Attributes
	workers    int
	problem    *structured.Problem // trained on; nil after loading and for kernel models
	sparse     *sparse             // weights of a model that keeps few, instead of Result.Weights
	expansion  *expansion          // of a kernel model, which has no weights
}

// Predict returns, for every row of x, the node id of the leaf that the model's
// rule gives. It treats a matrix of another width as LeafScores does.
func (m *Model) Predict(x *dataset.Matrix) []int {
	predicted := make([]int, x.Rows)
	m.each(x, func(s *scorer, i int) { predicted[i] = s.predict() })
	return predicted
}

// Decide returns, for every row of x, the leaves that the model's rule gives, ascending, a single one where the rule is
// not BestSet. scores are LeafScores of x, or nil. Package metric evaluates by it.
func (m *Model) Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error) {
	if m.Rule == BestSet {
		return m.LabelSets(x)
	}
	sets := make([][]int, x.Rows)
	if m.Rule == Highest && scores != nil {
		for i := range sets {
			best := max(0, structured.Argmax(scores.RawRowView(i)))
			sets[i] = []int{m.attributes.Candidates()[best]}
		}
		return sets, nil
	}
	for i, y := range m.Predict(x) {
		sets[i] = []int{y}
	}
	return sets, nil
}

// Weights returns the weight vector W_n of a node, one entry a feature; nil for a kernel model, whose weights
// are in the kernel's feature space.
func (m *Model) Weights(node int) []float64 {
	if m.expansion != nil {
		return nil
	}
	v := make([]float64, m.Features())
	c := m.attributes.Column(node)
	if c < 0 {
		return v
	}
	if w := m.Result.Weights; w != nil {
		for f := range v {
			v[f] = w.At(f, c)
		}
		return v
	}
	for f := range v {
		v[f] = float64(m.sparse.at(f, int32(c)))
	}
	return v
}

// Features returns the number of features of the training data.
func (m *Model) Features() int {
	if m.expansion != nil {
		return m.expansion.x.Cols
	}
	if w := m.Result.Weights; w != nil {
		return w.Features
	}
	features, _ := m.sparse.size()
	return features
}

// Attributes returns the attribute vectors that turn node scores into leaf
// scores.
func (m *Model) Attributes() *structured.Attributes { return m.attributes }

// row is one line of a model's description.
type row struct{ name, value string }

func (m *Model) description() []row {
	r := m.Result
	rows := []row{
		{"C", fmt.Sprintf("%.6g", m.C)},
		{"leaves", fmt.Sprint(len(m.Taxonomy.Leaves()))},
		{"nodes", fmt.Sprint(m.Taxonomy.Len())},
		{"features", fmt.Sprint(m.Features())},
		{"instances", fmt.Sprint(m.Instances)},
		{"primal", fmt.Sprintf("%.6g", r.Primal)},
		{"dual", fmt.Sprintf("%.6g", r.Dual)},
		{"relative gap", fmt.Sprintf("%.2g", r.Gap)},
		{"epochs", fmt.Sprint(r.Epochs)},
		{"seconds", fmt.Sprintf("%.2f", r.Seconds)},
		{"training", r.Status.String()},
	}
	if e := m.expansion; e != nil {
		name := fmt.Sprintf("%T", e.kernel)
		if s, ok := e.kernel.(fmt.Stringer); ok {
			name = s.String()
		}
		rows = append(rows, row{"kernel", name}, row{"support", fmt.Sprintf("%d instances", e.x.Rows)})
	}
	return rows
}

// String describes the model in a few lines.
func (m *Model) String() string { return describe(m.Name, m.description()) }

// HTML describes the model as a table.
func (m *Model) HTML() string { return describeHTML(m.Name, m.description()) }

func describe(name string, rows []row) string {
	width := 12
	for _, r := range rows {
		width = max(width, len(r.name))
	}
	var b strings.Builder
	fmt.Fprintln(&b, name)
	for _, r := range rows {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, r.name, r.value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func describeHTML(name string, rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<table><caption>%s</caption>", html.EscapeString(name))
	for _, r := range rows {
		fmt.Fprintf(&b, "<tr><th style=\"text-align:left\">%s</th><td>%s</td></tr>", html.EscapeString(r.name), html.EscapeString(r.value))
	}
	b.WriteString("</table>")
	return b.String()
}
