package classifier

import (
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/internal/table"
)

// Informative has the features that distinguish a node from its siblings, by the weights of a
// linear model: those for the node, and those for the siblings.
type Informative struct {
	Node     int
	Name     string   // Taxonomy.LabelName of the node
	Siblings []string // that it was compared with; for a root, the other roots; may be empty

	// For has the features with the largest weights, and Against those with the most negative ones.
	// Both are sorted by absolute value, the largest first.
	For, Against []FeatureWeight
}

// FeatureWeight is a feature and its weight.
type FeatureWeight struct {
	Feature int
	Name    string  // from the vocabulary; "feature 17" without
	Weight  float64 // see Model.Informative
}

// Informative returns the k features with the largest weights for a node, and the k with the
// largest weights against it, or fewer if there are fewer. The weight of a feature is
//
//	V_n - mean of V_s over the siblings s of n
//
// where V_n is the mean of the weights of the leaves at or below n, so <V_n, x> is the mean of
// their LeafScores. In the difference, the contributions of common ancestors cancel. In models with
// a link and models that descend, which use node scores directly, V_n is W_n. A node without
// siblings is compared with nothing. Constants of the model are ignored.
//
// The weight is the change of the score difference per unit of the feature. It does not depend on
// how often a feature occurs. If features have different units, those in smaller units have larger
// weights: scale them before training. Informative returns an error for kernel models, which have
// no weights of features.
func (m *Model) Informative(node, k int) (*Informative, error) {
	t := m.Taxonomy
	switch {
	case node < 0 || node >= t.Len():
		return nil, fmt.Errorf("classifier: node %d does not exist; the taxonomy has nodes 0 to %d", node, t.Len()-1)
	case k < 1:
		return nil, fmt.Errorf("classifier: %d features requested; k must be at least 1", k)
	case m.weights() == nil:
		return nil, fmt.Errorf("classifier: the model, %s, has a kernel and no weights of features", m.Name)
	}
	columns := make([]float64, len(m.attributes.Columns())) // factors of their weights
	if !m.combine(columns, node, 1) {
		return nil, fmt.Errorf("classifier: the model has no label to choose at or below node %q", t.Name(node))
	}
	i := &Informative{Node: node, Name: t.LabelName(node)}
	var siblings []int
	for _, s := range t.SiblingsOrRoots(node) {
		if m.combine(make([]float64, len(columns)), s, 1) {
			siblings, i.Siblings = append(siblings, s), append(i.Siblings, t.LabelName(s))
		}
	}
	for _, s := range siblings {
		m.combine(columns, s, -1/float64(len(siblings)))
	}
	largest := 0.0
	for _, v := range columns {
		largest = max(largest, math.Abs(v))
	}
	for c, v := range columns {
		if math.Abs(v) < 1e-12*largest { // zero except for rounding
			columns[c] = 0
		}
	}
	var all []FeatureWeight
	row := 0
	for in, values := range eachRow(m.weights()) {
		w := 0.0
		for e, c := range in {
			w += columns[c] * values[e]
		}
		if w != 0 {
			f := row
			if m.features != nil {
				f = int(m.features.occurring[row])
			}
			all = append(all, FeatureWeight{Feature: f, Weight: w})
		}
		row++
	}
	slices.SortStableFunc(all, func(a, b FeatureWeight) int {
		switch {
		case a.Weight > b.Weight:
			return -1
		case a.Weight < b.Weight:
			return 1
		}
		return 0
	})
	for _, f := range all[:min(k, len(all))] {
		if f.Weight > 0 {
			i.For = append(i.For, m.withName(f))
		}
	}
	for _, f := range slices.Backward(all[max(0, len(all)-k):]) {
		if f.Weight < 0 {
			i.Against = append(i.Against, m.withName(f))
		}
	}
	return i, nil
}

// combine adds a multiple of V_n, as a combination of the columns, and reports whether V_n exists.
func (m *Model) combine(columns []float64, n int, factor float64) bool {
	if m.linked != nil || m.Rule == Descend {
		c := m.attributes.Column(n)
		if c >= 0 {
			columns[c] += factor
		}
		return c >= 0
	}
	var below []int // candidates
	for _, d := range m.Taxonomy.Descendants(n) {
		if y := m.attributes.Candidate(d); y >= 0 {
			below = append(below, y)
		}
	}
	for _, y := range below {
		nodes, values := m.attributes.Leaf(y)
		for k, above := range nodes {
			if c := m.attributes.Column(above); c >= 0 {
				columns[c] += factor * values[k] / float64(len(below))
			}
		}
	}
	return len(below) > 0
}

// withName returns the feature with its name.
func (m *Model) withName(f FeatureWeight) FeatureWeight {
	f.Name = fmt.Sprintf("feature %d", f.Feature)
	if m.Vocabulary != nil {
		f.Name = m.Vocabulary[f.Feature]
	}
	return f
}

func (i *Informative) table() *table.Table {
	t := &table.Table{
		Title:   i.Name,
		Columns: []table.Column{{Name: "for", Head: true}, {Name: "weight", Right: true}, {Name: "against", Head: true}, {Name: "weight", Right: true}},
	}
	if len(i.Siblings) > 0 {
		t.Title = fmt.Sprintf("%s rather than %s", i.Name, siblingNames(i.Siblings))
	}
	weights := func(features []FeatureWeight) []string {
		values := make([]float64, len(features))
		for k, f := range features {
			values[k] = f.Weight
		}
		return table.Numbers(values)
	}
	most, least := weights(i.For), weights(i.Against)
	for k := range max(len(i.For), len(i.Against)) {
		row := table.Texts("", "", "", "")
		if k < len(i.For) {
			row[0].Text, row[1].Text = i.For[k].Name, most[k]
		}
		if k < len(i.Against) {
			row[2].Text, row[3].Text = i.Against[k].Name, least[k]
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// siblingNames lists some names.
func siblingNames(names []string) string {
	const most = 4
	text := ""
	for k, name := range names[:min(len(names), most)] {
		if k > 0 {
			text += ", "
		}
		text += name
	}
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// String returns the features as a table.
func (i *Informative) String() string { return i.table().String() }

// HTML returns the table of String in HTML.
func (i *Informative) HTML() string { return i.table().HTML() }
