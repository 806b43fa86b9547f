package experiment

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/internal/folder"
)

// Results are the finished cells of a study, in the order of the study. They are shown as their
// Summary.
type Results struct {
	Name     string
	Measures []string // the columns
	Baseline string   // the method that the others are tested against, or ""
	Test     Test     // how
	Cells    []*Cell
	Inner    []*Cell  // by which points were chosen
	Missing  int      // cells, of either kind, that are not finished
	Notes    []string // about what is in the directory beside

	repeated []string // data whose instances are divided more than once
	methods  []string
	study    []byte // in JSON
	ran      *Study // nil of results that were loaded
}

// outline returns what is needed to show the cells, with notes about those that were kept.
func (p *plan) outline(kept map[string]*Cell) *outline {
	s := p.study
	o := &outline{Name: s.Name, Measures: s.Measures, Baseline: s.Baseline, Test: string(s.Test)}
	for i := range s.Methods {
		o.Methods = append(o.Methods, s.Methods[i].Name)
	}
	blind := make(map[int]int)
	used := 0
	for _, d := range p.data {
		if !d.drawn() && (s.Split.HeldOut > 0 || len(s.Split.Rounds) > 0 || d.undivided && s.Split.zero()) || s.Split.rounds() > 1 {
			o.Repeated = append(o.Repeated, d.Name)
		}
	}
	if s.Split.zero() && s.Repeats > 1 && slices.ContainsFunc(p.data, func(d *source) bool { return !d.drawn() && !d.undivided }) {
		o.Notes = append(o.Notes, "some data come with their own test part: there, repeats differ only in the seeds of the methods, so deviations and tests say nothing about other data")
	}
	for _, j := range p.cells {
		o.Cells = append(o.Cells, planned{
			Key: j.key, Data: p.data[j.data].Name, Method: s.Methods[j.method].Name, Point: j.point.String(),
			PerClass: j.perClass, Repeat: j.repeat, Fold: j.fold, Inner: j.place.inner,
		})
		if c := kept[j.key]; c != nil {
			used++
			// Names are no part of the key: what is kept may be of an earlier one.
			c.Data, c.Method = p.data[j.data].Name, s.Methods[j.method].Name
			if d := p.data[j.data]; s.Methods[j.method].blind() || d.Generate != nil || d.Vectors != nil || d.Prepare != nil {
				blind[j.method]++
			}
		}
	}
	if len(blind) > 0 {
		cells := 0
		var names []string
		for _, m := range slices.Sorted(maps.Keys(blind)) {
			cells += blind[m]
			names = append(names, s.Methods[m].Name)
		}
		o.Notes = append(o.Notes, fmt.Sprintf("%s of %s were kept from earlier runs and used Go functions of yours; if you have changed one since, which hierml cannot see, change its Version",
			plural(cells, "cell"), strings.Join(names, ", ")))
	}
	if other := len(kept) - used; other > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("%s in the directory belong to an earlier version of the study, or to other data, and are not used", plural(other, "cell")))
	}
	return o
}

// write writes the study and its plan into the directory.
func (p *plan) write(o *outline) error {
	study, err := p.study.MarshalJSON()
	if err != nil {
		return err
	}
	outlined, err := json.MarshalIndent(o, "", "\t")
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	if err := keep(p.study.Directory, studyFile, append(study, '\n')); err != nil {
		return err
	}
	return keep(p.study.Directory, planFile, append(outlined, '\n'))
}

