package features

import (
	"github.com/hierml/notebook/hierml/dataset"
)

// TFIDF has the settings for turning texts into vectors of weighted words. A word is a longest run
// of letters and digits, in lower case. The weight of word w in document d is
//
//	(1 + ln tf) * ln(N / df)
//
// where tf is the count of w in d, df the number of training documents with w, and N the number of
// training documents. The vector of d is then divided by its Euclidean norm (L2-normalized log
// tf-idf, as in [LYRL04, section 5.1]). The zero value is ready to use. Text has these settings and
// more.
type TFIDF struct {
	// MinDocuments is the minimum number of training documents with a word of the vocabulary. The
	// default value is 1.
	MinDocuments int
	// MaxShare is the maximum share of training documents with a word of the vocabulary: more
	// frequent words count as stop words. The default value is 1, which leaves out only words in
	// all documents.
	MaxShare float64
	// Counts uses tf alone as the weight of a word: vectors of counts, of unit length, as in
	// [Cai08].
	Counts bool
	// SmoothIDF uses ln((1 + N) / (1 + df)) + 1 in place of ln(N / df), scikit-learn's smooth_idf;
	// see Weighing. Words in all documents then stay in the vocabulary.
	SmoothIDF bool
}

// Fit counts the words of the training texts. Words in all of them have weight zero, unless
// SmoothIDF is set, and are not in the vocabulary. Fit returns an error if no word remains.
func (s TFIDF) Fit(train *dataset.Corpus) (*Vectorizer, error) {
	t := Text{MinDocuments: s.MinDocuments, MaxShare: s.MaxShare, SmoothIDF: s.SmoothIDF, dropCommon: !s.SmoothIDF}
	if s.Counts {
		t.Weight = Counts
	}
	return t.Fit(train)
}
