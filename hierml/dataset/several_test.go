package dataset_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
)

// iterative is iterative stratification [STV11] in plain loops: it takes the label with the fewest
// rows left, and puts each of these into the part that wants most of the label, of equal ones most
// rows. It returns the part of each row.
func iterative(labels [][]int, shares []float64, rng *rand.Rand) []int {
	part := make([]int, len(labels))
	wanted := make(map[int][]float64) // by label and part; -1 is of rows
	for i, set := range labels {
		part[i] = -1
		for _, y := range append(set, -1) {
			if wanted[y] == nil {
				wanted[y] = make([]float64, len(shares))
			}
			for p, share := range shares {
				wanted[y][p] += share
			}
		}
	}
	for {
		left := make(map[int][]int)
		for i, set := range labels {
			if part[i] >= 0 {
				continue
			}
			for _, y := range set {
				left[y] = append(left[y], i)
			}
			if len(set) == 0 {
				left[-1] = append(left[-1], i)
			}
		}
		rarest := -2
		for y, rows := range left {
			if rarest < -1 || len(rows) < len(left[rarest]) || len(rows) == len(left[rarest]) && y > rarest {
				rarest = y
			}
		}
		if rarest < -1 {
			return part
		}
		for _, i := range left[rarest] {
			best := 0
			for _, p := range rng.Perm(len(shares)) {
				a, b := wanted[rarest], wanted[-1]
				if a[p] > a[best] || a[p] == a[best] && b[p] > b[best] {
					best = p
				}
			}
			part[i] = best
			for _, y := range append(labels[i], -1) {
				wanted[y][best]--
			}
		}
	}
}

// unevenness returns by how much the shares of labels, and of rows, differ from those asked for in
// the mean.
func unevenness(labels [][]int, part []int, shares []float64) (ofLabels, ofRows float64) {
	counts := make(map[int][]float64)
	total := make(map[int]float64)
	for i, set := range labels {
		for _, y := range append(set, -1) {
			if counts[y] == nil {
				counts[y] = make([]float64, len(shares))
			}
			counts[y][part[i]]++
			total[y]++
		}
	}
	for y, of := range counts {
		for p, n := range of {
			miss := math.Abs(n/total[y]-shares[p]) / float64(len(shares))
			if y < 0 {
				ofRows += miss
			} else {
				ofLabels += miss / float64(len(counts)-1)
			}
		}
	}
	return ofLabels, ofRows
}

// TestSeveralLabels compares folds and splits of rows with several labels with iterative
// stratification, and with dividing each row as one of its rarest label.
func TestSeveralLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	const trials = 40
	var labelsOf, rowsOf [3]float64 // here, iterative, by the rarest label
	for trial := range trials {
		n, classes := 100+rng.IntN(500), 3+rng.IntN(40)
		d := &dataset.Dataset{Name: "several"}
		frequency := make(map[int]int)
		for range n {
			var set []int
			for y := range classes {
				if rng.Float64() < 0.6/math.Pow(float64(1+y), 0.8) {
					set = append(set, y)
					frequency[y]++
				}
			}
			d.Labels = append(d.Labels, set)
		}
		rarest := &dataset.Dataset{Name: "rarest", Labels: make([][]int, n)}
		for i, set := range d.Labels {
			if len(set) > 0 {
				rarest.Labels[i] = []int{slices.MinFunc(set, func(a, b int) int { return frequency[a] - frequency[b] })}
			}
		}
		k := 2 + rng.IntN(6)
		shares := slices.Repeat([]float64{1 / float64(k)}, k)
		held := []float64{0.1, 0.2, 0.3, 0.5}[trial/2%4]
		if trial%2 == 0 {
			shares = []float64{1 - held, held}
		}
		divided := func(d *dataset.Dataset) []int {
			if trial%2 == 0 {
				by, err := d.HoldOut(held, uint64(trial))
				if err != nil {
					t.Fatal(err)
				}
				checkDivision(t, by, n)
				part := make([]int, n)
				for _, r := range by.Test {
					part[r] = 1
				}
				return part
			}
			divisions, err := d.Folds(k, uint64(trial))
			if err != nil {
				t.Fatal(err)
			}
			part := slices.Repeat([]int{-1}, n)
			for p, by := range divisions {
				checkDivision(t, by, n)
				for _, r := range by.Test {
					if part[r] >= 0 {
						t.Fatalf("row %d is tested on in two folds", r)
					}
					part[r] = p
				}
			}
			return part
		}
		for m, part := range [][]int{divided(d), iterative(d.Labels, shares, rng), divided(rarest)} {
			ofLabels, ofRows := unevenness(d.Labels, part, shares)
			labelsOf[m] += ofLabels / trials
			rowsOf[m] += ofRows / trials
		}
	}
	t.Logf("mean difference of the shares of labels: here %.4f, iterative stratification %.4f, by the rarest label %.4f; of rows: %.4f, %.4f, %.4f",
		labelsOf[0], labelsOf[1], labelsOf[2], rowsOf[0], rowsOf[1], rowsOf[2])
	if labelsOf[0] > labelsOf[1] || labelsOf[0] > 0.9*labelsOf[2] || rowsOf[0] > rowsOf[1] || rowsOf[0] > rowsOf[2]+0.001 {
		t.Error("others divide more evenly")
	}
}
