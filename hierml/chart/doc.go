// Package chart draws what researchers look at: a taxonomy and values of its nodes, a dendrogram,
// decision regions, those of SVMs with their margins and support vectors ([Margins]) and with
// weights as arrows ([Arrows], [ArrowsFromOrigin]), accuracy over training size, how reliable
// probabilities are, the confusions of a model along the taxonomy ([ConfusionOf] takes a report,
// and [ConfusionByLevel] opens it level by level), the accuracy at each node ([IcicleOf]), what the
// words of a text contribute to a prediction ([Contributions]), and the convergence of a training.
// Every picture is a Figure: a *plot.Plot of gonum with a size that suits it, which shows itself in
// a notebook and saves itself to a file.
//
// In a notebook, a figure is a part of the page: it follows a light and a dark theme, and a narrow
// window. Files and pages made of notebooks have it on white.
//
// Lines are told apart by colour, dash and glyph; the colours are those of Okabe and Ito, which
// people with colour blindness tell apart too. Equal inputs give byte-equal SVG.
//
// A method has the same colour in every chart, by its name: flat is blue, hierarchical vermilion,
// normalized green, shared purple, orthogonal orange, and Hieron sky blue. Case does not matter,
// nor do settings after a comma ("flat, C=1"); of several lines of a method the first has its
// colour. Lines of other names take the colours that are left, in the order of their names.
package chart
