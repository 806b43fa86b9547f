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
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/internal/folder"
)

// MarshalJSON writes the study in the form of ReadStudy. For functions and your own types, which
// JSON cannot represent, it writes a description, for which ReadStudy returns an error. For a File
// that is not below the DataFolder it writes the name without a folder.
func (s *Study) MarshalJSON() ([]byte, error) {
	c := *s
	c.Directory, c.Workers, c.Farm, c.Retry, c.Progress, c.DataFolder, c.ownFolder = "", 0, nil, false, nil, "", ""
	c.Data = slices.Clone(s.Data)
	for i := range c.Data {
		if file := &c.Data[i].File; *file != "" && !filepath.IsLocal(*file) {
			*file = filepath.Base(*file)
		}
	}
	object, _ := described(&c).(map[string]any)
	text, err := json.MarshalIndent(object, "", "\t")
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return text, nil
}

// UnmarshalJSON reads a study; see ReadStudy.
//
// The JSON may come from an untrusted source. So it determines where the study writes only by a
// Directory below the folder of its file and a Checkpoint in the working folder, and what it reads
// only by Files below the DataFolder. It cannot choose a Farm: Run returns an error for one from
// the JSON, unless you replace it.
func (s *Study) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	var read Study
	if chosen := object["Farm"]; chosen != nil {
		var f fileFarm
		if err := (setter{}).value(reflect.ValueOf(&f.Farm).Elem(), chosen, "the study.Farm"); err != nil {
			return err
		}
		read.Farm = f
	}
	delete(object, "Farm")
	if err := (setter{}).fields(reflect.ValueOf(&read).Elem(), object, "the study"); err != nil {
		return err
	}
	if read.Directory != "" && !filepath.IsLocal(read.Directory) {
		return fmt.Errorf("experiment: the study.Directory %q leads out of the folder of its file: leave it out, and choose the folder by --dir, or by Study.Directory in Go", read.Directory)
	}
	for i := range read.Data {
		if file := read.Data[i].File; file != "" && !filepath.IsLocal(file) {
			return fmt.Errorf("experiment: the study.Data[%d].File %q leads out of the folder of the study: name a file below that folder, or choose another folder by --data (in Go, by Study.DataFolder)", i, file)
		}
	}
	delete(object, "Directory")
	delete(object, "Data") // where columns may have any names
	if err := checkChoices(object, "the study"); err != nil {
		return err
	}
	*s = read
	return nil
}

// fileFarm is the farm that a file asks for.
type fileFarm struct{ farm.Farm }

// errFileFarm is that of a study which would run on one.
var errFileFarm = errors.New(`experiment: the study's file asks for a farm, which a file cannot choose: run it with --on slurm or --on local, and --sbatch for options (in Go, set Study.Farm), or remove "Farm" from the file`)

// checkChoices is an error if a text sets what only the one who runs the study can choose: fields
// of solver.Settings that say where a training writes, and what computes it. The names of fields
// are keys, or, in grids, parts of paths that are keys.
func checkChoices(value any, at string) error {
	switch value := value.(type) {
	case []any:
		for i, v := range value {
			if err := checkChoices(v, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, key := range sortedKeys(value) {
			if strings.HasPrefix(key, dataPrefix) { // of a grid: nothing in data is such a choice
				continue
			}
			path := at + "." + key
			for name := range strings.SplitSeq(key, ".") {
				switch name {
				case "Farm", "Directory", "DataFolder":
					return fmt.Errorf("experiment: %s can be set in Go only, and not by a file; leave it out", path)
				case "Checkpoint":
					if err := checkCheckpoint(value[key], path); err != nil {
						return err
					}
				}
			}
			if err := checkChoices(value[key], path); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkCheckpoint is an error if a checkpoint that a text names, or one of several, is no file in
// the working folder.
func checkCheckpoint(value any, at string) error {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			if err := checkCheckpoint(v, at); err != nil {
				return err
			}
		}
	case string:
		if value != "" && (filepath.Base(value) != value || !filepath.IsLocal(value)) {
			return fmt.Errorf("experiment: %s is %q; a file can name one in the working folder only: give its name without a folder", at, value)
		}
	}
	return nil
}

// ReadStudy reads a study from a JSON file, whose names are those of the fields in Go. Estimators
// and generators are Named, so that a method is
//
//	{"Name": "normalized", "Estimator": {"svm.Normalized": {"Weighting": "weighting.MaxMin"}}, "Grid": {"C": [0.1, 1, 10]}}
//
// For an unknown name of a field, measure or method, the error lists the valid names. The Directory
// must be in the folder of the file, without links. A Farm must be set again, see
// [Study.UnmarshalJSON]. If the path is the directory of a study, it reads the study that was run
// there.
//
// The DataFolder is the folder of the file, and of the directory of a study the folder that has the
// directory. No file in it is read through a link, unless you set DataFolder to another folder.
func ReadStudy(file string) (*Study, error) {
	read := func() ([]byte, error) { return os.ReadFile(file) }
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		directory := file
		file = filepath.Join(directory, studyFile)
		read = func() ([]byte, error) { return folder.Folder(directory).Read(studyFile) }
	}
	text, err := read()
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
	if s.Directory != "" {
		if err := folder.Folder(filepath.Dir(file)).Check(s.Directory); err != nil {
			return nil, fmt.Errorf("%s: experiment: %w", file, err)
		}
		s.Directory = filepath.Join(filepath.Dir(file), s.Directory)
	}
	if _, err := s.checked(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if s.DataFolder, err = filepath.Abs(filepath.Dir(file)); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	if filepath.Base(file) == studyFile {
		ran, err := folder.Folder(s.DataFolder).Has(planFile)
		if err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
		if ran {
			s.DataFolder = filepath.Dir(s.DataFolder)
		}
	}
	s.ownFolder = s.DataFolder
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
		err = errors.New("there is text after the end of the study")
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
