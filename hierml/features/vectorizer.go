package features

import (
	"context"
	"fmt"
	"html/template"
	"math/bits"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// Vectorizer turns texts into vectors, with the vocabulary and the document frequencies of its
// training texts. It is safe for concurrent use.
type Vectorizer struct {
	settings   Text
	terms      *terms
	vocabulary []string // ascending; nil for hashed terms
	columns    *columns
	weigher    Weigher
}

// weigh sets the values derived from the vocabulary and the frequencies.
func (v *Vectorizer) weigh() {
	if v.columns == nil {
		v.columns = newColumns(v.terms, v.vocabulary)
	}
	v.weigher.weigh()
}

// Settings returns the settings that it was made with.
func (v *Vectorizer) Settings() Text { return v.settings }

// Columns returns the number of columns of the result of Transform.
func (v *Vectorizer) Columns() int {
	if v.settings.Bits > 0 {
		return 1 << v.settings.Bits
	}
	return len(v.vocabulary)
}

// Vocabulary returns the words, ascending, which are the columns of the result of Transform, or nil
// for hashed terms. The slice must not be modified.
func (v *Vectorizer) Vocabulary() []string { return v.vocabulary }

// IDF returns the factor of each column's weight that depends on its document frequency: ln(N /
// df), or its counterpart in BM25. It is nil if nothing was counted. The slice must not be
// modified.
func (v *Vectorizer) IDF() []float64 { return v.weigher.idf }

// Keep returns a vectorizer with some of the columns, passed in ascending order, such as those of a
// Selection. Vectors are normalized without the columns left out.
func (v *Vectorizer) Keep(columns []int) (*Vectorizer, error) {
	if v.vocabulary == nil {
		return nil, fmt.Errorf("features: the terms are hashed, so there is no vocabulary to keep a part of")
	}
	for k, j := range columns {
		if j < 0 || j >= len(v.vocabulary) {
			return nil, fmt.Errorf("features: column %d does not exist; the vectors have columns 0 to %d", j, len(v.vocabulary)-1)
		}
		if k > 0 && columns[k-1] >= j {
			return nil, fmt.Errorf("features: column %d comes after column %d; pass each once, ascending", j, columns[k-1])
		}
	}
	kept := *v
	kept.vocabulary = make([]string, len(columns))
	for k, j := range columns {
		kept.vocabulary[k] = strings.Clone(v.vocabulary[j])
	}
	kept.weigher = v.weigher.keep(columns)
	kept.columns = nil
	kept.weigh()
	return &kept, nil
}

// Transform returns the documents as vectors, with the labels, taxonomy and name of the corpus.
// Words outside the vocabulary are ignored; a document with only such words has a row without
// entries.
func (v *Vectorizer) Transform(c *dataset.Corpus) *dataset.Dataset {
	d, err := v.TransformContext(context.Background(), c)
	if err != nil { // that context is never cancelled, so the corpus is nil
		panic(err)
	}
	return d
}

// TransformContext is Transform that stops with the context's error when ctx is cancelled.
func (v *Vectorizer) TransformContext(ctx context.Context, c *dataset.Corpus) (*dataset.Dataset, error) {
	if c == nil {
		return nil, fmt.Errorf("features: the corpus is nil")
	}
	x, err := v.vectors(ctx, len(c.Documents), func(i int) string { return c.Documents[i].Text })
	if err != nil {
		return nil, err
	}
	return v.dataset(c, x), nil
}

// dataset returns the vectors of a corpus with its labels, taxonomy and name.
func (v *Vectorizer) dataset(c *dataset.Corpus, x *dataset.Matrix) *dataset.Dataset {
	return &dataset.Dataset{Name: c.Name, Taxonomy: c.Taxonomy, X: x, Labels: c.LabelSets(), Vocabulary: v.vocabulary, Groups: c.Groups()}
}

// Vectors returns texts without labels as vectors, one row each, for predictions.
func (v *Vectorizer) Vectors(texts ...string) *dataset.Matrix {
	x, _ := v.vectors(context.Background(), len(texts), func(i int) string { return texts[i] })
	return x
}

func (v *Vectorizer) vectors(ctx context.Context, n int, text func(i int) string) (*dataset.Matrix, error) {
	parts := min(guarded.Workers(0), max(n, 1))
	readers := make([]termReader, parts)
	return v.joinParts(ctx, n, parts, func(w *textWriter, part, i, _ int) {
		readers[part].terms = v.terms
		w.add(v, &readers[part], text(i))
	})
}

// joinParts returns a matrix of n rows. add adds each row to the writer of its part, which begins
// with row from.
func (v *Vectorizer) joinParts(ctx context.Context, n, parts int, add func(w *textWriter, part, i, from int)) (*dataset.Matrix, error) {
	writers := make([]textWriter, parts)
	inParallel(n, parts, func(part, from, to int) {
		for i := from; i < to && ctx.Err() == nil; i++ {
			add(&writers[part], part, i, from)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rows := make([]rowWriter, parts)
	for i := range writers {
		rows[i] = writers[i].rowWriter
	}
	x := joined(rows, n, v.Columns())
	x.Vocabulary = v.vocabulary
	return x, nil
}

// textWriter makes rows of texts.
type textWriter struct {
	rowWriter
	times  []int32 // count of each column in the text
	found  []int32 // columns with times
	hashes []uint64
	marks  []uint64 // a bit for each column
}

// add appends the row of a text.
func (w *textWriter) add(v *Vectorizer, reader *termReader, text string) {
	if v.settings.Bits > 0 {
		w.addHashed(v, reader, text)
	} else {
		w.addKnown(v, reader, text)
	}
}

// addKnown appends the row of a text by its terms in the vocabulary.
func (w *textWriter) addKnown(v *Vectorizer, reader *termReader, text string) {
	if w.times == nil {
		w.times = make([]int32, len(v.vocabulary))
	}
	w.found = w.found[:0]
	found := func(j int32) {
		if j < 0 {
			return
		}
		if w.times[j] == 0 {
			w.found = append(w.found, j)
		}
		w.times[j]++
	}
	tokens := reader.read(text, &v.columns.lexicon, false)
	from, to := reader.lengths()
	terms := 0
	for n := from; n <= to && n <= len(tokens); n++ {
		terms += len(tokens) - n + 1
	}
	for i, node := range tokens {
		if node == unknown {
			continue
		}
		if from == 1 {
			found(v.columns.ofTokens[node])
		}
		for n := 2; n <= to && i+n <= len(tokens); n++ {
			g := v.columns.gram(node, tokens[i+n-1], false)
			if g == unknown {
				break
			}
			if n >= from {
				found(v.columns.ofGrams[g])
			}
			node = g | gramBit
		}
	}
	w.addFound(v, terms)
}

// addCounted appends the row of a text from its counts.
func (w *textWriter) addCounted(v *Vectorizer, c *counter, text int, of *columns) {
	if w.times == nil {
		w.times = make([]int32, len(v.vocabulary))
		w.x.Indices, w.x.Values = make([]int32, 0, len(c.nodes)), make([]float32, 0, len(c.nodes))
	}
	w.found = w.found[:0]
	end := len(c.nodes)
	if text+1 < len(c.begins) {
		end = c.begins[text+1]
	}
	for k := c.begins[text]; k < end; k++ {
		node := uint32(c.nodes[k])
		switch {
		case c.first[0] == nil:
		case node&gramBit != 0:
			node = c.first[1][node&^gramBit] | gramBit
		default:
			node = c.first[0][node]
		}
		if j := *of.at(node); j >= 0 {
			w.found = append(w.found, j)
			w.times[j] = c.times[k]
		}
	}
	w.addFound(v, int(c.totals[text]))
}

// addFound appends the row of the columns found in a text with the given number of terms.
func (w *textWriter) addFound(v *Vectorizer, terms int) {
	w.sortFound()
	row := w.begin()
	for _, j := range w.found {
		row.add(&v.weigher, j, v.weigher.frequencyWeight(float64(w.times[j]), float64(terms)))
		w.times[j] = 0
	}
	w.end(&v.weigher, row)
}

// sortFound sorts the columns found. If there are many, it scans a bit for each column.
func (w *textWriter) sortFound() {
	const dense = 1 << 10 // columns for each that is found
	if len(w.times) > dense*len(w.found) || len(w.found) < 8 {
		slices.Sort(w.found)
		return
	}
	if w.marks == nil {
		w.marks = make([]uint64, (len(w.times)+63)/64)
	}
	for _, j := range w.found {
		w.marks[j/64] |= 1 << (j % 64)
	}
	w.found = w.found[:0]
	for k, word := range w.marks {
		for ; word != 0; word &= word - 1 {
			w.found = append(w.found, int32(64*k+bits.TrailingZeros64(word)))
		}
		w.marks[k] = 0
	}
}

// addHashed appends the row of a text by the hashes of its terms.
func (w *textWriter) addHashed(v *Vectorizer, reader *termReader, text string) {
	w.hashes = reader.hashes(text, w.hashes[:0])
	row := w.begin()
	for i := 0; i < len(w.hashes); {
		column, weight := hashColumn(w.hashes[i], v.settings.Bits), 0.0
		for i < len(w.hashes) && hashColumn(w.hashes[i], v.settings.Bits) == column {
			hash, start := w.hashes[i], i
			for i < len(w.hashes) && w.hashes[i] == hash {
				i++
			}
			weight += hashSign(hash) * v.weigher.frequencyWeight(float64(i-start), float64(len(w.hashes)))
		}
		row.add(&v.weigher, column, weight) // terms of one column may cancel out
	}
	w.end(&v.weigher, row)
}

// String describes the vectors of texts.
func (v *Vectorizer) String() string {
	what := fmt.Sprintf("%d %s", len(v.vocabulary), v.settings.kind())
	if v.settings.Bits > 0 {
		what = fmt.Sprintf("%s in %d columns by hashing", v.settings.kind(), v.Columns())
	}
	return v.weigher.describe(what)
}

// kind describes the terms.
func (s *Text) kind() string {
	name := s.Tokens.String()
	if s.Pattern != "" || s.Tokenizer != nil {
		name = "tokens"
	}
	switch from, to := s.NGrams[0], s.NGrams[1]; {
	case to <= 1:
		return name
	case from == to:
		return fmt.Sprintf("%d-grams of %s", to, name)
	default:
		return fmt.Sprintf("%d- to %d-grams of %s", from, to, name)
	}
}

// shownTerms is how many terms HTML shows.
const shownTerms = 8

// HTML is String with the terms that stand in the most training documents.
func (v *Vectorizer) HTML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<div class=\"hierml-vectorizer\">\n<div>%s</div>\n", template.HTMLEscapeString(v.String()))
	order := make([]int, len(v.vocabulary))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(v.weigher.frequencies[b]) - int(v.weigher.frequencies[a]) })
	if len(order) > 0 {
		b.WriteString("<table>\n<thead><tr><th style=\"text-align:left\">most frequent</th><th>documents</th></tr></thead>\n<tbody>\n")
		for _, j := range order[:min(len(order), shownTerms)] {
			fmt.Fprintf(&b, "<tr><td style=\"text-align:left\">%s</td><td>%d</td></tr>\n", template.HTMLEscapeString(describe.Cut(v.vocabulary[j], 40)), v.weigher.frequencies[j])
		}
		b.WriteString("</tbody>\n</table>\n")
	}
	b.WriteString("</div>\n")
	return b.String()
}
