package svm

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/enum"
	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Recursive is one flat SVM among the children of every inner node, each trained separately:
// HIERMULT of [ZXW11, section 5] after Dumais and Chen [DC00], and the divide-and-conquer SVM of
// [Cai08, section 7.4.2]. At node j, with its children as the classes [Cai08, (4.3)],
//
//	min 1/2 sum_c ||W_c||^2 + C_j sum_i max(0, 1 - <W_c - W_c', x_i>)
//
// over the instances i that have a label below j, where the maximum is over children c at or above
// a label of the instance and children c' that are not. Predict descends from the root to the child
// with the highest score at each node, in case of a tie to the smallest id. The roots of a forest
// are treated as the children of one added node. Nodes with one child need no SVM. An instance for
// which all children of a node are relevant is left out there. The method does not rank the leaves:
// LeafScores are the sums of the scores along the paths, and Rank and package metric use how far
// each path falls short of the best one at every step.
//
// The value and the certificate are the sums over the nodes. An instance may have several labels,
// and labels may be inner nodes: such an instance is used only above its label.
//
// A node with several parents takes part in the SVM of each parent, so its weights depend on the
// parent. The model's taxonomy then has an added node for every edge, between parent and child,
// called "CHILD below PARENT", and the weights belong to these nodes. The nodes of the given
// taxonomy keep their ids. Package metric uses the given taxonomy, which has the same leaves.
//
// The zero value is ready to use.
type Recursive struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Mean is the divisor of C at each node.
	Mean Mean
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
	Method    solver.Method
}

// Mean says whether C is the weight of the sum or of the mean of the errors.
type Mean int

const (
	// Sum is the sum: C_j is C [Cai08].
	Sum Mean = iota
	// LocalMean is the mean over the instances of the node: C_j is C/N_j.
	LocalMean
	// GlobalMean is the sum divided by the number of all instances: C_j is C/N. [ZXW11] doesn't say
	// which of the two means it uses.
	GlobalMean
)

var means = []string{"Sum", "LocalMean", "GlobalMean"}

// MarshalText returns the name of the constant.
func (m Mean) MarshalText() ([]byte, error) { return enum.Marshal(m, means) }

// UnmarshalText reads the name of a constant and ignores case.
func (m *Mean) UnmarshalText(text []byte) error { return enum.Unmarshal(m, means, text) }

// Fit trains the SVMs; see [classifier.Estimator].
func (s Recursive) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return learn(ctx, d, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s Recursive) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	t := d.Taxonomy
	if s.Mean < Sum || s.Mean > GlobalMean {
		return nil, fmt.Errorf("svm: unknown Mean %d; use svm.Sum, svm.LocalMean or svm.GlobalMean", int(s.Mean))
	}
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	if err := structured.CheckMatrix(d.X); err != nil {
		return nil, err
	}
	whole, nodeOf, err := edgeNodes(t)
	if err != nil {
		return nil, err
	}
	var all []part
	seen := newFeatures(d.X)
	for _, l := range split(t, d.Labels) {
		if len(l.children) < 2 {
			continue
		}
		l.c = c
		switch s.Mean {
		case LocalMean:
			if len(l.rows) > 0 {
				l.c /= weigh.Sum(weightsOf(d.Weights, l.rows), len(l.rows))
			}
		case GlobalMean:
			l.c /= weigh.Sum(d.Weights, d.X.Rows)
		}
		if p := l.part(d, seen, nodeOf); p.origin > 0 {
			all = append(all, p)
		}
	}
	a, err := structured.OfNodes(whole).Restrict(whole.Leaves())
	if err != nil {
		return nil, err
	}
	m, err := solveParts(ctx, s, all, a, d, s.Settings, s.Method)
	if m != nil {
		m.Name, m.C, m.Rule = "recursive SVM", c, classifier.Descend
	}
	return m, err
}

// WithC returns the estimator with another C.
func (s Recursive) WithC(c float64) Regularized { s.C = c; return s }

// edgeNodes returns a taxonomy and the node of every edge in it. If no node has several parents, it
// is the taxonomy itself, and the node of an edge is its child. Otherwise the taxonomy has one
// added node for every edge, in the order of Edges. A root is the node of the edge from -1.
func edgeNodes(t *taxonomy.Taxonomy) (*taxonomy.Taxonomy, func(parent, child int) int, error) {
	if t.IsTree() {
		return t, func(_, child int) int { return child }, nil
	}
	names := append([]string(nil), t.Names()...)
	taken := make(map[string]bool, len(names))
	for _, name := range names {
		taken[name] = true
	}
	var edges [][2]int
	node := make(map[[2]int]int)
	for _, e := range t.Edges() {
		name := fmt.Sprintf("%s below %s", t.Name(e[1]), t.Name(e[0]))
		for i := 2; taken[name]; i++ {
			name = fmt.Sprintf("%s below %s (%d)", t.Name(e[1]), t.Name(e[0]), i)
		}
		taken[name] = true
		node[e] = len(names)
		edges = append(edges, [2]int{e[0], len(names)}, [2]int{len(names), e[1]})
		names = append(names, name)
	}
	whole, err := taxonomy.New(names, edges)
	return whole, func(parent, child int) int {
		if parent < 0 {
			return child
		}
		return node[[2]int{parent, child}]
	}, err
}

// local is the problem among the children of a node.
type local struct {
	parent   int // -1 above the roots
	children []int
	rows     []int   // instances with a label below
	relevant [][]int // for each row the positions of the children at or above a label, ascending
	c        float64
}