func newResults(o *outline, kept map[string]*Cell) *Results {
	r := &Results{Name: o.Name, Measures: currentNames(o.Measures), Baseline: o.Baseline, Test: Test(o.Test), Notes: o.Notes, repeated: o.Repeated, methods: o.Methods}
	// Inner cells that are lost are not missed where the point was chosen.
	type round struct {
		data, method           string
		perClass, repeat, fold int
	}
	done := make(map[round]bool)
	for _, p := range o.Cells {
		if c := kept[p.Key]; c != nil && c.Inner == 0 {
			done[round{p.Data, p.Method, p.PerClass, p.Repeat, p.Fold}] = true
		}
	}
	for _, p := range o.Cells {
		c, ok := kept[p.Key]
		switch {
		case !ok && p.Inner > 0 && done[round{p.Data, p.Method, p.PerClass, p.Repeat, p.Fold}]:
		case !ok:
			r.Missing++
		case c.Inner > 0:
			r.Inner = append(r.Inner, c)
		default:
			r.Cells = append(r.Cells, c)
		}
	}
	// By data, size and method for the reader; they ran by division.
	data, sizes := make(map[string]int), make(map[int]int)
	for _, p := range o.Cells {
		if _, ok := data[p.Data]; !ok {
			data[p.Data] = len(data)
		}
		if _, ok := sizes[p.PerClass]; !ok {
			sizes[p.PerClass] = len(sizes)
		}
	}
	for _, cells := range [][]*Cell{r.Cells, r.Inner} {
		slices.SortStableFunc(cells, func(a, b *Cell) int {
			return cmp.Or(data[a.Data]-data[b.Data], sizes[a.PerClass]-sizes[b.PerClass], o.methodOrder(a.Method)-o.methodOrder(b.Method))
		})
	}
	return r
}

// Load reads the results in the directory of a study, which may still be running.
func Load(directory string) (*Results, error) {
	text, err := folder.Folder(directory).Read(planFile)
	if err != nil {
		return nil, fmt.Errorf("experiment: %s is not the directory of a study: %w", directory, err)
	}
	var o outline
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("experiment: %s: %w", filepath.Join(directory, planFile), err)
	}
	cells, _, err := readCells(directory)
	if err != nil {
		return nil, err
	}
	r := newResults(&o, cells)
	if r.study, err = folder.Folder(directory).Read(studyFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return r, nil
}

// With returns the results with other columns: measures of metric.Measures, others that a cell has,
// such as "accuracy at depth 1", and "seconds".
func (r *Results) With(measures ...string) (*Results, error) {
	known := measureNames()
	measures = currentNames(measures)
	for _, name := range measures {
		has := func(c *Cell) bool { _, ok := c.Values[name]; return ok }
		if name != seconds && !slices.Contains(known, name) && !slices.ContainsFunc(r.Cells, has) {
			if len(r.Cells) > 0 {
				known = measureOrder(r.Cells[0].Values)
			}
			return nil, fmt.Errorf("experiment: no measure is called %q; there are %s and %s", name, strings.Join(known, ", "), seconds)
		}
	}
	c := *r
	c.Measures = measures
	return &c, nil
}

// Against returns the results with another baseline for the tests, and another test.
func (r *Results) Against(baseline string, test Test) (*Results, error) {
	if baseline != "" && !slices.Contains(r.methods, baseline) {
		return nil, fmt.Errorf("experiment: no method is called %q; there are %s", baseline, strings.Join(r.methods, ", "))
	}
	if err := test.check(); err != nil {
		return nil, err
	}
	c := *r
	c.Baseline, c.Test = baseline, test
	return &c, nil
}

// value returns a measure of a cell, and false where the cell has none: it failed.
func (c *Cell) value(measure string) (float64, bool) {
	if c.Error != "" {
		return 0, false
	}
	if measure == seconds {
		return c.Seconds, true
	}
	v, ok := c.Values[measure]
	return v, ok
}

// lower tells whether lower values of a measure are better.
func lower(measure string) bool {
	if measure == seconds {
		return true
	}
	m, _ := metric.Named(measure)
	return m.Lower
}

// Cell returns the finished cell with the key, nil if there is none.
func (r *Results) Cell(key string) *Cell {
	for _, c := range r.all() {
		if c.Key == key {
			return c
		}
	}
	return nil
}

// Same reports whether the results of two cells are equal, except for the time of training and the
// program.
func (c *Cell) Same(other *Cell) bool {
	a, b := *c, *other
	a.Seconds, b.Seconds, a.Program, b.Program = 0, 0, "", ""
	x, err := a.MarshalJSON()
	y, also := b.MarshalJSON()
	return err == nil && also == nil && bytes.Equal(x, y)
}
