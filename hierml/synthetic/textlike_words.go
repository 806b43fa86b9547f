package synthetic

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
)

// textWords has what the documents of TextLike draw their words from.
type textWords struct {
	mix        []float64 // cumulated parts of the levels
	length     float64
	ranks      []int32 // words by frequency, the most frequent first
	background *alias  // over ranks
	positions  *alias  // over the words of a topic
	topics     [][]int32
}

func newTextWords(g TextLike) *textWords {
	w := &textWords{
		length:     float64(g.Length),
		ranks:      make([]int32, g.Features),
		background: newAlias(zipf(g.Features, 10, 1)),
		positions:  newAlias(zipf(g.Topic, 5, 0.7)),
	}
	for i, word := range stream(g.Seed, wordStream, 0).Perm(g.Features) {
		w.ranks[i] = int32(word)
	}
	sum := 0.0
	for _, part := range g.Mix {
		sum += part
		w.mix = append(w.mix, sum)
	}
	nodes := 0
	for _, n := range g.Levels {
		nodes += n
	}
	// Topics avoid the most frequent words, which tell nothing in texts either.
	choice := newAlias(zipf(g.Features, 300, 0.8))
	w.topics = make([][]int32, nodes)
	for n := range w.topics {
		rng := stream(g.Seed, topicStream, n)
		w.topics[n] = make([]int32, g.Topic)
		for j := range w.topics[n] {
			w.topics[n][j] = w.ranks[choice.draw(rng)]
		}
	}
	return w
}

// zipf returns the weights 1/(r+offset)^exponent of ranks from 0.
func zipf(n int, offset, exponent float64) []float64 {
	weights := make([]float64, n)
	for r := range weights {
		weights[r] = math.Pow(float64(r)+offset, -exponent)
	}
	return weights
}

// document draws documents one after another.
type document struct {
	*textWords
	words []int32
}

func (w *textWords) newDocument() *document { return &document{textWords: w} }

// draw appends the words of a document with the topics of the path, and how often each occurs.
func (d *document) draw(rng *rand.Rand, path []int, columns []int32, counts []float32) ([]int32, []float32) {
	const shortest = 20
	n := max(shortest, int(d.length*math.Exp(0.4*rng.NormFloat64()-0.08))) // of mean one, but for the rounding
	d.words = d.words[:0]
	for range n {
		source := rng.Float64()
		level := 0
		for level < len(d.mix) && source >= d.mix[level] {
			level++
		}
		word := int32(0)
		if level < len(d.mix) {
			word = d.topics[path[level]][d.positions.draw(rng)]
		} else {
			word = d.ranks[d.background.draw(rng)]
		}
		d.words = append(d.words, word)
	}
	slices.Sort(d.words)
	for i, word := range d.words {
		if i > 0 && d.words[i-1] == word {
			counts[len(counts)-1]++
			continue
		}
		columns, counts = append(columns, word), append(counts, 1)
	}
	return columns, counts
}

// inverseFrequencies returns log((1+N)/(1+n)) + 1 of each column, which n of the N rows have.
func inverseFrequencies(x *dataset.Matrix) []float64 {
	rows := make([]int, x.Cols)
	for _, j := range x.Indices {
		rows[j]++
	}
	inverse := make([]float64, x.Cols)
	for j, n := range rows {
		inverse[j] = math.Log(float64(1+x.Rows)/float64(1+n)) + 1
	}
	return inverse
}

// weighCounts makes rows of unit length of counts: (1 + log count) times the column's factor.
func weighCounts(x *dataset.Matrix, inverse []float64) {
	var row []float64
	for i := range x.Rows {
		columns, values := x.Row(i)
		row = row[:0]
		squares := 0.0
		for k, j := range columns {
			v := (1 + math.Log(float64(values[k]))) * inverse[j]
			row = append(row, v)
			squares += v * v
		}
		norm := math.Sqrt(squares)
		for k, v := range row {
			values[k] = float32(v / norm)
		}
	}
}
