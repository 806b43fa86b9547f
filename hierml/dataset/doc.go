// Package dataset provides the data that models learn from: sparse instances with label sets over a
// taxonomy (Dataset, with its Matrix), texts with label sets (Corpus), rows with named columns and
// label sets (Table), and a training and a test part (Collection). Its operations do not depend on
// the source of the data: seeded splits, parts of the taxonomy (Below), another taxonomy (Under),
// labels at leaves (Leafed), selected columns.
//
// SaveMap writes instances that do not fit into memory to a file. Map opens it as a Dataset whose
// matrix stays in the file.
//
// Data come from other packages: files reads and writes formats, features turns texts into vectors
// and selects and scales columns, synthetic draws data sets, and collection opens public ones by
// name. They import this package, and it imports none of them. Other packages also handle the
// taxonomy itself, costs, models and their evaluation.
package dataset
