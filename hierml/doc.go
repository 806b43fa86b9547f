// Package hierml is the front page of the library for hierarchical classification. It has no code
// of its own.
//
// An instance has labels that are nodes of a taxonomy: a tree, a forest or a graph without cycles.
// A method learns from instances to score the leaves, and a measure says how far, along the
// taxonomy, a prediction is from the truth. What is trained as a convex problem carries a
// certificate: the primal value of its weights, a dual value below which none can get, and the gap
// between them, computed in a pass of its own.
//
// The life of an instance is read, transform, train, measure; see the example. These are the
// packages, in the order in which they stand on each other:
//
//	taxonomy     trees and graphs of categories: formats, walks, distances
//	dataset      instances and texts with their labels; parts, folds, other taxonomies
//	files        readers and writers of instances and texts, with repairs
//	features     texts to vectors, selection, scaling
//	synthetic    data drawn by the recipes of the papers
//	collection   the data sets of a folder or of the catalogue, their download, the documentation of a Go tree
//	loss         what it costs to predict one label, or set of labels, for another
//	weighting    weights of nodes for normalized machines
//	labelset     the best set of labels of a taxonomy
//	gram         kernels
//	norm         norms of weights, which measure how much classes share
//	orthogonal   the regularizer of orthogonal transfer
//	calibration  probabilities and label sets from scores
//	structured   the problem that all SVMs here are instances of
//	solver       the ways to solve it
//	classifier   the trained model: scores, sets, explanations, its files
//	svm          support vector machines as estimators
//	perceptron   perceptrons and Hieron as estimators
//	bayes        naive Bayes with shrinkage
//	forest       predictive clustering trees, and forests of them
//	clustering   hierarchies learned from data
//	pipeline     a text to its label: vectorizer, model and probabilities in one file, for Go and Python
//	metric       measures, and tests of significance
//	experiment   studies: grids, folds, repeats, tables
//	chart        pictures
//	progress     how far something is
//
// An estimator is a struct of settings whose zero value is ready to use; its Fit(ctx, d) trains on
// d under d's taxonomy. Everything that may take long has a context, and ends with the best result
// so far. Errors say what is wrong, where, and what to do.
//
// Keys such as [CSS16, (10)] are those of doc/papers.md in the repository, which also says which
// equation is in which file and what is wrong in print.
package hierml
