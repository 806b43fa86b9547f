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

	attributes *structured.Attributes
	workers    int
}

// Predict returns, for every row of x, the node id of the leaf that the model's
// rule gives. It treats a matrix of another width as LeafScores does.
func (m *Model) Predict(x *dataset.Matrix) []int {
	predicted := make([]int, x.Rows)
	if m.Rule == Descend {
		nodes := m.NodeScores(x)
		for i := range predicted {
			predicted[i] = descend(m.Taxonomy, nodes.RawRowView(i))
		}
		return predicted
	}
	scores := m.LeafScores(x)
	for i := range predicted {
		predicted[i] = m.attributes.Candidates()[structured.Argmax(scores.RawRowView(i))]
	}
	return predicted
}

// LeafScores returns the scores of all leaves: a row of x a row, a column a leaf
// in the order of Taxonomy.Leaves. Features that x has and the training data
// had not are ignored, and features that x lacks count as zero, so that a
// matrix of another width is scored on the features that both have. Check
// tells whether a matrix fits. For no rows the result is an empty matrix.
func (m *Model) LeafScores(x *dataset.Matrix) *mat.Dense {
	if x.Rows == 0 {
		return new(mat.Dense)
	}
	q := len(m.attributes.Candidates())
	scores := make([]float64, x.Rows*q)
	structured.ScoreLeaves(m.attributes, m.Result.Weights, x, scores, m.workers)
	return mat.NewDense(x.Rows, q, scores)
}

// Check returns an error if x is not a matrix over the features of the training
// data.
func (m *Model) Check(x *dataset.Matrix) error {
	if x == nil {
		return fmt.Errorf("svm: no matrix to predict for")
	}
	if err := structured.CheckMatrix(x); err != nil {
		return err
	}
	if w := m.Result.Weights; x.Cols != w.Features {
		return fmt.Errorf("svm: matrix of %d features for a model of %d; transform the texts with the vectorizer of the training data", x.Cols, w.Features)
	}
	return nil
}

// NodeScores returns <W_n, x> for every node: a row of x a row, a column a node.
// It treats a matrix of another width as LeafScores does.
func (m *Model) NodeScores(x *dataset.Matrix) *mat.Dense {
	if x.Rows == 0 {
		return new(mat.Dense)
	}
	scores := mat.NewDense(x.Rows, m.Taxonomy.Len(), nil)
	scorer := structured.NewScorer(m.attributes, m.Result.Weights)
	for i := range x.Rows {
		indices, values := x.Row(i)
		scorer.Nodes(indices, values, scores.RawRowView(i))
	}
	return scores
}

// Weights returns the weight vector W_n of a node, one entry a feature.
func (m *Model) Weights(node int) []float64 { return m.Result.Weights.Node(node) }

// Attributes returns the attribute vectors that turn node scores into leaf
// scores.
func (m *Model) Attributes() *structured.Attributes { return m.attributes }

// row is one line of a model's description.
type row struct{ name, value string }

func (m *Model) rows() []row {
	r := m.Result
	return []row{
		{"C", fmt.Sprintf("%g", m.C)},
		{"leaves", fmt.Sprint(len(m.Taxonomy.Leaves()))},
		{"nodes", fmt.Sprint(m.Taxonomy.Len())},
		{"features", fmt.Sprint(r.Weights.Features)},
		{"instances", fmt.Sprint(m.Instances)},
		{"primal", fmt.Sprintf("%.6g", r.Primal)},
		{"dual", fmt.Sprintf("%.6g", r.Dual)},
		{"relative gap", fmt.Sprintf("%.2g", r.Gap)},
		{"epochs", fmt.Sprint(r.Epochs)},
		{"seconds", fmt.Sprintf("%.2f", r.Seconds)},
		{"training", r.Status.String()},
	}
}

// String describes the model in a few lines.
func (m *Model) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, m.Name)
	for _, r := range m.rows() {
		fmt.Fprintf(&b, "  %-12s  %s\n", r.name, r.value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HTML describes the model as a table.
func (m *Model) HTML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<table><caption>%s</caption>", html.EscapeString(m.Name))
	for _, r := range m.rows() {
		fmt.Fprintf(&b, "<tr><th style=\"text-align:left\">%s</th><td>%s</td></tr>", html.EscapeString(r.name), html.EscapeString(r.value))
	}
	b.WriteString("</table>")
	return b.String()
}
