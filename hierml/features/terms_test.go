package features

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/example"
)

// termsOf returns the terms of a text.
func termsOf(t testing.TB, s Text, text string) []string {
	t.Helper()
	found, err := newTerms(&s)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	reader := termReader{terms: found}
	reader.each("text before it", func([]byte) {})
	reader.each(text, func(term []byte) { list = append(list, string(term)) })
	return list
}

func TestTerms(t *testing.T) {
	tests := []struct {
		name     string
		settings Text
		text     string
		want     string
	}{
		{"words", Text{}, "Don't PANIC: 42", "don|t|panic|42"},
		{"case", Text{KeepCase: true}, "Don't PANIC É", "Don|t|PANIC|É"},
		{"pattern", Text{Pattern: `[a-z][a-z0-9]+`}, "A B2B x-ray 3com É", "b2b|ray|com"},
		{"pattern and case", Text{Pattern: `[A-Z]+|x*`, KeepCase: true}, "aBC xxD\xff", "BC|xx|D"},
		{"function", Text{Tokenizer: func(s string) []string { return strings.Split(s, ",") }}, "A b,,C\xff", "a b|c�"},
		{"letters", Text{Tokens: Letters}, ">1\nMK\nÉ.", "m|k|é"},
		{"characters", Text{Tokens: Characters}, " Ab\t\n c\xff\xfe ", "a|b| |c"},
		{"pairs", Text{NGrams: [2]int{1, 2}}, "a b c", "a|a b|b|b c|c"},
		{"triples", Text{NGrams: [2]int{3, 3}}, "a b c d", "a b c|b c d"},
		{"too few", Text{NGrams: [2]int{3, 5}}, "a b", ""},
		{"3-mers", Text{Tokens: Letters, NGrams: [2]int{3, 3}, KeepCase: true}, "MKVL\nAA", "MKV|KVL|VLA|LAA"},
		{"characters of two", Text{Tokens: Characters, NGrams: [2]int{2, 2}}, "é ß", "é | ß"},
		{"stop words", Text{StopWords: []string{"THE", "of"}}, "The end of the story", "end|story"},
		{"stop words and case", Text{StopWords: []string{"the"}, KeepCase: true}, "The end of the story", "The|end|of|story"},
		{"stop words first", Text{StopWords: []string{"of"}, NGrams: [2]int{2, 2}}, "end of story", "end story"},
		{"only stop words", Text{StopWords: []string{"a"}}, "a A a", ""},
		{"stop words of two", Text{StopWords: []string{"won't", "t"}}, "he won; he won't, won", "he|won|he|won"},
		{"the longest", Text{StopWords: []string{"in", "in spite of"}}, "in spite, in spite of it in", "spite|it"},
		{"overlapping", Text{StopWords: []string{"a b", "b c d"}}, "a b c d, x b c d", "c|d|x"},
		{"English", Text{StopWords: EnglishStopWords()}, "It's however the apple that we'd like", "apple"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(termsOf(t, test.settings, test.text), "|"); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestTermsErrors(t *testing.T) {
	for want, settings := range map[string]Text{
		"NGrams is [0 2]":                        {NGrams: [2]int{0, 2}},
		"NGrams is [1 101]":                      {NGrams: [2]int{1, 101}},
		"NGrams is [2 1]":                        {NGrams: [2]int{2, 1}},
		"Pattern is not a regular":               {Pattern: "("},
		"set only one of Tokens, Pattern":        {Pattern: "a", Tokens: Letters},
		"Tokens is 7; it must be":                {Tokens: 7},
		"stop words need Tokens":                 {Tokens: Characters, StopWords: []string{"a"}},
		"has 101 tokens; at most 100 are":        {StopWords: []string{strings.Repeat("a ", 101)}},
		"MinDocuments is -1":                     {MinDocuments: -1},
		"MaxFeatures is -2":                      {MaxFeatures: -2},
		"MaxShare is 1.5":                        {MaxShare: 1.5},
		"TermWeight is 9":                        {Weight: 9},
		"RowNorm is -1":                          {Norm: -1},
		"B at most 1":                            {Weight: BM25, B: 2},
		"log tf-idf it must be from 0 to 24":     {Bits: 25},
		"counts it must be from 0 to 30":         {Bits: 31, Weight: Counts},
		"need a vocabulary":                      {Bits: 8, MinDocuments: 2},
		"all words of corpus \"texts\" are stop": {StopWords: []string{"one two"}},
		"no word of corpus \"texts\" is found":   {NGrams: [2]int{3, 3}},
		"Tokenizer and NGrams match nothing":     {Pattern: "x+"},
	} {
		if _, err := settings.Fit(example.Fruits("one two")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	for want, settings := range map[string]Text{
		"needs training texts":         {},
		"log tf-idf needs training":    {Bits: 4},
		"Bits is -1; with the weight ": {Bits: -1, Weight: Counts},
	} {
		if _, err := settings.Vectorizer(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestEnglishStopWords(t *testing.T) {
	list := EnglishStopWords()
	if len(list) != 570 || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != 570 {
		t.Errorf("%d words, or out of order", len(list))
	}
	for _, word := range []string{"the", "of", "don't", "zero", "a"} {
		if !slices.Contains(list, word) {
			t.Errorf("%q is missing", word)
		}
	}
	list[0] = "changed"
	if EnglishStopWords()[0] != "a" {
		t.Error("the list of all was changed")
	}
}

// FuzzTerms takes any bytes for a text: tokens are UTF-8, not empty and in lower case, and n-grams
// are those of a plain loop.
func FuzzTerms(f *testing.F) {
	for _, text := range []string{"", "Don't e-mail ΑΒΓ", "\xff\xfea\xe2\x82 İ ǅ ß", "e\u0301 \u0301x", "a\x00b\n\n c", ">sp|P9WKL4\nMSTV\nLTYI*"} {
		f.Add(text, uint8(1), uint8(2))
	}
	settings := []Text{
		{}, {Tokens: Letters}, {Tokens: Characters}, {Pattern: `\S+`},
		{Tokenizer: func(s string) []string { return strings.Split(s, " ") }},
		{StopWords: []string{"a", "b c"}},
	}
	f.Fuzz(func(t *testing.T, text string, from, further uint8) {
		from = from%5 + 1
		for _, s := range settings {
			tokens := termsOf(t, s, text)
			for _, token := range tokens {
				if token == "" || !utf8.ValidString(token) {
					t.Errorf("%v: token %q of %q", s, token, text)
				}
				for _, r := range token {
					if unicode.ToLower(r) != r {
						t.Errorf("%v: token %q of %q is not in lower case", s, token, text)
					}
				}
			}
			separator := " "
			if s.Tokens != Words {
				separator = ""
			}
			want := []string{}
			to := int(from) + int(further%4)
			for i := range tokens {
				for n := int(from); n <= to && i+n <= len(tokens); n++ {
					want = append(want, strings.Join(tokens[i:i+n], separator))
				}
			}
			s.NGrams = [2]int{int(from), to}
			if got := termsOf(t, s, text); !slices.Equal(got, want) {
				t.Errorf("%s of %q: %q, want %q", fmt.Sprint(s.NGrams), text, got, want)
			}
		}
	})
}
