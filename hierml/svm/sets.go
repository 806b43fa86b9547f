package svm

import (
	"context"
	"slices"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// sets is a problem whose labels are the non-empty sets of leaves.
type sets struct {
	name       string
	attributes *structured.Attributes
	loss       loss.Decomposing
	c          float64
	kernel     gram.Kernel // nil for linear models
	settings   solver.Settings
	method     solver.Method
}

// inexact is the share of the gap asked for that searches on graphs may leave.
const inexact = 0.1

// severalLabels reports whether some instance has more than one label.
func severalLabels(d *dataset.Dataset) bool {
	return slices.ContainsFunc(d.Labels, func(set []int) bool { return len(set) > 1 })
}

// fit solves the problem on data that checkData accepts, and wraps the result.
func (s *sets) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	c, err := defaultC(s.c)
	if err != nil {
		return nil, err
	}
	gap := min(1, s.settings.Gap)
	if !(gap > 0) {
		gap = solver.DefaultGap
	}
	competitors, err := structured.NewSets(s.attributes, d.Labels, s.loss, c, inexact*gap)
	if err != nil {
		return nil, err
	}
	// The numbers of sets are those of one training: another's dual point names others by them.
	s.settings.Start = nil
	m, err := trainKernel(ctx, s.attributes, competitors, d, s.kernel, s.settings, s.method)
	if m != nil {
		m.Name, m.C, m.Rule = s.name, c, classifier.BestSet
	}
	return m, err
}
