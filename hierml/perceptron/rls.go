package perceptron

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// HRLS is the hierarchical regularized least squares algorithm, H-RLS [CGZ06]: no perceptron but an
// online learner too, for label sets that may end at inner nodes. Every node v of a tree or forest
// has weights
//
//	w_v = (I + S S')^-1 S z
//
// where the columns of S are the instances so far that the parent of v is a label of, or above one,
// all of them for roots, and z is 1 for those that v is too, otherwise -1. v is predicted if its
// parent is and <w_v, x> is not negative, so that in the beginning everything is. The paper has
// x x' of the instance at hand in the inverse as well; that divides <w_v, x> by a number above 1
// and changes no prediction. A <w_v, x> that is zero but for rounding is zero, so that the learner
// predicts what exact arithmetic does; in the scores of its model rounding may decide such a tie.
//
// The learning is exact. Children of one node share what is inverted: a triangle of numbers for
// every two instances below the node, or, once there are more instances than features, one number
// for every two features. Where that would be more than 1 GB in all, Update is an error that says
// so. The struct has no settings.
type HRLS struct{}

// Fit learns from all instances once, in their order. Model.Rule is classifier.TopDown.
func (h HRLS) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	return classifier.FitOccurring(ctx, d, func(d *dataset.Dataset) (*classifier.Model, error) { return h.fit(ctx, d) })
}

func (h HRLS) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if d == nil || d.X == nil || d.Taxonomy == nil {
		return nil, fmt.Errorf("perceptron: Fit needs a dataset with instances and their taxonomy")
	}
	if d.X.Rows == 0 || len(d.Labels) != d.X.Rows {
		return nil, fmt.Errorf("perceptron: dataset %q has %d instances and labels for %d; give one instance at least, and each its labels", d.Name, d.X.Rows, len(d.Labels))
	}
	if err := structured.CheckMatrix(d.X); err != nil {
		return nil, err
	}
	l, err := h.Learner(d.Taxonomy, max(1, d.X.Cols))
	if err != nil {
		return nil, err
	}
	l.vocabulary = d.Vocabulary
	_, work := progress.Begin(ctx, "training")
	defer work.End()
	stopped := l.Learn(ctx, reported(d, work))
	if stopped != nil && ctx.Err() == nil {
		return nil, stopped
	}
	m, err := l.Model()
	if err != nil {
		return nil, err
	}
	switch {
	case stopped == nil:
		m.Training.Status, m.Training.Epochs = solver.Converged, 1
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		m.Training.Status = solver.TimeLimit
	default:
		m.Training.Status = solver.Cancelled
	}
	return m, stopped
}

// reported returns the instances of d, and reports each as one that was learned from when the next
// is asked for.
func reported(d *dataset.Dataset, work *progress.Work) iter.Seq2[dataset.Instance, error] {
	return func(yield func(dataset.Instance, error) bool) {
		done := 0
		for x, err := range d.Instances() {
			if !yield(x, err) {
				return
			}
			done++
			work.Report(float64(done)/float64(d.Len()), func() string { return fmt.Sprintf("%d of %d instances", done, d.Len()) })
		}
	}
}

// Learner returns a learner that knows nothing yet, for instances of as many features. It is an
// error where a node has several parents.
func (HRLS) Learner(t *taxonomy.Taxonomy, features int) (*HRLSLearner, error) {
	if t == nil || t.Len() == 0 || !t.IsTree() {
		return nil, fmt.Errorf("perceptron: H-RLS needs a tree or forest of nodes; give a taxonomy in which no node has several parents")
	}
	if err := checkFeatures(features); err != nil {
		return nil, err
	}
	l := &HRLSLearner{taxonomy: t, features: features, families: make([]*squares, t.Len()+1), margins: make([]float64, t.Len()), on: make([]bool, t.Len()), started: time.Now()}
	for n := range t.Len() {
		if children := t.Children(n); len(children) > 0 {
			l.families[n] = newSquares(children)
		}
	}
	l.families[t.Len()] = newSquares(t.Roots())
	return l, nil
}

// HRLSLearner learns from instances one at a time. It is not safe for concurrent use.
type HRLSLearner struct {
	taxonomy   *taxonomy.Taxonomy
	features   int
	families   []*squares // by parent, the last of roots; nil for leaves
	steps      int
	margins    []float64
	on         []bool
	vocabulary []string
	started    time.Time
	labels     map[int]bool // that instances had
}

