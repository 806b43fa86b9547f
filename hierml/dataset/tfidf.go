package dataset

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

// TFIDF says how texts become vectors of weighted words. A word is a longest run of letters and
// digits, in lower case. The weight of word w in document d is
//
//	(1 + ln tf) * ln(N / df)
//
// where tf is how often w stands in d, df is the number of training documents with w, and N is the number of
// training documents; then the vector of d is divided by its Euclidean norm (L2-normalized log tf-idf, as in
// Lewis, Yang, Rose and Li, RCV1, 2004, section 5.1). The zero value is ready to use.
type TFIDF struct {
	// MinDocuments is the number of training documents a word has to be in to be in the vocabulary.
	// The default value is 1.
	MinDocuments int
	// MaxShare is the part of the training documents that a word may stand in: words in more are stop words and not in
	// the vocabulary. The default value is 1, which leaves out nothing but words that stand in all.
	MaxShare float64
	// Counts makes the weight of a word its tf alone: vectors of counts, of unit length, as in Cai's thesis.
	Counts bool
}

// Vectorizer turns texts into vectors by the vocabulary and the document frequencies of the training texts it
// was made from. It may be used from several goroutines at once.
type Vectorizer struct {
	vocabulary []string
	idf        []float64
	index      map[string]int32
	documents  int
	counts     bool // weights are counts
}

// Fit counts the words of the training texts. Words that stand in all of them say nothing (their
// weight is zero) and are not in the vocabulary. It is an error if no word remains.
func (s TFIDF) Fit(train *Corpus) (*Vectorizer, error) {
	if train.Len() == 0 {
		return nil, fmt.Errorf("dataset: corpus %q has no documents to take words from", train.Name)
	}
	if s.MinDocuments < 0 {
		return nil, fmt.Errorf("dataset: TFIDF.MinDocuments is %d; it has to be zero or more", s.MinDocuments)
	}
	if !(s.MaxShare >= 0 && s.MaxShare <= 1) {
		return nil, fmt.Errorf("dataset: TFIDF.MaxShare is %v; it is a part of the documents, from 0 to 1", s.MaxShare)
	}
	frequencies := documentFrequencies(train)
	n := train.Len()
	most := n - 1
	if s.MaxShare > 0 {
		most = min(most, int(s.MaxShare*float64(n)))
	}
	v := &Vectorizer{documents: n, counts: s.Counts}
	for word, df := range frequencies {
		if df >= s.MinDocuments && df <= most {
			v.vocabulary = append(v.vocabulary, word)
		}
	}
	if len(v.vocabulary) == 0 {
		return nil, fmt.Errorf("dataset: no word of corpus %q stands in at least %d and at most %d of its %d documents; lower TFIDF.MinDocuments, raise MaxShare or give more texts",
			train.Name, max(s.MinDocuments, 1), most, n)
	}
	slices.Sort(v.vocabulary)
	v.idf = make([]float64, len(v.vocabulary))
	v.index = make(map[string]int32, len(v.vocabulary))
	for i, word := range v.vocabulary {
		v.idf[i] = math.Log(float64(n) / float64(frequencies[word]))
		v.index[word] = int32(i)
	}
	return v, nil
}

// documentFrequencies returns the number of documents each word stands in.
func documentFrequencies(c *Corpus) map[string]int {
	type counts map[string]*[2]int // number of documents, and the last of them plus one
	parts := make([]counts, runtime.GOMAXPROCS(0))
	inParallel(len(c.Documents), len(parts), func(part, from, to int) {
		count := make(counts)
		for i := from; i < to; i++ {
			words(c.Documents[i].Text, func(word []byte) {
				n, ok := count[string(word)]
				if !ok {
					n = new([2]int)
					count[string(word)] = n
				}
				if n[1] != i+1 {
					n[0]++
					n[1] = i + 1
				}
			})
		}
		parts[part] = count
	})
	total := make(map[string]int, len(parts[0]))
	for _, count := range parts {
		for word, n := range count {
			total[word] += n[0]
		}
	}
	return total
}

// Vocabulary returns the words, ascending, which are the columns of what Transform returns. The slice
// must not be modified.
func (v *Vectorizer) Vocabulary() []string { return v.vocabulary }

// IDF returns ln(N / df) of each word of the vocabulary. The slice must not be modified.
func (v *Vectorizer) IDF() []float64 { return v.idf }

func (v *Vectorizer) String() string {
	if v.counts {
		return fmt.Sprintf("counts of %d words, found in %d documents", len(v.vocabulary), v.documents)
	}
	return fmt.Sprintf("tf-idf of %d words, counted in %d documents", len(v.vocabulary), v.documents)
}

// Transform returns the documents as vectors, with the labels, taxonomy and name of the corpus. Words
// outside the vocabulary are ignored; a document without any other has a row without entries.
func (v *Vectorizer) Transform(c *Corpus) *Dataset {
	d := &Dataset{Name: c.Name, Taxonomy: c.Taxonomy, Labels: c.labels(), Vocabulary: v.vocabulary}
	parts := make([]Matrix, runtime.GOMAXPROCS(0))
	inParallel(len(c.Documents), len(parts), func(part, from, to int) {
		x := &parts[part]
		var found []int32
		for i := from; i < to; i++ {
			found = found[:0]
			words(c.Documents[i].Text, func(word []byte) {
				if j, ok := v.index[string(word)]; ok {
					found = append(found, j)
				}
			})
			v.appendRow(x, found)
		}
	})
	x := &Matrix{Rows: len(c.Documents), Cols: len(v.vocabulary), Indptr: []int{0}}
	for i := range parts {
		before := len(x.Values)
		for _, end := range parts[i].Indptr {
			x.Indptr = append(x.Indptr, before+end)
		}
		x.Indices = append(x.Indices, parts[i].Indices...)
		x.Values = append(x.Values, parts[i].Values...)
	}
	d.X = x
	return d
}

// appendRow appends the vector of a document with the given words, which it sorts. In x, Indptr has
// the ends of rows only.
func (v *Vectorizer) appendRow(x *Matrix, found []int32) {
	slices.Sort(found)
	first := len(x.Values)
	sum := 0.0
	for i := 0; i < len(found); {
		j, start := found[i], i
		for i < len(found) && found[i] == j {
			i++
		}
		weight := float64(i - start)
		if !v.counts {
			weight = (1 + math.Log(weight)) * v.idf[j]
		}
		sum += weight * weight
		x.Indices = append(x.Indices, j)
		x.Values = append(x.Values, float32(weight))
	}
	norm := math.Sqrt(sum)
	for k := first; k < len(x.Values); k++ {
		x.Values[k] = float32(float64(x.Values[k]) / norm)
	}
	x.Indptr = append(x.Indptr, len(x.Values))
}

// inParallel calls f for consecutive parts of 0..n-1, each in a goroutine of its own.
func inParallel(n, parts int, f func(part, from, to int)) {
	var wait guarded.Group
	for part := range parts {
		wait.Go(func() { f(part, part*n/parts, (part+1)*n/parts) })
	}
	wait.Wait()
}
