package features

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// Text says how texts become vectors: what their terms are, which of them count, and for how much.
// The zero value is TFIDF's: words in lower case, weighted by LogTFIDF, in vectors of unit length.
// The settings can be written as JSON, but for Tokenizer.
type Text struct {
	// Tokens are Words, Letters or Characters. They are in lower case unless KeepCase is set.
	Tokens Tokens `json:",omitzero"`
	// Pattern is a regular expression whose matches are the tokens, instead of Tokens:
	// `[a-z][a-z0-9]+` are words of at least two characters. It is matched with the text in lower
	// case unless KeepCase is set.
	Pattern string `json:",omitzero"`
	// Tokenizer returns the tokens of a text, instead of Tokens. The text is in lower case unless
	// KeepCase is set. It is called from several goroutines at once.
	Tokenizer func(text string) []string `json:"-"`
	KeepCase  bool                       `json:",omitzero"`
	// Normalize is AsWritten, NFC, NFKC or NoAccents: the form in which the characters of texts and
	// stop words are brought first. Of more than ten combining marks in a row the others are left
	// out then. Characters that are newer than the Unicode of the Go release, 15 in 1.26 and 17 in
	// 1.27, stay as they are.
	Normalize Normalization `json:",omitzero"`
	// StopWords are left out of the tokens, before n-grams are formed; each has 100 tokens at most.
	// EnglishStopWords is a list.
	// A stop word that is several tokens, as don't is two words, is left out where these follow
	// each other.
	StopWords []string `json:",omitempty"`
	// NGrams is the smallest and the largest number of tokens of a term: {1, 2} are words and pairs
	// of words that follow each other, with a space between them; {3, 3} with Letters are the
	// 3-mers of a sequence. The default value is {1, 1}; the largest number is 100.
	NGrams [2]int `json:",omitzero"`

	// Bits makes 2^Bits columns and no vocabulary: the column of a term, and whether it adds or
	// subtracts its weight, is told by a hash of the term [WDLSA09]. Memory does not grow with the
	// number of terms, and with weights that need no training texts neither do these. The default
	// value is 0, which is a vocabulary; the largest is 30.
	Bits int `json:",omitzero"`
	// MinDocuments is the number of training documents a term has to be in to be in the vocabulary.
	// The default value is 1.
	MinDocuments int `json:",omitzero"`
	// MaxShare is the part of the training documents that a term may stand in: those in more are
	// not in the vocabulary. The default value is 1. Terms that stand in all documents are left out
	// in any case by weights with ln(N / df), where theirs is zero.
	MaxShare float64 `json:",omitzero"`
	// MaxFeatures is how many terms the vocabulary has at most: those that stand in the most
	// documents; of terms in as many, those that are first in the order of the alphabet. The
	// default value is 0, which is no limit.
	MaxFeatures int `json:",omitzero"`

	// Weight says for how much a term counts: LogTFIDF, PlainTFIDF, BM25, Counts, LogCounts or
	// Binary.
	Weight TermWeight `json:",omitzero"`
	// K1 and B are parameters of BM25. The default values are 1.2 and 0.75; a negative number is 0.
	K1 float64 `json:",omitzero"`
	B  float64 `json:",omitzero"`
	// Norm is UnitLength, UnitSum or NoNorm.
	Norm RowNorm `json:",omitzero"`
	// SmoothIDF has ln((1 + N) / (1 + df)) + 1 in the place of ln(N / df), scikit-learn's
	// smooth_idf: see Weighing. Terms that stand in all documents then stay in the vocabulary.
	SmoothIDF bool `json:",omitzero"`

	dropCommon bool // leave out terms that stand in all documents, whatever the weight
}

// Largest numbers of columns by hashing, as powers of two: with an entry of memory for each column,
// and without.
const (
	maxCountedBits = 24
	maxBits        = 30
)

// Fit counts the terms of the training texts. It is an error if no term remains, or if the settings
// contradict each other.
func (s Text) Fit(train *dataset.Corpus) (*Vectorizer, error) {
	return s.FitContext(context.Background(), train)
}

// FitContext is Fit that ends early, with the context's error, when ctx does.
func (s Text) FitContext(ctx context.Context, train *dataset.Corpus) (*Vectorizer, error) {
	v, _, err := s.fit(ctx, train, false)
	return v, err
}

// FitTransform returns what Fit returns, and what its Transform makes of the training texts, which
// are read only once. It ends early, with the context's error, when ctx does.
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

// fit counts the terms of the training texts, and keeps those of each text if that is asked for.
func (s Text) fit(ctx context.Context, train *dataset.Corpus, keep bool) (*Vectorizer, []*counter, error) {
	v, err := s.vectorizer()
	if err != nil {
		return nil, nil, err
	}
	if train == nil {
		return nil, nil, fmt.Errorf("features: no corpus is given to take words from")
	}
	if train.Len() == 0 {
		return nil, nil, fmt.Errorf("features: corpus %q has no documents to take words from", train.Name)
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

// Vectorizer returns what Fit returns, without training texts: for hashed terms whose weights need
// none, which are Counts, LogCounts and Binary. It is an error for other settings.
func (s Text) Vectorizer() (*Vectorizer, error) {
	v, err := s.vectorizer()
	if err != nil {
		return nil, err
	}
	if s.Bits == 0 {
		return nil, fmt.Errorf("features: a vocabulary is taken from training texts: use Fit, or set Bits, such as 18, for hashed terms, which have none")
	}
	if s.Weight.counted() {
		return nil, fmt.Errorf("features: the weight %v needs training texts: use Fit, or the weight Counts, LogCounts or Binary", s.Weight)
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
			return nil, fmt.Errorf("features: %s is %d; it has to be zero or more", setting.name, setting.value)
		}
	}
	if !(s.MaxShare >= 0 && s.MaxShare <= 1) {
		return nil, fmt.Errorf("features: MaxShare is %v; it is a part of the documents, from 0 to 1", s.MaxShare)
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
		return nil, fmt.Errorf("features: Bits is %d; with the weight %v it is from 0 to %d", s.Bits, s.Weight, largest)
	}
	if s.Bits > 0 && (s.MinDocuments > 0 || s.MaxShare > 0 || s.MaxFeatures > 0) {
		return nil, fmt.Errorf("features: MinDocuments, MaxShare and MaxFeatures choose terms of a vocabulary, and with Bits there is none")
	}
	t, err := newTerms(&s)
	if err != nil {
		return nil, err
	}
	return &Vectorizer{settings: s, terms: t, weigher: w}, nil
}