// maxSquares bounds the numbers that all families hold (1 GB).
var maxSquares = 1 << 27

// Predict returns the label set predicted for an instance, given by its features, ascending, and
// their values: in its most specific form, ascending, possibly empty.
func (h *HRLSLearner) Predict(indices []int32, values []float32) ([]int, error) {
	if _, err := h.Margins(indices, values); err != nil {
		return nil, err
	}
	t := h.taxonomy
	set := []int{}
	for _, n := range t.Topological() {
		p := t.Parents(n)
		h.on[n] = h.margins[n] >= 0 && (len(p) == 0 || h.on[p[0]])
		if h.on[n] {
			set = append(set, n)
		}
	}
	return t.MostSpecific(set), nil
}

// Margins returns <w_v, x> of every node for an instance. The slice holds until the next call of
// any method.
func (h *HRLSLearner) Margins(indices []int32, values []float32) ([]float64, error) {
	if err := h.check(indices, values); err != nil {
		return nil, err
	}
	x := gram.Vector{Indices: indices, Values: values}
	for _, f := range h.families {
		if f != nil {
			f.look(x)
			for k, n := range f.nodes {
				h.margins[n] = f.margin(x, k)
			}
		}
	}
	return h.margins, nil
}

// Update predicts the labels of an instance, learns from the true ones, nodes that imply those
// above, and returns what was predicted. An instance that is not valid is an error, as is one for
// which there is no room, and changes nothing.
func (h *HRLSLearner) Update(indices []int32, values []float32, labels []int) (predicted []int, err error) {
	if h == nil || h.taxonomy == nil {
		return nil, errNoLearner
	}
	t := h.taxonomy
	for _, n := range labels {
		if n < 0 || n >= t.Len() {
			return nil, fmt.Errorf("perceptron: an instance has label %d; the taxonomy has nodes 0..%d", n, t.Len()-1)
		}
	}
	if predicted, err = h.Predict(indices, values); err != nil {
		return nil, err
	}
	closed := t.Closure(labels)
	held, more := 0, 0
	for _, f := range h.families {
		if f != nil {
			held += f.held()
		}
	}
	families := []*squares{h.families[t.Len()]}
	for _, n := range closed {
		if h.families[n] != nil {
			families = append(families, h.families[n])
		}
	}
	for _, f := range families {
		more += f.more(h.features)
	}
	if held+more > maxSquares {
		return nil, fmt.Errorf("perceptron: H-RLS would hold %d numbers for %d instances of %d features, and at most %d fit; learn from fewer instances or features, or take a perceptron", held+more, h.steps+1, h.features, maxSquares)
	}
	x := gram.Vector{Indices: slices.Clone(indices), Values: slices.Clone(values)}
	for _, f := range families {
		f.add(x, h.features, func(n int) bool { _, is := slices.BinarySearch(closed, n); return is })
	}
	h.steps++
	if h.labels == nil {
		h.labels = make(map[int]bool)
	}
	for _, n := range labels {
		h.labels[n] = true
	}
	return predicted, nil
}

// Learn updates from all instances, one after the other. If ctx ends or an instance is an error,
// Learn returns that error; the learner keeps what it has learned.
func (h *HRLSLearner) Learn(ctx context.Context, instances iter.Seq2[dataset.Instance, error]) error {
	if h == nil || h.taxonomy == nil {
		return errNoLearner
	}
	if instances == nil {
		return fmt.Errorf("perceptron: no instances to learn from")
	}
	for x, err := range instances {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		if _, err := h.Update(x.Columns, x.Values, x.Labels); err != nil {
			return fmt.Errorf("%w (after %d instances)", err, h.steps)
		}
	}
	return nil
}

// Steps returns the number of instances learned from.
func (h *HRLSLearner) Steps() int { return h.steps }

// Updates returns the number of instances that a node has learned from: those with its parent.
func (h *HRLSLearner) Updates(node int) int {
	parent := h.taxonomy.Len()
	if p := h.taxonomy.Parents(node); len(p) > 0 {
		parent = p[0]
	}
	return h.families[parent].instances
}

