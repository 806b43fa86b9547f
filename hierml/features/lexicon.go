package features

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// lexicon numbers tokens and n-grams of several tokens. An n-gram is represented by its first n-1
// tokens and its last one, so its bytes are neither hashed nor stored.
type lexicon struct {
	tokens []byte // one after the other
	ends   []int  // of them, by their numbers
	short  numbers
	long   []uint64 // slots of the others: upper half of a hash, and number + 1

	grams  []gram // by their numbers
	byGram numbers
}

// gram has the node of all tokens of an n-gram except the last, and the number of the last.
type gram struct{ before, last uint32 }

// A node is the number of a token, or that of an n-gram of several with gramBit.
const (
	gramBit = 1 << 31
	unknown = gramBit - 1
)

// numbers is a hash table of numbers by keys.
type numbers struct {
	slots []numberSlot
	n     int
	most  int // keys for which there is room
}

type numberSlot struct {
	key    uint64
	number uint32 // + 1
}

var (
	tokenSeed = maphash.MakeSeed()
	keySeed   = rand.Uint64()
)

// slot returns the slot of a key, by a random seed that texts cannot know.
func (t *numbers) slot(key uint64) uint64 {
	high, low := bits.Mul64(key^keySeed, 0x9e3779b97f4a7c15)
	return (high ^ low) & uint64(len(t.slots)-1)
}

// find returns the slot of the key, an empty one if it is not there. The table must not be empty.
func (t *numbers) find(key uint64) *numberSlot {
	at := t.slot(key)
	for t.slots[at].number != 0 && t.slots[at].key != key {
		at = (at + 1) & uint64(len(t.slots)-1)
	}
	return &t.slots[at]
}

// reserve makes room for one more key.
func (t *numbers) reserve() {
	if t.n == t.most {
		t.grow()
	}
}

func (t *numbers) grow() {
	old := t.slots
	t.slots = make([]numberSlot, max(2*len(old), 1<<6))
	t.most = len(t.slots) / 3 * 2
	for _, slot := range old {
		if slot.number != 0 {
			*t.find(slot.key) = slot
		}
	}
}

// token returns the bytes of a token.
func (l *lexicon) token(number uint32) []byte {
	from := 0
	if number > 0 {
		from = l.ends[number-1]
	}
	return l.tokens[from:l.ends[number]]
}

// shortKey encodes a token of at most seven bytes as a number.
func shortKey(token []byte) (key uint64, ok bool) {
	const most = 7
	n := len(token)
	if n > most {
		return 0, false
	}
	if cap(token) > most { // the bytes after it belong to the buffer of a tokenizer
		key = binary.LittleEndian.Uint64(token[:most+1]) & (1<<(8*n) - 1)
	} else {
		for k, c := range token {
			key |= uint64(c) << (8 * k)
		}
	}
	return key | uint64(n)<<56, true
}

// number returns the number of a token. If there is none, it adds the token if add is true,
// otherwise it returns unknown.
func (l *lexicon) number(token []byte, add bool) uint32 {
	key, ok := shortKey(token)
	if !ok {
		return l.longNumber(token, add)
	}
	if add {
		l.short.reserve()
	} else if l.short.n == 0 {
		return unknown
	}
	slot := l.short.find(key)
	if slot.number == 0 {
		if !add {
			return unknown
		}
		l.short.n++
		*slot = numberSlot{key, l.newToken(token) + 1}
	}
	return slot.number - 1
}

func (l *lexicon) newToken(token []byte) uint32 {
	l.tokens = append(l.tokens, token...)
	l.ends = append(l.ends, len(l.tokens))
	return uint32(len(l.ends) - 1)
}

// longNumber is number for a longer token.
func (l *lexicon) longNumber(token []byte, add bool) uint32 {
	if add && 3*(len(l.ends)-l.short.n) >= 2*len(l.long) {
		l.growLong()
	}
	if len(l.long) == 0 {
		return unknown
	}
	const upper = 1<<64 - 1<<32
	hash := maphash.Bytes(tokenSeed, token)
	mask := uint64(len(l.long) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := &l.long[at]
		switch {
		case *slot == 0 && !add:
			return unknown
		case *slot == 0:
			n := l.newToken(token)
			*slot = hash&upper | uint64(n+1)
			return n
		case (*slot^hash)&upper == 0 && bytes.Equal(l.token(uint32(*slot)-1), token):
			return uint32(*slot) - 1
		}
	}
}

func (l *lexicon) growLong() {
	old := l.long
	l.long = make([]uint64, max(2*len(old), 1<<6))
	mask := uint64(len(l.long) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		at := maphash.Bytes(tokenSeed, l.token(uint32(slot)-1)) & mask
		for l.long[at] != 0 {
			at = (at + 1) & mask
		}
		l.long[at] = slot
	}
}

