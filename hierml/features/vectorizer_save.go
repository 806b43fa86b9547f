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
	// the tokens are those of a function, which is not in the file
	Tokenizer   bool     `json:"tokenizer,omitzero"`
	DropCommon  bool     `json:"drop common,omitzero"`
	Documents   int      `json:"documents"`
	Length      float64  `json:"terms per document"`
	Vocabulary  []string `json:"vocabulary,omitempty"`
	Frequencies []int32  `json:"document frequencies,omitempty"`
}

var vectorizerHeader = header{"hierml.vectorizer", withSmoothIDF}

// withSmoothIDF is the version of files with SmoothIDF, which readers of version 1 would not heed.
const withSmoothIDF = 2

// version returns that of what is saved with the setting: 1, which earlier programs read, without.
func version(smooth bool) int {
	if smooth {
		return withSmoothIDF
	}
	return 1
}

// errTokenizer says that a file is not all of a vectorizer.
var errTokenizer = errors.New("its tokens are those of a function of the program that saved it; give that function to LoadVectorizerWith")

// Save writes the vectorizer to a file, as JSON, which LoadVectorizer reads: what a model needs
// beside its own file to predict of new texts. A function that Text.Tokenizer names is not in the
// file. The file appears under its name when it is complete: until then an older one stays.
func (v *Vectorizer) Save(path string) error { return saveJSON(path, v) }

// LoadVectorizer reads what Vectorizer.Save wrote. What it returns makes the same vectors.
func LoadVectorizer(path string) (*Vectorizer, error) {
	v := new(Vectorizer)
	if err := loadJSON(path, v); err != nil {
		return nil, err
	}
	return v, nil
}

// LoadVectorizerWith is LoadVectorizer for a vectorizer whose tokens are those of a function.
func LoadVectorizerWith(path string, tokenizer func(text string) []string) (*Vectorizer, error) {
	if tokenizer == nil {
		return nil, fmt.Errorf("features: load %s: no tokenizer is given; LoadVectorizer needs none", path)
	}
	v := &Vectorizer{settings: Text{Tokenizer: tokenizer}}
	if err := loadJSON(path, v); err != nil {
		return nil, err
	}
	return v, nil
}

// MarshalJSON returns what Save writes.
func (v *Vectorizer) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedVectorizer{
		header{vectorizerHeader.Format, version(v.settings.SmoothIDF)}, v.settings, v.settings.Tokenizer != nil, v.settings.dropCommon,
		v.weigher.documents, v.weigher.length, v.vocabulary, v.weigher.frequencies,
	})
}

// UnmarshalJSON sets the vectorizer to what MarshalJSON wrote.
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
		return fmt.Errorf("its tokens are not those of a function; LoadVectorizer reads it")
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

// check reports what Fit could not have counted.
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
			return fmt.Errorf("a vocabulary beside hashed terms")
		}
		if v.settings.Weight.counted() && v.weigher.documents == 0 {
			return fmt.Errorf("no documents were counted, which the weight %v needs", v.settings.Weight)
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
