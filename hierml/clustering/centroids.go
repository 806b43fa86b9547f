package clustering

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/enum"
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// Distance is a distance of two centroids.
type Distance int

const (
	// Euclidean is the length of their difference (6.1).
	Euclidean Distance = iota
	// Cosine is 1 minus the cosine of the angle between them, from 0 to 2. It does not depend on
	// their lengths, so a class of few texts, whose centroid is longer, is not far from all others
	// for that reason. A zero centroid has distance 1 from all others.
	Cosine
)

var distances = []string{"Euclidean", "Cosine"}

// MarshalText returns the name of the constant.
func (d Distance) MarshalText() ([]byte, error) { return enum.Marshal(d, distances) }

// UnmarshalText reads the name of a constant, in whatever case.
func (d *Distance) UnmarshalText(text []byte) error { return enum.Unmarshal(d, distances, text) }

// String names the distance.
func (d Distance) String() string {
	switch d {
	case Euclidean:
		return "Euclidean distance"
	case Cosine:
		return "cosine distance"
	}
	return fmt.Sprintf("Distance(%d)", int(d))
}

// of returns the distance of two vectors by their inner product and squared lengths, and
// difference, the squared length of their difference, which is asked for where the others do not
// have the digits.
func (d Distance) of(product, a, b float64, difference func() float64) float64 {
	if d == Cosine {
		if a <= 0 || b <= 0 {
			return 1
		}
		return max(0, 1-product/math.Sqrt(a*b)) // 0 exactly for equal vectors
	}
	square := a + b - 2*product
	if square < 1e-4*(a+b) {
		square = difference() // here the subtraction would lose digits
	}
	return math.Sqrt(max(square, 0))
}