// gram returns the number of the n-gram of a node and a further token. If there is none, it adds it
// if add is true, otherwise it returns unknown.
func (l *lexicon) gram(before, last uint32, add bool) uint32 {
	if add {
		l.byGram.reserve()
	} else if l.byGram.n == 0 {
		return unknown
	}
	key := uint64(before)<<32 | uint64(last)
	slot := l.byGram.find(key)
	if slot.number == 0 {
		if !add {
			return unknown
		}
		l.byGram.n++
		l.grams = append(l.grams, gram{before, last})
		*slot = numberSlot{key, uint32(len(l.grams))}
	}
	return slot.number - 1
}

// inOrder calls f with each node and its text, in alphabetical order. The text is valid during the
// call. The order is that of the tokens, because no byte of a token is less than the separator.
func (l *lexicon) inOrder(separator string, f func(node uint32, text []byte)) {
	order := make([]uint32, len(l.ends)) // tokens by the alphabet
	for n := range order {
		order[n] = uint32(n)
	}
	slices.SortFunc(order, func(a, b uint32) int { return bytes.Compare(l.token(a), l.token(b)) })
	rank := make([]int, len(order))
	for r, n := range order {
		rank[n] = r
	}
	grams := make([]uint32, len(l.grams))
	for g := range grams {
		grams[g] = uint32(g)
	}
	grams, _ = sortedBy(grams, len(order), func(g uint32) int { return rank[l.grams[g].last] })
	place := func(node uint32) int {
		if node&gramBit != 0 {
			return len(order) + int(node&^gramBit)
		}
		return int(node)
	}
	grams, first := sortedBy(grams, len(order)+len(grams), func(g uint32) int { return place(l.grams[g].before) })
	var text []byte
	var visit func(node, last uint32)
	visit = func(node, last uint32) {
		text = append(text, l.token(last)...)
		f(node, text)
		k := place(node)
		if first[k] == first[k+1] {
			return
		}
		text = append(text, separator...)
		length := len(text)
		for _, g := range grams[first[k]:first[k+1]] {
			visit(g|gramBit, l.grams[g].last)
			text = text[:length]
		}
	}
	for _, n := range order {
		text = text[:0]
		visit(n, n)
	}
}

// sortedBy returns the items sorted by their keys, which are less than n, and the start of each
// key. The sort is stable.
func sortedBy(items []uint32, n int, key func(uint32) int) (sorted []uint32, first []int) {
	first = make([]int, n+2)
	for _, i := range items {
		first[key(i)+2]++
	}
	for k := range n {
		first[k+2] += first[k+1]
	}
	sorted = make([]uint32, len(items))
	for _, i := range items {
		at := &first[key(i)+1]
		sorted[*at] = i
		*at++
	}
	return sorted, first
}

// merge adds the entries of another lexicon and calls token and gram with their numbers in both.
func (l *lexicon) merge(other *lexicon, token, gram func(here, there uint32)) {
	tokens := make([]uint32, len(other.ends))
	for n := range tokens {
		tokens[n] = l.number(other.token(uint32(n)), true)
		token(tokens[n], uint32(n))
	}
	grams := make([]uint32, len(other.grams))
	for n, key := range other.grams { // those before it have lower numbers
		before := key.before
		if before&gramBit != 0 {
			before = grams[before&^gramBit] | gramBit
		} else {
			before = tokens[before]
		}
		grams[n] = l.gram(before, tokens[key.last], true)
		gram(grams[n], uint32(n))
	}
}

// columns has the columns of the terms of a vocabulary by their nodes, -1 for nodes that are not
// terms.
type columns struct {
	lexicon
	ofTokens, ofGrams []int32
}

// at returns the column of a node.
func (c *columns) at(node uint32) *int32 {
	if node&gramBit != 0 {
		return &c.ofGrams[node&^gramBit]
	}
	return &c.ofTokens[node]
}

// newColumns returns the columns of a vocabulary.
func newColumns(t *terms, vocabulary []string) *columns {
	c := new(columns)
	for j, term := range vocabulary {
		node := uint32(unknown)
		t.split(term, func(token []byte) {
			n := c.number(token, true)
			if node == unknown {
				node = n
				return
			}
			node = c.gram(node, n, true) | gramBit
		})
		for len(c.ofTokens) < len(c.ends) {
			c.ofTokens = append(c.ofTokens, -1)
		}
		for len(c.ofGrams) < len(c.grams) {
			c.ofGrams = append(c.ofGrams, -1)
		}
		if node != unknown {
			*c.at(node) = int32(j)
		}
	}
	return c
}
