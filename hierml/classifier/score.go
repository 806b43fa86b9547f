package classifier

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// LeafScores returns the scores of all leaves: one row per row of x, one column per leaf in the
// order of Taxonomy.Leaves. With a link that is a probability they are the logarithms of the
// leaves' probabilities, minus infinity for 0. A leaf without training instances always has the
// score minus infinity; see Unseen. It panics with the error of Check if x has more or fewer
// columns than the training data, or columns with other names. For no rows the result is an empty
// matrix.
func (m *Model) LeafScores(x *dataset.Matrix) *mat.Dense {
	if x.Len() == 0 {
		return new(mat.Dense)
	}
	scores := mat.NewDense(x.Rows, len(m.attributes.Candidates()), nil)
	m.each(x, func(s *scorer, i int) { s.candidates(scores.RawRowView(i)) })
	return scores
}

// NodeScores returns <W_n, x> plus the Constant for every node: one row per row of x, one column
// per node. It panics as LeafScores does if the columns of x do not fit.
func (m *Model) NodeScores(x *dataset.Matrix) *mat.Dense {
	if x.Len() == 0 {
		return new(mat.Dense)
	}
	scores := mat.NewDense(x.Rows, m.Taxonomy.Len(), nil)
	m.each(x, func(s *scorer, i int) { s.nodes(scores.RawRowView(i)) })
	return scores
}

// CoherentScores returns, for every node, the highest of the NodeScores at and below it: one row
// per row of x, one column per node. No child scores higher than its parent, and nodes without
// training instances have minus infinity. Models whose Rule is BottomUp learn them. It panics as
// LeafScores does if the columns of x do not fit.
func (m *Model) CoherentScores(x *dataset.Matrix) *mat.Dense {
	scores := m.NodeScores(x)
	all, order := make([]int, m.Taxonomy.Len()), m.Taxonomy.Topological()
	for n := range all {
		all[n] = n
	}
	for i := range x.Len() {
		row := scores.RawRowView(i)
		m.hide(row, all)
		for _, n := range slices.Backward(order) {
			for _, child := range m.Taxonomy.Children(n) {
				row[n] = max(row[n], row[child])
			}
		}
	}
	return scores
}

// Check returns an error if x is not a matrix over the features of the training data: if it has
// more or fewer columns, or columns with other names.
func (m *Model) Check(x *dataset.Matrix) error {
	if x == nil {
		return fmt.Errorf("classifier: the matrix to predict for is nil")
	}
	if err := structured.CheckMatrix(x); err != nil {
		return err
	}
	if err := m.checkColumns(x); err != nil {
		return err
	}
	if n := m.Features(); x.Cols != n {
		return fmt.Errorf("classifier: the matrix has %d columns, and the model was trained with %d; compute the features as for the training", x.Cols, n)
	}
	if m.expansion != nil {
		return m.expansion.check(x)
	}
	return nil
}

// checkColumns returns an error if the number or the names of the columns of x differ from the
// features.
func (m *Model) checkColumns(x *dataset.Matrix) error {
	if err := x.CheckColumns(m.Features(), m.Vocabulary); err != nil {
		return fmt.Errorf("classifier: %w", err)
	}
	return nil
}

// mustFit panics with the error of checkColumns.
func (m *Model) mustFit(x *dataset.Matrix) {
	if err := m.checkColumns(x); err != nil {
		panic(err)
	}
}

// CheckTaxonomy returns an error if the labels of t are not those of the model: a node has another
// name, or is a leaf in only one of them. Additional inner nodes of the model, such as those of a
// recursive SVM on a graph for every edge, are not labels.
func (m *Model) CheckTaxonomy(t *taxonomy.Taxonomy) error {
	if t == m.Taxonomy {
		return nil
	}
	if t == nil {
		return fmt.Errorf("classifier: the taxonomy of the labels is nil")
	}
	const advice = "use the taxonomy of the training data; for labels at inner nodes, use Collection.Leafed, which changes both parts"
	for n := range min(t.Len(), m.Taxonomy.Len()) {
		if was, is := m.Taxonomy.Name(n), t.Name(n); was != is {
			return fmt.Errorf("classifier: node %d is %q in the model and %q in the given taxonomy; %s", n, was, is, advice)
		}
		if m.Taxonomy.IsLeaf(n) != t.IsLeaf(n) {
			return fmt.Errorf("classifier: node %q is a leaf either in the model or in the given taxonomy, but not in both; %s", t.Name(n), advice)
		}
	}
	beside := t.Len()
	for beside < m.Taxonomy.Len() && !m.Taxonomy.IsLeaf(beside) {
		beside++
	}
	if beside != m.Taxonomy.Len() {
		return fmt.Errorf("classifier: the model has a taxonomy of %d nodes, and the given one has %d; %s", m.Taxonomy.Len(), t.Len(), advice)
	}
	return nil
}

// scorer computes scores of one instance at a time. It has scratch space, so each goroutine needs
// its own.
type scorer struct {
	model *Model
	// values are the scores of the columns for the instance loaded.
	values []float64
	linked []float64 // these after the link
	sums   []float64
	labels []float64 // of the candidates
	byNode []float64
	short  []float64 // by node, and by leaf: see shortfalls
	leaves []float64
}

