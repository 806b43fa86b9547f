package classifier

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
)

// Explanation says why a model predicts a label for an instance: the contribution of each node on
// the path to it, by feature, and the features that decide between it and its strongest rival. In a
// model with a link the scores are logarithms of probabilities, computed by the link from <W_n, x>,
// and contributions of features are those to <W_n, x>.
type Explanation struct {
	Name      string // of the predicted label, as in the data
	Predicted int    // node id
	// Score is the sum of the scores of Path. It equals the label's score in LeafScores, except in
	// models that descend the taxonomy: there Rank returns how far the scores fall short of the
	// best.
	Score float64

	// The label with the second highest score, RunnerUpScore, and the features that decide between
	// the two. The weight of a feature is the difference of the two labels' weights; the
	// contributions sum to Score - RunnerUpScore. RunnerUp is -1 without a second label, and in
	// models that descend the taxonomy.
	RunnerUp      int
	RunnerUpName  string
	RunnerUpScore float64
	Against       []Contribution

	// Path has the nodes that contribute to the score, from the top.
	Path []NodeContribution
}

// NodeContribution is the contribution of a node on the predicted path.
type NodeContribution struct {
	Node      int
	Name      string  // Taxonomy.LabelName: an added leaf has the name of the node above
	Attribute float64 // of the predicted label at this node, 1 for models that descend
	// Attribute * <W_n, x>, or the term of a link; the scores of the path sum to that of the label
	Score    float64
	Features []Contribution

	// In a model that descends the taxonomy: the sibling with the highest score, and the features
	// that decide between the two. Otherwise Rival is -1.
	Rival     int
	RivalName string
	Against   []Contribution
}

// Contribution is the contribution of a feature to a score: Contribution = Value * Weight.
type Contribution struct {
	Feature      int     // -1 for Model.Constant
	Name         string  // from the vocabulary; "feature 17" without
	Value        float64 // of the instance
	Weight       float64 // times the attribute
	Contribution float64
}

// Contributions returns the names of the features of the instance and of the nodes of Path, and
// what each feature (row) contributes at each node (column), as chart.Contributions draws them.
// Features are in the order in which the nodes list them.
func (e *Explanation) Contributions() (features, nodes []string, values [][]float64) {
	row := make(map[int]int)
	for k, n := range e.Path {
		nodes = append(nodes, n.Name)
		for _, c := range n.Features {
			i, there := row[c.Feature]
			if !there {
				i = len(features)
				row[c.Feature] = i
				features, values = append(features, c.Name), append(values, make([]float64, len(e.Path)))
			}
			values[i][k] += c.Contribution
		}
	}
	return features, nodes, values
}

// Explain explains the prediction for row i of x. It lists all features of the instance with a
// non-zero contribution, sorted by its size.
func (m *Model) Explain(x *dataset.Matrix, i int) (*Explanation, error) {
	if err := m.Check(x); err != nil {
		return nil, err
	}
	if i < 0 || i >= x.Len() {
		return nil, fmt.Errorf("classifier: there is no row %d; the matrix has %d rows", i, x.Rows)
	}
	if m.weights() == nil {
		return nil, fmt.Errorf("classifier: the model, %s, has a kernel and no weights of features for an explanation", m.Name)
	}
	s := m.newScorer()
	s.load(x, i)
	if m.Rule == Descend {
		return m.explainDescent(x, i, s), nil
	}
	best := s.rank(2)
	columns := s.columns()
	e := &Explanation{Predicted: best[0].Node, Score: best[0].Score, RunnerUp: -1}
	e.Name = m.Taxonomy.LabelName(e.Predicted)
	nodes, attributes := m.attributes.Leaf(m.attributes.Candidate(e.Predicted))
	for _, n := range m.Taxonomy.Topological() {
		k := slices.Index(nodes, n)
		if k < 0 || m.attributes.Column(n) < 0 {
			continue
		}
		part := NodeContribution{Node: n, Name: m.Taxonomy.LabelName(n), Attribute: attributes[k], Rival: -1}
		part.Score = attributes[k] * columns[m.attributes.Column(n)]
		part.Features = m.contributions(x, i, map[int]float64{n: attributes[k]})
		e.Path = append(e.Path, part)
	}
	if len(best) > 1 {
		e.RunnerUp, e.RunnerUpScore = best[1].Node, best[1].Score
		e.RunnerUpName = m.Taxonomy.LabelName(e.RunnerUp)
		difference := make(map[int]float64)
		for k, n := range nodes {
			difference[n] += attributes[k]
		}
		nodes, attributes = m.attributes.Leaf(m.attributes.Candidate(e.RunnerUp))
		for k, n := range nodes {
			difference[n] -= attributes[k]
		}
		e.Against = m.contributions(x, i, difference)
	}
	return e, nil
}

// explainDescent explains a prediction by the rule Descend, whose score is the sum of the scores of
// the nodes on the path.
func (m *Model) explainDescent(x *dataset.Matrix, i int, s *scorer) *Explanation {
	scores := make([]float64, m.Taxonomy.Len())
	s.choices(scores)
	e := &Explanation{RunnerUp: -1}
	among := m.Taxonomy.Roots()
	for len(among) > 0 {
		n := highest(among, scores)
		part := NodeContribution{Node: n, Name: m.Taxonomy.LabelName(n), Attribute: 1, Score: scores[n], Rival: -1}
		part.Features = m.contributions(x, i, map[int]float64{n: 1})
		others := slices.DeleteFunc(slices.Clone(among), func(o int) bool { return o == n || m.isDead(o) })
		if len(others) > 0 {
			part.Rival = highest(others, scores)
			part.RivalName = m.Taxonomy.LabelName(part.Rival)
			part.Against = m.contributions(x, i, map[int]float64{n: 1, part.Rival: -1})
		}
		e.Path = append(e.Path, part)
		e.Predicted, e.Name, e.Score = n, part.Name, e.Score+part.Score
		among = m.Taxonomy.Children(n)
	}
	return e
}

