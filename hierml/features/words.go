package features

import (
	"unicode"
	"unicode/utf8"
)

// The mapping of ASCII characters in a word: letters and digits, in lower case or unchanged, and
// zero for characters that end a word.
var lowerASCII, sameASCII = func() (lower, same [utf8.RuneSelf]byte) {
	for c := byte('0'); c <= '9'; c++ {
		lower[c], same[c] = c, c
	}
	for c := byte('a'); c <= 'z'; c++ {
		upper := c - 'a' + 'A'
		lower[c], same[c] = c, c
		lower[upper], same[upper] = c, upper
	}
	return lower, same
}()

// words calls f for each word of the text: each longest run of letters and digits, in lower case
// unless the case is kept. A combining mark continues the word before it. The slice is valid during
// the call.
func words(text string, keepCase bool, f func(word []byte)) {
	ascii := &lowerASCII
	if keepCase {
		ascii = &sameASCII
	}
	var buffer [64]byte
	word := buffer[:0]
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			if c = ascii[c]; c != 0 {
				word = append(word, c)
				continue
			}
		} else {
			r, size := utf8.DecodeRuneInString(text[i:])
			i += size
			if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && len(word) > 0 {
				if !keepCase {
					r = unicode.ToLower(r)
				}
				word = utf8.AppendRune(word, r)
				continue
			}
		}
		if len(word) > 0 {
			f(word)
			word = word[:0]
		}
	}
	if len(word) > 0 {
		f(word)
	}
}

// letters calls f for each letter of the text, in lower case unless the case is kept. The slice is
// valid during the call.
func letters(text string, keepCase bool, f func(letter []byte)) {
	var buffer [8]byte // a whole word, see shortKey
	for _, r := range text {
		if unicode.IsLetter(r) {
			if !keepCase {
				r = unicode.ToLower(r)
			}
			f(utf8.AppendRune(buffer[:0], r))
		}
	}
}

// characters calls f for each character of the text, in lower case unless the case is kept, with
// one space for a run of white space or bytes that are not UTF-8, and none at the ends. The slice
// is valid during the call.
func characters(text string, keepCase bool, f func(character []byte)) {
	var buffer [8]byte // a whole word, see shortKey
	space, first := false, true
	for i := 0; i < len(text); {
		c := text[i]
		if c == ' ' || c-'\t' < 5 { // the white space of ASCII
			space = !first
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
			if unicode.IsSpace(r) || r == utf8.RuneError && size == 1 {
				space = !first
				i += size
				continue
			}
		}
		i += size
		if space {
			f(append(buffer[:0], ' '))
			space = false
		}
		first = false
		switch {
		case c < utf8.RuneSelf && !keepCase && c-'A' < 26:
			r += 'a' - 'A'
		case c >= utf8.RuneSelf && !keepCase:
			r = unicode.ToLower(r)
		}
		f(utf8.AppendRune(buffer[:0], r))
	}
}
