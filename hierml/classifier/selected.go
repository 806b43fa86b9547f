package classifier

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
)

// ScoresOf returns the scores of some labels: one row per row of x, one column per label, in the
// given order. They equal those columns of LeafScores, up to rounding, but only the nodes above
// these labels are scored; a kernel model must still compute the kernel. Labels are leaves, or
// Attributes().Candidates(), in any order. It returns an error if one is not, or if Check returns
// one.
func (m *Model) ScoresOf(x *dataset.Matrix, labels ...int) (*mat.Dense, error) {
	if err := m.Check(x); err != nil {
		return nil, err
	}
	s, err := m.selection(labels)
	if err != nil {
		return nil, err
	}
	if x.Rows == 0 || len(labels) == 0 {
		return new(mat.Dense), nil
	}
	scores := mat.NewDense(x.Rows, len(labels), nil)
	inChunks(x.Rows, m.Workers, func() func(i int) {
		columns, all := make([]float64, len(s.columns)), make([]float64, m.width())
		return func(i int) { s.scores(x, i, columns, all, scores.RawRowView(i)) }
	})
	return scores, nil
}

// selection is some of the labels of a model.
type selection struct {
	model   *Model
	columns []int32 // of the weights, ascending: those that the labels need
	labels  []selected
	// families, for the link Softmax, has the positions in columns of siblings.
	families [][]int
}

// selected has the columns and factors of a label's score.
type selected struct {
	unseen bool
	at     []int // positions in columns
	values []float64
}

func (m *Model) selection(labels []int) (*selection, error) {
	s := &selection{model: m}
	add := func(c int) { s.columns = append(s.columns, int32(c)) }
	for _, label := range labels {
		y := -1
		if label >= 0 && label < m.Taxonomy.Len() {
			y = m.attributes.Candidate(label)
		}
		if y < 0 {
			return nil, fmt.Errorf("classifier: node %d is not a label that the model chooses from; use nodes of Attributes().Candidates()", label)
		}
		nodes, _ := m.attributes.Leaf(y)
		for _, n := range nodes {
			if c := m.attributes.Column(n); c >= 0 {
				add(c)
			}
		}
	}
	slices.Sort(s.columns)
	s.columns = slices.Compact(s.columns)
	if l := m.linked; l != nil {
		var families [][]int32
		for _, family := range l.families {
			if slices.ContainsFunc(family, func(c int32) bool { _, is := slices.BinarySearch(s.columns, c); return is }) {
				families = append(families, family)
			}
		}
		for _, family := range families {
			s.columns = append(s.columns, family...)
		}
		slices.Sort(s.columns)
		s.columns = slices.Compact(s.columns)
		for _, family := range families {
			s.families = append(s.families, s.positions(family))
		}
	}
	for _, label := range labels {
		nodes, values := m.attributes.Leaf(m.attributes.Candidate(label))
		of := selected{unseen: m.Unseen(label)}
		for k, n := range nodes {
			if c := m.attributes.Column(n); c >= 0 {
				of.at, of.values = append(of.at, s.positions([]int32{int32(c)})...), append(of.values, values[k])
			}
		}
		s.labels = append(s.labels, of)
	}
	return s, nil
}

// positions returns the positions of columns among those of the selection.
func (s *selection) positions(columns []int32) []int {
	at := make([]int, len(columns))
	for k, c := range columns {
		at[k], _ = slices.BinarySearch(s.columns, c)
	}
	return at
}

// scores writes the scores of the labels for row i of x. columns and all are scratch space.
func (s *selection) scores(x *dataset.Matrix, i int, columns, all, dst []float64) {
	m := s.model
	features, values := x.Row(i)
	if m.features != nil {
		features, values = m.features.rows(features, values)
	}
	switch {
	case m.expansion != nil:
		m.expansion.scores(gram.Vector{Indices: features, Values: values}, all)
		for k, c := range s.columns {
			columns[k] = all[c]
		}
	case m.sparse != nil:
		m.sparse.ColumnScores(features, values, s.columns, columns)
	default:
		m.dense.ColumnScores(features, values, s.columns, columns)
	}
	for k, c := range s.columns {
		if m.constants != nil {
			columns[k] += m.constants[c]
		}
	}
	s.link(columns)
	for y, of := range s.labels {
		dst[y] = math.Inf(-1)
		if of.unseen {
			continue
		}
		sum := 0.0
		for k, at := range of.at {
			sum += of.values[k] * columns[at]
		}
		dst[y] = sum
	}
}

// link turns the scores of the columns into the values that the attributes combine, as
// scorer.columns does.
func (s *selection) link(columns []float64) {
	l := s.model.linked
	if l == nil {
		return
	}
	hide := func() {
		for k, c := range s.columns {
			if s.model.Unseen(s.model.attributes.Columns()[c]) {
				columns[k] = math.Inf(-1)
			}
		}
	}
	hide()
	for _, family := range s.families {
		logSoftmaxOf(columns, family)
	}
	if l.families == nil {
		for k, c := range s.columns {
			if columns[k] = l.link.log(columns[k]); !math.IsNaN(l.fixed[c]) {
				columns[k] = l.fixed[c]
			}
		}
	}
	hide()
}
