package clustering

import (
	"errors"
	"fmt"
	"math"
)

// Link is a merger of two clusters.
type Link struct {
	// A and B are the numbers of the clusters, A the smaller. A class has its number, from 0; the
	// cluster of link t has the number of classes plus t.
	A, B int
	// Height is the distance of the clusters.
	Height float64
	// Size is the number of classes in both.
	Size int
}

// Dendrogram is the tree of mergers of the classes into one cluster, and a cut through it.
type Dendrogram struct {
	// Classes has the names of the clustered items. Empty has those of classes without instances,
	// which are not in the links.
	Classes, Empty []string
	// Links are the mergers in the order in which they were made, one less than there are classes.
	Links []Link
	// Linkage is the distance of clusters.
	Linkage Linkage

	// Inconsistency is the coefficient of every link: how many sample standard deviations its
	// height is above the mean of the heights of itself and the Depth-1 levels of links below it; 0
	// where they do not differ or there are none below.
	Inconsistency []float64
	// Depth is the number of levels of links that a coefficient looks at.
	Depth int
	// Threshold is the mean of the coefficients that are not zero, or 0 if all are.
	Threshold float64

	// Cut says which links are cut: by [Cai08, Algorithm 8] those with a coefficient above the
	// threshold by more than 1e-9, and the links that build on them; or as With says.
	Cut []bool
	// Clusters has the classes, ascending, of each cluster that the cut leaves, in the order of
	// their first classes.
	Clusters [][]int
}

// tolerance is how far a coefficient of inconsistency must be above a threshold to be above it:
// where all coefficients are equal, as in chains, rounding must not decide.
const tolerance = 1e-9

// Len returns the number of classes.
func (d *Dendrogram) Len() int { return len(d.Classes) }

// Name returns the name of class i.
func (d *Dendrogram) Name(i int) string { return d.Classes[i] }

// Link returns the clusters that link t merges, and its height.
func (d *Dendrogram) Link(t int) (a, b int, height float64) {
	return d.Links[t].A, d.Links[t].B, d.Links[t].Height
}

// IsCut reports whether link t is cut.
func (d *Dendrogram) IsCut(t int) bool { return d.Cut[t] }

// judge sets what follows from the links.
func (d *Dendrogram) judge() {
	d.Inconsistency = make([]float64, len(d.Links))
	d.Threshold = 0
	var sum float64
	counted := 0
	for t := range d.Links {
		d.Inconsistency[t] = d.consistency(t, d.Depth).Coefficient
		if d.Inconsistency[t] != 0 {
			sum += d.Inconsistency[t]
			counted++
		}
	}
	if counted > 0 {
		d.Threshold = sum / float64(counted)
	}
	d.Cut = d.cutAbove(d.Inconsistency, d.Threshold)
	d.Clusters = d.partition(d.Cut)
}

// Consistency compares the height of a link with the heights of nearby links.
type Consistency struct {
	// Mean and Deviation, the sample standard deviation, are of the heights of the link and those
	// below it; Count is their number. The Deviation of one height is 0.
	Mean, Deviation float64
	Count           int
	// Coefficient is the height of the link minus the mean, in deviations; 0 if the deviation is 0.
	Coefficient float64
}

// Consistencies compares every link with the links below it, depth levels of them with its own.
func (d *Dendrogram) Consistencies(depth int) ([]Consistency, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if depth < 1 {
		return nil, fmt.Errorf("clustering: the depth is %d levels of links; it must be at least 1, the link itself", depth)
	}
	all := make([]Consistency, len(d.Links))
	for t := range all {
		all[t] = d.consistency(t, depth)
	}
	return all, nil
}

func (d *Dendrogram) consistency(t, depth int) Consistency {
	heights := []float64{d.Links[t].Height}
	level := []int{t}
	for ; depth > 1 && len(level) > 0; depth-- {
		var below []int
		for _, link := range level {
			for _, cluster := range [2]int{d.Links[link].A, d.Links[link].B} {
				if l := cluster - len(d.Classes); l >= 0 {
					below = append(below, l)
					heights = append(heights, d.Links[l].Height)
				}
			}
		}
		level = below
	}
	own := heights[0]
	// Differences to the link's own height keep the digits that a mean of squares would lose.
	var sum, squares float64
	for _, h := range heights {
		sum += h - own
	}
	n := float64(len(heights))
	mean := sum / n
	for _, h := range heights {
		squares += (h - own - mean) * (h - own - mean)
	}
	c := Consistency{Mean: own + mean, Count: len(heights)}
	if len(heights) > 1 {
		c.Deviation = math.Sqrt(squares / (n - 1))
	}
	if c.Deviation > 1e-13*own {
		c.Coefficient = -mean / c.Deviation
	}
	return c
}

// cutAbove cuts the links with coefficients above the threshold and those that build on them.
func (d *Dendrogram) cutAbove(coefficients []float64, threshold float64) []bool {
	cut := make([]bool, len(d.Links))
	for t := range cut {
		cut[t] = coefficients[t] > threshold+tolerance
	}
	return d.upwards(cut)
}

// upwards cuts the links that build on cut ones.
func (d *Dendrogram) upwards(cut []bool) []bool {
	for t, l := range d.Links {
		for _, cluster := range [2]int{l.A, l.B} {
			if below := cluster - len(d.Classes); below >= 0 && cut[below] {
				cut[t] = true
			}
		}
	}
	return cut
}

// partition returns the clusters that the links not cut join.
func (d *Dendrogram) partition(cut []bool) [][]int {
	n := len(d.Classes)
	top := make([]int, n+len(d.Links)) // the highest cluster, not cut, that a cluster is part of
	for c := range top {
		top[c] = c
	}
	for t := len(d.Links) - 1; t >= 0; t-- {
		if !cut[t] {
			top[d.Links[t].A], top[d.Links[t].B] = top[n+t], top[n+t]
		}
	}
	at := make(map[int]int)
	var clusters [][]int
	for i := range n {
		k, ok := at[top[i]]
		if !ok {
			k = len(clusters)
			at[top[i]] = k
			clusters = append(clusters, nil)
		}
		clusters[k] = append(clusters[k], i)
	}
	return clusters
}

// Check returns an error if a dendrogram built by hand is invalid. The other methods that return
// errors, and chart.Dendrogram, call it first.
func (d *Dendrogram) Check() error {
	n := len(d.Classes)
	if n == 0 {
		return errors.New("clustering: the dendrogram has no classes")
	}
	if len(d.Links) != n-1 || len(d.Inconsistency) != n-1 || len(d.Cut) != n-1 {
		return fmt.Errorf("clustering: the dendrogram of %d classes has %d links, %d coefficients and %d cuts; it must have %d of each", n, len(d.Links), len(d.Inconsistency), len(d.Cut), n-1)
	}
	merged := make([]bool, n+len(d.Links))
	for t, l := range d.Links {
		for _, c := range [2]int{l.A, l.B} {
			if c < 0 || c >= n+t || merged[c] {
				return fmt.Errorf("clustering: link %d of the dendrogram merges cluster %d, which does not exist yet or is already merged", t, c)
			}
			merged[c] = true
		}
	}
	for _, cluster := range d.Clusters {
		for _, class := range cluster {
			if class < 0 || class >= n {
				return fmt.Errorf("clustering: a cluster of the dendrogram has class %d; there are %d classes", class, n)
			}
		}
	}
	return nil
}
