package clustering

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/hierml/notebook/hierml/internal/enum"
)

// Linkage defines the distance of two clusters from the distances of their members.
type Linkage int

const (
	// Average is the mean of the distances between the members of the one and those of the other
	// (6.2).
	Average Linkage = iota
	// Complete is the largest of them.
	Complete
	// Single is the smallest of them.
	Single
	// Ward is the square root of twice what merging the two adds to the sum of the squared
	// distances of members to the mean of their cluster [War63]: sqrt(2 ab / (a + b)) times the
	// distance of the means of clusters of a and b members. It makes clusters of similar sizes. It
	// is computed by a recurrence [Mur83], which has this meaning for Euclidean distances and is
	// also defined for others.
	Ward
)

var linkages = []string{"Average", "Complete", "Single", "Ward"}

// MarshalText returns the name of the constant.
func (l Linkage) MarshalText() ([]byte, error) { return enum.Marshal(l, linkages) }

// UnmarshalText reads the name of a constant, in whatever case.
func (l *Linkage) UnmarshalText(text []byte) error { return enum.Unmarshal(l, linkages, text) }

// String names the linkage.
func (l Linkage) String() string {
	switch l {
	case Average:
		return "average linkage"
	case Complete:
		return "complete linkage"
	case Single:
		return "single linkage"
	case Ward:
		return "Ward's linkage"
	}
	return fmt.Sprintf("Linkage(%d)", int(l))
}

// condensed has one number for every pair of n things: the upper triangle of a matrix, row by row.
type condensed struct {
	n      int
	values []float64
	border []int // entry i, j with i < j is values[border[i]+j]
}

func newCondensed(n int) *condensed {
	c := &condensed{n: n, values: make([]float64, n*(n-1)/2), border: make([]int, n)}
	for i, at := 0, 0; i < n; i++ {
		c.border[i] = at - i - 1
		at += n - i - 1
	}
	return c
}

// index returns where the entry of two different things is.
func (c *condensed) index(i, j int) int {
	if i > j {
		i, j = j, i
	}
	return c.border[i] + j
}

// row returns the entries of i with the things after it.
func (c *condensed) row(i int) []float64 {
	from := c.border[i] + i + 1
	return c.values[from : from+c.n-i-1]
}

// matrix is the distances between the clusters while they are merged. A cluster lives in the place
// of one of its members. For average linkage the entries are sums of the members' distances: sums
// of whole numbers are exact in any order, so that distances that tie in truth tie here. For Ward's
// they are squares, and so are the distances of clusters and the heights of mergers.
type matrix struct {
	*condensed
	linkage Linkage
	size    []float64 // of the cluster in each place
	live    []int     // places with a cluster, ascending
}

func newMatrix(c *condensed, l Linkage) *matrix {
	m := &matrix{condensed: c, linkage: l, size: make([]float64, c.n), live: make([]int, c.n)}
	for i := range m.live {
		m.size[i], m.live[i] = 1, i
	}
	if l == Ward {
		for k, d := range m.values {
			m.values[k] = d * d
		}
	}
	return m
}

// distance returns how far the clusters in two places are apart.
func (m *matrix) distance(i, j int) float64 {
	v := m.values[m.index(i, j)]
	if m.linkage == Average {
		return v / (m.size[i] * m.size[j])
	}
	return v
}

// nearest returns the place of the cluster nearest to that in place i, or -1 if it is not the only
// nearest or there is no other, and its distance.
func (m *matrix) nearest(i int) (place int, distance float64) {
	place, distance = -1, math.Inf(1)
	at := sort.SearchInts(m.live, i)
	average, own := m.linkage == Average, m.size[i]
	for _, j := range m.live[:at] {
		d := m.values[m.border[j]+i]
		if average {
			d /= own * m.size[j]
		}
		if d <= distance {
			if place = j; d == distance {
				place = -1
			}
			distance = d
		}
	}
	row := m.row(i)
	for _, j := range m.live[at+1:] {
		d := row[j-i-1]
		if average {
			d /= own * m.size[j]
		}
		if d <= distance {
			if place = j; d == distance {
				place = -1
			}
			distance = d
		}
	}
	return place, distance
}

// merge puts the cluster in place b into that in place a, and returns the place: the smaller of the
// two.
func (m *matrix) merge(a, b int) int {
	if a > b {
		a, b = b, a
	}
	apart := m.values[m.index(a, b)]
	m.live = slices.Delete(m.live, sort.SearchInts(m.live, b), sort.SearchInts(m.live, b)+1)
	for _, x := range m.live {
		var into *float64
		var from float64
		switch { // as index has it
		case x > b:
			into, from = &m.values[m.border[a]+x], m.values[m.border[b]+x]
		case x > a:
			into, from = &m.values[m.border[a]+x], m.values[m.border[x]+b]
		case x < a:
			into, from = &m.values[m.border[x]+a], m.values[m.border[x]+b]
		default:
			continue
		}
		switch m.linkage {
		case Average:
			*into += from
		case Complete:
			*into = max(*into, from)
		case Single:
			*into = min(*into, from)
		case Ward:
			i, j, k := m.size[a], m.size[b], m.size[x]
			// Of the nearest two, which merged are as far from others as before or farther.
			*into = max(apart, ((i+k)**into+(j+k)*from-k*apart)/(i+j+k))
		}
	}
	m.size[a] += m.size[b]
	return a
}

// merger is a link that the nearest-neighbour chain found: of things, which are below n, or of
// earlier mergers, n + the number of the merger.
type merger struct {
	a, b   int
	height float64
}

// chain merges clusters that are each other's only nearest neighbours, in whatever order it comes
// upon them, until there are none or those left have ties before them. It asks for O(n^2)
// distances. It returns the mergers, and for every place with a cluster which it is, numbered as in
// a merger.
//
// Merging others brings nothing nearer to two such clusters than they are to each other, for all
// four linkages. So going through the pairs by distance merges these two as well.
func (m *matrix) chain(ctx context.Context, progress func(done int) error) (found []merger, cluster []int, err error) {
	cluster = make([]int, m.n)
	starts := make([]int, m.n)
	for i := range starts {
		cluster[i], starts[i] = i, m.n-1-i
	}
	alive, tied, onPath := make([]bool, m.n), make([]bool, m.n), make([]bool, m.n)
	for i := range alive {
		alive[i] = true
	}
	var path []int
	for len(m.live) > 1 {
		if err := context.Cause(ctx); err != nil {
			return nil, nil, err
		}
		if len(path) == 0 {
			if len(starts) == 0 {
				break
			}
			start := starts[len(starts)-1]
			starts = starts[:len(starts)-1]
			if alive[start] && !tied[start] {
				path, onPath[start] = append(path, start), true
			}
			continue
		}
		last := len(path) - 1
		top := path[last]
		near, distance := m.nearest(top)
		switch {
		case last > 0 && near == path[last-1]:
			path = path[:last-1]
			onPath[top], onPath[near] = false, false
			found = append(found, merger{cluster[top], cluster[near], distance})
			place := m.merge(top, near)
			alive[max(top, near)] = false
			cluster[place] = m.n + len(found) - 1
			starts = append(starts, place)
			if err := progress(len(found)); err != nil {
				return nil, nil, err
			}
		case near < 0 || tied[near] || onPath[near]:
			// A neighbour on the path but not the one before can come of rounding only, and is
			// treated as a tie.
			for _, place := range path {
				onPath[place], tied[place] = false, true
			}
			path = path[:0]
		default:
			path, onPath[near] = append(path, near), true
		}
	}
	return found, cluster, nil
}