// contributions returns the contributions of the features to a combination of node scores.
func (m *Model) contributions(x *dataset.Matrix, i int, nodes map[int]float64) []Contribution {
	order := make([]int, 0, len(nodes))
	for n := range nodes {
		order = append(order, n)
	}
	slices.Sort(order) // so that sums do not depend on the order of a map
	_, values := x.Row(i)
	var parts []Contribution
	constant := Contribution{Feature: -1, Name: "always", Value: 1}
	for _, n := range order {
		constant.Weight += nodes[n] * m.Constant(n)
	}
	if constant.Contribution = constant.Weight; constant.Contribution != 0 {
		parts = append(parts, constant)
	}
	for k, f := range rowFeatures(x, i) {
		c := Contribution{Feature: int(f), Value: float64(values[k])}
		for _, n := range order {
			if column := m.attributes.Column(n); column >= 0 {
				c.Weight += nodes[n] * m.weight(int(f), column)
			}
		}
		c.Contribution = c.Value * c.Weight
		if c.Contribution == 0 {
			continue
		}
		c.Name = fmt.Sprintf("feature %d", f)
		if m.Vocabulary != nil {
			c.Name = m.Vocabulary[f]
		}
		parts = append(parts, c)
	}
	slices.SortStableFunc(parts, func(a, b Contribution) int {
		switch v, w := math.Abs(a.Contribution), math.Abs(b.Contribution); {
		case v > w:
			return -1
		case v < w:
			return 1
		}
		return 0
	})
	return parts
}

func rowFeatures(x *dataset.Matrix, i int) []int32 {
	features, _ := x.Row(i)
	return features
}

// weight returns the weight of a feature in a column.
func (m *Model) weight(f, column int) float64 {
	row := m.row(f)
	switch {
	case row < 0:
		return 0
	case m.sparse != nil:
		return m.sparse.At(row, column)
	}
	return m.dense.At(row, column)
}

// shown is the number of features that String and HTML show per node.
const shown = 8

// lines calls do for each line of the explanation: a name, a score and features.
func (e *Explanation) lines(do func(what string, score float64, features []Contribution)) {
	above := ""
	for _, p := range e.Path {
		name := p.Name
		if name == above { // the leaf that stands for it
			name += " itself"
		}
		above = p.Name
		do(name, p.Score, p.Features)
		if p.Rival >= 0 {
			do("  rather than "+p.RivalName, sum(p.Against), p.Against)
		}
	}
	if e.RunnerUp >= 0 {
		do("rather than "+e.RunnerUpName, e.Score-e.RunnerUpScore, e.Against)
	}
}

func sum(parts []Contribution) (s float64) {
	for _, c := range parts {
		s += c.Contribution
	}
	return s
}

// String lists for each node on the path its score and the features that contribute most to it,
// then those that decide against the runner-up.
func (e *Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, score %.4g", e.Name, e.Score)
	if e.RunnerUp >= 0 {
		fmt.Fprintf(&b, "; next is %s, %.4g", e.RunnerUpName, e.RunnerUpScore)
	}
	width := 0
	e.lines(func(what string, _ float64, _ []Contribution) { width = max(width, len([]rune(what))) })
	e.lines(func(what string, score float64, features []Contribution) {
		fmt.Fprintf(&b, "\n  %-*s %+8.3f ", width, what, score)
		for _, c := range features[:min(shown, len(features))] {
			fmt.Fprintf(&b, "  %s %+.3f", c.Name, c.Contribution)
		}
		if n := len(features) - shown; n > 0 {
			fmt.Fprintf(&b, "  ... %d more", n)
		}
	})
	return b.String()
}

// HTML returns String as a table. Point at a feature to see its value and weight.
func (e *Explanation) HTML() string {
	var b strings.Builder
	b.WriteString("<table><caption>" + html.EscapeString(fmt.Sprintf("%s, score %.4g", e.Name, e.Score)))
	if e.RunnerUp >= 0 {
		b.WriteString(html.EscapeString(fmt.Sprintf("; next is %s, %.4g", e.RunnerUpName, e.RunnerUpScore)))
	}
	b.WriteString("</caption>")
	e.lines(func(what string, score float64, features []Contribution) {
		fmt.Fprintf(&b, `<tr><th style="text-align:left">%s</th><td style="text-align:right">%+.3f</td><td style="text-align:left">`, html.EscapeString(what), score)
		for _, c := range features[:min(shown, len(features))] {
			colour := "#2a7f3f"
			if c.Contribution < 0 {
				colour = "#b3372f"
			}
			fmt.Fprintf(&b, `<span style="white-space:nowrap" title="value %.4g, weight %.4g">%s <span style="color:%s">%+.3f</span></span>&ensp; `,
				c.Value, c.Weight, html.EscapeString(c.Name), colour, c.Contribution)
		}
		if n := len(features) - shown; n > 0 {
			fmt.Fprintf(&b, "... %d more", n)
		}
		b.WriteString("</td></tr>")
	})
	b.WriteString("</table>")
	return b.String()
}