func (m *Model) newScorer() *scorer {
	return &scorer{
		model: m, values: make([]float64, m.width()), sums: make([]float64, len(m.attributes.Columns())+1),
		labels: make([]float64, len(m.attributes.Candidates())), byNode: make([]float64, m.Taxonomy.Len()),
	}
}

// predict returns the label that the rule chooses for the loaded row.
func (s *scorer) predict() int {
	if s.model.Rule == Descend {
		s.choices(s.byNode)
		return descend(s.model.Taxonomy, s.byNode)
	}
	s.candidates(s.labels)
	return s.model.attributes.Candidates()[s.model.best(s.labels)] // scores are NaN for instances that the model cannot score, see Check
}

// load computes the scores of the columns for row i of x.
func (s *scorer) load(x *dataset.Matrix, i int) { s.model.columnScores(x, i, s.values) }

// width returns the length of a slice of column scores.
func (m *Model) width() int {
	if w := m.dense; w != nil {
		return w.Stride
	}
	return len(m.attributes.Columns())
}

// columnScores writes <W_c, x>, and the constant, of every column for row i of x.
func (m *Model) columnScores(x *dataset.Matrix, i int, scores []float64) {
	features, values := x.Row(i)
	if m.features != nil {
		features, values = m.features.rows(features, values)
	}
	switch {
	case m.expansion != nil:
		m.expansion.scores(gram.Vector{Indices: features, Values: values}, scores)
	case m.sparse != nil:
		m.sparse.Scores(features, values, scores)
	default:
		m.dense.Scores(features, values, scores)
	}
	m.addConstants(scores)
}

// addConstants adds the constants to the scores of the columns.
func (m *Model) addConstants(scores []float64) {
	for c, v := range m.constants {
		scores[c] += v
	}
}

// candidates writes the scores of the candidates, usually the leaves.
func (s *scorer) candidates(dst []float64) {
	s.model.attributes.Scores(s.columns(), s.sums, dst)
	s.model.hide(dst, s.model.attributes.Candidates())
}

// columns returns the values that the attributes combine: the scores of the columns, after the link
// if there is one.
func (s *scorer) columns() []float64 {
	l := s.model.linked
	if l == nil {
		return s.values
	}
	s.linked = append(s.linked[:0], s.values...)
	s.model.hide(s.linked, s.model.attributes.Columns())
	l.apply(s.linked)
	s.model.hide(s.linked, s.model.attributes.Columns())
	return s.linked
}

// terms writes, by node, the values that the attributes combine, zero for nodes without a column.
func (s *scorer) terms(dst []float64) {
	clear(dst)
	columns := s.columns()
	for c, n := range s.model.attributes.Columns() {
		dst[n] = columns[c]
	}
}

// nodes writes the scores of the nodes, zero for those without a column.
func (s *scorer) nodes(dst []float64) {
	clear(dst)
	for c, n := range s.model.attributes.Columns() {
		dst[n] = s.values[c]
	}
}

// choices writes the scores of the nodes for the rule Descend, with a link the terms. Those of dead
// nodes are minus infinity.
func (s *scorer) choices(dst []float64) {
	if s.model.linked != nil {
		s.terms(dst)
	} else {
		s.nodes(dst)
	}
	for n, dead := range s.model.dead {
		if dead {
			dst[n] = math.Inf(-1)
		}
	}
}

// each calls do for every row of x, in any order and on all cores, with a scorer that has loaded
// it. It panics if the columns of x have other names than the features.
func (m *Model) each(x *dataset.Matrix, do func(s *scorer, i int)) {
	m.mustFit(x)
	inChunks(x.Rows, m.Workers, func() func(i int) {
		s := m.newScorer()
		return func(i int) {
			s.load(x, i)
			do(s, i)
		}
	})
}

// many reports whether the best labels of many rows are found by eachShortlist.
func (m *Model) many() bool {
	return m.dense != nil && m.dense.Many() && m.constants == nil && m.linked == nil && m.Rule != Descend
}

// eachShortlist calls do for every row of x, in any order and on all cores, with a set of labels
// that contains the k with the highest scores. It panics as each does.
func (m *Model) eachShortlist(x *dataset.Matrix, k int, do func(s *structured.Shortlisted, i int)) {
	m.mustFit(x)
	if m.features != nil {
		x = m.features.matrix(x)
	}
	// Nothing stops it early, so there is no error.
	var left []bool
	if m.unseen != nil {
		for _, n := range m.attributes.Candidates() {
			left = append(left, m.unseen[n])
		}
	}
	_ = structured.Shortlist(context.Background(), m.attributes, m.dense, left, x, k, m.Workers, func(i int, s *structured.Shortlisted) { do(s, i) })
}

// inChunks calls a function for 0 to n-1, in any order and on all cores. start creates it for each
// goroutine.
func inChunks(n, workers int, start func() func(i int)) {
	workers = guarded.Workers(workers)
	const chunk = 16
	workers = min(workers, (n+chunk-1)/chunk)
	var next atomic.Int64
	work := func() {
		do := start()
		for {
			lo := int(next.Add(chunk)) - chunk
			if lo >= n {
				return
			}
			for i := lo; i < min(lo+chunk, n); i++ {
				do(i)
			}
		}
	}
	if workers == 1 {
		work()
		return
	}
	var wait guarded.Group
	for range workers {
		wait.Go(work)
	}
	wait.Wait()
}
