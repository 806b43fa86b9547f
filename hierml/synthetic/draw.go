package synthetic

import (
	"context"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// Each generator has its own streams of random numbers, so its results depend neither on other
// generators nor on the number of goroutines.
const (
	taxonomyStream = iota
	labelStream
	wordStream
	topicStream
	documentStream
	nodeStream
	instanceStream
)

// stream returns the generator of the i-th stream of a kind.
func stream(seed uint64, kind, i int) *rand.Rand {
	// Neighbouring numbers are spread over all bits by the last step of splitmix64.
	z := (uint64(kind)<<48 | uint64(i)) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return rand.New(rand.NewPCG(seed, z^z>>31))
}

// rowDrawer appends the entries of row i, the columns ascending.
type rowDrawer func(i int, columns []int32, values []float32) ([]int32, []float32)

// drawRows returns the matrix of the rows, drawn by workers that each ask for a drawer of their
// own.
func drawRows(ctx context.Context, rows, columns, workers int, newDrawer func() rowDrawer) (*dataset.Matrix, error) {
	workers = guarded.Workers(workers)
	const blockRows = 256
	type block struct {
		first, end int
		columns    []int32
		values     []float32
		lengths    []int
		drawn      chan struct{}
	}
	m := &dataset.Matrix{Rows: rows, Cols: columns, Indptr: make([]int, 1, rows+1)}
	free := make(chan *block, 2*workers)
	for range cap(free) {
		free <- &block{drawn: make(chan struct{}, 1)}
	}
	inOrder, work := make(chan *block, cap(free)), make(chan *block, cap(free))
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(inOrder)
		defer close(work)
		for first := 0; first < rows; first += blockRows {
			select {
			case b := <-free:
				b.first, b.end = first, min(first+blockRows, rows)
				inOrder <- b
				work <- b
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range workers {
		group.Go(func() error {
			draw := newDrawer()
			for b := range work {
				b.columns, b.values, b.lengths = b.columns[:0], b.values[:0], b.lengths[:0]
				for i := b.first; i < b.end; i++ {
					before := len(b.values)
					b.columns, b.values = draw(i, b.columns, b.values)
					b.lengths = append(b.lengths, len(b.values)-before)
				}
				b.drawn <- struct{}{}
			}
			return nil
		})
	}
	for b := range inOrder {
		<-b.drawn
		if n := len(m.Values) + len(b.values); n > cap(m.Values) {
			// The blocks are about equally large, so that the first tells how much room all take.
			size := max(n, int(1.02*float64(n)*float64(rows)/float64(b.end)))
			m.Indices = append(make([]int32, 0, size), m.Indices...)
			m.Values = append(make([]float32, 0, size), m.Values...)
		}
		m.Indices = append(m.Indices, b.columns...)
		m.Values = append(m.Values, b.values...)
		for _, n := range b.lengths {
			m.Indptr = append(m.Indptr, m.Indptr[len(m.Indptr)-1]+n)
		}
		free <- b
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return m, nil
}

// alias draws numbers with given probabilities in constant time [Wal77] in Vose's form [Vos91].
type alias struct {
	keep  []float64
	other []int32
}

// newAlias returns the table for probabilities proportional to the weights, none of which is
// negative.
func newAlias(weights []float64) *alias {
	n := len(weights)
	a := &alias{keep: make([]float64, n), other: make([]int32, n)}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	var small, large []int32
	for i, w := range weights {
		a.keep[i] = w / sum * float64(n)
		if a.keep[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.other[s] = l
		if a.keep[l] -= 1 - a.keep[s]; a.keep[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) { // what is left is one but for rounding
		a.keep[i] = 1
	}
	return a
}

func (a *alias) draw(rng *rand.Rand) int {
	i := rng.IntN(len(a.keep))
	if rng.Float64() < a.keep[i] {
		return i
	}
	return int(a.other[i])
}
