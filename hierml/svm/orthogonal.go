package svm

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Orthogonal is hierarchical classification by orthogonal transfer [ZXW11, (4)]. Every node at or
// above the label should score higher than its siblings, where roots are siblings of each other.
// The weights of a node are encouraged to be orthogonal to those of its ancestors:
//
//	min 1/2 sum_nm K_nm |<w_n, w_m>| + C sum_i xi_i
//	<w_n, x_i> - <w_m, x_i> >= 1 - xi_i    n at or above y_i, m a sibling of n
//
// The paper has C/N in place of C: the paper's C is C times the number of instances. An instance
// may have labels at inner nodes, and several: siblings that are both at or above one of them are
// not compared. The model descends to a leaf (1); where the label is an inner node, the paper
// counts any leaf below it as right.
//
// All comparisons of an instance share one slack variable. If one of them cannot be predicted, zero
// weights may be optimal, even if the others could be learned. This is usual with many labels per
// instance; a note, and a dagger in the tables of studies, then says that a training has learned
// little. The paper has one label per instance. For several, use [NodeSets], [PLT] or [OneVsRest].
//
// Fit returns an *orthogonal.ConvexityError, with the largest valid Alpha, if the problem is not
// strongly convex [ZXW11, Theorem 1 and Corollary 2]. Method may be solver.RDA, the paper's own;
// the certificate is the saddle bound in any case. The zero value is ready to use.
type Orthogonal struct {
	// C is the weight of the training error. The default value is 1.
	C float64
	// Alpha is K_nm for a node n above m in [ZXW11, (6)], where K_nn is the number of nodes at or
	// below n. The default value is 1, the paper's, or 0.9 times orthogonal.MaxAlpha where that is
	// less, as it is for taxonomies of more than two levels. A single root is not coupled to its
	// descendants: its weights are zero. The paper has no such node.
	Alpha float64
	// K, if not nil, is the matrix itself, one row per node.
	K mat.Symmetric
	// Kernel, if not nil, replaces the inner product of instances; the weights of a node are then a
	// sum over the instances [ZXW11, Theorem 3]. It needs memory for the kernel value of every pair
	// of instances.
	Kernel gram.Kernel
	// Intercept is the value of a constant feature, whose weights are the intercepts; see the
	// package comment. The default is 0: no intercept.
	Intercept float64
	Settings  solver.Settings
	Method    solver.Method
}

// Fit trains the SVM; see [classifier.Estimator].
func (s Orthogonal) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	s.Settings.Begin()
	return learnKernel(ctx, d, s.Kernel, s.Intercept, s.Settings.Gap, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s Orthogonal) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	t := d.Taxonomy
	c, err := defaultC(s.C)
	if err != nil {
		return nil, err
	}
	regularizer, err := s.regularizer(t)
	if err != nil {
		return nil, err
	}
	a := structured.Nodes(t)
	siblings, err := structured.NewSiblings(a, d.Labels, structured.SiblingOptions{Roots: true}, c)
	if err != nil {
		return nil, err
	}
	inputs, err := newInputs(ctx, s.Kernel, d.X, s.Settings)
	if err != nil {
		return nil, err
	}
	problem := &solver.OrthogonalProblem{Inputs: inputs, Siblings: siblings, Regularizer: regularizer, Weights: d.Weights}
	result, err := solver.SolveOrthogonal(ctx, problem, &s.Settings, s.Method)
	return descending("orthogonal transfer", a, c, d, s.Kernel, s.Settings, result, err)
}

// WithC returns the estimator with another C.
func (s Orthogonal) WithC(c float64) Regularized { s.C = c; return s }

func (s Orthogonal) regularizer(t *taxonomy.Taxonomy) (*orthogonal.Regularizer, error) {
	if s.K == nil {
		// The chain at the top: a single root, its only child, and so on.
		var alone []int
		for level := t.Roots(); len(level) == 1; level = t.Children(level[0]) {
			alone = append(alone, level[0])
		}
		if s.Alpha == 0 {
			s.Alpha = min(1, 0.9*orthogonal.MaxAlpha(t, alone...))
		}
		return orthogonal.Descendants(t, s.Alpha, alone...)
	}
	if s.Alpha != 0 {
		return nil, fmt.Errorf("svm: K is set and Alpha is %v; set only one of them", s.Alpha)
	}
	if n := s.K.SymmetricDim(); n != t.Len() {
		return nil, fmt.Errorf("svm: K has %d rows for a taxonomy of %d nodes; give it one row per node", n, t.Len())
	}
	return orthogonal.New(s.K)
}

// descending makes a model that predicts top-down, with the node weights of a solver's result.
func descending(name string, nodes *structured.Attributes, c float64, d *dataset.Dataset, kernel gram.Kernel, settings solver.Settings, result *solver.Result, err error) (*classifier.Model, error) {
	if result == nil {
		return nil, err
	}
	t := nodes.Taxonomy()
	leaves, restricted := nodes.Restrict(t.Leaves())
	if restricted != nil {
		return nil, restricted
	}
	m, failed := newKernelModel(leaves, kernel, result, d, settings)
	if failed != nil {
		return nil, failed
	}
	m.Name, m.C, m.Rule = name, c, classifier.Descend
	return m, err
}
