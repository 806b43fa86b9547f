package features

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// savedVectorizer is a Vectorizer in JSON.
type savedVectorizer struct {
	header
	Text Text `json:"text"`
	// the tokens come from a function, which is not in the file
	Tokenizer   bool     `json:"tokenizer,omitzero"`
	DropCommon  bool     `json:"drop common,omitzero"`
	Documents   int      `json:"documents"`
	Length      float64  `json:"terms per document"`
	Vocabulary  []string `json:"vocabulary,omitempty"`
	Frequencies []int32  `json:"document frequencies,omitempty"`
}

var vectorizerHeader = header{"hierml.vectorizer", withSmoothIDF}

// withSmoothIDF is the version of files with SmoothIDF, which readers of version 1 would ignore.
const withSmoothIDF = 2

// version returns the version of a file: 1, which earlier programs read, without SmoothIDF.
func version(smooth bool) int {
	if smooth {
		return withSmoothIDF
	}
	return 1
}

// errTokenizer means that a file needs a tokenizer in addition.
var errTokenizer = errors.New("its tokens come from a function of the program that saved it; pass that function to LoadVectorizerWith")

// Save writes the vectorizer to a file, as JSON, for LoadVectorizer. With it and the file of a
// model, you can predict new texts. A function in Text.Tokenizer is not in the file. It replaces an
// older file only when the new one is complete.
func (v *Vectorizer) Save(path string) error { return saveJSON(path, v) }

// LoadVectorizer reads a file that Vectorizer.Save wrote. The vectorizer returns the same vectors.
func LoadVectorizer(path string) (*Vectorizer, error) {
	v := new(Vectorizer)
	if err := loadJSON(path, v); err != nil {
		return nil, err
	}
	return v, nil
}

// LoadVectorizerWith is LoadVectorizer for a vectorizer whose tokens come from a function.
func LoadVectorizerWith(path string, tokenizer func(text string) []string) (*Vectorizer, error) {
	if tokenizer == nil {
		return nil, fmt.Errorf("features: load %s: the tokenizer is nil; use LoadVectorizer, which needs none", path)
	}
	v := &Vectorizer{settings: Text{Tokenizer: tokenizer}}
	if err := loadJSON(path, v); err != nil {
		return nil, err
	}
	return v, nil
}

// MarshalJSON returns the JSON that Save writes.
func (v *Vectorizer) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedVectorizer{
		header{vectorizerHeader.Format, version(v.settings.SmoothIDF)}, v.settings, v.settings.Tokenizer != nil, v.settings.dropCommon,
		v.weigher.documents, v.weigher.length, v.vocabulary, v.weigher.frequencies,
	})
}

// UnmarshalJSON sets the vectorizer from the output of MarshalJSON.
func (v *Vectorizer) UnmarshalJSON(data []byte) error {
	var saved savedVectorizer
	if err := decode(data, &saved); err != nil {
		return err
	}
	if err := saved.check(vectorizerHeader); err != nil {
		return err
	}
	tokenizer := v.settings.Tokenizer
	if saved.Tokenizer && tokenizer == nil {
		return errTokenizer
	}
	if !saved.Tokenizer && tokenizer != nil {
		return fmt.Errorf("its tokens do not come from a function; read it with LoadVectorizer")
	}
	saved.Text.Tokenizer, saved.Text.dropCommon = tokenizer, saved.DropCommon
	loaded, err := saved.Text.vectorizer()
	if err != nil {
		return err
	}
	loaded.weigher.documents, loaded.weigher.length = saved.Documents, saved.Length
	loaded.vocabulary, loaded.weigher.frequencies = saved.Vocabulary, saved.Frequencies
	if err := loaded.check(); err != nil {
		return err
	}
	loaded.weigh()
	*v = *loaded
	return nil
}

// check returns an error for counts that Fit cannot have made.
func (v *Vectorizer) check() error {
	counted := v.Columns()
	if v.settings.Bits > 0 && (v.weigher.documents == 0 || !v.settings.Weight.counted()) {
		counted = 0
	}
	if len(v.weigher.frequencies) != counted {
		return fmt.Errorf("%d document frequencies for %d columns", len(v.weigher.frequencies), counted)
	}
	least := int32(1)
	if v.settings.Bits > 0 {
		least = 0
		if v.vocabulary != nil {
			return fmt.Errorf("it has a vocabulary and hashed terms")
		}
		if v.settings.Weight.counted() && v.weigher.documents == 0 {
			return fmt.Errorf("no documents were counted, and the weight %v needs counts", v.settings.Weight)
		}
	} else if len(v.vocabulary) == 0 {
		return fmt.Errorf("no vocabulary")
	}
	for j := 1; j < len(v.vocabulary); j++ {
		if v.vocabulary[j-1] >= v.vocabulary[j] {
			return fmt.Errorf("the vocabulary is not ascending: %s before %s", textfile.Quote(v.vocabulary[j-1]), textfile.Quote(v.vocabulary[j]))
		}
	}
	return v.weigher.checkCounts(least)
}
