package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
)

// MarshalJSON writes the study as ReadStudy reads it. Of what JSON cannot have, a function or a
// type of one's own, there is a description, which ReadStudy refuses.
func (s *Study) MarshalJSON() ([]byte, error) {
	c := *s
	c.Directory, c.Workers, c.Farm, c.Retry, c.Progress = "", 0, nil, false, nil
	object, _ := described(&c).(map[string]any)
	text, err := json.MarshalIndent(object, "", "\t")
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return text, nil
}

// UnmarshalJSON reads a study; see ReadStudy.
func (s *Study) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	var read Study
	if err := (setter{}).fields(reflect.ValueOf(&read).Elem(), object, "the study"); err != nil {
		return err
	}
	*s = read
	return nil
}

// ReadStudy reads a study from a JSON file, whose names are those of the fields in Go. Estimators
// and generators are Named, so that a method is
//
//	{"Name": "normalized", "Estimator": {"svm.Normalized": {"Weighting": "weighting.MaxMin"}}, "Grid": {"C": [0.1, 1, 10]}}
//
// A name that is none, of a field, a measure, a method, is an error that lists those there are.
func ReadStudy(file string) (*Study, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	s := &Study{}
	if err := checkJSON(text); err != nil {
		return nil, fmt.Errorf("experiment: %s:%w", file, err)
	}
	if err := s.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if s.Directory != "" && !filepath.IsAbs(s.Directory) {
		s.Directory = filepath.Join(filepath.Dir(file), s.Directory)
	}
	if _, err := s.checked(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// checkJSON returns an error that begins with the line and column at which text is no JSON.
func checkJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	var object map[string]json.RawMessage
	err := d.Decode(&object)
	at := d.InputOffset()
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("something stands behind the study")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		at, err = int64(len(text)), errors.New("the file ends in the middle of the study")
	}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		at, err = 0, fmt.Errorf("the file is one JSON %s; expected an object, such as {\"Data\": [...], \"Methods\": [...]}", kind.Value)
	}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		at = syntax.Offset - 1
	}
	before := text[:min(int(at), len(text))]
	return fmt.Errorf("%d:%d: %w", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'), err)
}
