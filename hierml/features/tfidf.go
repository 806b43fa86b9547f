package features

import (
	"github.com/hierml/notebook/hierml/dataset"
)

// TFIDF says how texts become vectors of weighted words. A word is a longest run of letters and
// digits, in lower case. The weight of word w in document d is
//
//	(1 + ln tf) * ln(N / df)
//
// where tf is how often w stands in d, df is the number of training documents with w, and N is the
// number of training documents; then the vector of d is divided by its Euclidean norm
// (L2-normalized log tf-idf, as in [LYRL04, section 5.1]). The zero value is ready to use. Text has
// more settings, and these for what it shares with TFIDF.
type TFIDF struct {
	// MinDocuments is the number of training documents a word has to be in to be in the vocabulary.
	// The default value is 1.
	MinDocuments int
	// MaxShare is the part of the training documents that a word may stand in: words in more are
	// stop words and not in the vocabulary. The default value is 1, which leaves out nothing but
	// words that stand in all.
	MaxShare float64
	// Counts makes the weight of a word its tf alone: vectors of counts, of unit length, as in
	// [Cai08].
	Counts bool
	// SmoothIDF has ln((1 + N) / (1 + df)) + 1 in the place of ln(N / df), scikit-learn's
	// smooth_idf: see Weighing. Words that stand in all documents then stay in the vocabulary.
	SmoothIDF bool
}

// Fit counts the words of the training texts. Words that stand in all of them say nothing (their
// weight is zero, unless SmoothIDF is set) and are not in the vocabulary. It is an error if no word
// remains.
func (s TFIDF) Fit(train *dataset.Corpus) (*Vectorizer, error) {
	t := Text{MinDocuments: s.MinDocuments, MaxShare: s.MaxShare, SmoothIDF: s.SmoothIDF, dropCommon: !s.SmoothIDF}
	if s.Counts {
		t.Weight = Counts
	}
	return t.Fit(train)
}
