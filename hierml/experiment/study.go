package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/metric"
)

// Study says what is compared, on what, and how. Data and Methods are needed; the other fields may
// be left zero.
type Study struct {
	Name    string
	Data    []Data
	Methods []Method
	// Split says what is trained on and what is tested on.
	Split Split
	// Inner, if not zero, divides what is trained on once more, and the point of a method's grid
	// that is best there is trained on all of it: for each division by Split anew. It is a HeldOut,
	// Folds or Forward. Without it every point of a grid is a row of the table of its own.
	Inner Split
	// Select is the measure by which the point is chosen, the mean over the inner divisions; of
	// equal ones it is the first. The default value is the first of Measures.
	Select string
	// Repeats is how often the data are divided, or generated, and trained on, each with other
	// seeds. The default value is 1.
	Repeats int
	// Seed determines everything that is drawn.
	Seed uint64
	// Measures are the columns of the tables: names of metric.Measures, those of depths such as "F1
	// at depth 2", and "seconds" for the time of training, which is not the same in two runs. The
	// default value is accuracy, parent accuracy, tree loss and macro F1 of all classes. Cells keep
	// all; see Results.With.
	Measures []string
	// Baseline is the name of the method that the others are tested against.
	Baseline string
	// Test is how. The default value suits how the data are divided; see Test.
	Test Test
	// Directory is where the cells are kept. Without one they are in memory only.
	Directory string
	// DataFolder is the folder that the Files of Data are in. The default value is the working
	// folder, and of a study that ReadStudy read the folder of its file.
	DataFolder string
	// Workers is the number of cores to use: of cells at the same time, each trained by one worker,
	// and where fewer cells are left, of workers for each. Results do not depend on it. The default
	// value is the number of processors.
	Workers int
	// Farm, if not nil, computes the cells on other machines, or in other processes: farm.Slurm,
	// farm.Local. It needs a Directory, which all of its machines see at the same path, as they do
	// the program and the data. What is submitted is the study in JSON, and where functions or
	// data are given in Go, the program or script that this process runs, which must do the same
	// there. Workers is the farm's to say.
	Farm farm.Farm
	// Retry runs those cells anew that failed in an earlier run in the same directory.
	Retry bool
	// Progress, if not nil, is called at the start and after every cell with the part of the work
	// that is done, from 0 to 1, and the number of cells and an estimate of the remaining time as
	// text. An error stops the study. See nb.Bar.
	Progress func(done float64, state string) error

	ownFolder string // the DataFolder that ReadStudy set
}

// Split says how data are divided into what is trained on and what is tested on. The zero value
// takes the division that the data set has, and holds out 0.3 of the instances where it has
// none; at most one of HeldOut, Folds, PerClass, Forward and Rounds is set. A data set with a
// division that is to be divided in another way is joined before. Where data have groups, none
// is both trained on and tested on; Folds of as many parts as groups leave one out after the
// other. A given division is as it is given.
type Split struct {
	// HeldOut is the share of every class that is tested on.
	HeldOut float64 `json:",omitempty"`
	// Folds is the number of parts, each of which is tested on once. It is 2 or more.
	Folds int `json:",omitempty"`
	// PerClass has numbers of instances of every class to train on, all others being tested on: a
	// learning curve. What is trained on for a number is, in the same repeat, part of what is
	// trained on for a larger one.
	PerClass []int `json:",omitempty"`
	// Forward is the number of divisions that train on what is earlier than what they test on: see
	// dataset.Table.Forward for a table, of which Time names the column that orders the rows, and
	// dataset.Dataset.Forward for other data, and without Time, whose instances stand in the order
	// of time.
	Forward int    `json:",omitempty"`
	Time    string `json:",omitempty"`
	// GivenTest draws PerClass from the part of a data set that it gives for training and tests on
	// the part that it gives for tests.
	GivenTest bool `json:",omitempty"`
	// Rounds are divisions by row.
	Rounds []dataset.Division `json:",omitempty"`
}

// normalHeldOut is the share that is tested on where neither the study nor the data say.
const normalHeldOut = 0.3

func (s Split) zero() bool {
	return s.HeldOut == 0 && s.Folds == 0 && len(s.PerClass) == 0 && s.Forward == 0 && s.Time == "" && !s.GivenTest && len(s.Rounds) == 0
}

// check says what is wrong with the split; field is its name.
func (s Split) check(field string) error {
	set := 0
	for _, is := range []bool{s.HeldOut != 0, s.Folds != 0, len(s.PerClass) > 0, s.Forward != 0, len(s.Rounds) > 0} {
		if is {
			set++
		}
	}
	switch {
	case set > 1:
		return fmt.Errorf("experiment: %s has several of HeldOut, Folds, PerClass, Forward and Rounds; set one", field)
	case s.HeldOut != 0 && !(s.HeldOut > 0 && s.HeldOut < 1):
		return fmt.Errorf("experiment: %s.HeldOut is %v; it must be a share, between 0 and 1", field, s.HeldOut)
	case s.Folds != 0 && s.Folds < 2:
		return fmt.Errorf("experiment: %s.Folds is %d; it must be 2 or more", field, s.Folds)
	case s.Forward < 0:
		return fmt.Errorf("experiment: %s.Forward is %d; it must be 1 or more", field, s.Forward)
	case s.Time != "" && s.Forward == 0:
		return fmt.Errorf("experiment: %s.Time is set without Forward; set Forward, or leave Time empty", field)
	case s.GivenTest && len(s.PerClass) == 0:
		return fmt.Errorf("experiment: %s.GivenTest is set without PerClass; set PerClass, or leave both out to use the division of the data", field)
	}
	for i, t := range s.PerClass {
		if t < 1 || slices.Contains(s.PerClass[:i], t) {
			return fmt.Errorf("experiment: %s.PerClass has %d at position %d; numbers of instances must be positive, and each listed once", field, t, i)
		}
	}
	return nil
}

