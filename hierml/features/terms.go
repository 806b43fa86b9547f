package features

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// Tokens is the kind of tokens of a text.
type Tokens int

const (
	// Words are the longest runs of letters and digits. A combining mark continues the word before
	// it.
	Words Tokens = iota
	// Letters are single letters, ignoring other characters between them: n-grams of n letters are
	// the n-mers of a sequence of proteins or nucleotides.
	Letters
	// Characters are all characters, with one space for a run of white space.
	Characters
)

var tokensNames = []string{"words", "letters", "characters"}

func (t Tokens) String() string { return enumName("Tokens", int(t), tokensNames) }

// MarshalText returns the name that String returns.
func (t Tokens) MarshalText() ([]byte, error) { return marshalEnum("Tokens", int(t), tokensNames) }

// UnmarshalText sets the tokens by their name.
func (t *Tokens) UnmarshalText(text []byte) error {
	return unmarshalEnum("Tokens", (*int)(t), tokensNames, text)
}

// terms finds the terms of texts: their tokens, without stop words, and n-grams of these.
type terms struct {
	tokens    func(text string, f func(token []byte))
	separator string          // between the tokens of an n-gram
	stop      map[string]stop // or nil
	from, to  int             // of the lengths of n-grams

	// Tokens of functions and patterns may contain the separator, so n-grams of different tokens
	// can be the same term. Then a whole term counts as one token of a lexicon.
	whole bool
}

// stop says whether a token, or several joined by the separator, is a stop word or begins one.
type stop struct {
	out    bool // it is a stop word
	begins bool // it begins one
}

// maxGram is the maximum number of tokens in an n-gram and in a stop word. A text has about as many
// n-grams of each length as tokens, and stop words are searched at each token.
const maxGram = 100

// newTerms checks the settings of terms.
func newTerms(s *Text) (*terms, error) {
	t := &terms{separator: " ", from: s.NGrams[0], to: s.NGrams[1]}
	if s.NGrams == [2]int{} {
		t.from, t.to = 1, 1
	}
	if t.from < 1 || t.to < t.from || t.to > maxGram {
		return nil, fmt.Errorf("features: NGrams is %v; it must be the smallest and the largest number of tokens, at most %d, such as {1, 2} for words and pairs of words", s.NGrams, maxGram)
	}
	if s.Pattern != "" && s.Tokenizer != nil || s.Tokens != Words && (s.Pattern != "" || s.Tokenizer != nil) {
		return nil, fmt.Errorf("features: set only one of Tokens, Pattern and Tokenizer")
	}
	t.whole = t.to > 1 && (s.Pattern != "" || s.Tokenizer != nil)
	keepCase := s.KeepCase
	switch {
	case s.Tokenizer != nil:
		t.tokens = func(text string, f func([]byte)) {
			var buffer []byte
			for _, token := range s.Tokenizer(plainText(text, keepCase)) {
				if buffer = append(buffer[:0], strings.ToValidUTF8(token, "\uFFFD")...); len(buffer) > 0 {
					f(buffer)
				}
			}
		}
	case s.Pattern != "":
		pattern, err := regexp.Compile(s.Pattern)
		if err != nil {
			return nil, fmt.Errorf("features: Pattern is not a regular expression: %w", err)
		}
		t.tokens = func(text string, f func([]byte)) {
			var buffer []byte
			// This loop over the matches allocates no memory for each.
			pattern.ReplaceAllStringFunc(plainText(text, keepCase), func(token string) string {
				if buffer = append(buffer[:0], token...); len(buffer) > 0 {
					f(buffer)
				}
				return ""
			})
		}
	case s.Tokens == Words:
		t.tokens = func(text string, f func([]byte)) { words(text, keepCase, f) }
	case s.Tokens == Letters:
		t.separator = ""
		t.tokens = func(text string, f func([]byte)) { letters(text, keepCase, f) }
	case s.Tokens == Characters:
		t.separator = ""
		t.tokens = func(text string, f func([]byte)) { characters(text, keepCase, f) }
	default:
		return nil, fmt.Errorf("features: Tokens is %d; it must be Words, Letters or Characters", int(s.Tokens))
	}
	if form := s.Normalize; form < AsWritten || form > NoAccents {
		return nil, fmt.Errorf("features: Normalize is %d; it must be AsWritten, NFC, NFKC or NoAccents", int(form))
	} else if form != AsWritten {
		tokens := t.tokens
		t.tokens = func(text string, f func([]byte)) { tokens(form.of(text), f) }
	}
	if len(s.StopWords) == 0 {
		return t, nil
	}
	if t.separator == "" {
		return nil, fmt.Errorf("features: StopWords is set, but tokens are %v; stop words need Tokens: Words", s.Tokens)
	}
	t.stop = make(map[string]stop)
	for _, word := range s.StopWords {
		var tokens []string
		t.tokens(word, func(token []byte) { tokens = append(tokens, string(token)) })
		if len(tokens) > maxGram {
			return nil, fmt.Errorf("features: the stop word %s has %d tokens; at most %d are allowed", textfile.Quote(word), len(tokens), maxGram)
		}
		for n := 1; n <= len(tokens); n++ {
			key := strings.Join(tokens[:n], t.separator)
			known := t.stop[key]
			t.stop[key] = stop{out: known.out || n == len(tokens), begins: known.begins || n < len(tokens)}
		}
	}
	return t, nil
}

