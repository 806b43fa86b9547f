// Package dataset holds what models learn from: sparse instances with label sets over a taxonomy
// (Dataset), texts with label sets (Corpus), the readers that make them, the step from one to the other
// (TFIDF, and Text with all its settings), and seeded ways to divide them.
//
// TextLike, LinearTree and Hyperplanes draw data sets by the recipes of the papers, or as large as their
// collections: DMOZLike has 12,294 classes. All is determined by a seed.
//
// GoDoc reads a corpus that every machine with Go has: the documentation of Go's standard library.
// Open finds data sets in the folders that the environment variable HIERML_DATA names, or in the user's cache, and
// downloads those of the Catalogue that have a published check sum. The taxonomy itself, costs, models and their
// evaluation belong to other packages.
//
// # Formats
//
// A format of files is a struct of settings. Its zero value reads what is usual:
//
//	d, err := dataset.SVMLight{}.Open(ctx, "rows.svm", t)     // instances: SVMLight, LSHTC, RCV1, ARFF, and CSV of numbers
//	c, err := dataset.JSONLines{}.Open(ctx, "texts.jsonl", t) // texts: JSONLines, CSV, Folders, WIPO
//	err := dataset.SVMLight{}.Write(ctx, w, d)
//
// Read does so from an io.Reader, whose name stands for the file in errors. Files may be compressed by gzip, bzip2, zstd or xz, which is told by
// how they begin. Labels are names of nodes of the taxonomy; formats whose files tell the taxonomy themselves take
// nil for it. What can last ends early, with the context's error, when the context does.
//
// WithProgress reports how far a reader has come.
//
// Files that are larger than memory are read one instance after the other, as what learns online takes them:
//
//	for instance, err := range (dataset.SVMLight{}).Instances(ctx, file, "rows.svm", t) { ... }
//
// SaveMap writes them into a file whose matrix Map then leaves there, for what needs a whole Dataset.
//
// # Texts
//
// Text says how texts become vectors: tokens, stop words, n-grams, a vocabulary or hashing, weights such as tf-idf or
// BM25. What depends on training data is measured by Fit, and what Fit returns transforms all data alike, prints what
// it does, and is saved as JSON for new data:
//
//	words, err := dataset.Text{StopWords: dataset.EnglishStopWords(), NGrams: [2]int{1, 2}, MinDocuments: 3}.Fit(train)
//	rows := words.Transform(train)
//	best, err := dataset.ChiSquare{Features: 5000}.Fit(rows) // or DocumentFrequency
//	few, err := words.Keep(best.Columns)                      // vectors of the chosen words alone
//	err = few.Save("words.json")
//
// In the same way Weighing weighs counts that come without texts, and Scaling scales features of any kind.
//
// # Faults
//
// A fault of a file is an error, which is a *SyntaxError with the file, the line, the column (in bytes, from 1) and
// what is expected there; nothing is returned besides. Readers whose field Repair is set repair what they can,
// and count there what they did, with the first place of each kind:
//
//	var faults dataset.Faults
//	d, err := dataset.SVMLight{Repair: &faults}.Read(ctx, file, "rows.svm", t)
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
//	unknown value                a value that its attribute does not have is left out
//	unreadable instance          the instance is left out
//	instance without features    it is kept, all zeros (no fault without Repair)
//	document without text        it is kept, empty (no fault without Repair)
//	wrong count                  what the file has is counted instead
//	text that is not UTF-8       the wrong bytes are replaced by U+FFFD
//	number given twice           of a document or a term (RCV1): the first is taken
//	edge given twice             it is taken once (hierarchies of ARFF)
//	damaged compression          what stands before the damage is taken
//
// All else is an error always: a file without instances, a line of more than 64 MiB, a header that cannot be read.
// A reader takes memory for what a file has, not for what numbers in it say, except that a matrix has as many
// columns as the largest index, which costs nothing until something dense is made of it.
package dataset
