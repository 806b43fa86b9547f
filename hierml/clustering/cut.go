package clustering

import (
	"fmt"
	"math"
)

// Cut is a rule for cutting links of a dendrogram: one of [Inconsistent], [InconsistentAbove],
// [Height], [Number] and [Depth].
type Cut struct {
	// By is "inconsistent", "inconsistent above", "height", "number" or "depth".
	By string
	// Value is the parameter of the rule; the first has none.
	Value float64
}

// Inconsistent is the cut of [Cai08, Algorithm 8]: links with a coefficient of inconsistency above
// the mean of those that are not zero.
func Inconsistent() Cut { return Cut{"inconsistent", 0} }

// InconsistentAbove cuts the links with a coefficient of inconsistency above the threshold.
func InconsistentAbove(threshold float64) Cut { return Cut{"inconsistent above", threshold} }

// Height cuts the links higher than h.
func Height(h float64) Cut { return Cut{"height", h} }

// Number cuts the last links, so that k clusters remain, or one per class if there are fewer
// classes.
func Number(k int) Cut { return Cut{"number", float64(k)} }

// Depth cuts all links less than k links below the last one, which k = 1 cuts. The result has the
// clusters k steps down the dendrogram, and less deep classes.
func Depth(k int) Cut { return Cut{"depth", float64(k)} }

// String describes the cut.
func (c Cut) String() string {
	switch c.By {
	case "inconsistent":
		return "inconsistency above its mean"
	case "inconsistent above":
		return fmt.Sprintf("inconsistency above %g", c.Value)
	case "":
		return "no cut"
	}
	return fmt.Sprintf("%s %g", c.By, c.Value)
}

// With returns the dendrogram with another cut.
func (d *Dendrogram) With(c Cut) (*Dendrogram, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	cut := make([]bool, len(d.Links))
	switch c.By {
	case "inconsistent":
		cut = d.cutAbove(d.Inconsistency, d.Threshold)
	case "inconsistent above":
		if math.IsNaN(c.Value) {
			return nil, fmt.Errorf("clustering: the threshold of inconsistency is not a number")
		}
		cut = d.cutAbove(d.Inconsistency, c.Value)
	case "height":
		if math.IsNaN(c.Value) {
			return nil, fmt.Errorf("clustering: the height to cut at is not a number")
		}
		for t, l := range d.Links {
			cut[t] = l.Height > c.Value
		}
		cut = d.upwards(cut)
	case "number":
		if !(c.Value >= 1) {
			return nil, fmt.Errorf("clustering: %g clusters; at least 1 is needed", c.Value)
		}
		for t := len(d.Classes) - int(min(c.Value, float64(len(d.Classes)))); t < len(cut); t++ {
			cut[t] = true
		}
	case "depth":
		if !(c.Value >= 0) {
			return nil, fmt.Errorf("clustering: the depth to cut at is %g; it must not be negative", c.Value)
		}
		depth := make([]int, len(d.Links))
		for t := len(d.Links) - 1; t >= 0; t-- {
			cut[t] = float64(depth[t]) < math.Floor(c.Value)
			for _, cluster := range [2]int{d.Links[t].A, d.Links[t].B} {
				if below := cluster - len(d.Classes); below >= 0 {
					depth[below] = depth[t] + 1
				}
			}
		}
	default:
		return nil, fmt.Errorf("clustering: there is no rule %q for a cut; use Inconsistent, InconsistentAbove, Height, Number or Depth", c.By)
	}
	other := *d
	other.Cut, other.Clusters = cut, d.partition(cut)
	return &other, nil
}