// plainText returns the text as UTF-8, in lower case unless KeepCase is set.
func plainText(text string, keepCase bool) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !keepCase {
		text = strings.ToLower(text)
	}
	return text
}

// split calls f for the tokens of a term in a lexicon. The slice is valid during the call.
func (t *terms) split(term string, f func(token []byte)) {
	var buffer [64]byte
	switch {
	case t.whole || t.to == 1:
		f(append(buffer[:0], term...))
	case t.separator == "":
		for i := 0; i < len(term); {
			_, size := utf8.DecodeRuneInString(term[i:])
			f(append(buffer[:0], term[i:i+size]...))
			i += size
		}
	default:
		for token := range strings.SplitSeq(term, t.separator) {
			f(append(buffer[:0], token...))
		}
	}
}

// lengths returns the lengths of the n-grams that are terms, in tokens of a lexicon.
func (t *terms) lengths() (from, to int) {
	if t.whole {
		return 1, 1
	}
	return t.from, t.to
}

// termReader finds terms in one text after the other.
type termReader struct {
	*terms
	text    tokenList
	kept    tokenList // without stop words
	numbers []uint32
}

// read returns the numbers of the text's tokens in the lexicon. If add is true, it adds new ones.
// The numbers are valid until the next call.
func (r *termReader) read(text string, l *lexicon, add bool) []uint32 {
	r.numbers = r.numbers[:0]
	number := func(token []byte) { r.numbers = append(r.numbers, l.number(token, add)) }
	switch {
	case r.whole:
		r.each(text, number)
	case r.stop == nil:
		r.tokens(text, number)
	default:
		r.readText(text)
		for i := range r.kept.ends {
			number(r.kept.gram(i, 1))
		}
	}
	return r.numbers
}

// each calls f for each term of the text. The slice is valid during the call.
func (r *termReader) each(text string, f func(term []byte)) {
	if r.stop == nil && r.to == 1 {
		r.tokens(text, f)
		return
	}
	r.readText(text)
	list := &r.text
	if r.stop != nil {
		list = &r.kept
	}
	for i := range list.ends {
		for n := r.from; n <= r.to && i+n <= len(list.ends); n++ {
			f(list.gram(i, n))
		}
	}
}

// readText lists the tokens of the text, and those without stop words if there are any.
func (r *termReader) readText(text string) {
	r.text.reset()
	r.tokens(text, func(token []byte) { r.text.add(token, r.separator) })
	if r.stop != nil {
		r.leaveOutStopWords()
	}
}

// leaveOutStopWords copies the tokens that are not part of a stop word. If several begin at one
// token, it removes the longest.
func (r *termReader) leaveOutStopWords() {
	r.kept.reset()
	for i := 0; i < len(r.text.ends); {
		out := 0 // tokens
		known := r.stop[string(r.text.gram(i, 1))]
		for n := 1; ; n++ {
			if known.out {
				out = n
			}
			if !known.begins || i+n == len(r.text.ends) {
				break
			}
			known = r.stop[string(r.text.gram(i, n+1))]
		}
		if out == 0 {
			r.kept.add(r.text.gram(i, 1), r.separator)
			out = 1
		}
		i += out
	}
}

// tokenList holds tokens with separators between them, so that consecutive tokens are one slice.
type tokenList struct {
	bytes        []byte
	begins, ends []int
}

func (t *tokenList) reset() {
	t.bytes, t.begins, t.ends = t.bytes[:0], t.begins[:0], t.ends[:0]
}

func (t *tokenList) add(token []byte, separator string) {
	if len(t.ends) > 0 {
		t.bytes = append(t.bytes, separator...)
	}
	t.begins = append(t.begins, len(t.bytes))
	t.bytes = append(t.bytes, token...)
	t.ends = append(t.ends, len(t.bytes))
}

// gram returns the n tokens that start at the i-th.
func (t *tokenList) gram(i, n int) []byte { return t.bytes[t.begins[i]:t.ends[i+n-1]] }
