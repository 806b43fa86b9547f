// Package classifier provides the result of training, a [Model], for all methods. A model consists
// of node weights, attributes that combine the scores of nodes into scores of labels, and a rule
// that turns scores into labels.
//
// A model predicts a label ([Model.Predict]), the best labels ([Model.Rank]) or sets of labels
// ([Model.LabelSets], [Model.ClosedSets], [Model.PredictSets]); for large taxonomies use a [Beam].
// With thousands of labels, structured.Weights.Shortlist finds the candidates. [Model.Explain]
// returns the features that decided, [Model.Informative] the features that distinguish a node from
// its siblings, and [Model.Constraints] the constraints of a training instance with its dual
// variables. [Model.Classes] shows the hierarchy as a regularizer of class weights.
//
// [Model.Save] writes a model to a file, which [Load] and Python read; package pipeline adds the
// steps that turn texts into features. [Model.Compact] makes a model several times smaller and
// certifies the cost.
//
// A model rejects a matrix with more or fewer columns than its training data, or with other column
// names, such as that of another vectorizer. Methods with an error result return an error; the
// others panic, as gonum does for wrong dimensions. Call [Model.Check] to test a matrix first. If
// columns have no names (hashed words, SVMlight files), only their number is compared.
//
// Packages svm and perceptron train models. Package metric measures their predictions.
//
// This package is wrong if equal models and instances give different scores, or if a loaded model
// differs from the saved one.
package classifier

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Model is a trained model. It is safe for concurrent use as long as no field is set.
type Model struct {
	Name      string // method
	Taxonomy  *taxonomy.Taxonomy
	C         float64 // weight of the training error; 0 for methods without one
	Instances int     // number of training instances
	Training  Training
	Rule      Rule // how scores become labels
	Workers   int  // goroutines that score; 0 for one per CPU

	// Vocabulary names the features, or is nil where they have no names.
	Vocabulary []string

	// Attached has additional contents of the model's file, by name, or nil. Save writes it and
	// Load reads it. Package pipeline stores there how texts become features.
	Attached map[string][]byte

	// Problem is the problem that the model was trained on. It is nil after loading, for kernel
	// models, and if several problems were solved.
	Problem *structured.Problem

	attributes *structured.Attributes
	dense      *structured.Weights       // one of these three
	sparse     *structured.SparseWeights // of a model with few non-zero weights
	expansion  *expansion                // of a kernel model, which has no weights
	features   *features                 // of the rows of the weights; nil where they are all
	constants  []float64                 // by column, added to its scores; nil where they are 0
	linked     *linked                   // nil without a link
	unseen     []bool                    // by node, nil where all are candidates: see Model.Unseen
	dead       []bool                    // likewise: see Model.isDead
}

// New returns the model with the given attributes and weights, trained on d. It never predicts a
// label without instances in d, unless d has no labels at all; see Model.Unseen.
func New(a *structured.Attributes, w *structured.Weights, t Training, d *dataset.Dataset) *Model {
	m := &Model{Taxonomy: a.Taxonomy(), Instances: d.X.Rows, Training: t, Vocabulary: d.Vocabulary, attributes: a, dense: w}
	if m.Vocabulary == nil {
		m.Vocabulary = d.X.Vocabulary
	}
	m.see(d.Labels)
	return m
}

// NewSparse is New with sparse weights.
func NewSparse(a *structured.Attributes, w *structured.SparseWeights, t Training, d *dataset.Dataset) *Model {
	m := New(a, nil, t, d)
	m.sparse = w
	return m
}

// NewConstant is New with a constant for every column of the weights that is added to its scores:
// log prior probabilities or intercepts. It returns an error if there are more or fewer constants
// than columns, or if one is not finite.
func NewConstant(a *structured.Attributes, w *structured.Weights, constants []float64, t Training, d *dataset.Dataset) (*Model, error) {
	m := New(a, w, t, d)
	m.constants = constants
	return m, m.checkConstants()
}

func (m *Model) checkConstants() error {
	if have, need := len(m.constants), len(m.attributes.Columns()); have != need {
		return fmt.Errorf("classifier: %d constants for the scores of %d nodes", have, need)
	}
	for c, v := range m.constants {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("classifier: the constant of node %q is %v; it must be finite", m.Taxonomy.Name(m.attributes.Columns()[c]), v)
		}
	}
	return nil
}

