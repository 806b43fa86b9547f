// Package files reads and writes data sets and texts in common exchange formats. It handles formats
// and their faults; package dataset defines the data, and package collection finds and downloads
// files.
//
// A format is a struct of settings. Its zero value reads the usual form:
//
//	d, err := files.SVMLight{}.Open(ctx, "rows.svm", t)     // instances: SVMLight, LSHTC, RCV1, ARFF, Vectors
//	c, err := files.JSONLines{}.Open(ctx, "texts.jsonl", t) // texts: JSONLines, CSV, Folders, WIPO
//	x, err := files.Table{}.Open(ctx, "columns.csv", t)     // tables of columns of several kinds
//	err := files.SVMLight{}.Write(ctx, w, d)
//
// Read reads from an io.Reader; its name argument is the file name in errors. Files may be
// compressed with gzip, bzip2, zstd or xz, which is detected from their first bytes. Labels are
// names of nodes of the taxonomy. The taxonomy may be nil, except for RCV1 and for readers that
// yield one item after the other. Then it is the one in the file, or it is made from the labels, by
// one rule for all formats: see Table for labels that are paths, and for several labels in one
// field. Long operations stop with the context's error when the context is cancelled.
//
// A reader reports every guess as a note to the observer of the context (package progress), with
// the setting that overrides it.
//
// WithProgress reports the progress of a reader.
//
// Files larger than memory are read one instance after the other, for online learners:
//
//	for instance, err := range (files.SVMLight{}).Instances(ctx, file, "rows.svm", t) { ... }
//
// # Where things are
//
// Each format has a file of its name: arff.go, csv.go, folders.go, jsonlines.go, lshtc.go, rcv1.go,
// svmlight.go, table.go, vectors.go, wipo.go. Formats share labels.go, which finds the nodes of
// names and reports unknown ones, labels_written.go, which finds out what separates labels and
// their levels, and features.go, which reads index:value fields. svmlight.go also caches the nodes
// of a whole field of labels, because the same fields recur. faults.go counts repairs.
//
// # Faults
//
// A fault of a file is a *SyntaxError with the file, the line, the column (in bytes, from 1) and
// what is expected there; no data is returned with it. If the field Repair is set, readers repair
// faults where possible. They count the repairs there, with the first place of each kind:
//
//	var faults files.Faults
//	d, err := files.SVMLight{Repair: &faults}.Read(ctx, file, "rows.svm", t)
//	fmt.Print(&faults) // 3 × unknown label, label left out; first rows.svm:7:1: ...
//
// One Faults may count several files, one after the other. The kinds and their repairs are:
//
//	unknown label                the label is left out
//	empty label                  the label is left out
//	label given twice            it is taken once
//	no known label               the instance is left out, because all its labels were
//	feature index out of range   the feature is left out
//	feature given twice          its values are added
//	features out of order        they are sorted
//	value not finite             NaN, infinity or beyond a float32: it is taken as zero
//	missing number               ? in ARFF: it is taken as zero
//	unknown value                a value that its attribute of ARFF does not have is left out
//	unreadable instance          the instance is left out
//	instance without features    it is kept, all zeros (no fault without Repair)
//	document without text        it is kept, empty (no fault without Repair)
//	wrong count                  what the file has is counted instead
//	text that is not UTF-8       the wrong bytes are replaced by U+FFFD
//	number given twice           of a document or a term (RCV1): the first is taken
//	edge given twice             it is taken once (hierarchies of ARFF)
//	damaged compression          what stands before the damage is taken
//
// All other faults are always errors: a file without instances, a line of more than 64 MiB, a
// header that cannot be read. A reader allocates memory for the contents of a file, not for sizes
// stated in it. However, a matrix has as many columns as the largest index, which costs nothing
// until it is made dense.
package files
