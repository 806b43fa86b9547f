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

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// HRLS is the hierarchical regularized least squares algorithm, H-RLS [CGZ06]. It is an online
// learner, but not a perceptron, for label sets that may end at inner nodes. Every node v of a tree
// or forest has weights
//
//	w_v = (I + S S')^-1 S z
//
// where the columns of S are the previous instances with a label at or below the parent of v (all
// instances for roots). z is 1 for those with a label at or below v, otherwise -1. v is predicted
// if its parent is and <w_v, x> is not negative, so initially all nodes are predicted. The paper
// also has x x' of the current instance in the inverse; this divides <w_v, x> by a number above 1
// and changes no prediction. A <w_v, x> that is zero up to rounding counts as zero, so the learner
// predicts the same as exact arithmetic; in the scores of its model rounding can decide such a tie.
//
// Learning is numerically exact: Update returns an error for an instance after which rounding would
// leave fewer than six digits of the weights, such as values of 1e10 next to a rare feature. The
// children of a node share the inverted matrix, a triangle with an entry per pair of instances
// below the node. If there are more instances than features, or values so large that their squares
// lose the 1, it has an entry per pair of features. If that needs more than 1 GB in total, Update
// returns an error. The struct has no settings.
type HRLS struct{}

// Fit learns from all instances once, in order. Model.Rule is classifier.TopDown.
func (h HRLS) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	return classifier.FitOccurring(ctx, d, func(d *dataset.Dataset) (*classifier.Model, error) { return h.fit(ctx, d) })
}

func (h HRLS) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := classifier.CheckData(d); err != nil {
		return nil, fmt.Errorf("perceptron: %w", err)
	}
	if err := checkUnweighted(d); err != nil {
		return nil, err
	}
	if err := structured.CheckMatrix(d.X); err != nil {
		return nil, err
	}
	l, err := h.Learner(d.Taxonomy, max(1, d.X.Cols))
	if err != nil {
		return nil, err
	}
	l.features = d.X.Cols
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

// reported yields the instances of d, and reports each as learned when the next is requested.
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

