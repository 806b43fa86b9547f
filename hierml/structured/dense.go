package structured

import (
	"context"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

// denseShare is the share of entries other than zero from which examples are dense: a column of
// weights is then multiplied with all features at once faster than feature by feature.
const denseShare = 0.5

// spread keeps the rows of dense examples with their zeros.
func (l *Linear) spread() {
	if x := l.x; float64(len(x.Indices)) >= denseShare*float64(x.Rows)*float64(x.Cols) && x.Cols > 0 {
		l.depth = (x.Cols + lanes - 1) / lanes * lanes
		l.dense = make([]float32, x.Rows*l.depth)
		for i := range x.Rows {
			row := l.denseRow(i)
			features, values := x.Row(i)
			for k, f := range features {
				row[f] = values[k]
			}
		}
	}
}

// denseRow returns the features of a dense example, zeros included, and zeros up to a multiple of
// lanes.
func (l *Linear) denseRow(i int) []float32 { return l.dense[i*l.depth : (i+1)*l.depth] }

// isDense tells whether the weights for a number of columns are kept column by column.
func (l *Linear) isDense(columns int) bool {
	return l.dense != nil && l.depth*scoreWidth(columns) <= maxCombined
}

// Dense reports whether the examples are dense, so that scoring and changing a few columns of the
// weights costs little more than their share.
func (o *Oracle) Dense() bool {
	l, ok := o.inputs.(*Linear)
	return ok && l.isDense(len(o.columns))
}

// denseState are weights of dense examples column by column, so that a step changes whole runs of
// memory, and a few columns can be scored alone. They are in float64 while they change; Set rounds
// them to float32 if they are not wide, so that they are scored as they will be stored.
type denseState struct {
	linear  *Linear
	columns []int // node id of each column
	width   int
	wide    bool
	data    []float64 // width x depth
}

func newDenseState(l *Linear, columns []int, wide bool) *denseState {
	width := scoreWidth(len(columns))
	return &denseState{linear: l, columns: columns, width: width, wide: wide, data: make([]float64, width*l.depth)}
}

// weights returns a copy of the weights, feature by feature.
func (s *denseState) weights() *Weights {
	l := s.linear
	w := NewWeights
	if s.wide {
		w = NewWideWeights
	}
	out := w(s.columns, l.x.Cols)
	for c := range s.columns {
		for f, v := range s.column(int32(c))[:l.x.Cols] {
			out.Set(f, c, v)
		}
	}
	return out
}

func (s *denseState) column(c int32) []float64 {
	return s.data[int(c)*s.linear.depth : (int(c)+1)*s.linear.depth]
}

func (s *denseState) Width() int { return s.width }

func (s *denseState) Scores(i int, scores []float64) {
	dotColumns(scores[:s.width], s.linear.denseRow(i), s.data)
}

// ScoresAt scores the columns given.
func (s *denseState) ScoresAt(i int, columns []int32, dst []float64) {
	x := s.linear.denseRow(i)
	for k, c := range columns {
		dst[k] = dotColumn(x, s.column(c))
	}
}

// ColumnCost is 3: the sums of a single column wait for each other, those of four columns do not.
func (s *denseState) ColumnCost() int { return 3 }

func (s *denseState) Add(i int, columns []int32, u []float64) {
	x := s.linear.denseRow(i)
	for k, c := range columns {
		addColumn(s.column(c), u[k], x)
	}
}

func (s *denseState) SetColumn(c int, w []float64) (square float64) {
	column := s.column(int32(c))
	for f, v := range w {
		if !s.wide {
			v = float64(float32(v))
		}
		column[f] = v
		square += v * v
	}
	return square
}

// Set sums every column in float64 and then rounds it to the stored form.
func (s *denseState) Set(ctx context.Context, u *Rows, workers int) (exact, stored float64, err error) {
	norms := make([][2]float64, s.width)
	shares := min(guarded.Workers(workers), s.width)
	set := func(from, to int) {
		clear(s.data[from*s.linear.depth : to*s.linear.depth])
		for i := range s.linear.x.Rows {
			if i%guarded.ChunkSize == 0 && ctx.Err() != nil {
				return
			}
			x := s.linear.denseRow(i)
			columns, values := u.Row(i)
			for k, c := range columns {
				if int(c) >= from && int(c) < to {
					addColumn(s.column(c), values[k], x)
				}
			}
		}
		for c := from; c < to; c++ {
			column := s.column(int32(c))
			for f, v := range column {
				norms[c][0] += v * v
				if !s.wide {
					v = float64(float32(v))
					column[f] = v
				}
				norms[c][1] += v * v
			}
		}
	}
	guarded.Each(shares, workers, func(share int) { set(share*s.width/shares, (share+1)*s.width/shares) })
	for _, norm := range norms {
		exact += norm[0]
		stored += norm[1]
	}
	return exact, stored, ctx.Err()
}

// Dot returns the inner product of two weight matrices.
func (s *denseState) Dot(other State) float64 {
	var sum float64
	for k, v := range other.(*denseState).data {
		sum += s.data[k] * v
	}
	return sum
}

// AddScaled adds a multiple of a weight matrix.
func (s *denseState) AddScaled(scale float64, other State) {
	for k, v := range other.(*denseState).data {
		s.data[k] += scale * v
	}
}

// denseBatch scores its examples one by one.
type denseBatch struct {
	state    *denseState
	size     int
	examples []int
	scores   []float64
	products []float64 // size rows
	row      []float64 // features of an example
}

// NewBatch returns an empty batch. With few columns its size is one example, because sharing the
// work would not pay.
func (s *denseState) NewBatch() Batch {
	b := &denseBatch{state: s, size: batchSize, row: make([]float64, s.linear.depth)}
	if s.width <= narrowStride {
		b.size = 1
	}
	b.scores, b.products = make([]float64, b.size*s.width), make([]float64, b.size*b.size)
	return b
}

func (b *denseBatch) Size() int { return b.size }

func (b *denseBatch) Load(examples []int, workers int) {
	b.examples = examples
	scoreInShares(b, len(examples), workers)
}

func (b *denseBatch) Take(examples []int) { b.examples = examples }

func (b *denseBatch) ScoresAt(columns [][]int32, dst [][]float64, _ int) {
	scoreAt(b.state, b.examples, columns, dst)
}

// score scores examples from to to.
func (b *denseBatch) score(from, to int) {
	for k := from; k < to; k++ {
		b.state.Scores(b.examples[k], b.Scores(k))
	}
}

func (b *denseBatch) Multiply() {
	for j := range len(b.examples) - 1 {
		for f, v := range b.state.linear.denseRow(b.examples[j]) {
			b.row[f] = float64(v)
		}
		for k := j + 1; k < len(b.examples); k++ {
			b.products[k*b.size+j] = dotColumn(b.state.linear.denseRow(b.examples[k]), b.row)
		}
	}
}

func (b *denseBatch) Scores(k int) []float64 {
	return b.scores[k*b.state.width : (k+1)*b.state.width]
}

func (b *denseBatch) Products(k int) []float64 { return b.products[k*b.size : k*b.size+k] }

func (b *denseBatch) Add(u *Rows, _ int) {
	for k, i := range b.examples {
		columns, values := u.Row(k)
		b.state.Add(i, columns, values)
	}
}
