package svm

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// compare returns the comparisons of the labels of every instance with the other leaves: one label
// with all others where every instance has one, which is the faster form, pairs of labels and
// leaves that are none otherwise.
func compare(a *structured.Attributes, sets [][]int, l loss.Loss, r structured.Rescaling, c float64) (structured.Competitors, error) {
	if slices.ContainsFunc(sets, func(set []int) bool { return len(set) != 1 }) {
		return structured.NewRanking(a, sets, l, r, c)
	}
	y := make([]int, len(sets))
	for i, set := range sets {
		y[i] = set[0]
	}
	return structured.NewLabels(a, y, l, r, c)
}

// compareSingle is compare for instances with one label each, and an error for others.
func compareSingle(a *structured.Attributes, d *dataset.Dataset, l loss.Loss, r structured.Rescaling, c float64) (structured.Competitors, error) {
	y := make([]int, len(d.Labels))
	for i, set := range d.Labels {
		if len(set) == 0 {
			return nil, fmt.Errorf("svm: row %d of dataset %q has no label; this SVM is single-label: leave such rows out with its Labelled()", i, d.Name)
		}
		if len(set) != 1 {
			return nil, fmt.Errorf("svm: row %d of dataset %q has %d labels; this SVM is single-label: give every row exactly one leaf", i, d.Name, len(set))
		}
		y[i] = set[0]
	}
	return structured.NewLabels(a, y, l, r, c)
}

// severalLabels reports whether some instance has more than one label.
func severalLabels(d *dataset.Dataset) bool {
	return slices.ContainsFunc(d.Labels, func(set []int) bool { return len(set) > 1 })
}

// inexact is the share of the gap asked for that searches on graphs may leave.
const inexact = 0.1

// compareSets returns the comparisons of the labels of every instance with all other non-empty sets
// of leaves, and leaves Start out of the settings: the numbers of sets are those of one training,
// and another's dual point names others by them. Where single is not nil and few instances have
// several labels, those with one are compared with the other leaves alone, by the loss single.
func compareSets(a *structured.Attributes, d *dataset.Dataset, single loss.Loss, l loss.Decomposing, c float64, settings *solver.Settings) (structured.Competitors, error) {
	settings.Start = nil
	share := min(1, settings.Gap)
	if !(share > 0) {
		share = solver.DefaultGap
	}
	share *= inexact
	if single != nil && fewSets(d) {
		return structured.NewMixed(a, d.Labels, single, l, c, share)
	}
	return structured.NewSets(a, d.Labels, l, c, share)
}

// few is the share of instances with several labels below which the others compare leaves. Sets of
// all take much longer on graphs and rank leaves worse. Where more instances have several labels,
// sets that are predicted are better with them.
const few = 0.1

// fewSets reports whether instances with several labels are few by their weights, and there are
// some.
func fewSets(d *dataset.Dataset) bool {
	var several, all float64
	for i, set := range d.Labels {
		all += d.Weight(i)
		if len(set) > 1 {
			several += d.Weight(i)
		}
	}
	return several > 0 && several < few*all
}