// Learner returns an untrained learner for instances with the given number of features. It returns
// an error if a node has several parents.
func (HRLS) Learner(t *taxonomy.Taxonomy, features int) (*HRLSLearner, error) {
	if t == nil || t.Len() == 0 || !t.IsTree() {
		return nil, fmt.Errorf("perceptron: H-RLS needs a tree or forest; use a taxonomy in which no node has several parents")
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

// maxSquares bounds the numbers that all families store (1 GB).
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

// Margins returns <w_v, x> of every node for an instance. The slice is valid until the next call of
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

// Update predicts the labels of an instance, learns from the true labels, which imply their
// ancestors, and returns the prediction. It returns an error and changes nothing if the instance is
// invalid, if memory does not suffice, or if it cannot learn exactly.
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
	held, more, large := 0, 0, false
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
	x := gram.Vector{Indices: slices.Clone(indices), Values: slices.Clone(values)}
	for _, f := range families {
		more += f.more(x, h.features)
		large = large || f.triangle == nil && f.inexact(x)
	}
	if held+more > maxSquares && large {
		return nil, fmt.Errorf("perceptron: H-RLS cannot learn exactly from values as large as those of instance %d, up to %v: this takes %d numbers for %d features, and at most %d are allowed; scale the features (features.Scaling)", h.steps, largest(values), held+more, h.features, maxSquares)
	}
	if held+more > maxSquares {
		return nil, fmt.Errorf("perceptron: H-RLS would store %d numbers for %d instances of %d features, and at most %d are allowed; train on fewer instances or features, or use a perceptron", held+more, h.steps+1, h.features, maxSquares)
	}
	for _, f := range families {
		if err := f.prepare(x, h.features); err != nil {
			return nil, fmt.Errorf("perceptron: H-RLS cannot learn from instance %d exactly: %w", h.steps, err)
		}
	}
	for _, f := range families {
		f.add(x, func(n int) bool { _, is := slices.BinarySearch(closed, n); return is })
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

// Learn updates from all instances, one after the other. If ctx is cancelled or an instance has an
// error, Learn returns that error; the learner keeps what it has learned.
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

// Updates returns the number of instances that a node has learned from: those that have its parent.
func (h *HRLSLearner) Updates(node int) int {
	parent := h.taxonomy.Len()
	if p := h.taxonomy.Parents(node); len(p) > 0 {
		parent = p[0]
	}
	return h.families[parent].instances
}

// Model returns the model of the instances so far. The learner can continue; the model does not
// change.
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

// squares are the least squares of the children of a node, which share the instances. In the dual
// form L L' = I + S'S, and u_k = L^-1 z_k, so that with l = L^-1 S'x
//
//	<w_k, x> = l'u_k   and   x'(I + SS')^-1 x = x'x - l'l.
//
// In the primal form R'R = I + SS', with R triangular, so that with r = R^-1' x
//
//	x'(I + SS')^-1 x = r'r,
//
// and w is stored explicitly. An instance changes R by rotations, without squaring a value: for
// large values x'x - l'l loses digits that r'r keeps.
type squares struct {
	nodes     []int
	instances int

	// Dual form.
	s      []gram.Vector
	is     [][]bool    // by instance and child: whether z is 1
	factor []float64   // L by rows, from row i(i+1)/2 on
	u      [][]float64 // by child
	size   []float64   // |u|, by child; in the primal form |w|, in units of the features' norms

	triangle *triangle   // R, nil in the dual form
	w        [][]float64 // by child

	l      []float64 // scratch of the current instance: l, or r
	spread float64   // x'(I + SS')^-1 x
}

func newSquares(nodes []int) *squares {
	return &squares{nodes: nodes, u: make([][]float64, len(nodes)), size: make([]float64, len(nodes))}
}

// held returns the count of stored numbers, and of those that one more instance adds.
func (q *squares) held() int {
	if q.triangle != nil {
		return len(q.triangle.r) + (1+len(q.nodes))*q.triangle.size
	}
	return len(q.factor) + len(q.nodes)*len(q.s)
}

func (q *squares) more(x gram.Vector, features int) int {
	switch {
	case q.triangle != nil:
		return 0
	case q.changes(x, features):
		return numbers(features) + (1+len(q.nodes))*features
	}
	return q.instances + 1 + len(q.nodes)
}

// lost is the share of x'x below which 1 + x'x - l'l is not exact enough: at least six digits must
// remain.
const lost = 1e-10

// changes reports whether the current instance needs the primal form: there are more instances than
// features, or the dual form is not exact.
func (q *squares) changes(x gram.Vector, features int) bool {
	return q.triangle == nil && (q.instances >= features || q.inexact(x))
}

func (q *squares) inexact(x gram.Vector) bool { return 1+q.spread < lost*(1+x.Dot(x)) }

// look computes the margins of an instance.
func (q *squares) look(x gram.Vector) {
	if q.triangle != nil {
		return
	}
	q.l = slices.Grow(q.l[:0], len(q.s))[:len(q.s)]
	q.spread = x.Dot(x)
	for i, s := range q.s {
		row := q.factor[i*(i+1)/2 : (i+1)*(i+2)/2]
		q.l[i] = (s.Dot(x) - floats.Dot(row[:i], q.l[:i])) / row[i]
		q.spread -= q.l[i] * q.l[i]
	}
	q.spread = max(0, q.spread) // negative only by rounding
}

// nothing is the share of the largest possible value below which <w_k, x> counts as zero: a margin
// of zero, frequent at first, must not become negative by rounding.
const nothing = 1e-12

// margin returns <w, x> of a child for the current instance.
func (q *squares) margin(x gram.Vector, k int) (sum float64) {
	square := 0.0 // of x, in the primal form in units of the features' norms
	if q.triangle != nil {
		for j, f := range x.Indices {
			v := float64(x.Values[j])
			sum += v * q.w[k][f]
			square += v * v / q.triangle.squared[f]
		}
		square /= q.triangle.condition * q.triangle.condition
	} else {
		sum, square = floats.Dot(q.l, q.u[k]), x.Dot(x)
	}
	if math.Abs(sum) <= nothing*math.Sqrt(square)*q.size[k] {
		return 0
	}
	return sum
}

// prepare prepares adding the current instance. It returns an error if learning would not be exact;
// then only the form may have changed.
func (q *squares) prepare(x gram.Vector, features int) error {
	if q.changes(x, features) {
		t, w := q.writeDown(features)
		if t.condition < lost {
			return t.tooLarge()
		}
		q.triangle, q.w = t, w
		for k := range w {
			q.size[k] = t.norm(w[k])
		}
		q.s, q.is, q.factor, q.u = nil, nil, nil, nil
	}
	if q.triangle == nil {
		return nil
	}
	q.l = slices.Grow(q.l[:0], features)[:features]
	q.spread = q.triangle.solve(x, q.l)
	return q.triangle.check(x, q.l)
}

// add learns from the prepared instance and stores it.
func (q *squares) add(x gram.Vector, is func(n int) bool) {
	scale := 1 + q.spread
	var step []float64 // (I + SS')^-1 x
	if q.triangle != nil {
		step = q.triangle.back(slices.Clone(q.l))
	}
	positive := make([]bool, len(q.nodes))
	for k, n := range q.nodes {
		positive[k] = is(n)
		rest := sign(positive[k]) - q.margin(x, k)
		if q.triangle != nil {
			floats.AddScaled(q.w[k], rest/scale, step)
			continue
		}
		q.u[k] = append(q.u[k], rest/math.Sqrt(scale))
		q.size[k] = math.Hypot(q.size[k], rest/math.Sqrt(scale))
	}
	q.instances++
	if q.triangle != nil {
		q.triangle.add(x, nil, nil)
		for k := range q.nodes {
			q.size[k] = q.triangle.norm(q.w[k])
		}
		return
	}
	q.factor = append(append(q.factor, q.l...), math.Sqrt(scale))
	q.s, q.is = append(q.s, x), append(q.is, positive)
}

func sign(positive bool) float64 {
	if positive {
		return 1
	}
	return -1
}

// writeDown returns the primal form: R, and w = R^-1 Q'z, where the rotations Q that make R of I
// and S' are done to 0 and z as well.
func (q *squares) writeDown(features int) (*triangle, [][]float64) {
	t := newTriangle(features)
	w := make([][]float64, len(q.nodes))
	for k := range w {
		w[k] = make([]float64, features)
	}
	z := make([]float64, len(q.nodes))
	for i, s := range q.s {
		for k, positive := range q.is[i] {
			z[k] = sign(positive)
		}
		t.add(s, z, w)
	}
	for k := range w {
		t.back(w[k])
	}
	return t, w
}

// weights calls do for every weight of a child that is not zero.
func (q *squares) weights(k int, do func(feature int, v float64)) {
	if q.triangle != nil {
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
