// Package dataset holds what models learn from: sparse instances with label sets over a taxonomy
// (Dataset), texts with label sets (Corpus), the readers that make them, the step from one to the other
// (TFIDF), and seeded ways to divide them.
//
// TextLike, LinearTree and Hyperplanes draw data sets by the recipes of the papers, or as large as their
// collections: DMOZLike has 12,294 classes. All is determined by a seed.
//
// GoDoc reads a corpus that every machine with Go has: the documentation of Go's standard library.
// Open finds data sets in the folders that the environment variable HIERML_DATA names. The taxonomy itself,
// costs, models and their evaluation belong to other packages.
package dataset
