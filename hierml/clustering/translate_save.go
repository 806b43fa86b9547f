package clustering

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// savedTranslated is the taxonomy that a model is translated to, in JSON.
type savedTranslated struct {
	Format  string         `json:"format"`
	Version int            `json:"version"`
	Names   []string       `json:"names"`
	Edges   [][2]int       `json:"edges"`
	Labels  map[int]string `json:"labels,omitempty"` // see Taxonomy.LabelNames
}

const (
	translatedFormat     = "hierml.translated"
	translatedVersion    = 1
	translatedAttachment = "translated" // by which name the file of the model has it
)

// MarshalJSON returns the taxonomy that the model is translated to, without the model, which has a
// separate file. ReadTranslated combines both.
func (m *Translated) MarshalJSON() ([]byte, error) {
	for _, name := range m.To.Names() {
		if !utf8.ValidString(name) { // which JSON would change
			return nil, fmt.Errorf("clustering: the name %q of a node is not UTF-8; rename the node", name)
		}
	}
	return json.Marshal(savedTranslated{translatedFormat, translatedVersion, m.To.Names(), m.To.Edges(), m.To.LabelNames()})
}

// ReadTranslated returns the model, translated as MarshalJSON wrote. It validates the data.
func ReadTranslated(data []byte, m *classifier.Model) (*Translated, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var s savedTranslated
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("clustering: translated model: %w", err)
	}
	if s.Format != translatedFormat || s.Version != translatedVersion {
		return nil, fmt.Errorf("clustering: translated model: the format is %.40q in version %d; this program reads %q in version %d", s.Format, s.Version, translatedFormat, translatedVersion)
	}
	to, err := taxonomy.NewWithLabels(s.Names, s.Edges, s.Labels)
	if err != nil {
		return nil, fmt.Errorf("clustering: translated model: %w", err)
	}
	return Translate(m, m.Taxonomy, to)
}

// Save writes the model to a file for LoadTranslated and for hierml.load in Python. It is the file
// of the model, a classifier.Model, with the taxonomy that it is translated to attached. It
// replaces an older file only when the new one is complete.
func (m *Translated) Save(path string) error {
	own, err := m.Scores()
	if err != nil {
		return err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("clustering: save: %w", err)
	}
	with := *own
	with.Attached = map[string][]byte{translatedAttachment: data}
	return with.Save(path)
}

// Scores returns the model itself, or an error if it is not a classifier.Model: no other model has
// a file.
func (m *Translated) Scores() (*classifier.Model, error) {
	own, ok := m.Model.(*classifier.Model)
	if !ok || own == nil {
		return nil, fmt.Errorf("clustering: a translated %T cannot be saved; only a translated *classifier.Model can", m.Model)
	}
	return own, nil
}

// LoadTranslated reads a model that Translated.Save wrote. It validates everything in the file.
func LoadTranslated(path string) (*Translated, error) {
	m, err := classifier.Load(path)
	if err != nil {
		return nil, err
	}
	data, ok := m.Attached[translatedAttachment]
	if !ok {
		return nil, fmt.Errorf("clustering: load %s: the file has a model that is not translated; classifier.Load reads it", path)
	}
	m.Attached = nil
	return ReadTranslated(data, m)
}
