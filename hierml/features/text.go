package features

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// Text has the settings for turning texts into vectors: the terms, the vocabulary and the weights.
// The zero value is that of TFIDF: words in lower case, weighted by LogTFIDF, in vectors of unit
// length. The settings can be written as JSON, except Tokenizer.
type Text struct {
	// Tokens are Words, Letters or Characters. They are in lower case unless KeepCase is set.
	Tokens Tokens `json:",omitzero"`
	// Pattern is a regular expression whose matches are the tokens, instead of Tokens:
	// `[a-z][a-z0-9]+` are words of at least two characters. It is matched with the text in lower
	// case unless KeepCase is set.
	Pattern string `json:",omitzero"`
	// Tokenizer returns the tokens of a text, instead of Tokens. The text is in lower case unless
	// KeepCase is set. It must be safe for concurrent use.
	Tokenizer func(text string) []string `json:"-"`
	KeepCase  bool                       `json:",omitzero"`
	// Normalize is AsWritten, NFC, NFKC or NoAccents: the form to which the characters of texts and
	// stop words are brought first. If more than ten combining marks follow each other, the rest is
	// dropped. Characters newer than the Unicode version of the Go release, 15 in 1.26 and 17 in
	// 1.27, do not change.
	Normalize Normalization `json:",omitzero"`
	// StopWords are removed from the tokens before n-grams are formed; each has at most 100 tokens.
	// EnglishStopWords is such a list. A stop word of several tokens (don't has two words) is
	// removed where these follow each other.
	StopWords []string `json:",omitempty"`
	// NGrams is the smallest and the largest number of tokens of a term: {1, 2} means words and
	// pairs of consecutive words, joined by a space; {3, 3} with Letters means the 3-mers of a
	// sequence. The default value is {1, 1}; the largest number is 100.
	NGrams [2]int `json:",omitzero"`

	// Bits uses 2^Bits columns instead of a vocabulary: a hash of the term determines its column,
	// and whether its weight is added or subtracted [WDLSA09]. Memory does not grow with the number
	// of terms, and some weights need no training texts at all. The default value is 0, which means
	// a vocabulary; the largest is 30.
	Bits int `json:",omitzero"`
	// MinDocuments is the minimum number of training documents with a term of the vocabulary. The
	// default value is 1.
	MinDocuments int `json:",omitzero"`
	// MaxShare is the maximum share of training documents with a term of the vocabulary. The
	// default value is 1. Weights with ln(N / df) also leave out terms that are in all documents,
	// because their weight is zero.
	MaxShare float64 `json:",omitzero"`
	// MaxFeatures is the maximum number of terms in the vocabulary: those in the most documents, in
	// case of a tie the first in alphabetical order. The default value is 0, which means no limit.
	MaxFeatures int `json:",omitzero"`

	// Weight is the weight of a term: LogTFIDF, PlainTFIDF, BM25, Counts, LogCounts or Binary.
	Weight TermWeight `json:",omitzero"`
	// K1 and B are parameters of BM25. The default values are 1.2 and 0.75; a negative number is 0.
	K1 float64 `json:",omitzero"`
	B  float64 `json:",omitzero"`
	// Norm is UnitLength, UnitSum or NoNorm.
	Norm RowNorm `json:",omitzero"`
	// SmoothIDF uses ln((1 + N) / (1 + df)) + 1 in place of ln(N / df), scikit-learn's smooth_idf;
	// see Weighing. Terms in all documents then stay in the vocabulary.
	SmoothIDF bool `json:",omitzero"`

	dropCommon bool // leave out terms in all documents, whatever the weight
}

// Largest numbers of columns by hashing, as powers of two: with an entry of memory for each column,
// and without.
const (
	maxCountedBits = 24
	maxBits        = 30
)

// Fit counts the terms of the training texts. It returns an error if no term remains, or if the
// settings contradict each other.
func (s Text) Fit(train *dataset.Corpus) (*Vectorizer, error) {
	return s.FitContext(context.Background(), train)
}

// FitContext is Fit that stops with the context's error when ctx is cancelled.
func (s Text) FitContext(ctx context.Context, train *dataset.Corpus) (*Vectorizer, error) {
	v, _, err := s.fit(ctx, train, false)
	return v, err
}

