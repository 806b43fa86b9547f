// Package svm provides the support vector machines of the papers as estimators. An estimator is a
// plain struct of settings, whose zero value is a sensible default. Fit builds the structured
// problem, solves it and returns a classifier.Model with its certificate: a bound on how far the
// solution is from the optimum.
//
//   - [Flat] is the multiclass SVM of Crammer and Singer [CS01], without hierarchy.
//   - [Hierarchical] is the hierarchical SVM of Cai and Hofmann [CH04, Cai08].
//   - [GlobalMargin] is the hierarchical SVM with global margins (HSVM-S) of Qiu, Gao and Huang
//     [QGH09].
//   - [Recursive] is a flat SVM among the children of every inner node: HIERMULT, the
//     divide-and-conquer SVM.
//   - [OneVsRest] is one binary SVM, or one logistic regression, per leaf.
//   - [HR] is the same with class weights regularized towards those of the parent: HR-SVM and HR-LR
//     of Gopal and Yang [GY13].
//   - [PLT] is one binary classifier per node, by default a logistic regression that estimates the
//     probability of the node given its parent: probabilistic label trees, XR-Linear, local
//     classifiers per node.
//   - [HierarchicalSoftmax] is a multinomial logistic regression among the children of every node.
//   - [LogitAdjusted] corrects logistic models of OneVsRest, PLT and HierarchicalSoftmax for class
//     frequencies.
//   - [Balanced] trains any of them with weights that make all classes, or all nodes, count the
//     same.
//   - [Described] trains any of them with one more instance per label, made of the label's name.
//   - [Ridge] is kernel ridge regression of the nodes of an instance [SGV98], with one matrix
//     factorization for all nodes, for several labels at any nodes.
//   - [MaxConstraint] has a hinge loss for every node, under the constraint of C-HMCNN [GL20] that
//     no child scores higher than its parent, for several labels at any nodes.
//   - [Orthogonal] is hierarchical classification by orthogonal transfer of Zhou, Xiao and Wu
//     [ZXW11], and [Transfer] and [TreeLoss] are its competitors in that paper, in addition to
//     Flat.
//   - [Normalized] is the normalized hierarchical SVM (NHSVM) of Choi, Sasaki and Srebro [CSS16].
//   - [HM3] is the maximum margin classifier for label sets that may end at inner nodes, HM3, of Rousu
//     and others [RSSS06].
//   - [Shared] is the shared SVM (SSVM) of the same paper, which learns the node weights.
//
// Labels are leaves of the taxonomy, unless an estimator says otherwise. For labels at inner nodes,
// call dataset.Dataset.Leafed first: it adds a leaf below each.
//
// Intercept gives the linear models an intercept (a bias) for every weight vector. Fit appends a
// feature with this value, such as 1, to all instances. The weights of this feature, times the
// value, are the intercepts of the model ([classifier.Model.Constant]). They are regularized like
// other weights, and less so for a larger value. The default is none, as in the papers. For texts
// it makes no difference; on tables of numbers OneVsRest, PLT and HierarchicalSoftmax need one, and
// a note says so (doc/comparison.md has the study).
//
// The objective is 1/2 ||W||^2 + C sum_i xi_i throughout. A C of 0 means the default, 1, in a
// field, in WithC and in a grid. Keys in brackets are those of doc/papers.md. The papers that write
// lambda ||W||^2 + sum_i xi_i mean lambda = 1/(2C), see package structured.
//
// Flat, Hierarchical, HR, HM3 and Ridge also learn with kernels: see package gram. For instances of
// which only kernel values are known, see Model.LeafScoresOf in package classifier. Model.Classes
// shows the hierarchy as a regularizer of class weights.
//
// Every estimator except Ridge, whose solution has a closed form, has two fields for its training.
// Settings has the duality gap to reach, bounds, the seed and a progress function. Method is the
// solver, nil for the default of package solver. [ChooseC] chooses C on held-out data for all of
// them. [NodeSets] predicts sets of nodes where instances have several labels, or labels at inner
// nodes. It uses the scores of any of them, by default those of Ridge.
//
// Reaching a bound is not an error: Model.Training says how far the training got. If that is far
// from the requested gap, the progress observer of the context gets a note (package progress). In a
// cell that trains with nb.Context, the note appears on standard error.
//
// OneVsRest, Recursive, PLT and HierarchicalSoftmax consist of many independent problems. With
// Settings.Farm a cluster solves them (package farm). The model and its certificate are those of a
// training on one machine.
//
// [Calibrate] learns the probability that a prediction is right. Package classifier documents the
// methods of a model.
package svm

import (
	"cmp"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/structured"
)

// Regularized is an estimator with a weight C of its training error: every SVM of this package.
type Regularized interface {
	classifier.Estimator
	// WithC returns the estimator with another C; 0 is the default value.
	WithC(c float64) Regularized
}

// defaultC returns c, or 1 for zero.
func defaultC(c float64) (float64, error) {
	c = cmp.Or(c, 1)
	return c, withPackage(structured.CheckC(c))
}

// checkData returns an error unless the data are valid and all labels are leaves.
func checkData(d *dataset.Dataset) error { return withPackage(classifier.CheckLeaves(d)) }

// checkRows does what checkData does but allows labels that are inner nodes.
func checkRows(d *dataset.Dataset) error { return withPackage(classifier.CheckData(d)) }

// withPackage adds the package's name to the error.
func withPackage(err error) error {
	if err != nil {
		return fmt.Errorf("svm: %w", err)
	}
	return nil
}
