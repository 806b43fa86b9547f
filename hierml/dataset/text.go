package dataset

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

// Text says how texts become vectors: what their terms are, which of them count, and for how much. The zero value is
// TFIDF's: words in lower case, weighted by LogTFIDF, in vectors of unit length. The settings can be written as JSON,
// but for Tokenizer.
type Text struct {
	// Tokens are Words, Letters or Characters. They are in lower case unless KeepCase is set.
	Tokens Tokens `json:",omitzero"`
	// Pattern is a regular expression whose matches are the tokens, instead of Tokens: `[a-z][a-z0-9]+` are words of at
	// least two characters. It is matched with the text in lower case unless KeepCase is set.
	Pattern string `json:",omitzero"`
	// Tokenizer returns the tokens of a text, instead of Tokens. The text is in lower case unless KeepCase is set. It is
	// called from several goroutines at once.
	Tokenizer func(text string) []string `json:"-"`
	KeepCase  bool                       `json:",omitzero"`
	// StopWords are left out of the tokens, before n-grams are formed. EnglishStopWords is a list. A stop word that is
	// several tokens, as don't is two words, is left out where these follow each other.
	StopWords []string `json:",omitempty"`
	// NGrams is the smallest and the largest number of tokens of a term: {1, 2} are words and pairs of words that follow
	// each other, with a space between them; {3, 3} with Letters are the 3-mers of a sequence. The default value is {1, 1}.
	NGrams [2]int `json:",omitzero"`

	// Bits makes 2^Bits columns and no vocabulary: the column of a term, and whether it adds or subtracts its weight, is
	// told by a hash of the term (Weinberger and others, Feature hashing for large scale multitask learning, 2009).
	// Memory does not grow with the number of terms, and with weights that need no training texts neither do these.
	// The default value is 0, which is a vocabulary; the largest is 30.
	Bits int `json:",omitzero"`
	// MinDocuments is the number of training documents a term has to be in to be in the vocabulary.
	// The default value is 1.
	MinDocuments int `json:",omitzero"`
	// MaxShare is the part of the training documents that a term may stand in: those in more are not in the
	// vocabulary. The default value is 1. Terms that stand in all documents are left out in any case by weights with
	// ln(N / df), where theirs is zero.
	MaxShare float64 `json:",omitzero"`
	// MaxFeatures is how many terms the vocabulary has at most: those that stand in the most documents; of terms in as
	// many, those that are first in the order of the alphabet. The default value is 0, which is no limit.
	MaxFeatures int `json:",omitzero"`

	// Weight says for how much a term counts: LogTFIDF, PlainTFIDF, BM25, Counts, LogCounts or Binary.
	Weight TermWeight `json:",omitzero"`
	// K1 and B are parameters of BM25. The default values are 1.2 and 0.75; a negative number is 0.
	K1 float64 `json:",omitzero"`
	B  float64 `json:",omitzero"`
	// Norm is UnitLength, UnitSum or NoNorm.
	Norm RowNorm `json:",omitzero"`

	dropCommon bool // leave out terms that stand in all documents, whatever the weight
}

// Largest numbers of columns by hashing, as powers of two: with an entry of memory for each column, and without.
const (
	maxCountedBits = 24
	maxBits        = 30
)

// Fit counts the terms of the training texts. It is an error if no term remains, or if the settings contradict
// each other.
func (s Text) Fit(train *Corpus) (*Vectorizer, error) {
	return s.FitContext(context.Background(), train)
}

// FitContext is Fit that ends early, with the context's error, when ctx does.
func (s Text) FitContext(ctx context.Context, train *Corpus) (*Vectorizer, error) {
	v, err := s.vectorizer()
	if err != nil {
		return nil, err
	}
	if train.Len() == 0 {
		return nil, fmt.Errorf("dataset: corpus %q has no documents to take words from", train.Name)
	}
	v.documents = train.Len()
	if s.Bits > 0 {
		err = v.countColumns(ctx, train)
	} else {
		err = v.countTerms(ctx, train)
	}
	if err != nil {
		return nil, err
	}
	v.weigh()
	return v, nil
}

// Vectorizer returns what Fit returns, without training texts: for hashed terms whose weights need none, which are
// Counts, LogCounts and Binary. It is an error for other settings.
func (s Text) Vectorizer() (*Vectorizer, error) {
	v, err := s.vectorizer()
	if err != nil {
		return nil, err
	}
	if s.Bits == 0 {
		return nil, fmt.Errorf("dataset: a vocabulary is taken from training texts: use Fit, or set Bits, such as 18, for hashed terms, which have none")
	}
	if s.Weight.counted() {
		return nil, fmt.Errorf("dataset: the weight %v needs training texts: use Fit, or the weight Counts, LogCounts or Binary", s.Weight)
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
			return nil, fmt.Errorf("dataset: %s is %d; it has to be zero or more", setting.name, setting.value)
		}
	}
	if !(s.MaxShare >= 0 && s.MaxShare <= 1) {
		return nil, fmt.Errorf("dataset: MaxShare is %v; it is a part of the documents, from 0 to 1", s.MaxShare)
	}
	if _, err := s.Weight.MarshalText(); err != nil {
		return nil, err
	}
	if _, err := s.Norm.MarshalText(); err != nil {
		return nil, err
	}
	if math.IsNaN(s.K1) || math.IsInf(s.K1, 0) || math.IsNaN(s.B) || s.B > 1 {
		return nil, fmt.Errorf("dataset: K1 is %v and B is %v; K1 is a finite number and B at most 1", s.K1, s.B)
	}
	largest := maxBits
	if s.Weight.counted() {
		largest = maxCountedBits
	}
	if s.Bits < 0 || s.Bits > largest {
		return nil, fmt.Errorf("dataset: Bits is %d; with the weight %v it is from 0 to %d", s.Bits, s.Weight, largest)
	}
	if s.Bits > 0 && (s.MinDocuments > 0 || s.MaxShare > 0 || s.MaxFeatures > 0) {
		return nil, fmt.Errorf("dataset: MinDocuments, MaxShare and MaxFeatures choose terms of a vocabulary, and with Bits there is none")
	}
	t, err := newTerms(&s)
	if err != nil {
		return nil, err
	}
	v := &Vectorizer{settings: s, terms: t, k1: 1.2, b: 0.75}
	if s.K1 != 0 {
		v.k1 = max(s.K1, 0)
	}
	if s.B != 0 {
		v.b = max(s.B, 0)
	}
	return v, nil
}