// defaultMeasures are those of a study that names none.
var defaultMeasures = []string{"accuracy", "parent accuracy", "tree loss", "macro F1 of all classes"}

// seconds is the name of the measure that is no metric.
const seconds = "seconds"

// checked returns the study with the defaults filled in.
func (s *Study) checked() (*Study, error) {
	if s == nil || len(s.Data) == 0 || len(s.Methods) == 0 {
		return nil, errors.New("experiment: a study needs Data and Methods, at least one of each")
	}
	c := *s
	for _, split := range []struct {
		field string
		Split
	}{{"Split", c.Split}, {"Inner", c.Inner}} {
		if err := split.check(split.field); err != nil {
			return nil, err
		}
	}
	if !c.Inner.zero() && c.Inner.HeldOut == 0 && c.Inner.Folds == 0 && c.Inner.Forward == 0 {
		return nil, errors.New("experiment: Inner divides the part for training; it supports only HeldOut, Folds or Forward")
	}
	if c.Repeats < 0 || c.Workers < 0 {
		return nil, fmt.Errorf("experiment: Repeats is %d and Workers is %d; neither may be negative", c.Repeats, c.Workers)
	}
	c.Repeats = max(c.Repeats, 1)
	known := measureNames()
	if len(c.Measures) == 0 {
		c.Measures = defaultMeasures
	}
	c.Measures, c.Select = currentNames(c.Measures), metric.CurrentName(c.Select)
	for i, name := range c.Measures {
		if _, ok := metric.Named(name); name != seconds && !ok {
			return nil, fmt.Errorf("experiment: no measure is called %q; there are %s and %s", name, strings.Join(known, ", "), seconds)
		}
		if slices.Contains(c.Measures[:i], name) {
			return nil, fmt.Errorf("experiment: Measures has %q twice", name)
		}
	}
	if c.Select == "" {
		c.Select = c.Measures[0]
	}
	if _, ok := metric.Named(c.Select); !ok {
		return nil, fmt.Errorf("experiment: Select is %q; choose a measure from %s", c.Select, strings.Join(known, ", "))
	}
	if err := c.Test.check(); err != nil {
		return nil, err
	}
	c.Data, c.Methods = slices.Clone(c.Data), slices.Clone(c.Methods)
	var names []string
	for i := range c.Data {
		if err := c.Data[i].check(); err != nil {
			return nil, err
		}
		if c.Data[i].Name == "" {
			c.Data[i].Name = c.Data[i].defaultName(i)
		}
		names = append(names, c.Data[i].Name)
	}
	if name, ok := twice(names); ok {
		return nil, fmt.Errorf("experiment: two data sets are called %q; give them different Names", name)
	}
	names = nil
	for i := range c.Methods {
		if c.Methods[i].Name == "" {
			c.Methods[i].Name = c.Methods[i].defaultName(i)
		}
		if err := c.Methods[i].check(c.Seed); err != nil {
			return nil, err
		}
		names = append(names, c.Methods[i].Name)
	}
	if name, ok := twice(names); ok {
		return nil, fmt.Errorf("experiment: two methods are called %q; give them different Names", name)
	}
	if err := c.checkDataGrids(); err != nil {
		return nil, err
	}
	if c.Baseline != "" && !slices.Contains(names, c.Baseline) {
		return nil, fmt.Errorf("experiment: Baseline is %q; the methods are %s", c.Baseline, strings.Join(names, ", "))
	}
	return &c, nil
}

// checkDataGrids says whether the data can be set to the points of the methods' grids.
func (s *Study) checkDataGrids() error {
	for m := range s.Methods {
		points, err := s.Methods[m].points(s.Seed)
		if err != nil {
			return err
		}
		checked := make(map[string]bool)
		for _, p := range points {
			settings := p.ofData()
			if len(settings) == 0 || checked[settings.identity()] {
				continue
			}
			checked[settings.identity()] = true
			for i := range s.Data {
				if _, err := s.Data[i].at(settings); err != nil {
					return fmt.Errorf("experiment: the grid of method %q: %s", s.Methods[m].Name, strings.TrimPrefix(err.Error(), "experiment: "))
				}
			}
		}
	}
	return nil
}

// twice returns a name that stands twice among names.
func twice(names []string) (string, bool) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name, true
		}
	}
	return "", false
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// currentNames returns the names that measures have now.
func currentNames(names []string) []string {
	current := make([]string, len(names))
	for i, name := range names {
		current[i] = metric.CurrentName(name)
	}
	return current
}

// measureNames returns the names of the metrics, in the order of tables.
func measureNames() []string {
	var names []string
	for _, m := range metric.Measures() {
		names = append(names, m.Name)
	}
	return names
}
