package experiment

// timing estimates how long cells take from those that are finished: of the same method on the same
// data at the same size, and where there are none, of the same method on the same data, of the same
// data, and of all.
type timing struct {
	sums map[sameness]*elapsed
	open map[sameness]int // cells not finished, by what is nearest to them
	left int              // their number
}

type sameness struct {
	data, method, perClass int // -1 for all
	inner                  bool
}

type elapsed struct {
	seconds float64
	cells   int
}

func newTiming() timing {
	return timing{sums: make(map[sameness]*elapsed), open: make(map[sameness]int)}
}

func nearest(j *job) sameness { return sameness{j.data, j.method, j.perClass, j.place.inner > 0} }

// wider returns what cells have in common with those of s, the nearest first.
func (s sameness) wider() [5]sameness {
	return [5]sameness{
		s,
		{s.data, s.method, -1, s.inner},
		{s.data, -1, -1, s.inner},
		{-1, s.method, -1, s.inner},
		{-1, -1, -1, s.inner},
	}
}

// begin adds cells that are not finished, and end takes one away.
func (t *timing) begin(jobs []*job) {
	for _, j := range jobs {
		t.open[nearest(j)]++
		t.left++
	}
}

func (t *timing) end(j *job) {
	t.open[nearest(j)]--
	t.left--
}

// finished adds the time of a cell.
func (t *timing) finished(j *job, c *Cell) {
	for _, s := range nearest(j).wider() {
		if t.sums[s] == nil {
			t.sums[s] = &elapsed{}
		}
		t.sums[s].seconds += c.Seconds
		t.sums[s].cells++
	}
}

// remaining returns the seconds that the cells not finished take on so many cores, and false if
// nothing is known. Of those that run it is given the time that is over.
func (t *timing) remaining(running map[sameness][]float64, cores int) (seconds float64, known bool) {
	for s, n := range t.open {
		sum := t.of(s)
		if sum == nil {
			continue
		}
		known = true
		each := sum.seconds / float64(sum.cells)
		seconds += float64(n-len(running[s])) * each
		for _, over := range running[s] {
			seconds += max(0, each-over)
		}
	}
	return seconds / float64(max(1, min(cores, t.left))), known
}

// of returns the times of the cells nearest to s, nil if none is finished.
func (t *timing) of(s sameness) *elapsed {
	for _, inner := range []bool{s.inner, !s.inner} {
		s.inner = inner
		for _, w := range s.wider() {
			if sum := t.sums[w]; sum != nil {
				return sum
			}
		}
	}
	return nil
}
