package files

import (
	"hash/maphash"
	"iter"
	"strings"
)

// packedWords stores the words of a column one after the other, with little overhead and no
// pointers.
type packedWords struct {
	blocks []packedBlock
	n      int
}

// packedBlock is some of the words.
type packedBlock struct {
	text *strings.Builder
	ends []uint32
}

// Bounds of a block: a few words of a table keep no more memory than it has.
const (
	blockBytes = 1 << 16
	blockWords = 1 << 13
)

// add adds a word.
func (p *packedWords) add(word []byte) {
	last := len(p.blocks) - 1
	if last < 0 || len(p.blocks[last].ends) == blockWords || p.blocks[last].text.Len()+len(word) > blockBytes {
		block := packedBlock{text: new(strings.Builder)}
		if last >= 0 {
			block.text.Grow(max(p.blocks[last].text.Len(), len(word)))
			block.ends = make([]uint32, 0, len(p.blocks[last].ends))
		}
		p.blocks = append(p.blocks, block)
		last++
	}
	block := &p.blocks[last]
	block.text.Write(word)
	block.ends = append(block.ends, uint32(block.text.Len()))
	p.n++
}

// all returns the words.
func (p *packedWords) all() iter.Seq[string] {
	return func(yield func(word string) bool) {
		for _, block := range p.blocks {
			text, from := block.text.String(), uint32(0)
			for _, end := range block.ends {
				if !yield(text[from:end]) {
					return
				}
				from = end
			}
		}
	}
}

var wordSeed = maphash.MakeSeed()

// unpack returns the words. Where many recur, those that do share their memory.
func (p *packedWords) unpack() []string {
	const (
		short = 64   // bytes of the words that are looked for
		slots = 1024 // of recent
		trial = 4096 // words, of which a quarter have to recur
	)
	words := make([]string, 0, p.n)
	recent, found := make([]string, slots), 0 // short words by their hashes
	for word := range p.all() {
		if recent != nil && word != "" && len(word) <= short {
			slot := &recent[maphash.String(wordSeed, word)%slots]
			if *slot == word {
				word = *slot
				found++
			} else {
				word = strings.Clone(word)
				*slot = word
			}
		}
		if words = append(words, word); len(words) == trial && found < trial/4 {
			recent = nil
		}
	}
	return words
}