// Model returns the model of the instances so far. The learner may go on; the model stays as it is.
func (h *HRLSLearner) Model() (*classifier.Model, error) {
	if h == nil || h.taxonomy == nil {
		return nil, errNoLearner
	}
	t := h.taxonomy
	all := make([]int, t.Len())
	for n := range all {
		all[n] = n
	}
	attributes, err := structured.Ancestors(t).Widen(all)
	if err != nil {
		return nil, err
	}
	training := classifier.Training{Seconds: time.Since(h.started).Seconds()}
	d := &dataset.Dataset{X: &dataset.Matrix{Cols: h.features, Indptr: []int{0}}, Labels: [][]int{slices.Sorted(maps.Keys(h.labels))}, Vocabulary: h.vocabulary}
	var m *classifier.Model
	if h.features > denseWeights/t.Len() {
		m = classifier.NewSparse(attributes, h.sparseWeights(attributes), training, d)
	} else {
		w := structured.NewWeights(attributes.Columns(), h.features)
		if h.features <= wideWeights/t.Len() {
			w = structured.NewWideWeights(attributes.Columns(), h.features)
		}
		h.eachWeight(func(n, f int, v float64) { w.Set(f, attributes.Column(n), v) })
		m = classifier.New(attributes, w, training, d)
	}
	m.Name, m.Rule, m.Instances = "H-RLS", classifier.TopDown, h.steps
	return m, nil
}

// eachWeight calls do for every weight that is not zero.
func (h *HRLSLearner) eachWeight(do func(n, feature int, v float64)) {
	for _, f := range h.families {
		if f == nil {
			continue
		}
		for k, n := range f.nodes {
			f.weights(k, func(feature int, v float64) { do(n, feature, v) })
		}
	}
}

func (h *HRLSLearner) sparseWeights(a *structured.Attributes) *structured.SparseWeights {
	w := &structured.SparseWeights{Columns: a.Columns(), Begin: make([]int, h.features+1)}
	h.eachWeight(func(_, f int, _ float64) { w.Begin[f+1]++ })
	for f := range h.features {
		w.Begin[f+1] += w.Begin[f]
	}
	w.Column, w.Values = make([]int32, w.Begin[h.features]), make([]float32, w.Begin[h.features])
	next := slices.Clone(w.Begin)
	h.eachWeight(func(n, f int, v float64) {
		w.Column[next[f]], w.Values[next[f]] = int32(a.Column(n)), float32(v)
		next[f]++
	})
	w.Sort()
	return w
}

func (h *HRLSLearner) check(indices []int32, values []float32) error {
	if h == nil || h.taxonomy == nil {
		return errNoLearner
	}
	return checkInstance(indices, values, h.features)
}

// squares are the least squares of the children of a node, which have the instances in common. In
// the dual form L L' = I + S'S, and u_k = L^-1 z_k, so that with l = L^-1 S'x
//
//	<w_k, x> = l'u_k   and   x'(I + SS')^-1 x = x'x - l'l.
//
// In the primal form inverse is (I + SS')^-1, and w is written down.
type squares struct {
	nodes     []int
	instances int

	// Dual form.
	s      []gram.Vector
	factor []float64   // L by rows, from row i(i+1)/2 on
	u      [][]float64 // by child
	size   []float64   // u'u, by child, in the primal form too

	// Primal form, nil until there are more instances than features.
	inverse []float64
	w       [][]float64

	l      []float64 // scratch of the instance looked at: l, or inverse x
	spread float64   // x'(I + SS')^-1 x
}

func newSquares(nodes []int) *squares {
	return &squares{nodes: nodes, u: make([][]float64, len(nodes)), size: make([]float64, len(nodes))}
}

// held returns the numbers held, more those that one more instance takes.
func (q *squares) held() int {
	return len(q.factor) + len(q.inverse) + len(q.nodes)*max(len(q.s), len(q.w0()))
}

func (q *squares) more(features int) int {
	switch {
	case q.inverse != nil:
		return 0
	case q.instances >= features:
		return (features + len(q.nodes)) * features
	}
	return q.instances + 1 + len(q.nodes)
}

// look prepares the margins of an instance.
func (q *squares) look(x gram.Vector) {
	q.l = slices.Grow(q.l[:0], max(len(q.s), len(q.w0())))
	if q.inverse != nil {
		d := len(q.w0())
		q.l = q.l[:d]
		clear(q.l)
		for k, f := range x.Indices {
			v := float64(x.Values[k])
			for c, p := range q.inverse[int(f)*d : (int(f)+1)*d] {
				q.l[c] += v * p
			}
		}
		q.spread = 0
		for k, f := range x.Indices {
			q.spread += float64(x.Values[k]) * q.l[f]
		}
	} else {
		q.l = q.l[:len(q.s)]
		q.spread = x.Dot(x)
		for i, s := range q.s {
			v := s.Dot(x)
			row := q.factor[i*(i+1)/2 : (i+1)*(i+2)/2]
			for j, e := range row[:i] {
				v -= e * q.l[j]
			}
			q.l[i] = v / row[i]
			q.spread -= q.l[i] * q.l[i]
		}
	}
	q.spread = max(0, q.spread) // less by rounding alone
}

