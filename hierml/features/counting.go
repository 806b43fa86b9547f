package features

import (
	"fmt"
	"slices"
	"strings"
)

// counter counts the texts that contain each term, or each column of hashed terms.
type counter struct {
	reader *termReader
	texts  int
	total  int // terms

	lexicon           lexicon
	ofTokens, ofGrams []textCount

	keep         bool    // keep the count of each term in each text
	nodes, times []int32 // of all texts, one after the other
	begins       []int   // by text: where its terms begin
	totals       []int32 // by text: its number of terms, with repetitions
	// For merging counters: the nodes of the first for those of another, and the columns of the
	// nodes of the first.
	first     [2][]uint32
	columnsOf columns

	bits    int
	hashes  []uint64
	columns []int32 // the number of texts with each, or nil where they are not needed
}

// textCount is the number of texts with a term, the last of them, from 1, and the position of the
// term in that text.
type textCount struct{ texts, last, at int32 }

func newCounter(v *Vectorizer) *counter {
	c := &counter{reader: &termReader{terms: v.terms}, bits: v.settings.Bits}
	if c.bits > 0 && v.settings.Weight.counted() {
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
	before := c.total
	if c.keep {
		c.begins = append(c.begins, len(c.nodes))
	}
	tokens := c.reader.read(text, &c.lexicon, true)
	if n := len(c.lexicon.ends); n > len(c.ofTokens) {
		c.ofTokens = append(c.ofTokens, make([]textCount, n-len(c.ofTokens))...)
	}
	from, to := c.reader.lengths()
	if from == 1 {
		c.total += len(tokens)
		for _, n := range tokens {
			c.count(&c.ofTokens[n], n)
		}
	}
	for i, node := range tokens {
		for n := 2; n <= to && i+n <= len(tokens); n++ {
			g := c.lexicon.gram(node, tokens[i+n-1], true)
			if int(g) == len(c.ofGrams) {
				c.ofGrams = append(c.ofGrams, textCount{})
			}
			if n >= from {
				c.total++
				c.count(&c.ofGrams[g], g|gramBit)
			}
			node = g | gramBit
		}
	}
	if c.keep {
		c.totals = append(c.totals, int32(c.total-before))
	}
}

// count counts the term of a node in the current text.
func (c *counter) count(t *textCount, node uint32) {
	if t.last != int32(c.texts) {
		t.last = int32(c.texts)
		t.texts++
		if c.keep {
			t.at = int32(len(c.nodes) - c.begins[c.texts-1])
			c.nodes, c.times = append(c.nodes, int32(node)), append(c.times, 1)
		}
	} else if c.keep {
		c.times[c.begins[c.texts-1]+int(t.at)]++
	}
}

// merge adds the counts of another counter.
func (c *counter) merge(other *counter) {
	other.first = [2][]uint32{make([]uint32, len(other.ofTokens)), make([]uint32, len(other.ofGrams))}
	c.lexicon.merge(&other.lexicon, func(here, there uint32) {
		if int(here) == len(c.ofTokens) {
			c.ofTokens = append(c.ofTokens, textCount{})
		}
		c.ofTokens[here].texts += other.ofTokens[there].texts
		other.first[0][there] = here
	}, func(here, there uint32) {
		if int(here) == len(c.ofGrams) {
			c.ofGrams = append(c.ofGrams, textCount{})
		}
		c.ofGrams[here].texts += other.ofGrams[there].texts
		other.first[1][there] = here
	})
}

// textsWith returns the number of texts with the term of a node, 0 if it is not a term.
func (c *counter) textsWith(node uint32) int32 {
	if node&gramBit != 0 {
		return c.ofGrams[node&^gramBit].texts
	}
	return c.ofTokens[node].texts
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

// adopt builds the vectorizer from the counts. where says in an error where the terms come from.
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
		for _, c := range counters[1:] {
			counters[0].merge(c)
		}
		if err := v.choose(counters[0], where); err != nil {
			return err
		}
	}
	v.weigh()
	return nil
}

