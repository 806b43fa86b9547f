// Package chart draws pictures for research on hierarchical classification: a taxonomy ([Taxonomy])
// and values of its nodes ([NodeValues], [NodeBars], [Icicle]), dendrograms, decision regions, SVMs
// with their margins and support vectors ([Margins]) and their weights as arrows ([Arrows],
// [ArrowsFromOrigin]), learning curves, reliability diagrams, confusions along the taxonomy
// ([ConfusionOf] draws those of a report, [ConfusionByLevel] opens them level by level), the
// accuracy at each node ([IcicleOf]), the contributions of words to a prediction ([Contributions]),
// and the convergence of a training. Each function returns a Figure: a *plot.Plot of gonum with a
// suitable size, which shows itself in a notebook and saves itself to a file.
//
// In a notebook, a figure is part of the page: it follows the light or dark theme, and a narrow
// window. In files, and in pages exported from notebooks, it has a white background.
//
// Lines differ in colour, dash and glyph. The colours are those of Okabe and Ito, which
// colour-blind people can distinguish. Equal inputs give byte-equal SVG.
//
// A method has the same colour in every chart, by its name: flat is blue, hierarchical vermilion,
// normalized green, shared purple, orthogonal orange, and Hieron sky blue. Case does not matter,
// nor do settings after a comma ("flat, C=1"). If a method has several lines, the first has its
// colour. Lines with other names take the remaining colours, in the order of their names.
package chart
