package calibration

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Threshold learns where to cut rankings as [EW01] does: the relevant labels of an instance are
// those with scores above a threshold, which is a linear function of all its scores. It is fitted
// by least squares to the threshold of each instance that makes fewest errors, see [Target].
//
// scores has one row per instance and one column per label; relevant has the columns of the labels
// of each instance. The complexity is O(n q min(n, q)).
func Threshold(scores *mat.Dense, relevant [][]int) (LinearThreshold, error) {
	if err := checkSets(scores, relevant); err != nil {
		return LinearThreshold{}, err
	}
	targets := make([]float64, len(relevant))
	for i, set := range relevant {
		targets[i], _ = Target(scores.RawRowView(i), set)
	}
	l, err := leastSquares(scores, targets)
	return LinearThreshold{l}, err
}

// Size learns the number of relevant labels, as a linear function of the scores fitted by least
// squares. Its arguments are those of [Threshold].
func Size(scores *mat.Dense, relevant [][]int) (LinearSize, error) {
	if err := checkSets(scores, relevant); err != nil {
		return LinearSize{}, err
	}
	targets := make([]float64, len(relevant))
	for i, set := range relevant {
		targets[i] = float64(len(set))
	}
	l, err := leastSquares(scores, targets)
	return LinearSize{l}, err
}

// Target returns the threshold t with the fewest errors, and their number. An error is a relevant
// label with a score at or below t, or another label with a score at or above t. t is the middle of
// the lowest interval between scores with the fewest errors. The outer intervals end 1 below the
// smallest and 1 above the largest score.
func Target(scores []float64, relevant []int) (t float64, errors int) {
	type label struct {
		score    float64
		relevant bool
	}
	labels := make([]label, len(scores))
	for y, s := range scores {
		labels[y].score = s
	}
	for _, y := range relevant {
		labels[y].relevant = true
	}
	slices.SortFunc(labels, func(a, b label) int {
		if a.score < b.score {
			return -1
		}
		if a.score > b.score {
			return 1
		}
		return 0
	})
	// Below all scores every label without relevance is an error.
	wrong := len(scores) - len(relevant)
	t, errors = labels[0].score-0.5, wrong
	for k := range labels {
		if labels[k].relevant {
			wrong++
		} else {
			wrong--
		}
		next := labels[k].score + 1
		if k+1 < len(labels) {
			if next = labels[k+1].score; next == labels[k].score {
				continue
			}
		}
		if wrong < errors {
			t, errors = labels[k].score+(next-labels[k].score)/2, wrong
		}
	}
	return t, errors
}

// PerLabel returns the threshold of every label that maximizes the F1 of that label: the middle of
// the highest interval between its scores with this F1, and infinity for a label that no instance
// has. Its arguments are those of [Threshold].
func PerLabel(scores *mat.Dense, relevant [][]int) (Thresholds, error) {
	if err := checkSets(scores, relevant); err != nil {
		return nil, err
	}
	n, q := scores.Dims()
	has := make([]map[int]bool, q)
	for y := range has {
		has[y] = make(map[int]bool)
	}
	for i, set := range relevant {
		for _, y := range set {
			has[y][i] = true
		}
	}
	thresholds := make(Thresholds, q)
	order := make([]int, n)
	for y := range thresholds {
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			if s, t := scores.At(a, y), scores.At(b, y); s != t {
				if s > t {
					return -1
				}
				return 1
			}
			return a - b
		})
		best, hits := 0.0, 0
		thresholds[y] = math.Inf(1)
		for k, i := range order {
			if has[y][i] {
				hits++
			}
			s, next := scores.At(i, y), scores.At(i, y)-1
			if k+1 < n {
				if next = scores.At(order[k+1], y); next == s {
					continue
				}
			}
			if f := 2 * float64(hits) / float64(k+1+len(has[y])); f > best {
				best, thresholds[y] = f, s-(s-next)/2
			}
		}
	}
	return thresholds, nil
}

func checkSets(scores *mat.Dense, relevant [][]int) error {
	if scores == nil || scores.IsEmpty() {
		return fmt.Errorf("calibration: no scores")
	}
	n, q := scores.Dims()
	if n != len(relevant) {
		return fmt.Errorf("calibration: scores of %d instances and label sets of %d; give one label set per instance", n, len(relevant))
	}
	for i, set := range relevant {
		if !finite(scores.RawRowView(i)) {
			return fmt.Errorf("calibration: row %d has a score that is not finite", i)
		}
		for k, y := range set {
			if y < 0 || y >= q || slices.Contains(set[:k], y) {
				return fmt.Errorf("calibration: label %d of row %d is %d; labels are columns 0 to %d, each at most once", k, i, y, q-1)
			}
		}
	}
	return nil
}

// leastSquares returns the linear function closest to the targets; of several the one with the
// smallest coefficients, which there are whenever scores add up to a constant, as those of Crammer
// and Singer do.
func leastSquares(scores *mat.Dense, targets []float64) (Linear, error) {
	n, q := scores.Dims()
	means := make([]float64, q)
	for i := range n {
		for y, s := range scores.RawRowView(i) {
			means[y] += s / float64(n)
		}
	}
	centred := mat.NewDense(n, q, nil)
	for i := range n {
		row := centred.RawRowView(i)
		for y, s := range scores.RawRowView(i) {
			row[y] = s - means[y]
		}
	}
	var mean float64
	for _, t := range targets {
		mean += t / float64(n)
	}
	right := mat.NewVecDense(n, nil)
	for i, t := range targets {
		right.SetVec(i, t-mean)
	}
	l := Linear{Coefficients: make([]float64, q), Intercept: mean}
	var svd mat.SVD
	if !svd.Factorize(centred, mat.SVDThin) {
		return Linear{}, fmt.Errorf("calibration: the singular values of the scores cannot be computed")
	}
	const negligible = 1e-12
	if rank := svd.Rank(negligible); rank > 0 {
		var solution mat.VecDense
		svd.SolveVecTo(&solution, right, rank)
		copy(l.Coefficients, solution.RawVector().Data)
	}
	for y, c := range l.Coefficients {
		l.Intercept -= c * means[y]
	}
	return l, nil
}