// Constant returns the constant added to the score <W_n, x> of a node. It is 0 except for models of
// NewConstant.
func (m *Model) Constant(node int) float64 {
	if c := m.attributes.Column(node); c >= 0 && m.constants != nil {
		return m.constants[c]
	}
	return 0
}

// AddConstants returns the model with a constant for each node of the taxonomy that is added to its
// score <W_n, x>. The two models share everything else. It returns an error if there are more or
// fewer constants than nodes, if one is not finite, or if one is not 0 for a node without weights.
func (m *Model) AddConstants(byNode []float64) (*Model, error) {
	if len(byNode) != m.Taxonomy.Len() {
		return nil, fmt.Errorf("classifier: %d constants for a taxonomy of %d nodes; pass one per node", len(byNode), m.Taxonomy.Len())
	}
	with := *m
	with.constants = make([]float64, len(m.attributes.Columns()))
	copy(with.constants, m.constants)
	for n, v := range byNode {
		switch c := m.attributes.Column(n); {
		case c >= 0:
			with.constants[c] += v
		case v != 0:
			return nil, fmt.Errorf("classifier: the constant of node %q is %v, and the model has no weights for the node; set it to 0", m.Taxonomy.LabelName(n), v)
		}
	}
	return &with, with.checkConstants()
}

// NewKernel is New with an expansion over the instances of d in the feature space of a kernel. It
// returns an error if the kernel does not support the instances.
func NewKernel(a *structured.Attributes, k gram.Kernel, e *structured.Expansion, t Training, d *dataset.Dataset) (*Model, error) {
	m := New(a, nil, t, d)
	var err error
	m.expansion, err = newExpansion(k, d.X, e)
	return m, err
}

// NewKernelConstant is NewKernel with a constant for every column, as in NewConstant.
func NewKernelConstant(a *structured.Attributes, k gram.Kernel, e *structured.Expansion, constants []float64, t Training, d *dataset.Dataset) (*Model, error) {
	m, err := NewKernel(a, k, e, t, d)
	if err != nil {
		return nil, err
	}
	m.constants = constants
	return m, m.checkConstants()
}

// Predict returns, for every row of x, the node id of the leaf chosen by the model's rule. It
// panics as LeafScores does if the columns of x do not fit.
func (m *Model) Predict(x *dataset.Matrix) []int {
	predicted := make([]int, x.Len())
	if !m.many() {
		m.each(x, func(s *scorer, i int) { predicted[i] = s.predict() })
		return predicted
	}
	m.eachShortlist(x, 1, func(s *structured.Shortlisted, i int) {
		labels, best := s.Candidates(), 0
		if len(labels) > 1 {
			scores := make([]float64, len(labels))
			s.Scores(scores)
			best = max(0, structured.Argmax(scores))
		}
		predicted[i] = m.attributes.Candidates()[labels[best]]
	})
	return predicted
}

// Decide returns, for every row of x, the leaves chosen by the model's rule, ascending; a single
// one if the rule is Highest or Descend. scores are LeafScores of x, or nil. Package metric calls
// it.
func (m *Model) Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error) {
	if m.Rule == BestSet || m.Rule == ClosedSet {
		return m.LabelSets(x)
	}
	if m.Rule == TopDown || m.Rule == BottomUp {
		sets, err := m.ClosedSets(x)
		for i := range sets {
			sets[i] = slices.DeleteFunc(sets[i], func(n int) bool { return !m.Taxonomy.IsLeaf(n) })
		}
		return sets, err
	}
	if err := m.checkColumns(x); err != nil {
		return nil, err
	}
	sets := make([][]int, x.Len())
	if m.Rule == Highest && scores != nil {
		for i := range sets {
			sets[i] = []int{m.attributes.Candidates()[m.best(scores.RawRowView(i))]}
		}
		return sets, nil
	}
	for i, y := range m.Predict(x) {
		sets[i] = []int{y}
	}
	return sets, nil
}

// maxVector is the maximum number of features of a dense vector: a gigabyte.
const maxVector = 1 << 27

