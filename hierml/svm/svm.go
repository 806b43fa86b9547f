// Package svm has the support vector machines of the papers as estimators: plain
// structs of settings whose zero value is a sensible default and whose Fit
// builds the structured problem, solves it by block-coordinate Frank-Wolfe and
// returns a [Model] with a certificate of how well it was solved.
//
//   - [Flat] is the multiclass SVM of Crammer and Singer, without hierarchy.
//   - [Hierarchical] is the hierarchical SVM of Cai and Hofmann.
//   - [Normalized] is the normalized hierarchical SVM (NHSVM) of Choi, Sasaki and Srebro.
//
// All three are single-label: every instance has one label, a leaf of the
// taxonomy. Labels at inner nodes are moved to leaves of their own by
// dataset.Dataset.Leafed before.
//
// The objective is 1/2 ||W||^2 + C sum_i xi_i throughout; the papers that write
// lambda ||W||^2 + sum_i xi_i mean lambda = 1/(2C), see package structured.
package svm

import (
	"context"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// Flat is the multiclass SVM of Crammer and Singer over the leaves, the
// hierarchy unused (thesis of Cai, equations 2.9 and 4.3 for one label an
// instance):
//
//	min 1/2 sum_y ||w_y||^2 + C sum_i max_y { <w_y, x_i> - <w_{y_i}, x_i> + Delta(y_i, y) }
//
// The zero value is ready to use.
type Flat struct {
	// C weighs the training error. The default value is 1.
	C float64
	// Loss is Delta. The default value is the 0/1 loss.
	Loss loss.Loss
	// Gap is the relative duality gap at which training ends. The default value is 1e-3.
	Gap float64
	// MaxEpochs bounds the passes over the instances. The default value is 1000.
	MaxEpochs int
	// Seed determines the order of the instances; equal seeds give equal models.
	Seed uint64
	// Workers is the number of goroutines; the model does not depend on it. The
	// default value is the number of processors.
	Workers int
	// Progress, if not nil, is called after every epoch. An error ends the training.
	Progress func(solver.Progress) error
}

// Hierarchical is the hierarchical SVM of Cai and Hofmann with margin rescaling:
// a leaf's score is the sum over its ancestors n, itself included, of <W_n, x>
// (NHSVM equations 1 to 3 with lambda = 1/(2C)):
//
//	min 1/2 sum_n ||W_n||^2 + C sum_i max_y { F(x_i, y) - F(x_i, y_i) + Delta(y_i, y) }
//
// The zero value is ready to use.
type Hierarchical struct {
	// C weighs the training error. The default value is 1.
	C float64
	// Loss is Delta. The default value is the size of the symmetric difference of
	// the ancestor sets, the Hamming loss of NHSVM section 4.
	Loss loss.Loss
	// Gap is the relative duality gap at which training ends. The default value is 1e-3.
	Gap float64
	// MaxEpochs bounds the passes over the instances. The default value is 1000.
	MaxEpochs int
	// Seed determines the order of the instances; equal seeds give equal models.
	Seed uint64
	// Workers is the number of goroutines; the model does not depend on it. The
	// default value is the number of processors.
	Workers int
	// Progress, if not nil, is called after every epoch. An error ends the training.
	Progress func(solver.Progress) error
}

// Normalized is the normalized hierarchical SVM: a leaf's score is the sum over
// its ancestors n, itself included, of sqrt(alpha_n) <W_n, x>, where the weights
// alpha add up to one along the way to every leaf (NHSVM equations 10 and 12
// with lambda = 1/(2C); 11 is the same problem in U_n = sqrt(alpha_n) W_n):
//
//	min 1/2 sum_n ||W_n||^2 + C sum_i max_y { F(x_i, y) - F(x_i, y_i) + Delta(y_i, y) }
//
// The zero value is ready to use.
type Normalized struct {
	// C weighs the training error. The default value is 1.
	C float64
	// Rho is the exponent of NHSVM equation 6, which chooses alpha; above 1. The
	// default value is 2.
	Rho float64
	// Alpha, if not nil, gives the node weights instead, one a node of the
	// taxonomy, none negative.
	Alpha []float64
	// Loss is Delta. The default value is the normalized loss of NHSVM equation
	// 9, the root of the sum of alpha over the nodes that are above one of the
	// two leaves but not the other.
	Loss loss.Loss
	// DivideByNorm divides everything inside the maximum by the norm of the
	// difference of the two attribute vectors: NHSVM equation 13 with the default
	// loss.
	DivideByNorm bool
	// Gap is the relative duality gap at which training ends. The default value is 1e-3.
	Gap float64
	// MaxEpochs bounds the passes over the instances. The default value is 1000.
	MaxEpochs int
	// Seed determines the order of the instances; equal seeds give equal models.
	Seed uint64
	// Workers is the number of goroutines; the model does not depend on it. The
	// default value is the number of processors.
	Workers int
	// Progress, if not nil, is called after every epoch. An error ends the training.
	Progress func(solver.Progress) error
}

// Fit trains on the instances of d, whose labels are node ids of t.
//
// If ctx ends or Progress returns an error before the gap is reached, Fit
// returns that error together with the best model so far and the certificate
// of that model. If MaxEpochs end the training there is no error; Result.Status
// and Result.Gap tell. All other errors come without a model.
func (s Flat) Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (*Model, error) {
	y, err := labels(t, d)
	if err != nil {
		return nil, err
	}
	if s.Loss == nil {
		s.Loss = loss.ZeroOne()
	}
	problem := &structured.Problem{X: d.X, Y: y, Attributes: structured.Flat(t), Loss: s.Loss, C: s.C}
	return fit(ctx, "flat SVM", problem, solver.BCFW{Gap: s.Gap, MaxEpochs: s.MaxEpochs, Seed: s.Seed, Workers: s.Workers, Progress: s.Progress})
}

// Fit trains on the instances of d, whose labels are node ids of t.
//
// If ctx ends or Progress returns an error before the gap is reached, Fit
// returns that error together with the best model so far and the certificate
// of that model. If MaxEpochs end the training there is no error; Result.Status
// and Result.Gap tell. All other errors come without a model.
func (s Hierarchical) Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (*Model, error) {
	y, err := labels(t, d)
	if err != nil {
		return nil, err
	}
	if s.Loss == nil {
		s.Loss = loss.Symdiff(t)
	}
	problem := &structured.Problem{X: d.X, Y: y, Attributes: structured.Ancestors(t), Loss: s.Loss, C: s.C}
	return fit(ctx, "hierarchical SVM", problem, solver.BCFW{Gap: s.Gap, MaxEpochs: s.MaxEpochs, Seed: s.Seed, Workers: s.Workers, Progress: s.Progress})
}

// Fit trains on the instances of d, whose labels are node ids of t.
//
// If ctx ends or Progress returns an error before the gap is reached, Fit
// returns that error together with the best model so far and the certificate
// of that model. If MaxEpochs end the training there is no error; Result.Status
// and Result.Gap tell. All other errors come without a model.
func (s Normalized) Fit(ctx context.Context, t *taxonomy.Taxonomy, d *dataset.Dataset) (*Model, error) {
	y, err := labels(t, d)
	if err != nil {
		return nil, err
	}
	alpha := s.Alpha
	if alpha == nil {
		if alpha, err = (weighting.Path{Rho: s.Rho}).Weights(t); err != nil {
			return nil, fmt.Errorf("svm: node weights: %w", err)
		}
	}
	attributes, err := structured.SqrtAlpha(t, alpha)
	if err != nil {
		return nil, err
	}
	if s.Loss == nil {
		if s.Loss, err = loss.SqrtAlpha(t, alpha); err != nil {
			return nil, fmt.Errorf("svm: default loss: %w", err)
		}
	}
	problem := &structured.Problem{X: d.X, Y: y, Attributes: attributes, Loss: s.Loss, C: s.C}
	if s.DivideByNorm {
		problem.Rescaling = structured.Norm
	}
	return fit(ctx, "normalized hierarchical SVM", problem, solver.BCFW{Gap: s.Gap, MaxEpochs: s.MaxEpochs, Seed: s.Seed, Workers: s.Workers, Progress: s.Progress})
}

// fit solves the problem and wraps the result.
func fit(ctx context.Context, name string, p *structured.Problem, s solver.BCFW) (*Model, error) {
	if p.C == 0 {
		p.C = 1
	}
	if !(p.C > 0) || math.IsInf(p.C, 1) {
		return nil, fmt.Errorf("svm: C is %v; it weighs the training error and is positive and finite", p.C)
	}
	result, err := s.Solve(ctx, p)
	if result == nil {
		return nil, err
	}
	return &Model{
		Name: name, Taxonomy: p.Attributes.Taxonomy(), C: p.C, Instances: p.X.Rows, Result: result,
		attributes: p.Attributes, workers: s.Workers,
	}, err
}

// labels checks the data against the taxonomy and returns the leaf of every
// instance.
func labels(t *taxonomy.Taxonomy, d *dataset.Dataset) ([]int, error) {
	if t == nil || d == nil || d.X == nil {
		return nil, fmt.Errorf("svm: Fit needs a taxonomy and a dataset with instances")
	}
	if d.X.Rows == 0 {
		return nil, fmt.Errorf("svm: dataset %q has no instances; nothing can be learned from it", d.Name)
	}
	if len(d.Labels) != d.X.Rows {
		return nil, fmt.Errorf("svm: dataset %q has %d instances and labels for %d; give every instance its labels", d.Name, d.X.Rows, len(d.Labels))
	}
	y := make([]int, len(d.Labels))
	for i, set := range d.Labels {
		if len(set) != 1 {
			return nil, fmt.Errorf("svm: row %d of dataset %q has %d labels; this SVM is single-label: give every row exactly one leaf", i, d.Name, len(set))
		}
		n := set[0]
		if n < 0 || n >= t.Len() {
			return nil, fmt.Errorf("svm: row %d of dataset %q has label %d; the taxonomy has nodes 0..%d", i, d.Name, n, t.Len()-1)
		}
		if d.Taxonomy != nil && d.Taxonomy != t && (n >= d.Taxonomy.Len() || d.Taxonomy.Name(n) != t.Name(n)) {
			return nil, fmt.Errorf("svm: row %d of dataset %q has label %d, which is %q in the taxonomy given; the dataset has another taxonomy: train with the dataset's own", i, d.Name, n, t.Name(n))
		}
		if !t.IsLeaf(n) {
			return nil, fmt.Errorf("svm: row %d of dataset %q is labelled with the inner node %q; Dataset.Leafed moves such labels to leaves of their own", i, d.Name, t.Name(n))
		}
		y[i] = n
	}
	return y, nil
}