// centroids returns the distances between the centroids of the classes, in the kernel's feature
// space if there is a kernel.
func (a Agglomerative) centroids(ctx context.Context, s *classes, progress *counter) (*condensed, error) {
	if a.Kernel != nil {
		return a.kernelCentroids(ctx, s, progress)
	}
	p := newCentroids(s)
	c := newCondensed(s.len())
	err := eachRow(ctx, c.n, guarded.Workers(a.Workers), progress, func() func(context.Context, int) error {
		return func(_ context.Context, k int) error {
			p.distances(a.Distance, k, c.row(k))
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// centroids are sparse vectors, by class and by feature.
type centroids struct {
	border  []int // of class k: from border[k] to border[k+1] of the following
	indices []int32
	values  []float64
	at      []int // where the entry is among those of its feature
	squares []float64

	// of feature f: from featureBorder[f] to featureBorder[f+1] of the following
	featureBorder []int
	class         []int32
	weight        []float64
	all           [][]float64 // the weights of all classes, of features that many have, or nil
}

func newCentroids(s *classes) *centroids {
	x, _ := s.x.Occurring()
	p := &centroids{border: make([]int, 1, s.len()+1), squares: make([]float64, s.len()), featureBorder: make([]int, x.Cols+1)}
	sum := make([]float64, x.Cols)
	seen := make([]bool, x.Cols)
	for k, members := range s.members {
		from := len(p.indices)
		for _, i := range members {
			indices, values := x.Row(int(i))
			for e, f := range indices {
				if !seen[f] {
					seen[f] = true
					p.indices = append(p.indices, f)
				}
				sum[f] += float64(values[e])
			}
		}
		slices.Sort(p.indices[from:])
		for _, f := range p.indices[from:] {
			v := sum[f] / float64(len(members))
			p.values = append(p.values, v)
			p.squares[k] += v * v
			p.featureBorder[f+1]++
			sum[f], seen[f] = 0, false
		}
		p.border = append(p.border, len(p.indices))
	}
	for f := range x.Cols {
		p.featureBorder[f+1] += p.featureBorder[f]
	}
	next := slices.Clone(p.featureBorder)
	p.at, p.class, p.weight = make([]int, len(p.indices)), make([]int32, len(p.indices)), make([]float64, len(p.indices))
	for k := range s.len() {
		for e := p.border[k]; e < p.border[k+1]; e++ {
			f := p.indices[e]
			p.at[e], p.class[next[f]], p.weight[next[f]] = next[f], int32(k), p.values[e]
			next[f]++
		}
	}
	const many = 4 // a feature that one in so many classes has is added faster to all of them
	p.all = make([][]float64, x.Cols)
	for f := range p.all {
		from, to := p.featureBorder[f], p.featureBorder[f+1]
		if many*(to-from) < s.len() {
			continue
		}
		p.all[f] = make([]float64, s.len())
		for o := from; o < to; o++ {
			p.all[f][p.class[o]] = p.weight[o]
		}
	}
	return p
}

// distances writes the distances of class k to those after it.
func (p *centroids) distances(d Distance, k int, row []float64) {
	clear(row)
	for e := p.border[k]; e < p.border[k+1]; e++ {
		f, v := p.indices[e], p.values[e]
		if p.all[f] != nil {
			floats.AddScaled(row, v, p.all[f][k+1:])
			continue
		}
		to := p.featureBorder[f+1]
		for o := p.at[e] + 1; o < to; o++ {
			row[int(p.class[o])-k-1] += v * p.weight[o]
		}
	}
	for i, product := range row {
		l := k + 1 + i
		row[i] = d.of(product, p.squares[k], p.squares[l], func() float64 { return p.difference(k, l) })
	}
}

// difference returns the squared distance of two centroids, entry by entry.
func (p *centroids) difference(k, l int) float64 {
	var sum float64
	i, j := p.border[k], p.border[l]
	for i < p.border[k+1] || j < p.border[l+1] {
		var d float64
		switch {
		case j == p.border[l+1] || i < p.border[k+1] && p.indices[i] < p.indices[j]:
			d = p.values[i]
			i++
		case i == p.border[k+1] || p.indices[j] < p.indices[i]:
			d = p.values[j]
			j++
		default:
			d = p.values[i] - p.values[j]
			i++
			j++
		}
		sum += d * d
	}
	return sum
}

// kernelCentroids returns the distances of the centroids in the kernel's feature space: the squared
// distance of classes k and l is the mean of the kernel over pairs of k, plus that over pairs of l,
// minus twice that over pairs of one of k and one of l.
func (a Agglomerative) kernelCentroids(ctx context.Context, s *classes, progress *counter) (*condensed, error) {
	// Instances by their last class: those with a class from k on are then the ones from some place
	// on, and the kernel is not asked for pairs with the others.
	order, from := s.byLastClass()
	against, err := gram.NewAgainst(a.Kernel, s.x.Subset(order))
	if err != nil {
		return nil, err
	}
	c := newCondensed(s.len())
	own := make([]float64, s.len())
	err = eachRow(ctx, c.n, guarded.Workers(a.Workers), progress, func() func(context.Context, int) error {
		values, sums := make([]float64, s.x.Rows), make([]float64, s.len())
		return func(ctx context.Context, k int) error {
			clear(sums)
			for _, i := range s.members[k] {
				if err := context.Cause(ctx); err != nil {
					return err
				}
				against.ValuesFrom(gram.Row(s.x, int(i)), from[k], values)
				for at := from[k]; at < len(values); at++ {
					for _, l := range s.of[order[at]] {
						sums[l] += values[at]
					}
				}
			}
			for l := k; l < len(sums); l++ {
				sums[l] /= float64(len(s.members[k])) * float64(len(s.members[l]))
				if math.IsNaN(sums[l]) || math.IsInf(sums[l], 0) {
					return fmt.Errorf("clustering: the kernel between instances of %q and %q is not finite", s.names[k], s.names[l])
				}
			}
			own[k] = sums[k]
			copy(c.row(k), sums[k+1:])
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	for k := range c.n {
		row := c.row(k)
		for i, product := range row {
			l := k + 1 + i
			square := own[k] + own[l] - 2*product
			if scale := math.Abs(own[k]) + math.Abs(own[l]); square < -1e-6*scale {
				return nil, fmt.Errorf("clustering: the squared distance of %q and %q is %v by this kernel, which is not positive semidefinite", s.names[k], s.names[l], square)
			}
			row[i] = a.Distance.of(product, own[k], own[l], func() float64 { return max(square, 0) })
		}
	}
	return c, nil
}

// byLastClass returns the instances in the order of their last classes, those without any first,
// and for every class where those begin whose last class it or a later one is.
func (s *classes) byLastClass() (order, from []int) {
	size := make([]int, s.len()+1) // by last class + 1
	last := func(i int) int {
		if of := s.of[i]; len(of) > 0 {
			return int(of[len(of)-1]) + 1
		}
		return 0
	}
	for i := range s.of {
		size[last(i)]++
	}
	next := make([]int, s.len()+1)
	for k := 1; k < len(next); k++ {
		next[k] = next[k-1] + size[k-1]
	}
	from = slices.Clone(next[1:])
	order = make([]int, len(s.of))
	for i := range s.of {
		order[next[last(i)]] = i
		next[last(i)]++
	}
	return order, from
}
