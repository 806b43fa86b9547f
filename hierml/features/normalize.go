package features

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalization is the form to which the characters of a text are brought before tokens are found:
// a text can write é as one character, or as e and an accent.
type Normalization int

const (
	// AsWritten is no normalization: é and e with an accent are two words.
	AsWritten Normalization = iota
	// NFC composes characters and their accents (Unicode Standard Annex 15).
	NFC
	// NFKC is NFC that also replaces characters of other forms, such as the ligature ﬁ, half-width
	// letters and superscripts, by the usual ones.
	NFKC
	// NoAccents is NFKC without accents and other combining characters: café is cafe. It is like
	// strip_accents="unicode" of scikit-learn, except that the syllables of Hangul stay whole.
	NoAccents
)

var normalizationNames = []string{"as written", "NFC", "NFKC", "no accents"}

func (n Normalization) String() string { return enumName("Normalization", int(n), normalizationNames) }

// MarshalText returns the name that String returns.
func (n Normalization) MarshalText() ([]byte, error) {
	return marshalEnum("Normalization", int(n), normalizationNames)
}

// UnmarshalText sets the normalization by its name.
func (n *Normalization) UnmarshalText(text []byte) error {
	return unmarshalEnum("Normalization", (*int)(n), normalizationNames, text)
}

// maxMarks is the maximum number of combining marks in a row to keep: package norm changes texts
// with more than 30, and other implementations do not.
const maxMarks = 10

// of returns the text in the form.
func (n Normalization) of(text string) string {
	if n == AsWritten || ascii(text) {
		return text
	}
	text = fewMarks(text)
	switch n {
	case NFC:
		return norm.NFC.String(text)
	case NFKC:
		return norm.NFKC.String(text)
	}
	text = norm.NFKD.String(text)
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 || norm.NFKD.PropertiesString(text[i:]).CCC() == 0 {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return norm.NFC.String(b.String()) // Hangul and the like, which are not accents
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// fewMarks returns the text with at most maxMarks combining marks in a row.
func fewMarks(text string) string {
	var b strings.Builder
	from, marks := 0, 0
	for i, r := range text {
		if !unicode.IsMark(r) {
			marks = 0
			continue
		}
		if marks++; marks > maxMarks {
			b.WriteString(text[from:i])
			from = i + utf8.RuneLen(r)
		}
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}