// choose builds a vocabulary of the terms in neither too few nor too many documents. where says in
// an error where the terms come from.
func (v *Vectorizer) choose(c *counter, where string) error {
	s := &v.settings
	least, most := max(1, s.MinDocuments), v.weigher.documents
	if s.Weight.inverse() && !s.SmoothIDF || s.dropCommon {
		most--
	}
	if s.MaxShare > 0 {
		most = min(most, int(s.MaxShare*float64(v.weigher.documents)))
	}
	chosen := func(df int32) bool { return int(df) >= least && int(df) <= most }
	if s.MaxFeatures > 0 {
		chosen = c.mostFrequent(s.MaxFeatures, chosen)
	}
	c.columnsOf = columns{lexicon: c.lexicon, ofTokens: slices.Repeat([]int32{-1}, len(c.ofTokens)), ofGrams: slices.Repeat([]int32{-1}, len(c.ofGrams))}
	var text strings.Builder // of many terms, which share their memory
	c.lexicon.inOrder(v.terms.separator, func(node uint32, term []byte) {
		df := c.textsWith(node)
		if !chosen(df) {
			return
		}
		const least, largest = 1 << 10, 1 << 16
		if text.Len()+len(term) > text.Cap() {
			block := min(max(2*text.Cap(), least), largest)
			text = strings.Builder{}
			text.Grow(max(block, len(term)))
		}
		from := text.Len()
		text.Write(term)
		*c.columnsOf.at(node) = int32(len(v.vocabulary))
		v.vocabulary = append(v.vocabulary, text.String()[from:])
		v.weigher.frequencies = append(v.weigher.frequencies, df)
	})
	if len(v.vocabulary) == 0 {
		return v.noTerm(c, where, most)
	}
	if nodes := len(c.ofTokens) + len(c.ofGrams); 2*len(v.vocabulary) >= nodes { // others waste memory
		v.columns = &c.columnsOf
	}
	return nil
}

// mostFrequent limits a function that chooses terms to at most n terms: those in the most texts, in
// case of a tie the first. The function is called with the terms in alphabetical order.
func (c *counter) mostFrequent(n int, chosen func(df int32) bool) func(df int32) bool {
	var all []int32
	for _, counts := range [][]textCount{c.ofTokens, c.ofGrams} {
		for _, in := range counts {
			if chosen(in.texts) {
				all = append(all, in.texts)
			}
		}
	}
	if len(all) <= n {
		return chosen
	}
	slices.Sort(all)
	last := all[len(all)-n] // of the least frequent chosen terms, only some fit
	at, _ := slices.BinarySearch(all, last+1)
	room := n - (len(all) - at)
	return func(df int32) bool {
		if df == last && room > 0 {
			room--
			return true
		}
		return df > last && chosen(df)
	}
}

// noTerm returns the error for texts without any term left. Each term is in at most so many
// documents.
func (v *Vectorizer) noTerm(c *counter, where string, most int) error {
	s, n := &v.settings, v.weigher.documents
	everywhere, all := 0, 0
	for _, in := range slices.Concat(c.ofTokens, c.ofGrams) {
		if in.texts > 0 {
			all++
		}
		if int(in.texts) == n {
			everywhere++
		}
	}
	switch {
	case all == 0 && len(s.StopWords) > 0:
		return fmt.Errorf("features: all words %sare stop words; remove some from StopWords, or use more texts", where)
	case all == 0:
		return fmt.Errorf("features: no word %sis found; the texts are empty, or Tokens, Pattern, Tokenizer and NGrams match nothing in them", where)
	case everywhere == all && most == n-1 && s.MinDocuments <= n:
		advice := "keep them with SmoothIDF: true"
		if !s.Weight.inverse() {
			advice = "keep them with features.Text"
		}
		return fmt.Errorf("features: all words %sare in every document (there %s), so they distinguish nothing; use more texts, or %s", where, isOrAre(n), advice)
	}
	return fmt.Errorf("features: no word %sis in at least %d and at most %d of the %d documents; lower MinDocuments, raise MaxShare or use more texts",
		where, max(s.MinDocuments, 1), most, n)
}

// isOrAre returns "is" or "are" with a count of documents.
func isOrAre(n int) string {
	if n == 1 {
		return "is one"
	}
	return fmt.Sprint("are ", n)
}