// termCounts are document frequencies of some of the documents.
type termCounts struct {
	ids   map[string]int32
	in    []int32 // documents
	last  []int32 // the last of them, from 1
	total int     // terms
}

// countTerms makes the vocabulary.
func (v *Vectorizer) countTerms(ctx context.Context, train *Corpus) error {
	parts := make([]termCounts, runtime.GOMAXPROCS(0))
	err := v.eachDocument(ctx, train.Len(), len(parts), func(part int, reader *termReader, i int) {
		c := &parts[part]
		if c.ids == nil {
			c.ids = make(map[string]int32)
		}
		reader.each(train.Documents[i].Text, func(term []byte) {
			c.total++
			id, ok := c.ids[string(term)]
			if !ok {
				id = int32(len(c.in))
				c.ids[string(term)] = id
				c.in, c.last = append(c.in, 0), append(c.last, 0)
			}
			if c.last[id] != int32(i+1) {
				c.last[id] = int32(i + 1)
				c.in[id]++
			}
		})
	})
	if err != nil {
		return err
	}
	all, total := make(map[string]int32, len(parts[0].ids)), 0
	for _, c := range parts {
		total += c.total
		for term, id := range c.ids {
			all[term] += c.in[id]
		}
	}
	v.length = float64(total) / float64(v.documents)
	return v.choose(all, train.Name)
}

// choose makes a vocabulary of the terms that stand in neither too few nor too many documents.
func (v *Vectorizer) choose(frequencies map[string]int32, corpus string) error {
	s := &v.settings
	most := v.documents
	if s.Weight == LogTFIDF || s.Weight == PlainTFIDF || s.dropCommon {
		most--
	}
	if s.MaxShare > 0 {
		most = min(most, int(s.MaxShare*float64(v.documents)))
	}
	for term, df := range frequencies {
		if int(df) >= s.MinDocuments && int(df) <= most {
			v.vocabulary = append(v.vocabulary, term)
		}
	}
	if len(v.vocabulary) == 0 {
		return fmt.Errorf("dataset: no word of corpus %q stands in at least %d and at most %d of its %d documents; lower MinDocuments, raise MaxShare or give more texts",
			corpus, max(s.MinDocuments, 1), most, v.documents)
	}
	if s.MaxFeatures > 0 && len(v.vocabulary) > s.MaxFeatures {
		slices.SortFunc(v.vocabulary, func(a, b string) int {
			return cmp.Or(cmp.Compare(frequencies[b], frequencies[a]), cmp.Compare(a, b))
		})
		v.vocabulary = slices.Clone(v.vocabulary[:s.MaxFeatures])
	}
	slices.Sort(v.vocabulary)
	v.frequencies = make([]int32, len(v.vocabulary))
	for j, term := range v.vocabulary {
		v.frequencies[j] = frequencies[term]
	}
	return nil
}

// countColumns counts the documents of each column of hashed terms.
func (v *Vectorizer) countColumns(ctx context.Context, train *Corpus) error {
	type counts struct {
		in     []int32
		hashes []uint64
		total  int
	}
	parts := make([]counts, runtime.GOMAXPROCS(0))
	counted := v.settings.Weight.counted()
	err := v.eachDocument(ctx, train.Len(), len(parts), func(part int, reader *termReader, i int) {
		c := &parts[part]
		c.hashes = reader.hashes(train.Documents[i].Text, c.hashes[:0])
		c.total += len(c.hashes)
		if !counted {
			return
		}
		if c.in == nil {
			c.in = make([]int32, 1<<v.settings.Bits)
		}
		last := int32(-1)
		for _, h := range c.hashes {
			if j := hashColumn(h, v.settings.Bits); j != last {
				c.in[j]++
				last = j
			}
		}
	})
	if err != nil {
		return err
	}
	total := 0
	for _, c := range parts {
		total += c.total
		if v.frequencies == nil {
			v.frequencies = c.in
			continue
		}
		for j, n := range c.in {
			v.frequencies[j] += n
		}
	}
	v.length = float64(total) / float64(v.documents)
	return nil
}

// eachDocument calls f for the documents 0..n-1, in several goroutines, each of which has a part of them one after
// the other, and a reader of its own.
func (v *Vectorizer) eachDocument(ctx context.Context, n, parts int, f func(part int, reader *termReader, i int)) error {
	inParallel(n, parts, func(part, from, to int) {
		reader := &termReader{terms: v.terms}
		for i := from; i < to && ctx.Err() == nil; i++ {
			f(part, reader, i)
		}
	})
	return ctx.Err()
}

// inParallel calls f for consecutive parts of 0..n-1, each in a goroutine of its own.
func inParallel(n, parts int, f func(part, from, to int)) {
	var wait guarded.Group
	for part := range parts {
		wait.Go(func() { f(part, part*n/parts, (part+1)*n/parts) })
	}
	wait.Wait()
}
