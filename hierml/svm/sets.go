package svm

import (
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// inexact is the share of the gap asked for that searches on graphs may leave.
const inexact = 0.1

// severalLabels reports whether some instance has more than one label.
func severalLabels(d *dataset.Dataset) bool {
	return slices.ContainsFunc(d.Labels, func(set []int) bool { return len(set) > 1 })
}

// compareSets returns the comparisons of the labels of every instance with all other non-empty sets
// of leaves, and leaves Start out of the settings: the numbers of sets are those of one training,
// and another's dual point names others by them.
func compareSets(a *structured.Attributes, labels [][]int, l loss.Decomposing, c float64, settings *solver.Settings) (structured.Competitors, error) {
	settings.Start = nil
	gap := min(1, settings.Gap)
	if !(gap > 0) {
		gap = solver.DefaultGap
	}
	return structured.NewSets(a, labels, l, c, inexact*gap)
}
