package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/svm"
)

// saved is all but the model in JSON. What is fitted by package features says in its own "format"
// what it is.
type saved struct {
	Format        string            `json:"format"`
	Version       int               `json:"version"`
	Vectorizer    json.RawMessage   `json:"vectorizer,omitempty"`
	Columns       json.RawMessage   `json:"columns,omitempty"`
	Steps         []json.RawMessage `json:"steps,omitempty"`
	Probabilities json.RawMessage   `json:"probabilities,omitempty"`
	Beam          int               `json:"beam,omitzero"`
}

const (
	format = "hierml.pipeline"
	// Version 2 has columns in place of a vectorizer.
	textVersion, columnVersion = 1, 2
	// attachment is the name by which a model's file has the rest.
	attachment = "pipeline"
)

// Save writes all that is needed to classify a new text to one file, which Load reads, and
// hierml.load of the package for Python. The file appears under its name when it is complete: until
// then an older one stays. It is an error if the parts do not fit each other, if the tokens of the
// vectorizer are those of a function, and for a step of another type than those of package
// features.
func (p *Pipeline) Save(path string) error {
	m, err := p.whole()
	if err != nil {
		return err
	}
	return m.Save(path)
}

// Write writes what Save writes to a file.
func (p *Pipeline) Write(w io.Writer) error {
	m, err := p.whole()
	if err != nil {
		return err
	}
	return m.Write(w, classifier.Format{})
}

// whole returns the model with the rest attached.
func (p *Pipeline) whole() (*classifier.Model, error) {
	m, err := p.fits()
	if err != nil {
		return nil, err
	}
	if p.Beam > 0 {
		if _, err := p.beamOver(m); err != nil {
			return nil, err
		}
	}
	s := saved{Format: format, Version: textVersion, Beam: p.Beam}
	if p.Columns != nil {
		s.Version = columnVersion
		s.Columns, err = json.Marshal(p.Columns)
	} else if p.Vectorizer.Settings().Tokenizer != nil {
		return nil, errors.New("pipeline: the tokens are those of a function, Text.Tokenizer, which no file holds; use Text.Pattern, a regular expression, or save the vectorizer and the model each by itself")
	} else {
		s.Vectorizer, err = json.Marshal(p.Vectorizer)
	}
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	for k, step := range p.Steps {
		switch step.(type) {
		case *features.Selection, *features.Scaler, *features.Weigher:
		default:
			return nil, fmt.Errorf("pipeline: step %d is a %T, which no file holds; there are features.Selection, Scaler and Weigher", k, step)
		}
		data, err := json.Marshal(step)
		if err != nil {
			return nil, fmt.Errorf("pipeline: step %d: %w", k, err)
		}
		s.Steps = append(s.Steps, data)
	}
	if p.Calibrated != nil {
		if s.Probabilities, err = json.Marshal(p.Calibrated); err != nil {
			return nil, fmt.Errorf("pipeline: %w", err)
		}
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	with := *m
	with.Attached = map[string][]byte{attachment: data}
	return &with, nil
}

// fits returns the model, if what makes features, the steps and the model fit each other.
func (p *Pipeline) fits() (*classifier.Model, error) {
	m, err := p.model()
	if err != nil {
		return nil, err
	}
	if p.Columns == nil {
		_, err = p.Vectors()
	} else {
		x := &dataset.Matrix{Cols: p.Columns.Columns(), Indptr: []int{0}, Vocabulary: p.Columns.Vocabulary()}
		_, err = p.stepped(m, x)
	}
	return m, err
}

// Load reads what Save has written. It trusts nothing in the file: one that is damaged, cut off, of
// a model alone, or with a setting that this program does not know is an error that says so.
func Load(path string) (*Pipeline, error) {
	m, err := classifier.Load(path)
	if err != nil {
		return nil, err
	}
	p, err := of(m)
	if err != nil {
		return nil, fmt.Errorf("pipeline: load %s: %w", path, err)
	}
	return p, nil
}

// Read reads what Write has written, of the given size. It trusts nothing that it reads, as Load
// does.
func Read(r io.ReaderAt, size int64) (*Pipeline, error) {
	m, err := classifier.Read(r, size)
	if err != nil {
		return nil, err
	}
	p, err := of(m)
	if err != nil {
		return nil, fmt.Errorf("pipeline: load: %w", err)
	}
	return p, nil
}

// MarshalBinary returns what Write writes. It makes a pipeline an encoding.BinaryMarshaler, which
// can be a part of what others keep.
func (p *Pipeline) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// UnmarshalBinary makes p the pipeline that MarshalBinary has written. It trusts nothing in it, as
// Load does.
func (p *Pipeline) UnmarshalBinary(data []byte) error {
	found, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	p.Vectorizer, p.Columns, p.Steps = found.Vectorizer, found.Columns, found.Steps
	p.Model, p.Calibrated, p.Beam = found.Model, found.Calibrated, found.Beam
	return nil
}

// of returns the pipeline of a model with the rest attached, which it takes off.
func of(m *classifier.Model) (*Pipeline, error) {
	data, ok := m.Attached[attachment]
	if !ok {
		return nil, errors.New("the file has a model and no vectorizer; classifier.Load reads it, and Pipeline.Save writes both")
	}
	m.Attached = nil
	var s saved
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, err
	}
	if s.Format != format || s.Version != textVersion && s.Version != columnVersion {
		return nil, fmt.Errorf("the format is %.40q in version %d; this program reads %q in version %d and %d", s.Format, s.Version, format, textVersion, columnVersion)
	}
	if (s.Version == textVersion) != (s.Columns == nil) || (s.Version == columnVersion) != (s.Vectorizer == nil) {
		return nil, fmt.Errorf("version %d with %d bytes of a vectorizer and %d of columns", s.Version, len(s.Vectorizer), len(s.Columns))
	}
	p := &Pipeline{Model: m, Beam: s.Beam}
	if s.Version == columnVersion {
		p.Columns = new(features.Encoder)
		if err := json.Unmarshal(s.Columns, p.Columns); err != nil {
			return nil, fmt.Errorf("columns: %w", err)
		}
	} else {
		p.Vectorizer = new(features.Vectorizer)
		if err := json.Unmarshal(s.Vectorizer, p.Vectorizer); err != nil {
			return nil, fmt.Errorf("vectorizer: %w", err)
		}
	}
	for k, data := range s.Steps {
		step, err := readStep(data)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", k, err)
		}
		p.Steps = append(p.Steps, step)
	}
	if s.Probabilities != nil {
		var err error
		if p.Calibrated, err = svm.ReadCalibrated(s.Probabilities, m); err != nil {
			return nil, err
		}
	}
	if _, err := p.fits(); err != nil {
		return nil, err
	}
	if p.Beam > 0 {
		if _, err := p.beamOver(m); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// readStep returns the step that the data say they are.
func readStep(data []byte) (Step, error) {
	var kind struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, err
	}
	var step Step
	switch kind.Format {
	case "hierml.selection":
		step = new(features.Selection)
	case "hierml.scaler":
		step = new(features.Scaler)
	case "hierml.weigher":
		step = new(features.Weigher)
	default:
		return nil, fmt.Errorf("the format is %.40q, which this program does not know as a step", kind.Format)
	}
	return step, json.Unmarshal(data, step)
}
