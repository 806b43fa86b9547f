package features

import (
	"cmp"
	"fmt"
	"slices"
)

// counter counts in how many texts terms stand, or columns of hashed terms.
type counter struct {
	reader *termReader
	texts  int
	total  int // terms

	ids map[string]int32 // of terms
	in  []textCount      // by their ids

	bits    int
	hashes  []uint64
	columns []int32 // the number of texts with each, or nil where they are not needed
}

// textCount is the number of texts with a term, and the last of them, from 1.
type textCount struct{ texts, last int32 }

func newCounter(v *Vectorizer) *counter {
	c := &counter{reader: &termReader{terms: v.terms}, bits: v.settings.Bits}
	switch {
	case c.bits == 0:
		c.ids = make(map[string]int32)
	case v.settings.Weight.counted():
		c.columns = make([]int32, 1<<c.bits)
	}
	return c
}

// add counts the terms of a further text.
func (c *counter) add(text string) {
	c.texts++
	if c.bits > 0 {
		c.addHashed(text)
		return
	}
	c.reader.each(text, func(term []byte) {
		c.total++
		id, ok := c.ids[string(term)]
		if !ok {
			id = int32(len(c.in))
			c.ids[string(term)] = id
			c.in = append(c.in, textCount{})
		}
		if in := &c.in[id]; in.last != int32(c.texts) {
			in.last = int32(c.texts)
			in.texts++
		}
	})
}

func (c *counter) addHashed(text string) {
	c.hashes = c.reader.hashes(text, c.hashes[:0])
	c.total += len(c.hashes)
	if c.columns == nil {
		return
	}
	last := int32(-1)
	for _, h := range c.hashes {
		if j := hashColumn(h, c.bits); j != last {
			c.columns[j]++
			last = j
		}
	}
}

// adopt makes the vectorizer of what was counted. The words where are for an error that says where
// terms stand.
func (v *Vectorizer) adopt(counters []*counter, where string) error {
	w := &v.weigher
	total := 0
	for _, c := range counters {
		w.documents += c.texts
		total += c.total
	}
	w.length = float64(total) / float64(w.documents)
	if v.settings.Bits > 0 {
		w.frequencies = counters[0].columns
		for _, c := range counters[1:] {
			for j, n := range c.columns {
				w.frequencies[j] += n
			}
		}
	} else {
		frequencies := make(map[string]int32, len(counters[0].ids))
		for _, c := range counters {
			for term, id := range c.ids {
				frequencies[term] += c.in[id].texts
			}
		}
		if err := v.choose(frequencies, where); err != nil {
			return err
		}
	}
	v.weigh()
	return nil
}

// choose makes a vocabulary of the terms that stand in neither too few nor too many documents. An
// error says where they stand.
func (v *Vectorizer) choose(frequencies map[string]int32, where string) error {
	s := &v.settings
	most := v.weigher.documents
	if s.Weight.inverse() && !s.SmoothIDF || s.dropCommon {
		most--
	}
	if s.MaxShare > 0 {
		most = min(most, int(s.MaxShare*float64(v.weigher.documents)))
	}
	for term, df := range frequencies {
		if int(df) >= s.MinDocuments && int(df) <= most {
			v.vocabulary = append(v.vocabulary, term)
		}
	}
	if len(v.vocabulary) == 0 {
		return v.noTerm(frequencies, where, most)
	}
	if s.MaxFeatures > 0 && len(v.vocabulary) > s.MaxFeatures {
		slices.SortFunc(v.vocabulary, func(a, b string) int {
			return cmp.Or(cmp.Compare(frequencies[b], frequencies[a]), cmp.Compare(a, b))
		})
		v.vocabulary = slices.Clone(v.vocabulary[:s.MaxFeatures])
	}
	slices.Sort(v.vocabulary)
	v.weigher.frequencies = make([]int32, len(v.vocabulary))
	for j, term := range v.vocabulary {
		v.weigher.frequencies[j] = frequencies[term]
	}
	return nil
}

// noTerm is the error of texts of which no term is left. Terms stand in at most so many documents.
func (v *Vectorizer) noTerm(frequencies map[string]int32, where string, most int) error {
	s, n := &v.settings, v.weigher.documents
	everywhere := 0
	for _, df := range frequencies {
		if int(df) == n {
			everywhere++
		}
	}
	switch {
	case len(frequencies) == 0 && len(s.StopWords) > 0:
		return fmt.Errorf("features: all words %sare stop words; leave some out of StopWords, or give more texts", where)
	case len(frequencies) == 0:
		return fmt.Errorf("features: no word %sis found; the texts are empty, or Tokens, Pattern, Tokenizer and NGrams find nothing in them", where)
	case everywhere == len(frequencies) && most == n-1 && s.MinDocuments <= n:
		advice := "SmoothIDF: true keeps them"
		if !s.Weight.inverse() {
			advice = "features.Text keeps them"
		}
		return fmt.Errorf("features: all words %sstand in every document, of which there %s, and tell nothing apart; give more texts, or %s", where, isOrAre(n), advice)
	}
	return fmt.Errorf("features: no word %sstands in at least %d and at most %d of the %d documents; lower MinDocuments, raise MaxShare or give more texts",
		where, max(s.MinDocuments, 1), most, n)
}

// isOrAre counts documents.
func isOrAre(n int) string {
	if n == 1 {
		return "is one"
	}
	return fmt.Sprint("are ", n)
}