// w0 is the weights of the first child, nil in the dual form.
func (q *squares) w0() []float64 {
	if q.w == nil {
		return nil
	}
	return q.w[0]
}

// nothing is the share of the largest value possible, |x| |u_k|, below which <w_k, x> is zero but
// for rounding: a margin of zero, of which there are many in the beginning, is not negative.
const nothing = 1e-12

// margin returns <w, x> of a child for the instance looked at.
func (q *squares) margin(x gram.Vector, k int) (sum float64) {
	if q.inverse != nil {
		for j, f := range x.Indices {
			sum += float64(x.Values[j]) * q.w[k][f]
		}
	} else {
		for i, v := range q.l {
			sum += v * q.u[k][i]
		}
	}
	if math.Abs(sum) <= nothing*math.Sqrt(x.Dot(x))*math.Sqrt(q.size[k]) {
		return 0
	}
	return sum
}

// add learns from an instance, the one looked at last, which it keeps.
func (q *squares) add(x gram.Vector, features int, is func(n int) bool) {
	if q.inverse == nil && q.instances >= features {
		q.writeDown(features)
		q.look(x)
	}
	scale := 1 + q.spread
	for k, n := range q.nodes {
		z := -1.0
		if is(n) {
			z = 1
		}
		rest := z - q.margin(x, k)
		q.size[k] += rest * rest / scale
		if q.inverse == nil {
			q.u[k] = append(q.u[k], rest/math.Sqrt(scale))
			continue
		}
		for c, v := range q.l {
			q.w[k][c] += rest / scale * v
		}
	}
	q.instances++
	if q.inverse == nil {
		q.factor = append(append(q.factor, q.l...), math.Sqrt(scale))
		q.s = append(q.s, x)
		return
	}
	for r, v := range q.l {
		if v == 0 {
			continue
		}
		row := q.inverse[r*features : (r+1)*features]
		for c, w := range q.l {
			row[c] -= v * w / scale
		}
	}
}

// writeDown goes over to the primal form: with G = L^-1 S', (I + SS')^-1 = I - G'G and w_k = G'u_k.
func (q *squares) writeDown(features int) {
	inverse := make([]float64, features*features)
	for f := range features {
		inverse[f*features+f] = 1
	}
	w := make([][]float64, len(q.nodes))
	for k := range w {
		w[k] = make([]float64, features)
	}
	g := make([]float64, len(q.s)*features)
	for i, s := range q.s {
		row := g[i*features : (i+1)*features]
		for k, f := range s.Indices {
			row[f] = float64(s.Values[k])
		}
		factor := q.factor[i*(i+1)/2 : (i+1)*(i+2)/2]
		for j, e := range factor[:i] {
			for f, v := range g[j*features : (j+1)*features] {
				row[f] -= e * v
			}
		}
		for f := range row {
			row[f] /= factor[i]
		}
		for a, v := range row {
			if v != 0 {
				for b, w := range row {
					inverse[a*features+b] -= v * w
				}
			}
		}
		for k := range w {
			for f, v := range row {
				w[k][f] += q.u[k][i] * v
			}
		}
	}
	q.inverse, q.w = inverse, w
	q.s, q.factor, q.u = nil, nil, nil
}

// weights calls do for every weight of a child that is not zero.
func (q *squares) weights(k int, do func(feature int, v float64)) {
	if q.inverse != nil {
		for f, v := range q.w[k] {
			if v != 0 {
				do(f, v)
			}
		}
		return
	}
	// a = L^-T u, w = S a.
	a := slices.Clone(q.u[k])
	for i, v := range slices.Backward(a) {
		row := q.factor[i*(i+1)/2 : (i+1)*(i+2)/2]
		v /= row[i]
		a[i] = v
		for j, e := range row[:i] {
			a[j] -= e * v
		}
	}
	sums := make(map[int32]float64)
	for i, s := range q.s {
		for j, f := range s.Indices {
			sums[f] += a[i] * float64(s.Values[j])
		}
	}
	for f, v := range sums {
		if v != 0 {
			do(int(f), v)
		}
	}
}