// split returns the problem of every inner node and, of a forest, the one above the roots.
func split(t *taxonomy.Taxonomy, labels [][]int) []*local {
	at := make([]*local, t.Len()+1) // by parent, that of the roots last
	position := make([]map[int]int, t.Len()+1)
	var all []*local
	add := func(k, parent int, children []int) {
		at[k] = &local{parent: parent, children: children}
		position[k] = make(map[int]int, len(children))
		for j, c := range children {
			position[k][c] = j
		}
		all = append(all, at[k])
	}
	if len(t.Roots()) > 1 {
		add(t.Len(), -1, t.Roots())
	}
	for n := range t.Len() {
		if !t.IsLeaf(n) {
			add(n, n, t.Children(n))
		}
	}
	for i, set := range labels {
		for _, n := range t.Closure(set) {
			for _, p := range t.Parents(n) {
				at[p].mark(i, position[p][n])
			}
			if len(t.Parents(n)) == 0 && at[t.Len()] != nil {
				at[t.Len()].mark(i, position[t.Len()][n])
			}
		}
	}
	return all
}

// mark makes a child relevant for a row. Rows, and the children of a row, must come in order.
func (l *local) mark(row, child int) {
	if k := len(l.rows); k == 0 || l.rows[k-1] != row {
		l.rows = append(l.rows, row)
		l.relevant = append(l.relevant, nil)
	}
	k := len(l.rows) - 1
	l.relevant[k] = append(l.relevant[k], child)
}

// part returns the problem without instances that have no comparison.
func (l *local) part(d *dataset.Dataset, seen *features, nodeOf func(parent, child int) int) part {
	var rows []int
	var relevant [][]int
	for k, set := range l.relevant {
		if len(set) < len(l.children) {
			rows, relevant = append(rows, l.rows[k]), append(relevant, set)
		}
	}
	l.rows, l.relevant = rows, relevant
	p := part{nodes: make([]int, len(l.children)), most: len(l.children) * seen.count(rows)}
	for j, c := range l.children {
		p.nodes[j] = nodeOf(l.parent, c)
	}
	for _, i := range rows {
		p.origin += weigh.Of(d.Weights, i) * l.c
		p.size += (d.X.Indptr[i+1] - d.X.Indptr[i]) * len(l.children)
	}
	p.solve = func(ctx context.Context, whole *parts, k, _ int, settings solver.Settings) (*outcome, error) {
		problem, features, err := l.problem(d)
		if err != nil {
			return nil, err
		}
		return whole.solveProblem(ctx, k, problem, features, settings)
	}
	return p
}

// problem returns the problem over the features that occur in its instances, and these features.
func (l *local) problem(d *dataset.Dataset) (*structured.Problem, []int32, error) {
	flat, err := taxonomy.New(d.Taxonomy.NamesOf(l.children...), nil)
	if err != nil {
		return nil, nil, err
	}
	a := structured.Flat(flat)
	own, features := compress(d.X, l.rows)
	inputs, err := structured.NewLinear(own)
	if err != nil {
		return nil, nil, err
	}
	var competitors structured.Competitors
	if y, ok := singletons(l.relevant); ok {
		competitors, err = structured.NewLabels(a, y, loss.ZeroOne(), structured.Margin, l.c)
	} else {
		competitors, err = structured.NewRanking(a, l.relevant, loss.ZeroOne(), structured.Margin, l.c)
	}
	if err != nil {
		return nil, nil, err
	}
	return &structured.Problem{Inputs: inputs, Columns: a.Columns(), Competitors: competitors, Weights: weightsOf(d.Weights, l.rows)}, features, nil
}

// singletons returns the elements of the sets if each has one.
func singletons(sets [][]int) ([]int, bool) {
	elements := make([]int, len(sets))
	for i, set := range sets {
		if len(set) != 1 {
			return nil, false
		}
		elements[i] = set[0]
	}
	return elements, true
}

// features counts the features that occur in rows of a matrix.
type features struct {
	x     *dataset.Matrix
	seen  []int32 // the count in which a feature was last seen
	round int32
}

func newFeatures(x *dataset.Matrix) *features { return &features{x: x, seen: make([]int32, x.Cols)} }

func (s *features) count(rows []int) int {
	s.round++
	n := 0
	for _, i := range rows {
		indices, _ := s.x.Row(i)
		for _, f := range indices {
			if s.seen[f] != s.round {
				s.seen[f] = s.round
				n++
			}
		}
	}
	return n
}

// compress returns some rows of x, restricted to the features that occur in them, and these
// features, ascending. For all rows it returns x itself and nil.
func compress[I int | int32](x *dataset.Matrix, rows []I) (*dataset.Matrix, []int32) {
	if len(rows) == x.Rows {
		return x, nil
	}
	index := make([]int32, x.Cols)
	for _, i := range rows {
		indices, _ := x.Row(int(i))
		for _, f := range indices {
			index[f] = 1
		}
	}
	var features []int32
	for f, seen := range index {
		if seen > 0 {
			index[f] = int32(len(features))
			features = append(features, int32(f))
		}
	}
	own := &dataset.Matrix{Rows: len(rows), Cols: len(features), Indptr: make([]int, 1, len(rows)+1)}
	for _, i := range rows {
		indices, values := x.Row(int(i))
		for _, f := range indices {
			own.Indices = append(own.Indices, index[f])
		}
		own.Values = append(own.Values, values...)
		own.Indptr = append(own.Indptr, len(own.Values))
	}
	return own, features
}
