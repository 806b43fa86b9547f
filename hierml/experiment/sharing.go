package experiment

import (
	"cmp"
	"math"
	"slices"
)

// How cells are shared out to the parts of a job.
const (
	leastSeconds = 30 // that a part is to take: an engine needs about one to start it
	blindParts   = 32 // where nothing is known of how long cells take
)

// share shares cells out to parts, at most so many: each of leastSeconds or more, as far as that
// can be estimated, the longest first, and cells of a division, which need the same preparation, as
// far as possible together. Cells that are to be alone are.
func (t *timing) share(cells []*job, most int, alone func(*job) bool) [][]*job {
	var apart [][]*job
	var rest []*job
	for _, j := range cells {
		if alone(j) {
			apart = append(apart, []*job{j})
		} else {
			rest = append(rest, j)
		}
	}
	most = max(1, most-len(apart))
	seconds := func(j *job) float64 {
		if sum := t.of(nearest(j)); sum != nil {
			return sum.seconds / float64(sum.cells)
		}
		return math.NaN()
	}
	total := 0.0
	for _, j := range rest {
		total += seconds(j)
	}
	n := int(total / leastSeconds)
	if math.IsNaN(total) {
		n, total = blindParts, float64(len(rest))
		seconds = func(*job) float64 { return 1 }
	}
	n = max(1, min(n, most, len(rest)))
	type load struct {
		seconds float64
		cells   []*job
	}
	var pieces []load // of a division each, no longer than a part
	for i, j := range rest {
		s := seconds(j)
		if last := len(pieces) - 1; i > 0 && j.division() == rest[i-1].division() && pieces[last].seconds+s <= total/float64(n) {
			pieces[last].cells = append(pieces[last].cells, j)
			pieces[last].seconds += s
		} else {
			pieces = append(pieces, load{s, []*job{j}})
		}
	}
	longest := func(a, b load) int { return cmp.Compare(b.seconds, a.seconds) }
	slices.SortStableFunc(pieces, longest)
	loads := make([]load, n)
	for _, p := range pieces {
		least := 0
		for i := range loads {
			if loads[i].seconds < loads[least].seconds {
				least = i
			}
		}
		loads[least].seconds += p.seconds
		loads[least].cells = append(loads[least].cells, p.cells...)
	}
	slices.SortStableFunc(loads, longest)
	var parts [][]*job
	for _, l := range loads {
		if len(l.cells) > 0 {
			parts = append(parts, l.cells)
		}
	}
	return append(parts, apart...)
}

// division is the place of what a cell's data are divided from first.
func (j *job) division() place { return j.place.outer() }
