package classifier

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/enum"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Link is a function of the score m = <W_n, x> of a node. If its value is a probability, that of
// the node given its parent, the score of a leaf is the sum of the logarithms along its path: the
// logarithm of the leaf's probability.
type Link int

const (
	// NoLink is the link of models whose attributes combine the scores of nodes directly.
	NoLink Link = iota
	// Sigmoid is 1/(1+exp(-m)), as in logistic regression.
	Sigmoid
	// CubedHinge is exp(-max(0, 1-m)^3), as in PECOS for the squared hinge [YZHD22].
	CubedHinge
	// SquaredHinge is exp(-max(0, 1-m)^2), as in napkinXC and Parabel for the squared hinge
	// [PKHAV18].
	SquaredHinge
	// Softmax is exp(m) divided by the sum of that of all siblings, or of all roots [MB05].
	Softmax
	// Margin is m itself, which is not a probability.
	Margin
)

var links = []string{"NoLink", "Sigmoid", "CubedHinge", "SquaredHinge", "Softmax", "Margin"}

// String returns the name of the constant.
func (l Link) String() string {
	if l < NoLink || l > Margin {
		return fmt.Sprintf("Link(%d)", int(l))
	}
	return links[l]
}

// MarshalText returns the name of the constant.
func (l Link) MarshalText() ([]byte, error) { return enum.Marshal(l, links) }

// UnmarshalText reads the name of a constant and ignores case.
func (l *Link) UnmarshalText(text []byte) error { return enum.Unmarshal(l, links, text) }

// untied is subtracted from the logarithm of a hinge link at margins from 1 on, divided by the
// margin. It is too small to change a probability, but it sorts leaves of probability 1 by their
// margins.
const untied = 1e-12

// log returns the logarithm of the probability at margin m; of Softmax, m itself.
func (l Link) log(m float64) float64 {
	switch l {
	case Sigmoid:
		if m < 0 {
			return m - math.Log1p(math.Exp(m))
		}
		return -math.Log1p(math.Exp(-m))
	case CubedHinge:
		v := max(0, 1-m)
		return -v*v*v - untied/max(1, m)
	case SquaredHinge:
		v := max(0, 1-m)
		return -v*v - untied/max(1, m)
	}
	return m
}

// logSoftmax turns the scores of siblings into logarithms of their probabilities, which are minus
// infinity where all scores are.
func logSoftmax(scores []float64) {
	top := slices.Max(scores)
	if math.IsInf(top, -1) {
		return
	}
	at, rest := slices.Index(scores, top), 0.0
	for k, s := range scores {
		if k != at {
			rest += math.Exp(s - top)
		}
	}
	for k := range scores {
		scores[k] -= top + math.Log1p(rest)
	}
}

// logSoftmaxOf is logSoftmax for the siblings at some positions.
func logSoftmaxOf[I int | int32](columns []float64, siblings []I) {
	scores := make([]float64, len(siblings))
	for k, c := range siblings {
		scores[k] = columns[c]
	}
	logSoftmax(scores)
	for k, c := range siblings {
		columns[c] = scores[k]
	}
}

// linked turns the scores of columns into the values that the attributes combine.
type linked struct {
	link   Link
	always []int // nodes, ascending, whose probability is always 1
	never  []int // and 0
	// fixed has the logarithms of these by column, NaN for all others; families, for Softmax, has
	// the columns of siblings.
	fixed    []float64
	families [][]int32
}

// SetLink makes the model a model of node probabilities. Its taxonomy must be a tree or forest, and
// it must have weights of all nodes. always and never are the nodes, ascending, whose probability
// is always 1 or 0, because all instances of the parent belong to the node, or none. They
// contribute 0 or minus infinity to the score.
func (m *Model) SetLink(link Link, always, never []int) error {
	if link < NoLink || link > Margin {
		return fmt.Errorf("classifier: unknown link %d; use one from %v to %v", int(link), NoLink, Margin)
	}
	t := m.Taxonomy
	l := &linked{link: link, always: always, never: never}
	if link == NoLink {
		if len(always)+len(never) > 0 {
			return fmt.Errorf("classifier: always and never are not supported without a link; leave both empty, or pass another link than NoLink")
		}
		m.linked = nil
		return nil
	}
	if !t.IsTree() {
		return fmt.Errorf("classifier: probabilities of nodes given their parents need a tree, and some nodes of this taxonomy have several parents")
	}
	l.fixed = make([]float64, len(m.attributes.Columns()))
	for c := range l.fixed {
		l.fixed[c] = math.NaN()
	}
	for value, nodes := range map[float64][]int{0: always, math.Inf(-1): never} {
		for k, n := range nodes {
			if n < 0 || n >= t.Len() || k > 0 && nodes[k-1] >= n || m.attributes.Column(n) < 0 {
				return fmt.Errorf("classifier: node %d in always or never has no weights or is out of order; list nodes with weights, ascending", n)
			}
			c := m.attributes.Column(n)
			if !math.IsNaN(l.fixed[c]) {
				return fmt.Errorf("classifier: node %q is in both always and never; list it in one of them", t.Name(n))
			}
			l.fixed[c] = value
		}
	}
	if link == Softmax {
		if len(always)+len(never) > 0 {
			return fmt.Errorf("classifier: always and never are not supported with the link Softmax; leave both empty")
		}
		var err error
		if l.families, err = families(t, m.attributes); err != nil {
			return err
		}
	}
	m.linked = l
	return nil
}

