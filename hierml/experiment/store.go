package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/hierml/notebook/hierml/internal/farmed"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/internal/folder"
)

// The files of a directory.
const (
	studyFile = "study.json"
	planFile  = "plan.json"
	cellsFile = "cells.jsonl"
	lockFile  = "lock"
)

// store keeps finished cells, in a directory or in memory.
type store struct {
	cells map[string]*Cell
	file  *os.File // of cells, nil in memory
	size  int64    // of whole lines in it
	lock  *os.File
}

// BusyError says that another run writes to the directory of a study.
type BusyError struct{ Directory string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("experiment: another run of a study writes to %s; wait for its end, stop it, or give this one another Directory", e.Directory)
}

// openStore takes the lock of a directory, makes it where it is missing, and reads its cells. A
// last line that a crash has cut short is dropped.
func openStore(directory string) (_ *store, err error) {
	if directory == "" {
		return &store{cells: make(map[string]*Cell)}, nil
	}
	f := folder.Folder(directory)
	if err := f.Make(); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	locked, err := f.Lock(lockFile)
	if err != nil {
		return nil, fmt.Errorf("experiment: locking %s: %w", directory, err)
	}
	if locked == nil {
		return nil, &BusyError{directory}
	}
	s := &store{lock: locked}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if err := farmed.Clear(directory, studyFile, planFile); err != nil {
		return nil, err
	}
	var whole int64
	if s.cells, whole, err = readCells(directory); err != nil {
		return nil, err
	}
	if s.file, err = f.Update(cellsFile); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	if err = s.file.Truncate(whole); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	s.size = whole
	return s, nil
}

// readCells reads the finished cells of a directory, those of its processes on a farm included, and
// the length of the file of its own without a line that was cut short. Of several lines with one
// key in it the last counts.
func readCells(directory string) (cells map[string]*Cell, whole int64, err error) {
	name := filepath.Join(directory, cellsFile)
	content, err := folder.Folder(directory).Read(cellsFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("experiment: %w", err)
	}
	cells = make(map[string]*Cell)
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	number := 0
	for line := range bytes.Lines(content) {
		number++
		c := &Cell{}
		if err := json.Unmarshal(line, c); err != nil || c.Key == "" {
			if err == nil {
				err = errors.New("it has no Key")
			}
			return nil, 0, fmt.Errorf("experiment: %s:%d is not a finished cell: %w; delete the line to run its cell again", name, number, err)
		}
		cells[c.Key] = c
	}
	err = newReader(directory).read(nil, func(_ string, c *Cell) {
		if c.better(cells[c.Key]) {
			cells[c.Key] = c
		}
	}, func(string) {})
	return cells, int64(len(content)), err
}

// add keeps a cell. In a directory it is on disk before add returns.
func (s *store) add(c *Cell) error {
	if s.file != nil {
		line, err := json.Marshal(c)
		if err == nil {
			err = s.append(append(line, '\n'))
		}
		if err != nil {
			return fmt.Errorf("experiment: keeping a finished cell: %w", err)
		}
	}
	s.cells[c.Key] = c
	return nil
}

// append puts a line at the end of the file, on the disk.
func (s *store) append(line []byte) error {
	if err := s.write(line); err != nil {
		return err
	}
	return s.file.Sync()
}

// write puts a line at the end of the file. What a full disk has left of one is taken back: the
// next would go on in it.
func (s *store) write(line []byte) error {
	if _, err := s.file.WriteAt(line, s.size); err != nil {
		return errors.Join(err, s.file.Truncate(s.size))
	}
	s.size += int64(len(line))
	return nil
}

// close releases the directory.
func (s *store) close() error {
	var err error
	for _, f := range []*os.File{s.file, s.lock} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	s.file, s.lock = nil, nil
	return err
}

// keep writes a file of a directory in one step, so that readers see the old content or the new.
// The directory is locked.
func keep(directory, name string, content []byte) error {
	if err := folder.Folder(directory).Replace(name, content); err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	return nil
}

