package svm

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// HR is the SVM, or the logistic regression, with hierarchical regularization of Gopal and Yang,
// HR-SVM and HR-LR [GY13]. It is one-vs-rest with class weights regularized towards those of the
// parent,
//
//	min 1/2 sum_{p->c} ||w_c - w_p||^2 + 1/2 sum_roots ||w_r||^2 + C sum_y sum_i loss(s_iy <w_y, x_i>)
//
// where the first sum is over the edges of the taxonomy, y over the leaves, and s_iy is 1 where y
// is a label of instance i, otherwise -1. Predict returns the leaf with the highest score. An
// instance may have several labels, or none.
//
// In a forest of single nodes it is [OneVsRest]. A root with the leaves below it is the multi-task
// learning of [EP04]. A chain of k nodes acts like one node with kC in place of C: deeper leaves
// are regularized less, which the normalized SVM corrects.
//
// [GY13] leaves open what the roots are regularized towards; here it is zero, so that the weights
// are unique. On trees the model's node weights are the differences u_n = w_n - w_p, and the
// attributes those of [Hierarchical]: w_n is the sum of u over the ancestors of n, itself included.
// Where nodes have several parents, u_n is a multiple of the difference of w_n from a mean of other
// nodes, and the attributes are those of [structured.Laplacian]. The regularizer is 1/2 sum_n
// ||u_n||^2 there as well.
//
// [solver.SolveTasks] solves it in sweeps, leaf by leaf. With a kernel, a method for structured
// problems solves the hinge loss as one problem. The zero value is ready to use.
type HR struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Loss is solver.Hinge, the default, for HR-SVM, solver.Logistic for HR-LR, or
	// solver.SquaredHinge.
	Loss solver.MarginLoss
	// Kernel, if not nil, takes the place of the inner product of instances; the loss is the hinge.
	// It needs memory for the kernel of every two instances.
	Kernel gram.Kernel
	// Graph, if not nil, has undirected edges between nodes of the taxonomy, each once, which
	// replace the edges of the taxonomy. No weights are regularized towards zero then:
	//
	//	min 1/2 sum_{m,n} ||w_m - w_n||^2 + C sum_y sum_i loss(s_iy <w_y, x_i>)
	//
	// the graphs of [GY13], whose inner nodes have no data. Taxonomy.Edges gives the edges of the
	// taxonomy, without the root's pull to zero. Every leaf must have an edge. Adding the same
	// vector to the weights of a connected component does not change the penalty, so the data alone
	// determine this vector. The certificate is still that of this problem. Only sweeps solve it,
	// without a kernel.
	Graph [][2]int
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
	// Method, if not nil, solves all leaves as one problem instead of by sweeps; the loss must be
	// the hinge. With a kernel the default value is solver.BCFW.
	Method solver.Method
}

// Fit trains the classifier; see [classifier.Estimator].
func (s HR) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return learnKernel(ctx, d, s.Kernel, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s HR) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkData(d); err != nil {
		return nil, err
	}
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	if err := s.Loss.Check(); err != nil {
		return nil, err
	}
	if s.Graph != nil && (s.Kernel != nil || s.Method != nil) {
		return nil, fmt.Errorf("svm: Graph leaves some weights without a penalty, and only sweeps find those; leave Kernel and Method nil")
	}
	r, err := factored(ctx, s.Settings, func(ctx context.Context) (*regularizer, error) { return s.regularizer(ctx, d.Taxonomy) })
	if err != nil {
		return nil, err
	}
	a := r.attributes
	var m *classifier.Model
	switch {
	case s.Kernel == nil && s.Method == nil:
		m, err = s.solve(ctx, r, d, c)
	case s.Loss != solver.Hinge:
		return nil, fmt.Errorf("svm: Kernel and Method support only the hinge loss, not %v; leave Kernel and Method nil", s.Loss)
	default:
		classes := make([][]int, len(d.Labels))
		for i, set := range d.Labels {
			for _, n := range set {
				classes[i] = append(classes[i], d.Taxonomy.LeafIndex(n))
			}
		}
		rest, failed := structured.NewRestOf(a, classes, c)
		if failed != nil {
			return nil, failed
		}
		m, err = trainKernel(ctx, a, rest, d, s.Kernel, s.Settings, s.Method)
	}
	if m != nil {
		m.Name, m.C = "hierarchically regularized "+kind(s.Loss), c
	}
	return m, err
}

// solve trains by sweeps over the leaves.
func (s HR) solve(ctx context.Context, r *regularizer, d *dataset.Dataset, c float64) (*classifier.Model, error) {
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		return nil, err
	}
	tasks := &solver.Tasks{Inputs: inputs, Attributes: r.attributes, Positive: rowsOfLeaves(d), C: c, Loss: s.Loss, Weights: d.Weights, Free: r.free}
	result, err := solver.SolveTasks(ctx, tasks, &s.Settings)
	if result == nil {
		return nil, err
	}
	return newModel(r.attributes, result, d, s.Settings), err
}

// WithC returns the estimator with another C.
func (s HR) WithC(c float64) Regularized { s.C = c; return s }

// regularizer is the penalty on differences along edges.
type regularizer struct {
	// under which it is a ridge penalty, with a column for every node
	attributes *structured.Attributes
	free       []int // nodes without a penalty
}

func (s HR) regularizer(ctx context.Context, t *taxonomy.Taxonomy) (*regularizer, error) {
	edges, ground := s.Graph, make([]float64, t.Len())
	if edges == nil {
		edges = t.Edges()
		for _, r := range t.Roots() {
			ground[r] = 1
		}
	}
	a, free, err := structured.Laplacian(ctx, t, t.Leaves(), edges, ground)
	if err != nil {
		return nil, err
	}
	if s.Graph != nil {
		if err := s.checkGraph(t); err != nil {
			return nil, err
		}
	}
	a, err = a.Widen(inner(t))
	return &regularizer{a, free}, err
}

// checkGraph returns an error for a leaf that has no edge.
func (s HR) checkGraph(t *taxonomy.Taxonomy) error {
	has := make([]bool, t.Len())
	for _, e := range s.Graph {
		has[e[0]], has[e[1]] = true, true
	}
	for _, y := range t.Leaves() {
		if !has[y] {
			return fmt.Errorf("svm: Graph has no edge at the leaf %q, so its weights have no penalty; add an edge", t.Name(y))
		}
	}
	return nil
}

// inner returns the nodes that are not leaves.
func inner(t *taxonomy.Taxonomy) []int {
	var nodes []int
	for n := range t.Len() {
		if !t.IsLeaf(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}
