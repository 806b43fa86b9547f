package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/internal/modelfile"
	"github.com/hierml/notebook/hierml/svm"
)

// saved is everything except the model in JSON. Values fitted by package features have their own
// "format".
type saved struct {
	Format        string            `json:"format"`
	Version       int               `json:"version"`
	Vectorizer    json.RawMessage   `json:"vectorizer,omitempty"`
	Columns       json.RawMessage   `json:"columns,omitempty"`
	Steps         []json.RawMessage `json:"steps,omitempty"`
	Probabilities json.RawMessage   `json:"probabilities,omitempty"`
	Decision      json.RawMessage   `json:"decision,omitempty"`
	Beam          int               `json:"beam,omitzero"`
}

const (
	format = "hierml.pipeline"
	// Version 2 has columns instead of a vectorizer. Version 3 has one of both, and a model of
	// nodes or a translated one, which older readers would take for the model of scores.
	textVersion, columnVersion, modelVersion = 1, 2, 3
	// attachment is the name by which a model's file has the rest, setsAttachment and
	// translatedAttachment those of what svm.NodeSetModel and clustering.Translated add.
	attachment           = "pipeline"
	setsAttachment       = "sets"
	translatedAttachment = "translated"
)

// Save writes everything that is needed to classify a new text to one file, for Load and for
// hierml.load in Python. It replaces an older file only when the new one is complete. It returns an
// error if the parts do not fit together, if the tokens of the vectorizer come from a function, and
// for a step of a type outside package features.
func (p *Pipeline) Save(path string) error {
	f, err := p.file()
	if err != nil {
		return err
	}
	return f.save(path)
}

// Write writes the contents of the file of Save.
func (p *Pipeline) Write(w io.Writer) error {
	f, err := p.file()
	if err != nil {
		return err
	}
	return f.write(w)
}

// file is a model with the rest attached.
type file struct {
	save  func(path string) error
	write func(w io.Writer) error
}

// file returns the model with the rest attached.
func (p *Pipeline) file() (*file, error) {
	data, err := p.attached()
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{attachment: data}
	if p.Forest != nil {
		with := *p.Forest
		with.Attached = all
		return &file{with.Save, with.Write}, nil
	}
	var with classifier.Model
	switch {
	case p.NodeSets != nil:
		with = *p.NodeSets.Model
		all[setsAttachment], err = json.Marshal(p.NodeSets)
	case p.Translated != nil:
		all[translatedAttachment], err = json.Marshal(p.Translated)
		fallthrough
	default:
		s, failed := p.scorer()
		if failed != nil {
			return nil, failed
		}
		with = *s.model
	}
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	with.Attached = all
	return &file{with.Save, func(w io.Writer) error { return with.Write(w, classifier.Format{}) }}, nil
}

