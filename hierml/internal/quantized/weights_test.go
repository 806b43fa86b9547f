package quantized

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fill sets part of the weights at random, of some features more and of others fewer, and those of
// a matrix in float64 with them.
func fill(rng *rand.Rand, part float64, w *Weights, plain [][]float64) {
	for f, row := range plain {
		density := 2 * part * rng.Float64()
		for _, c := range rng.Perm(len(row)) {
			if rng.Float64() < density {
				row[c] = rng.NormFloat64()
				w.Set(f, c, row[c])
			}
		}
	}
}

// zeros returns a matrix of zeros.
func zeros(features, columns int) [][]float64 {
	rows := make([][]float64, features)
	for f := range rows {
		rows[f] = make([]float64, columns)
	}
	return rows
}

// rowsAndTables counts the features of each form.
func rowsAndTables(w *Weights) (rows, tables int) {
	for f := range w.rows {
		switch {
		case w.rows[f] != nil:
			rows++
		case w.tables[f] != nil:
			tables++
		}
	}
	return rows, tables
}

// within reports whether a weight of a feature is right but for n roundings, of it or of steps, and
// those of growing units.
func (w *Weights) within(f int, got, want float64, n int) bool {
	return math.Abs(got-want) <= (float64(n)/2+2)*float64(w.units[f])
}

// Weights are those of a matrix in float64, up to the rounding of each step, whatever part of them
// is not zero.
func TestWeightsAreWithinTheirError(t *testing.T) {
	const features, columns = 60, 700
	for _, part := range []float64{0, 0.002, 0.05, 0.15, 0.6} {
		rng := rand.New(rand.NewPCG(uint64(1000*part), 2))
		w, plain := New(columns, features), zeros(features, columns)
		fill(rng, part, w, plain)
		steps := make(map[[2]int]int)
		for range 20 * features {
			f := rng.IntN(features)
			k := rng.IntN(1 + int(part*10))
			changed, u := make([]int32, k), make([]float64, k)
			for j, c := range rng.Perm(columns)[:k] {
				changed[j], u[j] = int32(c), rng.NormFloat64()
				plain[f][c] += 0.5 * u[j]
				steps[[2]int{f, c}]++
			}
			w.AddRow(f, 0.5, changed, u)
		}
		if rows, tables := rowsAndTables(w); part == 0.15 && (rows == 0 || tables == 0) {
			t.Errorf("part %v: %d rows and %d tables, want some of both", part, rows, tables)
		}
		var x []float64
		var at []int32
		for f := range features {
			at, x = w.AppendRow(f, at[:0], x[:0])
			for c, want := range plain[f] {
				got := w.At(f, c)
				if !w.within(f, got, want, steps[[2]int{f, c}]) {
					t.Fatalf("part %v: weight %d of feature %d is %v, want %v within %v", part, c, f, got, want, w.units[f])
				}
				if k, ok := slices.BinarySearch(at, int32(c)); ok != (got != 0) || ok && x[k] != got {
					t.Fatalf("part %v: weight %d of feature %d is %v, and its row %v at %v", part, c, f, got, x, at)
				}
			}
			if u := float64(w.units[f]); u > 1e-2 {
				t.Errorf("part %v: the unit of feature %d is %v", part, f, u)
			}
		}
		all := make([]int32, columns)
		for c := range all {
			all[c] = int32(c)
		}
		got, some, want := make([]float64, w.Stride()), make([]float64, columns), make([]float64, columns)
		for _, f := range []int{0, 3, 4, 5, 17, 30, 31, 59} {
			x := rng.NormFloat64()
			w.AddScores(f, x, got)
			w.AddScoresAt(f, x, all, some)
			for c := range want {
				want[c] += x * w.At(f, c)
			}
		}
		for c := range want {
			if math.Abs(got[c]-want[c]) > 1e-12 || some[c] != got[c] {
				t.Errorf("part %v: score of column %d is %v, and %v alone; want %v", part, c, got[c], some[c], want[c])
			}
		}
		for c := columns; c < w.Stride(); c++ {
			if got[c] != 0 {
				t.Errorf("part %v: score of column %d, which is none, is %v", part, c, got[c])
			}
		}
	}
}

// Zeros take no room, and need no unit.
func TestSetZero(t *testing.T) {
	w := New(100, 2)
	for _, v := range []float64{0, 3, 0, math.Inf(1), 0} {
		if got := w.Set(0, 7, v); got != v && !(math.Abs(got-v) < 1e-3) || w.At(0, 7) != got {
			t.Errorf("weight %v, %v when it was set; want %v", w.At(0, 7), got, v)
		}
		w.Set(1, 7, 0)
	}
	if w.tables[1] != nil || w.rows[1] != nil {
		t.Error("zeros take room")
	}
}

// Bytes is what features take.
func TestBytes(t *testing.T) {
	const columns, features = 9000, 10
	for _, weights := range []int{0, 1, 3, 4, 50, 96, 97, 3000} {
		w := New(columns, features)
		for c := range weights {
			w.Set(1, 2*c, 1)
		}
		want := 4*len(w.tables[1]) + 2*len(w.rows[1])
		if got := Bytes(columns, features, weights); got != int64(want) {
			t.Errorf("%d weights take %d bytes, want %d", weights, got, want)
		}
	}
}

// Weights that are no finite number of units give scores that are not finite.
func TestOverflow(t *testing.T) {
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), 1e300} {
		w := New(100, 3)
		w.AddRow(0, 1, []int32{4, 5}, []float64{1, 2})
		w.AddRow(1, 1, []int32{4, 5}, []float64{1, v})
		w.AddRow(0, 2, []int32{5, 7}, []float64{v, 1})
		for f := range 2 {
			scores := make([]float64, w.Stride())
			w.AddScores(f, 1, scores)
			if !slices.ContainsFunc(scores, func(s float64) bool { return math.IsNaN(s) || math.IsInf(s, 0) }) {
				t.Errorf("feature %d after a step by %v: weights %v", f, v, scores[:10])
			}
		}
	}
	w := New(100, 1)
	for _, v := range []float64{1e-300, 1e-38, -1e-30, 1, -1e10, 1e30} {
		w.AddRow(0, 1, []int32{4}, []float64{v})
		if got := w.At(0, 4); math.Abs(got-v) > 1e-3*math.Abs(v)+1e-37 {
			t.Errorf("%v after a step by %v", got, v)
		}
	}
}
