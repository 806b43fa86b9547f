package structured

import "github.com/hierml/notebook/hierml/internal/guarded"

// batchSize is the number of examples in a full batch.
const batchSize = 32

// quantizedBatch is that where weights have 16 bits, so that the rows of features that are not
// frequent are read for several examples, but of no more than quantizedScores scores.
const quantizedBatch, quantizedScores = 1024, 32 << 20

// Batch is a set of examples that are scored together and change the weights together, so that
// workers can share the work. In between, the solver updates the scores by the inner products of
// the examples. A Batch has scratch space.
type Batch interface {
	// Size is the maximum number of examples.
	Size() int
	// Load loads up to Size examples and scores them under the current weights. The result does not
	// depend on workers.
	Load(examples []int, workers int)
	// Take loads up to Size examples without scores.
	Take(examples []int)
	// Multiply computes the inner products of the examples loaded or taken.
	Multiply()
	// ScoresAt writes the scores of the given columns for every loaded example, under the current
	// weights, into dst, one slice per example. Call it after Multiply. The result does not depend
	// on workers.
	ScoresAt(columns [][]int32, dst [][]float64, workers int)
	// Scores returns the scores of the k-th example. The caller may change them.
	Scores(k int) []float64
	// Products returns the inner products of the k-th example with those before it, since Multiply.
	Products(k int) []float64
	// Add adds u_k (x) x_k for all examples to the weights, where u has one row per example of the
	// batch. Call it after Multiply. The result does not depend on workers.
	Add(u *Rows, workers int)
}

// linearBatch sorts the entries of its examples by feature.
type linearBatch struct {
	state    *linearState
	size     int
	examples []int
	scores   []float64
	entries  []entry // by feature, then example
	spare    []entry
	runs     []int                    // where in entries each feature begins, and the end
	products []float64                // size rows
	begin    []int                    // where the scores of each example begin in those
	parts    [featureShares][]float64 // scores of a share of the features, for ScoresAt
}

// featureShares is the number of shares of the features in which ScoresAt sums scores up.
const featureShares = 4

// entry is a feature of an example in a batch.
type entry struct {
	feature int32
	slot    int32 // which example
	value   float32
}

// NewBatch returns an empty batch. With few columns its size is one example, because sharing the
// work would not pay.
func (s *linearState) NewBatch() Batch {
	b := &linearBatch{state: s, size: batchSize}
	switch {
	case s.Stride <= narrowStride:
		b.size = 1
	case s.quantized != nil:
		b.size = max(batchSize, min(quantizedBatch, quantizedScores/s.Stride))
	}
	b.scores, b.products = make([]float64, b.size*s.Stride), make([]float64, b.size*b.size)
	return b
}

func (b *linearBatch) Size() int { return b.size }

func (b *linearBatch) Take(examples []int) { b.examples = examples }

func (b *linearBatch) Load(examples []int, workers int) {
	b.examples = examples
	if b.state.quantized != nil {
		b.loadQuantized(workers)
		return
	}
	scoreInShares(b, len(examples), workers)
}

// scoreInShares has a batch score its examples, n of them, in a share for each worker. It does not
// allocate for one.
func scoreInShares(b interface{ score(from, to int) }, n, workers int) {
	shares := min(guarded.Workers(workers), n)
	if shares == 1 {
		b.score(0, n)
		return
	}
	guarded.Each(shares, workers, func(share int) { b.score(share*n/shares, (share+1)*n/shares) })
}

// loadQuantized is Load where weights have 16 bits: in float32.
func (b *linearBatch) loadQuantized(workers int) {
	p := b.state.panelsOf()
	p.Load(b.examples, workers, false)
	guarded.Each(len(b.examples), workers, func(k int) { p.Scores(k, b.Scores(k)) })
}

// score scores examples from to to.
func (b *linearBatch) score(from, to int) {
	for k := from; k < to; k++ {
		b.state.Scores(b.examples[k], b.Scores(k))
	}
}

func (b *linearBatch) Scores(k int) []float64 {
	return b.scores[k*b.state.Stride : (k+1)*b.state.Stride]
}

func (b *linearBatch) Multiply() {
	if b.size == 1 {
		return
	}
	b.sort()
	clear(b.products[:len(b.examples)*b.size])
	for r := range len(b.runs) - 1 {
		run := b.entries[b.runs[r]:b.runs[r+1]]
		for j := 1; j < len(run); j++ {
			x := float64(run[j].value)
			row := b.products[int(run[j].slot)*b.size : int(run[j].slot+1)*b.size]
			for _, e := range run[:j] {
				row[e.slot] += x * float64(e.value)
			}
		}
	}
}