// attached returns all but the model.
func (p *Pipeline) attached() ([]byte, error) {
	m, err := p.fits()
	if err != nil {
		return nil, err
	}
	if p.Beam > 0 {
		if _, err := p.beamOver(m.model); err != nil {
			return nil, err
		}
	}
	s := saved{Format: format, Version: textVersion, Beam: p.Beam}
	if p.Columns != nil {
		s.Version = columnVersion
		s.Columns, err = json.Marshal(p.Columns)
	} else if p.Vectorizer.Settings().Tokenizer != nil {
		return nil, errors.New("pipeline: the tokens come from a function, Text.Tokenizer, which cannot be saved; use Text.Pattern, a regular expression, or save the vectorizer and the model separately")
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
			return nil, fmt.Errorf("pipeline: step %d is a %T, which cannot be saved; use features.Selection, Scaler or Weigher", k, step)
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
	if p.Decision != nil {
		if s.Decision, err = decision.Marshal(p.Decision, m.taxonomy); err != nil {
			return nil, fmt.Errorf("pipeline: %w", err)
		}
	}
	if p.NodeSets != nil || p.Forest != nil || p.Translated != nil {
		s.Version = modelVersion
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	return data, nil
}

// fits returns the model, if what makes features, the steps and the model fit each other.
func (p *Pipeline) fits() (*scorer, error) {
	m, err := p.scorer()
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

// Load reads a file that Save wrote. It validates everything in the file and returns an error for
// one that is damaged, truncated, has only a model, or has a setting that is unknown to this
// program.
func Load(path string) (*Pipeline, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("pipeline: load: %w", err)
	}
	defer file.Close() // only read from
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("pipeline: load: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("pipeline: load: %s is not a file", path)
	}
	p, err := Read(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return p, nil
}

// Read reads the output of Write, of the given size. It validates everything, as Load does.
func Read(r io.ReaderAt, size int64) (*Pipeline, error) {
	p := new(Pipeline)
	var all map[string][]byte
	if modelfile.Kind(r, size) != "" { // else a classifier.Model, which says what it is not
		m, err := forest.Read(r, size)
		if err != nil {
			return nil, err
		}
		all, m.Attached, p.Forest = m.Attached, nil, m
	} else {
		m, err := classifier.Read(r, size)
		if err != nil {
			return nil, err
		}
		all, m.Attached, p.Model = m.Attached, nil, m
	}
	if err := p.read(all); err != nil {
		return nil, fmt.Errorf("pipeline: load: %w", err)
	}
	return p, nil
}

// MarshalBinary returns the output of Write. It makes a pipeline an encoding.BinaryMarshaler, which
// can be part of other saved values.
func (p *Pipeline) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// UnmarshalBinary sets p to the pipeline that MarshalBinary wrote. It validates everything, as Load
// does.
func (p *Pipeline) UnmarshalBinary(data []byte) error {
	found, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	p.Vectorizer, p.Columns, p.Steps = found.Vectorizer, found.Columns, found.Steps
	p.Model, p.Translated, p.NodeSets, p.Forest = found.Model, found.Translated, found.NodeSets, found.Forest
	p.Calibrated, p.Decision, p.Beam = found.Calibrated, found.Decision, found.Beam
	return nil
}

// read reads what is attached to the model.
func (p *Pipeline) read(all map[string][]byte) error {
	data, ok := all[attachment]
	if !ok {
		return errors.New("the file has a model and no vectorizer; read it with classifier.Load, or with Load of the package of the model, or write both with Pipeline.Save")
	}
	var s saved
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return err
	}
	if s.Format != format || s.Version < textVersion || s.Version > modelVersion {
		return fmt.Errorf("the format is %.40q in version %d; this program reads %q in version %d to %d", s.Format, s.Version, format, textVersion, modelVersion)
	}
	if (s.Columns == nil) == (s.Vectorizer == nil) || s.Version == textVersion && s.Vectorizer == nil || s.Version == columnVersion && s.Columns == nil {
		return fmt.Errorf("version %d with %d bytes of a vectorizer and %d of columns", s.Version, len(s.Vectorizer), len(s.Columns))
	}
	p.Beam = s.Beam
	if err := p.readModel(all); err != nil {
		return err
	}
	if other := p.NodeSets != nil || p.Forest != nil || p.Translated != nil; other != (s.Version == modelVersion) {
		return fmt.Errorf("version %d is not that of a file with this model", s.Version)
	}
	if s.Columns != nil {
		p.Columns = new(features.Encoder)
		if err := json.Unmarshal(s.Columns, p.Columns); err != nil {
			return fmt.Errorf("columns: %w", err)
		}
	} else {
		p.Vectorizer = new(features.Vectorizer)
		if err := json.Unmarshal(s.Vectorizer, p.Vectorizer); err != nil {
			return fmt.Errorf("vectorizer: %w", err)
		}
	}
	for k, data := range s.Steps {
		step, err := readStep(data)
		if err != nil {
			return fmt.Errorf("step %d: %w", k, err)
		}
		p.Steps = append(p.Steps, step)
	}
	if s.Probabilities != nil {
		var err error
		if p.Calibrated, err = svm.ReadCalibrated(s.Probabilities, p.Model); err != nil {
			return err
		}
	}
	if s.Decision != nil {
		var err error
		if p.Decision, err = decision.Unmarshal(s.Decision, p.Taxonomy()); err != nil {
			return err
		}
	}
	m, err := p.fits()
	if err != nil {
		return err
	}
	if p.Beam > 0 {
		if _, err := p.beamOver(m.model); err != nil {
			return err
		}
	}
	return nil
}

// readModel reads what makes another model of that of scores.
func (p *Pipeline) readModel(all map[string][]byte) (err error) {
	if data, ok := all[setsAttachment]; ok && p.Model != nil {
		p.NodeSets, err = svm.ReadNodeSets(data, p.Model)
		p.Model = nil
		return err
	}
	if data, ok := all[translatedAttachment]; ok && p.Model != nil {
		p.Translated, err = clustering.ReadTranslated(data, p.Model)
	}
	return err
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
