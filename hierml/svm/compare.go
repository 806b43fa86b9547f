package svm

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// compare returns the comparisons of the labels of every instance with the other leaves. If every
// instance has one label, it is compared with all others, which is faster; otherwise pairs of a
// label and another leaf are compared.
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

// compareSingle is compare for instances with one label each; it returns an error for others.
func compareSingle(a *structured.Attributes, d *dataset.Dataset, l loss.Loss, r structured.Rescaling, c float64) (structured.Competitors, error) {
	y := make([]int, len(d.Labels))
	for i, set := range d.Labels {
		if len(set) == 0 {
			return nil, fmt.Errorf("svm: row %d of dataset %q has no label; this SVM needs exactly one label per row: remove such rows with Labelled()", i, d.Name)
		}
		if len(set) != 1 {
			return nil, fmt.Errorf("svm: row %d of dataset %q has %d labels; this SVM needs exactly one label per row: give every row one leaf", i, d.Name, len(set))
		}
		y[i] = set[0]
	}
	return structured.NewLabels(a, y, l, r, c)
}

// severalLabels reports whether any instance has more than one label.
func severalLabels(d *dataset.Dataset) bool {
	return slices.ContainsFunc(d.Labels, func(set []int) bool { return len(set) > 1 })
}

// inexact is the share of the requested gap that inexact searches on graphs may use up.
const inexact = 0.1

// compareSets returns the comparisons of the labels of every instance with all other non-empty sets
// of leaves. It removes Start from the settings, because the dual point of another training numbers
// sets differently. If single is not nil and few instances have several labels, instances with one
// label are compared with the other leaves alone, under the loss single.
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

// few is the share of instances with several labels below which the other instances compare leaves.
// Comparing sets for all instances takes much longer on graphs and ranks leaves worse. With more
// such instances it predicts better sets.
const few = 0.1

// fewSets reports whether instances with several labels exist and are few, by their weights.
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
