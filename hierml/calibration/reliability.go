package calibration

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/internal/table"
)

// Reliability compares probabilities with observed frequencies, bin by bin. Its reliability
// diagram, which package chart draws, has one point per bin, which is on the diagonal if they
// agree.
type Reliability struct {
	Bins    []Bin // that have probabilities, ascending
	Count   int   // of probabilities
	Binning Binning
	// Error is the expected calibration error, the mean over the probabilities of the difference in
	// their bin, and Largest the maximum calibration error, that of the worst bin [GPSW17, (3),
	// (5)].
	Error, Largest float64
	// Brier is the mean squared difference between a probability and 1 for a true event, 0
	// otherwise. It needs no bins.
	Brier float64
}

// Bin has the probabilities between two bounds.
type Bin struct {
	// the bounds of the bin; of EqualMass, the smallest and the largest probability
	Low, High float64
	Count     int
	Predicted float64 // mean of the probabilities
	Observed  float64 // which part of them is of something true
	// Deviation is the standard error of Observed, sqrt(o (1-o) / Count).
	Deviation float64
}

// Binning is a way to divide probabilities into bins.
type Binning int

const (
	// EqualWidth divides the numbers from 0 to 1 into bins of one width. A probability at the
	// border of two is in the lower one, 0 in the first.
	EqualWidth Binning = iota
	// EqualMass divides the sorted probabilities into bins with equal numbers, except that equal
	// probabilities are in one bin. It shows differences even if most probabilities are near 0 or
	// 1.
	EqualMass
)

func (b Binning) String() string {
	switch b {
	case EqualWidth:
		return "equal width"
	case EqualMass:
		return "equal mass"
	}
	return fmt.Sprintf("Binning(%d)", int(b))
}

// DefaultBins is the number of bins of NewReliability unless it is given.
const DefaultBins = 10

// NewReliability compares probabilities with the truth: one event each, positive if it happened.
// You choose the events: that the predicted label of an instance is right (see Highest), or that an
// instance has a certain label or node. Use instances that nothing was learned from. bins is the
// number of bins, DefaultBins if 0; empty bins are left out. It returns an error if there are no
// probabilities, or if one is not from 0 to 1.
func NewReliability(probabilities []float64, positive []bool, bins int, by Binning) (*Reliability, error) {
	if _, err := check(probabilities, positive, nil); err != nil {
		return nil, err
	}
	for i, p := range probabilities {
		if p < 0 || p > 1 {
			return nil, fmt.Errorf("calibration: probability %d is %v; probabilities must be from 0 to 1; Platt or Isotonic computes them from scores", i, p)
		}
	}
	if bins == 0 {
		bins = DefaultBins
	}
	if bins < 0 || bins > len(probabilities) && by == EqualMass {
		return nil, fmt.Errorf("calibration: %d bins for %d probabilities; give at least one bin and, with EqualMass, at least one probability per bin", bins, len(probabilities))
	}
	if by != EqualWidth && by != EqualMass {
		return nil, fmt.Errorf("calibration: %v is not a Binning; use EqualWidth or EqualMass", by)
	}
	order := make([]int, len(probabilities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probabilities[a], probabilities[b]) })
	r := &Reliability{Count: len(order), Binning: by}
	for from := 0; from < len(order); {
		first := probabilities[order[from]]
		low, high, to := first, first, from
		if by == EqualWidth {
			k := max(math.Ceil(first*float64(bins)), 1)
			low, high = (k-1)/float64(bins), k/float64(bins)
			for to < len(order) && max(math.Ceil(probabilities[order[to]]*float64(bins)), 1) == k {
				to++
			}
		} else {
			k := from*bins/len(order) + 1 // the bin that the first one is in, from 1
			to = max(from+1, (k*len(order)+bins-1)/bins)
			for to < len(order) && probabilities[order[to]] == probabilities[order[to-1]] {
				to++
			}
			high = probabilities[order[to-1]]
		}
		b := Bin{Low: low, High: high, Count: to - from}
		for _, i := range order[from:to] {
			b.Predicted += probabilities[i]
			if positive[i] {
				b.Observed++
			}
			r.Brier += squaredError(probabilities[i], positive[i])
		}
		n := float64(b.Count)
		b.Predicted, b.Observed = b.Predicted/n, b.Observed/n
		b.Deviation = math.Sqrt(b.Observed * (1 - b.Observed) / n)
		off := math.Abs(b.Observed - b.Predicted)
		r.Error += off * n
		r.Largest = max(r.Largest, off)
		r.Bins = append(r.Bins, b)
		from = to
	}
	r.Error /= float64(r.Count)
	r.Brier /= float64(r.Count)
	return r, nil
}

// Highest returns the highest probability of every instance, and whether its label is relevant.
// Pass both to NewReliability to see how often predictions with a given confidence are right.
// probabilities has one row per instance and one column per label; relevant has the columns of the
// labels of each instance, as returned by Model.Relevant. In case of a tie the first counts.
func Highest(probabilities *mat.Dense, relevant [][]int) ([]float64, []bool, error) {
	if err := checkSets(probabilities, relevant); err != nil {
		return nil, nil, err
	}
	highest, right := make([]float64, len(relevant)), make([]bool, len(relevant))
	for i, set := range relevant {
		row := probabilities.RawRowView(i)
		best := 0
		for y, p := range row {
			if p > row[best] {
				best = y
			}
		}
		highest[i], right[i] = row[best], slices.Contains(set, best)
	}
	return highest, right, nil
}

func (r *Reliability) table() *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "from", Right: true}, {Name: "to", Right: true}, {Name: "count", Right: true},
		{Name: "predicted", Right: true, Help: "mean probability"}, {Name: "observed", Right: true, Help: "which part of them is of something true"},
		{Name: "±", Right: true, Help: "standard error of the observed part"},
	}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	for _, b := range r.Bins {
		t.Rows = append(t.Rows, table.Texts(number(b.Low), number(b.High), strconv.Itoa(b.Count), number(b.Predicted), number(b.Observed), number(b.Deviation)))
	}
	t.Notes = []string{fmt.Sprintf("calibration error %.4f, %.4f at most, in bins of %v; Brier score %.4f; %d probabilities", r.Error, r.Largest, r.Binning, r.Brier, r.Count)}
	return t
}

// String returns the bins as a table.
func (r *Reliability) String() string { return r.table().String() }

// HTML returns what String does as a table.
func (r *Reliability) HTML() string { return r.table().HTML() }
