package dataset

import (
	"unicode"
	"unicode/utf8"
)

// lowerASCII has the lower case of ASCII letters, digits as they are, and zero for what ends a word.
var lowerASCII = func() (table [utf8.RuneSelf]byte) {
	for c := byte('0'); c <= '9'; c++ {
		table[c] = c
	}
	for c := byte('a'); c <= 'z'; c++ {
		table[c] = c
		table[c-'a'+'A'] = c
	}
	return table
}()

// words calls f for each word of the text: each longest run of letters and digits, in lower case. A
// combining mark continues the word before it. The slice is valid during the call.
func words(text string, f func(word []byte)) {
	var buffer [64]byte
	word := buffer[:0]
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			if lower := lowerASCII[c]; lower != 0 {
				word = append(word, lower)
				continue
			}
		} else {
			r, size := utf8.DecodeRuneInString(text[i:])
			i += size
			if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && len(word) > 0 {
				word = utf8.AppendRune(word, unicode.ToLower(r))
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
