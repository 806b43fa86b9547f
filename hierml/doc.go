// Package hierml is the front page of the library for hierarchical classification. It contains no
// code.
//
// Start with four packages. Read a tree of categories (taxonomy), read labelled instances or texts
// (files), train a classifier (svm), and compare its predictions with the truth (metric). The
// example shows all four. Texts need a fifth, features, which turns them into vectors.
//
// An instance has labels that are nodes of a taxonomy: a tree, a forest or a directed acyclic
// graph. A method learns from instances to score the leaves, and a measure gives the distance of a
// prediction from the truth along the taxonomy. An estimator is a struct of settings whose zero
// value is ready to use; its Fit(ctx, d) trains on d under d's taxonomy and returns a
// classifier.Model. A model that solves a convex problem has a certificate: the primal value of its
// weights, a dual value that no weights can undercut, and the relative gap between them, computed
// in a full pass over the instances.
//
// # Packages
//
// Data:
//
//	taxonomy     trees and graphs of categories: formats, walks, distances
//	files        readers and writers of instances and texts, with repairs
//	dataset      instances and texts with labels; splits, folds, other taxonomies
//	features     texts to vectors, feature selection, scaling
//	collection   public data sets by name, downloads, Go's documentation as texts
//	synthetic    data drawn by the recipes of the papers
//
// Methods:
//
//	svm          support vector machines and logistic regressions
//	perceptron   perceptrons and Hieron
//	bayes        naive Bayes with shrinkage
//	forest       predictive clustering trees, and forests of them
//	clustering   hierarchies learned from data
//	classifier   the trained model: scores, label sets, explanations, files
//	pipeline     vectorizer, model and probabilities in one file, for Go and Python
//	calibration  probabilities and label sets from scores
//	decision     decisions that are best for a measure, by probabilities
//
// Evaluation:
//
//	metric       measures, and tests of significance
//	experiment   studies: grids, folds, repeats, tables
//	chart        pictures
//
// What methods consist of:
//
//	structured   the optimization problem that all SVMs here share
//	solver       the ways to solve it
//	loss         the cost of predicting one label, or label set, for another
//	weighting    node weights of normalized machines
//	labelset     the best label set of a taxonomy
//	gram         kernels
//	norm         norms of weights, which measure how much classes share
//	orthogonal   the regularizer of orthogonal transfer
//	farm         runs the parts of a training or a study on other machines
//	progress     reports how far a long computation has come
//
// # Caveats
//
//   - Labels are leaves. If your data has labels at inner nodes, call dataset.Dataset.Leafed first,
//     which adds a leaf below each such node, or train svm.NodeSets or svm.HM3. The leaf is called
//     "NAME (misc)" in the taxonomy; predictions, reports and files use the name of the node: see
//     taxonomy.Taxonomy.LabelName.
//   - Linear models have no intercept unless you set the field Intercept of the estimator. TF-IDF
//     vectors rarely need one.
//   - C multiplies the sum of the losses, not their mean. For twice as many instances, half the C
//     gives the same trade-off. A C of 0 means 1.
//   - Equal data, settings and seeds give equal models, for any number of workers. A Time limit ends
//     a training at a different point on each run, so it breaks this.
//   - If you cancel the context, Fit returns the model that it has so far together with the context's
//     error. A limit on time or epochs is not an error: look at Model.Training before you report
//     results.
//   - Data sets share memory: Split, Subset and other methods do not copy labels or the vocabulary.
//     Do not modify their results.
//   - Models and taxonomies are safe for concurrent use, as long as you do not set a field.
//   - Weights are float32. For a Gap below 1e-5 they are float64, which takes twice the memory.
//   - There is no version 1 yet: exported names can change. Files stay readable; doc/formats.md in
//     the repository says which.
//
// Errors say what is wrong, where, and what to do. Keys such as [CSS16, (10)] are those of
// doc/papers.md in the repository, which also lists the errors of the papers.
package hierml
