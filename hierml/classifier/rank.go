package classifier

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Ranked is a label with its score.
type Ranked struct {
	Node  int
	Name  string // of the label in the data, Taxonomy.LabelName of the node
	Score float64
}

// Rank returns, for every row of x, the k labels with the highest scores, or all if there are
// fewer, the best first; ties are broken by the smaller id. Labels are leaves, or
// Attributes().Candidates(), without those that have no training instance. It panics as LeafScores
// does if the columns of x do not fit. It scores a bounded number of rows at a time, so its memory
// does not grow with rows times labels.
//
// A model that descends the taxonomy does not choose by scores of leaves. Its score in Rank is the
// sum, over the nodes on the path, of how far each falls short of its best sibling. It is zero for
// the prediction, which comes first among ties, and negative otherwise.
func (m *Model) Rank(x *dataset.Matrix, k int) [][]Ranked {
	ranked := make([][]Ranked, x.Len())
	if !m.many() {
		m.each(x, func(s *scorer, i int) { ranked[i] = s.rank(k) })
		return ranked
	}
	all := m.attributes.Candidates()
	m.eachShortlist(x, k, func(s *structured.Shortlisted, i int) {
		near := s.Candidates()
		labels, scores := make([]int, len(near)), make([]float64, len(near))
		for j, y := range near {
			labels[j] = all[y]
		}
		s.Scores(scores)
		ranked[i] = m.rank(labels, scores, k)
	})
	return ranked
}

// rank returns the k best labels of the row loaded.
func (s *scorer) rank(k int) []Ranked {
	t := s.model.Taxonomy
	if s.model.Rule != Descend {
		s.candidates(s.labels)
		return s.model.rank(s.model.attributes.Candidates(), s.labels, k)
	}
	ranked := s.model.rank(t.Leaves(), s.shortfalls(), k)
	return firstOf(ranked, t, descend(t, s.byNode), k)
}

// firstOf puts the label of the descent first if others have the same score.
func firstOf(ranked []Ranked, t *taxonomy.Taxonomy, label, k int) []Ranked {
	if len(ranked) == 0 || ranked[0].Node == label {
		return ranked
	}
	first := Ranked{label, t.LabelName(label), ranked[0].Score}
	ranked = slices.DeleteFunc(ranked, func(r Ranked) bool { return r.Node == label })
	ranked = slices.Insert(ranked, 0, first)
	return ranked[:min(len(ranked), k)]
}

// rank returns the k best of some labels, ascending, by their scores.
func (m *Model) rank(labels []int, scores []float64, k int) []Ranked {
	k = max(0, min(k, len(labels)))
	best := make([]Ranked, 0, k+1)
	if k == 0 {
		return best
	}
	for y, score := range scores {
		if m.Unseen(labels[y]) || len(best) == k && !(score > best[k-1].Score) {
			continue
		}
		at := len(best)
		for at > 0 && best[at-1].Score < score {
			at--
		}
		best = slices.Insert(best, at, Ranked{labels[y], m.Taxonomy.LabelName(labels[y]), score})
		best = best[:min(len(best), k)]
	}
	return best
}

// shortfalls returns, for every leaf, the sum of the differences between the scores of the nodes on
// the path and the best of their siblings. Of several paths it uses the one with the smallest sum.
func (s *scorer) shortfalls() []float64 {
	t := s.model.Taxonomy
	s.choices(s.byNode)
	if s.short == nil {
		s.short, s.leaves = make([]float64, t.Len()), make([]float64, len(t.Leaves()))
	}
	for n := range s.short {
		s.short[n] = math.Inf(-1)
	}
	below := func(children []int, from float64) {
		best := s.byNode[highest(children, s.byNode)]
		for _, n := range children {
			short := from
			if s.byNode[n] != best { // both can be minus infinity
				short += s.byNode[n] - best
			}
			s.short[n] = max(s.short[n], short)
		}
	}
	below(t.Roots(), 0)
	for _, n := range t.Topological() {
		if !t.IsLeaf(n) {
			below(t.Children(n), s.short[n])
		}
	}
	for y, n := range t.Leaves() {
		s.leaves[y] = s.short[n]
	}
	return s.leaves
}

// ChoiceScores returns the scores of the leaves by which the model chooses, the same as in Rank:
// LeafScores, unless the model descends the taxonomy. For no rows the result is an empty matrix.
func (m *Model) ChoiceScores(x *dataset.Matrix) *mat.Dense {
	if m.Rule != Descend || x.Len() == 0 {
		return m.LeafScores(x)
	}
	scores := mat.NewDense(x.Rows, len(m.Taxonomy.Leaves()), nil)
	m.each(x, func(s *scorer, i int) { copy(scores.RawRowView(i), s.shortfalls()) })
	return scores
}

// Scores are the scores of one instance.
type Scores struct {
	Leaves []float64 // in the order of Taxonomy.Leaves, or of Attributes().Candidates()
	Nodes  []float64 // <W_n, x> by node, zero for nodes without weights

	model *Model
}

// Scores returns the scores of row i of x. It panics if there is no such row, or, as LeafScores
// does, if the columns of x do not fit.
func (m *Model) Scores(x *dataset.Matrix, i int) *Scores {
	m.mustFit(x)
	s := m.newScorer()
	s.load(x, i)
	scores := &Scores{Leaves: make([]float64, len(m.attributes.Candidates())), Nodes: make([]float64, m.Taxonomy.Len()), model: m}
	s.candidates(scores.Leaves)
	s.nodes(scores.Nodes)
	return scores
}

// String lists the ten labels with the highest scores.
func (s *Scores) String() string {
	order := make([]int, len(s.Leaves))
	for y := range order {
		order[y] = y
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case s.Leaves[a] > s.Leaves[b]:
			return -1
		case s.Leaves[a] < s.Leaves[b]:
			return 1
		}
		return 0
	})
	const most = 10
	var b strings.Builder
	order = slices.DeleteFunc(order, func(y int) bool { return s.model.Unseen(s.model.attributes.Candidates()[y]) })
	for _, y := range order[:min(most, len(order))] {
		fmt.Fprintf(&b, "%9.4f  %s\n", s.Leaves[y], s.model.Taxonomy.LabelName(s.model.attributes.Candidates()[y]))
	}
	if n := len(order) - most; n > 0 {
		fmt.Fprintf(&b, "           ... %d more\n", n)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
