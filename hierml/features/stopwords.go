package features

import (
	_ "embed"
	"strings"
)

//go:embed stopwords_english.txt
var englishStopWords string

// EnglishStopWords returns the English words of the SMART retrieval system, 570 of them: the, of,
// however, don't, and such. It is the list english.stop of Salton and Buckley's distribution, which
// states no terms of use and is widely used; [LYRL04] removed its words when they made RCV1.
func EnglishStopWords() []string {
	return strings.Fields(englishStopWords)
}