// Weights returns the weight vector W_n of a node, one entry per feature. It returns nil for a
// kernel model, whose weights are in the kernel's feature space, and for more than 2^27 features:
// use FeatureWeights for those.
func (m *Model) Weights(node int) []float64 {
	if m.expansion != nil || m.Features() > maxVector {
		return nil
	}
	v := make([]float64, m.Features())
	features, weights, _ := m.FeatureWeights(node) // no kernel model
	for k, f := range features {
		v[f] = weights[k]
	}
	return v
}

// FeatureWeights returns the features with non-zero weights for a node, ascending, and these
// weights. It returns an error for kernel models, whose weights are in the kernel's feature space.
func (m *Model) FeatureWeights(node int) (features []int32, weights []float64, err error) {
	if m.expansion != nil {
		return nil, nil, fmt.Errorf("classifier: the model, %s, has a kernel and no weights of features", m.Name)
	}
	c := m.attributes.Column(node)
	if c < 0 {
		return nil, nil, nil
	}
	rows, _ := m.weights().size()
	for k := range rows {
		w := 0.0
		if m.dense != nil {
			w = m.dense.At(k, c)
		} else {
			w = m.sparse.At(k, c)
		}
		if w == 0 {
			continue
		}
		f := int32(k)
		if m.features != nil {
			f = m.features.occurring[k]
		}
		features, weights = append(features, f), append(weights, w)
	}
	return features, weights, nil
}

// NodeWeights returns the weight alpha of every node, the square of its attribute, for models of
// shared and normalized SVMs. It is 0 for nodes at which no leaf has an attribute.
func (m *Model) NodeWeights() []float64 {
	alpha := make([]float64, m.Taxonomy.Len())
	for y := range m.attributes.Candidates() {
		nodes, values := m.attributes.Leaf(y)
		for k, n := range nodes {
			alpha[n] = values[k] * values[k]
		}
	}
	return alpha
}

// Features returns the number of features of the training data.
func (m *Model) Features() int {
	if m.expansion != nil {
		return m.expansion.x.Cols
	}
	if m.features != nil {
		return m.features.all
	}
	if w := m.dense; w != nil {
		return w.Features
	}
	return m.sparse.Features()
}

// Attributes returns the attribute vectors that turn node scores into leaf scores.
func (m *Model) Attributes() *structured.Attributes { return m.attributes }

func (m *Model) description() []describe.Row {
	var rows []describe.Row
	add := func(name, format string, value any) {
		rows = append(rows, describe.Row{Name: name, Value: fmt.Sprintf(format, value)})
	}
	if m.C != 0 {
		add("C", "%.6g", m.C)
	}
	leaves := fmt.Sprint(len(m.Taxonomy.Leaves()))
	if n := len(m.attributes.Candidates()) - len(m.seenCandidates()); n > 0 {
		leaves += fmt.Sprintf(", %d without instances", n)
	}
	add("leaves", "%s", leaves)
	add("nodes", "%d", m.Taxonomy.Len())
	add("features", "%d", m.Features())
	add("instances", "%d", m.Instances)
	if r := m.Training.Certificate; r != nil {
		add("primal", "%.6g", r.Primal)
		add("dual", "%.6g", r.Dual)
		add("relative gap", "%.2g", r.Gap)
		if g := r.Gained(); g < 0.9 {
			add("gained", "%.2f of what can be", g)
		}
	}
	if m.linked != nil {
		add("link", "%v", m.linked.link)
	}
	add("epochs", "%d", m.Training.Epochs)
	add("seconds", "%.2f", m.Training.Seconds)
	add("training", "%s", m.Training.end())
	if e := m.expansion; e != nil {
		name := fmt.Sprintf("%T", e.kernel)
		if s, ok := e.kernel.(fmt.Stringer); ok {
			name = s.String()
		}
		add("kernel", "%s", name)
		add("support", "%d instances", e.x.Rows)
	}
	return rows
}

// String describes the model in a few lines.
func (m *Model) String() string { return describe.Text(m.Name, m.description()) }

// HTML describes the model as a table.
func (m *Model) HTML() string { return describe.HTML(m.Name, m.description()) }