// sort sorts the entries by feature, those of one feature by example: by counting, digit by digit.
func (b *linearBatch) sort() {
	const bits = 10
	b.entries = b.entries[:0]
	for slot, i := range b.examples {
		features, values := b.state.linear.x.Row(i)
		for k, f := range features {
			b.entries = append(b.entries, entry{f, int32(slot), values[k]})
		}
	}
	if cap(b.spare) < len(b.entries) {
		b.spare = make([]entry, cap(b.entries))
	}
	from, to := b.entries, b.spare[:len(b.entries)]
	for shift := 0; b.state.Features>>shift > 0; shift += bits {
		var start [1<<bits + 1]int32
		for k := range from {
			start[from[k].feature>>shift&(1<<bits-1)+1]++
		}
		for d := range 1 << bits {
			start[d+1] += start[d]
		}
		for k := range from {
			d := from[k].feature >> shift & (1<<bits - 1)
			to[start[d]] = from[k]
			start[d]++
		}
		from, to = to, from
	}
	b.entries, b.spare = from, to
	b.runs = b.runs[:0]
	for k := range b.entries {
		if k == 0 || b.entries[k].feature != b.entries[k-1].feature {
			b.runs = append(b.runs, k)
		}
	}
	b.runs = append(b.runs, len(b.entries))
}

func (b *linearBatch) Products(k int) []float64 {
	return b.products[k*b.size : k*b.size+k]
}

func (b *linearBatch) Add(u *Rows, workers int) {
	if b.size == 1 {
		columns, values := u.Row(0)
		if len(columns) > 0 {
			b.state.Add(b.examples[0], columns, values)
		}
		return
	}
	shares, runs := guarded.Workers(workers), len(b.runs)-1
	if shares == 1 {
		b.add(u, 0, runs)
		return
	}
	guarded.Each(shares, workers, func(share int) {
		b.add(u, share*runs/shares, (share+1)*runs/shares)
	})
}

// add adds what belongs to some of the features.
func (b *linearBatch) add(u *Rows, from, to int) {
	for _, e := range b.entries[b.runs[from]:b.runs[to]] {
		if lo, hi := u.Border[e.slot], u.Border[e.slot+1]; lo < hi {
			b.state.addRow(e.feature, float64(e.value), u.Columns[lo:hi], u.Values[lo:hi])
		}
	}
}

func (b *linearBatch) ScoresAt(columns [][]int32, dst [][]float64, workers int) {
	if b.size == 1 {
		b.state.ScoresAt(b.examples[0], columns[0], dst[0])
		return
	}
	begin := b.begin[:0]
	n := 0
	for _, c := range columns {
		begin = append(begin, n)
		n += len(c)
	}
	b.begin = begin
	runs := len(b.runs) - 1
	guarded.Each(featureShares, min(guarded.Workers(workers), featureShares), func(share int) {
		if cap(b.parts[share]) < n {
			b.parts[share] = make([]float64, 2*n)
		}
		sums := b.parts[share][:n]
		clear(sums)
		for _, e := range b.entries[b.runs[share*runs/featureShares]:b.runs[(share+1)*runs/featureShares]] {
			own := columns[e.slot]
			b.state.scoresAt(int(e.feature), float64(e.value), own, sums[begin[e.slot]:begin[e.slot]+len(own)])
		}
	})
	for k, at := range begin {
		scores := dst[k][:len(columns[k])]
		clear(scores)
		for share := range featureShares {
			for j, v := range b.parts[share][at : at+len(scores)] {
				scores[j] += v
			}
		}
	}
}

// scoreAt scores the columns given of each example.
func scoreAt(s Partial, examples []int, columns [][]int32, dst [][]float64) {
	for k, i := range examples {
		s.ScoresAt(i, columns[k], dst[k])
	}
}

// kernelBatch copies scores and inner products.
type kernelBatch struct {
	state    *Expansion
	examples []int
	scores   []float64
	products []float64
}

// NewBatch returns an empty batch.
func (e *Expansion) NewBatch() Batch {
	return &kernelBatch{state: e, scores: make([]float64, batchSize*e.width), products: make([]float64, batchSize)}
}

func (b *kernelBatch) Size() int { return batchSize }

func (b *kernelBatch) Take(examples []int) { b.examples = examples }

func (b *kernelBatch) ScoresAt(columns [][]int32, dst [][]float64, _ int) {
	scoreAt(b.state, b.examples, columns, dst)
}

func (b *kernelBatch) Load(examples []int, _ int) {
	b.examples = examples
	for k, i := range examples {
		b.state.Scores(i, b.Scores(k))
	}
}

func (b *kernelBatch) Multiply() {}

func (b *kernelBatch) Scores(k int) []float64 {
	return b.scores[k*b.state.width : (k+1)*b.state.width]
}

func (b *kernelBatch) Products(k int) []float64 {
	for j, i := range b.examples[:k] {
		b.products[j] = b.state.kernel.Product(i, b.examples[k])
	}
	return b.products[:k]
}

func (b *kernelBatch) Add(u *Rows, workers int) {
	e := b.state
	guarded.Chunks(e.kernel.Len(), workers, func(_, lo, hi int) {
		for k, i := range b.examples {
			columns, values := u.Row(k)
			if len(columns) > 0 {
				e.addTo(lo, hi, i, columns, values)
			}
		}
	})
}