// FitTransform returns the results of Fit and of Transform on the training texts, and reads them
// only once. It stops with the context's error when ctx is cancelled.
func (s Text) FitTransform(ctx context.Context, train *dataset.Corpus) (*Vectorizer, *dataset.Dataset, error) {
	v, counters, err := s.fit(ctx, train, s.Bits == 0)
	if err != nil {
		return nil, nil, err
	}
	if s.Bits > 0 {
		d, err := v.TransformContext(ctx, train)
		return v, d, err
	}
	x, err := v.joinParts(ctx, train.Len(), len(counters), func(w *textWriter, part, i, from int) {
		w.addCounted(v, counters[part], i-from, &counters[0].columnsOf)
	})
	if err != nil {
		return nil, nil, err
	}
	return v, v.dataset(train, x), nil
}

// fit counts the terms of the training texts. If keep is true, it also stores the counts of each
// text.
func (s Text) fit(ctx context.Context, train *dataset.Corpus, keep bool) (*Vectorizer, []*counter, error) {
	v, err := s.vectorizer()
	if err != nil {
		return nil, nil, err
	}
	if train == nil {
		return nil, nil, fmt.Errorf("features: Fit needs a corpus, not nil")
	}
	if train.Len() == 0 {
		return nil, nil, fmt.Errorf("features: corpus %q has no documents to read words from", train.Name)
	}
	counters := make([]*counter, guarded.Workers(0))
	inParallel(train.Len(), len(counters), func(part, from, to int) {
		c := newCounter(v)
		c.keep = keep
		for i := from; i < to && ctx.Err() == nil; i++ {
			c.add(train.Documents[i].Text)
		}
		counters[part] = c
	})
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := v.adopt(counters, fmt.Sprintf("of corpus %q ", train.Name)); err != nil {
		return nil, nil, err
	}
	return v, counters, nil
}

// Vectorizer returns the vectorizer without training texts, for hashed terms with the weights
// Counts, LogCounts and Binary, which need none. It returns an error for other settings.
func (s Text) Vectorizer() (*Vectorizer, error) {
	v, err := s.vectorizer()
	if err != nil {
		return nil, err
	}
	if s.Bits == 0 {
		return nil, fmt.Errorf("features: a vocabulary needs training texts; use Fit, or set Bits, such as 18, for hashed terms without a vocabulary")
	}
	if s.Weight.counted() {
		return nil, fmt.Errorf("features: the weight %v needs training texts; use Fit, or the weight Counts, LogCounts or Binary", s.Weight)
	}
	return v, nil
}

// vectorizer checks the settings and returns a vectorizer that saw no texts.
func (s Text) vectorizer() (*Vectorizer, error) {
	for _, setting := range []struct {
		name  string
		value int
	}{{"MinDocuments", s.MinDocuments}, {"MaxFeatures", s.MaxFeatures}} {
		if setting.value < 0 {
			return nil, fmt.Errorf("features: %s is %d; it must not be negative", setting.name, setting.value)
		}
	}
	if !(s.MaxShare >= 0 && s.MaxShare <= 1) {
		return nil, fmt.Errorf("features: MaxShare is %v; it must be a share of the documents, from 0 to 1", s.MaxShare)
	}
	w, err := Weighing{Weight: s.Weight, K1: s.K1, B: s.B, Norm: s.Norm, SmoothIDF: s.SmoothIDF}.weigher()
	if err != nil {
		return nil, err
	}
	largest := maxBits
	if s.Weight.counted() {
		largest = maxCountedBits
	}
	if s.Bits < 0 || s.Bits > largest {
		return nil, fmt.Errorf("features: Bits is %d; with the weight %v it must be from 0 to %d", s.Bits, s.Weight, largest)
	}
	if s.Bits > 0 && (s.MinDocuments > 0 || s.MaxShare > 0 || s.MaxFeatures > 0) {
		return nil, fmt.Errorf("features: MinDocuments, MaxShare and MaxFeatures need a vocabulary, and with Bits there is none; do not set them together")
	}
	t, err := newTerms(&s)
	if err != nil {
		return nil, err
	}
	return &Vectorizer{settings: s, terms: t, weigher: w}, nil
}
