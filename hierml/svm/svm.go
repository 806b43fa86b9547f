// Package svm has the support vector machines of the papers as estimators: plain structs of
// settings whose zero value is a sensible default and whose Fit builds the structured problem,
// solves it and returns a classifier.Model with a certificate of how well it was solved.
//
//   - [Flat] is the multiclass SVM of Crammer and Singer [CS01], without hierarchy.
//   - [Hierarchical] is the hierarchical SVM of Cai and Hofmann [CH04, Cai08].
//   - [GlobalMargin] is the hierarchical SVM with global margins (HSVM-S) of Qiu, Gao and Huang
//     [QGH09].
//   - [Recursive] is a flat SVM among the children of every inner node: HIERMULT, the
//     divide-and-conquer SVM.
//   - [OneVsRest] is a binary SVM a leaf, or a logistic regression.
//   - [HR] is the same with class weights that are drawn to those of the parent: HR-SVM and HR-LR of
//     Gopal and Yang [GY13].
//   - [PLT] is a binary classifier a node, by default a logistic regression that says how likely the
//     node is given its parent: probabilistic label trees, XR-Linear, local classifiers per node.
//   - [HierarchicalSoftmax] is a multinomial logistic regression among the children of every node.
//   - [LogitAdjusted] corrects the last three, where they are logistic, for how frequent classes are.
//   - [Balanced] trains any of them with weights by which classes, or nodes, count the same.
//   - [Described] trains any of them with an instance more for each label: what it is called.
//   - [Ridge] is kernel ridge regression of what nodes an instance has [SGV98], all nodes with one
//     factor, for several labels at any nodes.
//   - [MaxConstraint] is a hinge for every node, under the constraint of C-HMCNN [GL20] that no child
//     scores higher than its parent, for several labels at any nodes.
//   - [Orthogonal] is hierarchical classification by orthogonal transfer of Zhou, Xiao and Wu
//     [ZXW11], and [Transfer] and [TreeLoss] are what that paper compares it with, beside Flat.
//   - [Normalized] is the normalized hierarchical SVM (NHSVM) of Choi, Sasaki and Srebro [CSS16].
//   - [HM3] is the maximum margin classifier for label sets that may end at inner nodes, HM3, of Rousu
//     and others [RSSS06].
//   - [Shared] is the shared SVM (SSVM) of the same paper, which learns the node weights.
//
// Labels are leaves of the taxonomy, unless an estimator says otherwise. Labels at inner nodes are
// moved to leaves of their own by dataset.Dataset.Leafed before.
//
// Intercept gives the linear models an intercept (a bias) for every weight vector: Fit appends a
// feature of this value to all instances, 1 for instance, and the weights of this feature, times
// the value, are constants of the model ([classifier.Model.Constant]). They are regularized like
// other weights, the less the larger the value is. The default is none, as in the papers. For texts
// it makes no difference; on tables of numbers OneVsRest, PLT and HierarchicalSoftmax need one, and
// say so (doc/comparison.md has the study).
//
// The objective is 1/2 ||W||^2 + C sum_i xi_i throughout. A C of 0 is the default value, 1,
// wherever one is given: in a field, to WithC, and in a grid. Keys in brackets are those of
// doc/papers.md. The papers that write lambda ||W||^2 + sum_i xi_i mean lambda = 1/(2C), see
// package structured.
//
// Flat, Hierarchical, HR, HM3 and Ridge learn with kernels, too: see package gram, and
// Model.LeafScoresOf in package classifier for instances that only their kernel values are known
// of. Model.Classes shows the hierarchy as a regularizer of class weights.
//
// Every estimator but Ridge, which has a solution in closed form, has two fields for how it is
// trained: Settings, with the gap to reach, bounds, the seed and a progress function, and Method,
// nil for the default of package solver. [ChooseC] chooses C on held-out data, for all of them.
// [NodeSets] predicts sets of nodes where instances have several labels, or labels at inner nodes,
// from the scores of any of them, by default of Ridge.
//
// A training that its bounds end is no error: Model.Training says how far it got, and where that is
// far from the gap asked for, whoever watches the context (package progress) is told in a line: in
// a cell that trains with nb.Context, on standard error.
//
// Where a training is many problems that do not depend on each other, as of OneVsRest, Recursive,
// PLT and HierarchicalSoftmax, a cluster solves them if Settings.Farm says so (package farm): the
// model and its certificate are those of a training on one machine.
//
// [Calibrate] learns how sure a prediction is. What a model can do is in package classifier.
package svm

import (
	"cmp"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/structured"
)

// Regularized is an estimator whose training error has a weight C: every SVM of this package.
type Regularized interface {
	classifier.Estimator
	// WithC returns the estimator with another C; 0 is the default value.
	WithC(c float64) Regularized
}

// defaultC returns c, or 1 for zero.
func defaultC(c float64) (float64, error) {
	c = cmp.Or(c, 1)
	return c, structured.CheckC(c)
}

// checkData returns an error unless the data can be learned from: the labels are leaves.
func checkData(d *dataset.Dataset) error { return withPackage(classifier.CheckLeaves(d)) }

// checkRows does what checkData does but allows labels that are inner nodes.
func checkRows(d *dataset.Dataset) error { return withPackage(classifier.CheckData(d)) }

// withPackage returns the error with the package's name.
func withPackage(err error) error {
	if err != nil {
		return fmt.Errorf("svm: %w", err)
	}
	return nil
}
