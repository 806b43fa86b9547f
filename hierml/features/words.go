package features

import (
	"unicode"
	"unicode/utf8"
)

// What ASCII characters become in a word: letters and digits in lower case or as they are, and zero
// for what ends a word.
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
	var buffer [utf8.UTFMax]byte
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
	var buffer [utf8.UTFMax]byte
	space, first := false, true
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if unicode.IsSpace(r) || r == utf8.RuneError && size == 1 {
			space = !first
			continue
		}
		if space {
			f(append(buffer[:0], ' '))
			space = false
		}
		first = false
		if !keepCase {
			r = unicode.ToLower(r)
		}
		f(utf8.AppendRune(buffer[:0], r))
	}
}