// Cell is one training with one evaluation.
type Cell struct {
	Key    string // what Study.RunCell takes
	Data   string
	Method string
	Point  string `json:",omitempty"` // of the grid
	// of the point: numbers as float64, true and false, otherwise text
	Settings map[string]any `json:",omitempty"`
	// by inner cells, those of this division with an Inner that is not 0
	Chosen bool `json:",omitempty"`
	// instances of every class trained on, where the study says so
	PerClass int `json:",omitempty"`
	Repeat   int // from 1
	Fold     int `json:",omitempty"` // from 1, where a repeat has several divisions
	Inner    int `json:",omitempty"` // from 1, of divisions of what is trained on
	Seed     uint64
	Train    int // instances
	Test     int // instances
	// Features, Nodes and Leaves are those of the data trained on.
	Features, Nodes, Leaves int     `json:",omitempty"`
	Seconds                 float64 // of training; where it went on from a checkpoint, of what was left
	// Values are the measures by name; NaN is one that is not defined on the data.
	Values map[string]float64 `json:"-"`
	// Weighted says that the measures are weighted by the Weights of the instances.
	Weighted bool `json:",omitempty"`
	// Equal is the number of instances tested on whose text or vector is that of one trained on, as
	// the data had them, before the study's steps, and EqualExample names two.
	Equal        int    `json:",omitempty"`
	EqualExample string `json:",omitempty"`
	// Pool is the number of instances that those to train on are drawn from, where PerClass draws
	// several times from the same ones, and GivenTest says that the others are tested on, not the
	// rest of these.
	Pool      int  `json:",omitempty"`
	GivenTest bool `json:",omitempty"`
	// Instances has the values of measures of the study that are means over instances: of every
	// instance tested on where there is one division, and where there is a Pool of 5000 instances
	// that may be tested on, or all, NaN for those that this cell doesn't test.
	Instances map[string][]float64 `json:"-"`
	// Program is what computed it: the versions of hierml and Go, and the machine.
	Program string `json:",omitempty"`
	Note    string `json:",omitempty"` // what is worth knowing about the training
	// LearnedLittle says that by the certificate of the training its weights may have learned
	// nothing, see solver.Result.LearnedLittle.
	LearnedLittle bool   `json:",omitempty"`
	Error         string `json:",omitempty"` // why there are no values
}

// stored is a Cell in a file, where NaN is null.
type stored struct {
	*plainCell
	Values    map[string]*float64   `json:",omitempty"`
	Instances map[string][]*float64 `json:",omitempty"`
}

type plainCell Cell

// MarshalJSON writes NaN as null.
func (c *Cell) MarshalJSON() ([]byte, error) {
	s := stored{plainCell: (*plainCell)(c)}
	for name, v := range c.Values {
		if s.Values == nil {
			s.Values = make(map[string]*float64)
		}
		s.Values[name] = finite(v)
	}
	for name, values := range c.Instances {
		if s.Instances == nil {
			s.Instances = make(map[string][]*float64)
		}
		for _, v := range values {
			s.Instances[name] = append(s.Instances[name], finite(v))
		}
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Cell) UnmarshalJSON(text []byte) error {
	s := stored{plainCell: (*plainCell)(c)}
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	c.Values, c.Instances = nil, nil
	for name, v := range s.Values {
		if c.Values == nil {
			c.Values = make(map[string]float64)
		}
		c.Values[metric.CurrentName(name)] = orNaN(v)
	}
	for name, values := range s.Instances {
		if c.Instances == nil {
			c.Instances = make(map[string][]float64)
		}
		for _, v := range values {
			c.Instances[name] = append(c.Instances[name], orNaN(v))
		}
	}
	return nil
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// planned is a cell that is to be, as plan.json has it.
type planned struct {
	Key, Data, Method string
	Point             string `json:",omitempty"`
	PerClass          int    `json:",omitempty"`
	Repeat            int
	Fold              int `json:",omitempty"`
	Inner             int `json:",omitempty"`
}

// outline is plan.json: what is needed to show the cells.
type outline struct {
	Name     string
	Measures []string
	Baseline string   `json:",omitempty"`
	Test     string   `json:",omitempty"`
	Repeated []string `json:",omitempty"` // data whose instances are divided more than once
	Methods  []string
	Notes    []string `json:",omitempty"`
	Cells    []planned
}

// methodOrder returns the position of a method, behind all others if it is none.
func (o *outline) methodOrder(name string) int {
	if i := slices.Index(o.Methods, name); i >= 0 {
		return i
	}
	return len(o.Methods)
}
