package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/internal/farmed"
	"github.com/hierml/notebook/internal/folder"
)

// readSubmission returns what was given to a farm of a directory, nil if nothing was.
func readSubmission(directory string) (*farmed.Submission, error) {
	s, err := farmed.Read(directory)
	if err == nil && s != nil && !s.Stopped { // the farm of one that was stopped, which may be any, is not asked
		s.Farm, err = farmOf(s, directory, nil)
	}
	return s, err
}

// farmOf returns the farm of a submission. The farm is known if it is none of this library.
func farmOf(s *farmed.Submission, directory string, known farm.Farm) (farm.Farm, error) {
	d := json.NewDecoder(bytes.NewReader(s.Kind))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("experiment: the farm of %s: %w", directory, err)
	}
	said, err := readNamed(value)
	if err != nil {
		return nil, fmt.Errorf("experiment: the farm of %s: %w", directory, err)
	}
	if known != nil {
		if own, err := readNamed(farmAsJSON(known)); err == nil && own.Type == said.Type && implementing(reflect.TypeFor[farm.Farm]())[said.Type] == nil {
			return known, nil
		}
	}
	var f farm.Farm
	err = setter{}.value(reflect.ValueOf(&f).Elem(), value, "the farm of "+directory)
	return f, err
}

// farmAsJSON is a farm as a study in JSON has it.
func farmAsJSON(f farm.Farm) any {
	return (&describer{seen: make(map[uintptr]bool)}).dynamic(reflect.ValueOf(f))
}

// Stop ends what a farm computes in a directory: cells of a study, or problems of a training
// (solver.Settings.Farm). What is finished stays, and Run, or the training, goes on from there. It
// is an error if nothing is under way.
func Stop(ctx context.Context, directory string) error {
	s, err := readSubmission(directory)
	if err != nil {
		return err
	}
	if s == nil || s.Stopped {
		return fmt.Errorf("experiment: no farm computes anything in %s", directory)
	}
	return s.Stop(ctx, directory)
}

// assignment is a job of a farm: the cells of each part, fixed when it was submitted, and what they
// are cells of, so that a part opens only what its cells need.
type assignment struct {
	Format int
	Data   []string   // what each data set of the study is known by
	Files  []string   `json:",omitempty"` // of each that is a file the path, if any is
	Parts  [][]string // keys of cells
}

// assignment returns the text of the file of a job.
func (p *plan) assignment(parts [][]*job) ([]byte, error) {
	a := assignment{Format: format}
	for _, d := range p.data {
		a.Data = append(a.Data, d.identity)
	}
	var err error
	if a.Files, err = p.study.files(); err != nil {
		return nil, err
	}
	for _, part := range parts {
		keys := make([]string, len(part))
		for i, j := range part {
			keys[i] = j.key
		}
		a.Parts = append(a.Parts, keys)
	}
	return json.Marshal(a)
}

// assign writes the file of a job.
func (p *plan) assign(name string, parts [][]*job) error {
	text, err := p.assignment(parts)
	if err != nil {
		return err
	}
	return keep(p.study.Directory, farmed.File(name), append(text, '\n'))
}

// readAssignment reads the one of a job.
func readAssignment(directory, job string) (*assignment, error) {
	text, err := folder.Folder(directory).Read(farmed.File(job))
	if err != nil {
		return nil, err
	}
	a := &assignment{}
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("%s: %w", farmed.Path(directory, job), err)
	}
	return a, nil
}
