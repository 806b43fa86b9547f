package dataset

import "math"

// TermWeight says what weight a term has in a document. In the formulas tf is how often it stands there, df is
// the number of training documents with it, N is the number of training documents, and L is the number of all terms of
// the document, of which a training document has A on average.
type TermWeight int

const (
	// LogTFIDF is (1 + ln tf) * ln(N / df), as in Lewis, Yang, Rose and Li, RCV1, 2004, section 5.1.
	LogTFIDF TermWeight = iota
	// PlainTFIDF is tf * ln(N / df).
	PlainTFIDF
	// BM25 is tf / (tf + k1*(1 - b + b*L/A)) * ln(1 + (N - df + 1/2)/(df + 1/2)), as in Robertson and Zaragoza,
	// The probabilistic relevance framework, 2009, with 1 added below the logarithm, which makes the weight of every
	// word positive.
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

// counted reports whether the weight needs the document frequencies of training texts.
func (w TermWeight) counted() bool { return w == LogTFIDF || w == PlainTFIDF || w == BM25 }

// rarity returns the factor of the weight that depends on the document frequency alone.
func (w TermWeight) rarity(df, documents int) float64 {
	n, f := float64(documents), float64(df)
	switch {
	case df == 0: // a column of hashed terms that no training text has
		return 0
	case w == BM25:
		return math.Log(1 + (n-f+0.5)/(f+0.5))
	}
	return math.Log(n / f)
}

// RowNorm says to what length the vectors of instances are scaled.
type RowNorm int

const (
	// UnitLength scales to a Euclidean norm of 1.
	UnitLength RowNorm = iota
	// UnitSum scales to a sum of absolute values of 1.
	UnitSum
	// NoNorm leaves vectors as they are.
	NoNorm
)

var rowNormNames = []string{"unit length", "unit sum", "none"}

func (n RowNorm) String() string { return enumName("RowNorm", int(n), rowNormNames) }

// MarshalText returns the name that String returns.
func (n RowNorm) MarshalText() ([]byte, error) { return marshalEnum("RowNorm", int(n), rowNormNames) }

// UnmarshalText sets the norm by its name.
func (n *RowNorm) UnmarshalText(text []byte) error {
	return unmarshalEnum("RowNorm", (*int)(n), rowNormNames, text)
}

// add returns the sum with a further value, from which length tells the length of a vector.
func (n RowNorm) add(sum, value float64) float64 {
	switch n {
	case UnitLength:
		return sum + value*value
	case UnitSum:
		return sum + math.Abs(value)
	}
	return sum
}

// scale divides the values by their length, which sum tells. Values that are all zero stay so.
func (n RowNorm) scale(values []float32, sum float64) {
	if n == UnitLength {
		sum = math.Sqrt(sum)
	}
	if sum == 0 || n == NoNorm {
		return
	}
	for i, v := range values {
		values[i] = float32(float64(v) / sum)
	}
}
