package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// A set is data to compare on.
type set struct {
	name     string
	several  bool // labels a row; else rows with several are left out
	dense    bool
	taxonomy *taxonomy.Taxonomy
	// what is trained on while C is chosen, and is judged then; all of that, and the test part
	fit, heldOut, train, test *dataset.Dataset
}

// sets are the kinds of all sets.
var sets = []set{
	{name: "ng15"}, {name: "reuters21578"}, {name: "wordnet_nouns"}, {name: "ec10"}, {name: "texts"},
	{name: "imclef07a", dense: true}, {name: "imclef07d", dense: true},
	{name: "rcv1", several: true}, {name: "enron_corr", several: true, dense: true}, {name: "phyletic_go", several: true, dense: true},
	{name: "gasch1_fun", several: true, dense: true}, {name: "cellcycle_fun", several: true, dense: true},
}

// open returns the set of that name with its parts, at most rows of each.
func open(ctx context.Context, name string, rows int) (*set, error) {
	k := slices.IndexFunc(sets, func(s set) bool { return s.name == name })
	if k < 0 {
		return nil, fmt.Errorf("no set %q; there are %s", name, strings.Join(setNames(), ", "))
	}
	s := sets[k]
	c, err := collected(ctx, name)
	if err != nil {
		return nil, err
	}
	if c, err = c.Leafed(); err != nil {
		return nil, err
	}
	s.taxonomy = c.Train.Taxonomy
	if s.train, s.test, err = s.scaled(s.chosen(c.Train, rows), s.chosen(c.Test, rows)); err != nil {
		return nil, err
	}
	s.fit, s.heldOut, err = s.train.Split(0.2, 1)
	return &s, err
}

func setNames() []string {
	var names []string
	for _, s := range sets {
		names = append(names, s.name)
	}
	return names
}

func collected(ctx context.Context, name string) (*dataset.Collection, error) {
	if name == "texts" {
		return synthetic.WIPOLike().Generate(ctx)
	}
	return collection.OpenContext(ctx, name)
}

// chosen returns the first rows that have a label, and but one where the set is of single labels.
func (s *set) chosen(d *dataset.Dataset, rows int) *dataset.Dataset {
	var found []int
	for i, labels := range d.Labels {
		if len(found) < rows && len(labels) > 0 && (s.several || len(labels) == 1) {
			found = append(found, i)
		}
	}
	return d.Subset(found)
}

func (s *set) scaled(train, test *dataset.Dataset) (*dataset.Dataset, *dataset.Dataset, error) {
	if !s.dense {
		return train, test, nil
	}
	scaler, err := features.Scaling{Columns: features.Unscaled, UnitLength: true, Constant: 1}.Fit(train)
	if err != nil {
		return nil, nil, err
	}
	if train, err = scaler.Transform(train); err != nil {
		return nil, nil, err
	}
	test, err = scaler.Transform(test)
	return train, test, err
}

// A part is the files of what is trained on and ranked.
type part struct{ train, test, edges string }

// write writes the files of choosing C and those of the comparison.
func (s *set) write(folder string) (choosing, comparing part, err error) {
	edges := filepath.Join(folder, "edges")
	if err := writeEdges(edges, s.taxonomy); err != nil {
		return part{}, part{}, err
	}
	file := func(name string, d *dataset.Dataset) string {
		path := filepath.Join(folder, name)
		if err == nil {
			err = writeRows(path, d)
		}
		return path
	}
	choosing = part{file("fit.svm", s.fit), file("heldout.svm", s.heldOut), edges}
	comparing = part{file("train.svm", s.train), file("test.svm", s.test), edges}
	return choosing, comparing, err
}
