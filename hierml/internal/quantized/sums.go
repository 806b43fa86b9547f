package quantized

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// SetSums makes the weights of every feature the sum of x_if u_i over the examples i that have the
// feature: in float64, and then rounded to whole units. byFeature has a row for each feature and a
// column for each example, and vector returns the columns and values of u_i.
//
// It returns the squared norms of the sums and of the weights as they are stored. They and the
// weights do not depend on workers, 0 for one a processor. progress is called, maybe by several
// goroutines at the same time, with the number of features that are done since the last call. If
// ctx ends before, SetSums returns ctx's error, and some features have their old weights.
func (w *Weights) SetSums(ctx context.Context, byFeature *dataset.Matrix, vector func(i int) (columns []int32, values []float64), workers int, progress func(features int)) (exact, stored float64, err error) {
	norms := make([][2]float64, len(w.rows)/guarded.ChunkSize+1)
	sums := make([]*rowSums, guarded.Workers(workers))
	guarded.Chunks(len(w.rows), len(sums), func(worker, lo, hi int) {
		if sums[worker] == nil {
			sums[worker] = &rowSums{values: make([]float64, w.stride), in: make([]bool, w.stride), squares: make([]float64, w.stride)}
		}
		s := sums[worker]
		for f := lo; f < hi && ctx.Err() == nil; f++ {
			examples, entries := byFeature.Row(f)
			for k, i := range examples {
				columns, u := vector(int(i))
				s.add(float64(entries[k]), columns, u)
			}
			w.units[f] = s.round(&norms[lo/guarded.ChunkSize])
			w.setFeature(f, s.columns, s.rounded)
			s.columns = s.columns[:0]
		}
		progress(hi - lo)
	})
	for _, norm := range norms {
		exact += norm[0]
		stored += norm[1]
	}
	var squares [][]float64
	for _, s := range sums {
		if s != nil {
			squares = append(squares, s.squares)
		}
	}
	w.maxNorm.Store(math.Float64bits(maxRoot(squares)))
	return exact, stored, ctx.Err()
}

// rowSums sum up the weights of a feature.
type rowSums struct {
	values  []float64 // by column, zero except in columns
	in      []bool    // by column, whether it is in columns
	columns []int32
	rounded []int16   // of the columns that round leaves, in units
	squares []float64 // by column, of the rounded weights of all features so far
}

func (s *rowSums) add(x float64, columns []int32, u []float64) {
	u = u[:len(columns)]
	for j, c := range columns {
		if !s.in[c] {
			s.in[c] = true
			s.columns = append(s.columns, c)
		}
		s.values[c] += x * u[j]
	}
}

// round chooses a unit and rounds the sums to it. It leaves the columns that are not zero then, and
// adds the squares of the sums and of the rounded weights to norm.
func (s *rowSums) round(norm *[2]float64) (unit float32) {
	var largest float64
	for _, c := range s.columns {
		largest = max(largest, math.Abs(s.values[c])) // NaN if one is
	}
	if largest > 0 || math.IsNaN(largest) {
		unit = unitFor(largest)
	}
	kept := s.columns[:0]
	s.rounded = s.rounded[:0]
	for _, c := range s.columns {
		v := s.values[c]
		n := int16(1) // where the unit is infinite
		if !math.IsInf(float64(unit), 1) {
			n = int16(math.RoundToEven(v / float64(unit)))
		}
		rounded := dequantize(n, float64(unit))
		norm[0] += v * v
		norm[1] += rounded * rounded
		s.squares[c] += rounded * rounded
		if n != 0 {
			kept, s.rounded = append(kept, c), append(s.rounded, n)
		}
		s.values[c], s.in[c] = 0, false
	}
	s.columns = kept
	return unit
}

// setFeature sets the weights of a feature, in units, to those given and zeros.
func (w *Weights) setFeature(feature int, columns []int32, units []int16) {
	slots := slotsFor(len(columns))
	row := w.rows[feature]
	if slots > w.maxSlots || row != nil && 2*slots > w.maxSlots { // a table that is nearly full is soon a row again
		if row == nil {
			w.releaseTable(feature)
			row = w.slabs.allocate(w.stride)
			w.rows[feature] = row
		}
		clear(row)
		for j, c := range columns {
			row[c] = units[j]
		}
		return
	}
	if row != nil {
		w.slabs.release(row)
		w.rows[feature] = nil
	}
	if table := w.tables[feature]; len(table) == slots {
		w.empty(table)
	} else {
		w.releaseTable(feature)
		if slots > 0 {
			w.tables[feature] = w.newTable(slots)
		}
	}
	for j, c := range columns {
		w.put(w.tables[feature], slot{uint16(c), units[j]})
	}
	w.used[feature] = int32(len(columns))
}

// MaxColumnNorm returns the largest Euclidean norm of the weights of a column, or up to a
// billionth more. It is computed once after a change, by a number of workers, 0 for one a
// processor.
func (w *Weights) MaxColumnNorm(workers int) float64 {
	if bits := w.maxNorm.Load(); bits != 0 {
		return math.Float64frombits(bits)
	}
	squares := make([][]float64, guarded.Workers(workers))
	guarded.Chunks(len(w.rows), len(squares), func(worker, lo, hi int) {
		if squares[worker] == nil {
			squares[worker] = make([]float64, w.stride)
		}
		sums := squares[worker]
		for f := lo; f < hi; f++ {
			unit := float64(w.units[f])
			for c, n := range w.rows[f] {
				v := dequantize(n, unit)
				sums[c] += v * v
			}
			for _, s := range w.tables[f] {
				v := dequantize(s.units, unit)
				sums[s.column] += v * v
			}
		}
	})
	norm := maxRoot(squares)
	w.maxNorm.Store(math.Float64bits(norm))
	return norm
}

// forgetNorm is called before weights change. It only stores when it must: many goroutines call it.
func (w *Weights) forgetNorm() {
	if w.maxNorm.Load() != 0 {
		w.maxNorm.Store(0)
	}
}

// maxRoot returns the root of the largest sum of squares of a column, or up to a billionth more,
// where each slice has some of the squares of every column, or is nil.
func maxRoot(squares [][]float64) float64 {
	var sums []float64
	for _, s := range squares {
		if sums == nil {
			sums = s
		} else if s != nil {
			floats.Add(sums, s)
		}
	}
	if len(sums) == 0 {
		return 0
	}
	return math.Sqrt(floats.Max(sums)) * (1 + 1e-9)
}
