package features

// TermWeight is the weight of a term in a document. In the formulas, tf is the count of the term in
// the document, df the number of training documents with it, N the number of training documents, L
// the number of terms of the document, and A the average L of the training documents.
type TermWeight int

const (
	// LogTFIDF is (1 + ln tf) * ln(N / df), as in [LYRL04, section 5.1]; SmoothIDF has another idf.
	LogTFIDF TermWeight = iota
	// PlainTFIDF is tf * ln(N / df), likewise.
	PlainTFIDF
	// BM25 is tf / (tf + k1*(1 - b + b*L/A)) * ln(1 + (N - df + 1/2)/(df + 1/2)), as in [RZ09],
	// with 1 added inside the logarithm, which makes the weight of every word positive.
	BM25
	// Counts is tf.
	Counts
	// LogCounts is 1 + ln tf.
	LogCounts
	// Binary is 1.
	Binary
)

var termWeightNames = []string{"log tf-idf", "tf-idf", "BM25", "counts", "log counts", "binary"}

func (w TermWeight) String() string { return enumName("TermWeight", int(w), termWeightNames) }

// MarshalText returns the name that String returns.
func (w TermWeight) MarshalText() ([]byte, error) {
	return marshalEnum("TermWeight", int(w), termWeightNames)
}

// UnmarshalText sets the weight by its name.
func (w *TermWeight) UnmarshalText(text []byte) error {
	return unmarshalEnum("TermWeight", (*int)(w), termWeightNames, text)
}

// inverse reports whether the weight has the factor ln(N / df).
func (w TermWeight) inverse() bool { return w == LogTFIDF || w == PlainTFIDF }

// counted reports whether the weight needs the document frequencies of training texts.
func (w TermWeight) counted() bool { return w.inverse() || w == BM25 }