// families returns the columns of the roots and of the children of every inner node.
func families(t *taxonomy.Taxonomy, a *structured.Attributes) ([][]int32, error) {
	var all [][]int32
	add := func(nodes []int) error {
		columns := make([]int32, len(nodes))
		for k, n := range nodes {
			if a.Column(n) < 0 {
				return fmt.Errorf("classifier: a softmax needs weights of all nodes; node %q has none", t.Name(n))
			}
			columns[k] = int32(a.Column(n))
		}
		all = append(all, columns)
		return nil
	}
	if err := add(t.Roots()); err != nil {
		return nil, err
	}
	for n := range t.Len() {
		if !t.IsLeaf(n) {
			if err := add(t.Children(n)); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// Link returns how scores of nodes become those of leaves.
func (m *Model) Link() Link {
	if m.linked == nil {
		return NoLink
	}
	return m.linked.link
}

// Certain returns the nodes whose probability is always 1, and those whose probability is always 0.
// The slices must not be modified.
func (m *Model) Certain() (always, never []int) {
	if m.linked == nil {
		return nil, nil
	}
	return m.linked.always, m.linked.never
}

// apply turns the scores of the columns into the logarithms of their probabilities.
func (l *linked) apply(columns []float64) {
	for _, family := range l.families {
		logSoftmaxOf(columns, family)
	}
	if l.families != nil {
		return
	}
	for c, fixed := range l.fixed {
		if columns[c] = l.link.log(columns[c]); !math.IsNaN(fixed) {
			columns[c] = fixed
		}
	}
}

// checkProbabilities returns an error for models without probabilities, and if the columns of x
// have other names than the features.
func (m *Model) checkProbabilities(x *dataset.Matrix) error {
	if l := m.Link(); l == NoLink || l == Margin {
		return fmt.Errorf("classifier: the model, %s, has scores and no probabilities; learn them with svm.Calibrate, or use svm.PLT or svm.HierarchicalSoftmax", m.Name)
	}
	return m.checkColumns(x)
}

// LeafProbabilities returns the probabilities of the leaves: one row per row of x, one column per
// leaf in the order of Taxonomy.Leaves. A row sums to 1 only for the link Softmax; for others each
// leaf separately is or is not a label. LeafScores are their logarithms. It returns an error for
// models whose link is not a probability.
func (m *Model) LeafProbabilities(x *dataset.Matrix) (*mat.Dense, error) {
	if err := m.checkProbabilities(x); err != nil {
		return nil, err
	}
	return exponentials(m.LeafScores(x)), nil
}

// Probabilities returns LeafProbabilities, computed from scores if these are their logarithms, or
// nil for models whose link is not a probability. scores are ChoiceScores of x. Package metric
// measures them.
func (m *Model) Probabilities(x *dataset.Matrix, scores *mat.Dense) *mat.Dense {
	if l := m.Link(); l == NoLink || l == Margin {
		return nil
	}
	if m.Rule == Descend || x.Len() == 0 {
		return exponentials(m.LeafScores(x))
	}
	return exponentials(mat.DenseCopyOf(scores))
}

// ConditionalProbabilities returns the probability of every node given that the instance belongs to
// its parent: one row per row of x, one column per node. It returns an error for models whose link
// is not a probability.
func (m *Model) ConditionalProbabilities(x *dataset.Matrix) (*mat.Dense, error) {
	if err := m.checkProbabilities(x); err != nil {
		return nil, err
	}
	if x.Len() == 0 {
		return new(mat.Dense), nil
	}
	p := mat.NewDense(x.Rows, m.Taxonomy.Len(), nil)
	m.each(x, func(s *scorer, i int) { s.terms(p.RawRowView(i)) })
	return exponentials(p), nil
}

func exponentials(logs *mat.Dense) *mat.Dense {
	data := logs.RawMatrix().Data
	for k, v := range data {
		data[k] = math.Exp(v)
	}
	return logs
}

// LeastProbabilities returns, for every leaf, the smallest probability of a node on its path given
// its parent: one row per row of x, one column per leaf in the order of Taxonomy.Leaves. Choosing
// the leaves above t, as calibration.Above(t) does, is the Boolean rule of [DC00]; with
// LeafProbabilities it is their multiplicative rule. It returns an error for models whose link is
// not a probability.
func (m *Model) LeastProbabilities(x *dataset.Matrix) (*mat.Dense, error) {
	if err := m.checkProbabilities(x); err != nil {
		return nil, err
	}
	if x.Len() == 0 {
		return new(mat.Dense), nil
	}
	least := mat.NewDense(x.Rows, len(m.attributes.Candidates()), nil)
	m.each(x, func(s *scorer, i int) {
		s.terms(s.byNode)
		row := least.RawRowView(i)
		for y := range row {
			nodes, _ := m.attributes.Leaf(y)
			for _, n := range nodes {
				row[y] = min(row[y], s.byNode[n])
			}
		}
	})
	return exponentials(least), nil
}
