// Package dataset holds what models learn from: sparse instances with label sets over a taxonomy
// (Dataset, with its Matrix), texts with label sets (Corpus), rows with named columns and label
// sets (Table), a training and a test part (Collection), and what is done with them whatever they
// came from: seeded ways to divide them, parts of the taxonomy (Below), another taxonomy (Under),
// labels at leaves (Leafed), some of the columns.
//
// SaveMap writes instances that are more than memory takes into a file whose matrix Map then leaves
// there, for what needs a whole Dataset.
//
// Data come from other packages: files reads and writes formats, features makes vectors of texts
// and chooses and scales columns, synthetic draws data sets, and collection opens public ones by
// name. They know this package and it knows none of them. The taxonomy itself, costs, models and
// their evaluation are left to others too.
package dataset
