package svm

import (
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/structured"
)

// partWeights collects the weights of parts that share no column. If few weights can be non-zero,
// it stores only those.
type partWeights struct {
	columns  []int // node of each column
	features int
	column   map[int]int32 // column of a node
	dense    *structured.Weights
	isSet    []bool // by column of dense, by setNode
	// by part, over the features of the part; nil before it is solved
	parts []*structured.SparseWeights
	names [][]int32 // global index by feature of the part, nil for all
	// by part, of weights that another process collects; nil in that process
	records []*record
}

// record has the non-zero weights of a part as they were set. The index is the feature of the part
// times the number of its columns, plus the column.
type record struct {
	features int
	names    []int32
	index    []int64
	values   []float64
}

// fits reports whether the record is valid for a part with the given number of nodes.
func (w *partWeights) fits(nodes int, r *record) bool {
	features := w.features
	if r.names != nil {
		features = len(r.names)
	}
	return r.features >= 0 && r.features <= features &&
		!slices.ContainsFunc(r.names, func(f int32) bool { return f < 0 || int(f) >= w.features }) &&
		!slices.ContainsFunc(r.index, func(at int64) bool { return at < 0 || at >= int64(r.features)*int64(nodes) })
}

// restore sets weights as they were recorded.
func (w *partWeights) restore(k int, nodes []int, r *record) {
	columns := w.columnsOf(nodes)
	n := int64(len(nodes))
	if w.dense != nil {
		for i, at := range r.index {
			f := int(at / n)
			if r.names != nil {
				f = int(r.names[f])
			}
			w.dense.Set(f, int(columns[at%n]), r.values[i])
		}
		return
	}
	s := &structured.SparseWeights{Columns: nodes, Begin: make([]int, r.features+1)}
	for i, at := range r.index {
		if v := r.values[i]; v != 0 {
			s.Column, s.Values = append(s.Column, columns[at%n]), append(s.Values, float32(v))
			s.Begin[at/n+1]++
		}
	}
	for f := range r.features {
		s.Begin[f+1] += s.Begin[f]
	}
	w.parts[k], w.names[k] = s, r.names
}

// newPartWeights returns zero weights for parts with at most the given number of non-zero weights.
// Wide weights are all stored: problems solved that exactly are small.
func newPartWeights(columns []int, features, parts, most int, wide bool) *partWeights {
	w := &partWeights{columns: columns, features: features, column: make(map[int]int32, len(columns))}
	for c, n := range columns {
		w.column[n] = int32(c)
	}
	if keepsAll(len(columns), features, most, wide) {
		w.dense, w.isSet = newWeights(columns, features, wide), make([]bool, len(columns))
	} else {
		w.parts, w.names = make([]*structured.SparseWeights, parts), make([][]int32, parts)
	}
	return w
}

// keepsAll reports whether all weights are stored.
func keepsAll(columns, features, most int, wide bool) bool { return wide || most > features/8*columns }

// partMemory returns how many bytes the weights take at least, and about how many at the end, when
// non-zero weights have column indices and are stored twice, in the parts and in the whole.
func partMemory(columns, features, most int, wide bool) (least, about int64) {
	if !keepsAll(columns, features, most, wide) {
		return 0, 2 * 8 * int64(most)
	}
	all := 4 * int64(columns) * int64(features)
	if wide {
		all *= 2
	}
	return all, all
}

// set stores the weights of part k. Its columns are those of the nodes, and names has the global
// indices of its features, nil for all. Different parts may be set concurrently.
func (w *partWeights) set(k int, nodes []int, part *structured.Weights, names []int32) {
	if w.records != nil {
		r := &record{features: part.Features, names: names}
		for f := range part.Features {
			for j := range nodes {
				if v := part.At(f, j); math.Float64bits(v) != 0 {
					r.index, r.values = append(r.index, int64(f*len(nodes)+j)), append(r.values, v)
				}
			}
		}
		w.records[k] = r
		return
	}
	columns := w.columnsOf(nodes)
	if w.dense != nil {
		run := w.dense.Data != nil && part.Data != nil && int(columns[len(columns)-1]-columns[0])+1 == len(columns) && slices.IsSorted(columns)
		for f := range part.Features {
			whole := f
			if names != nil {
				whole = int(names[f])
			}
			if run {
				copy(w.dense.Data[whole*w.dense.Stride+int(columns[0]):], part.Data[f*part.Stride:][:len(columns)])
				continue
			}
			for j, c := range columns {
				w.dense.Set(whole, int(c), part.At(f, j))
			}
		}
		return
	}
	s := &structured.SparseWeights{Columns: nodes, Begin: make([]int, part.Features+1)}
	var own []int32
	var values []float64
	for f := range part.Features {
		own, values = part.Row(f, own[:0], values[:0])
		for j, c := range own {
			s.Column, s.Values = append(s.Column, columns[c]), append(s.Values, float32(values[j]))
		}
		s.Begin[f+1] = len(s.Values)
	}
	s.Column, s.Values = slices.Clip(s.Column), slices.Clip(s.Values)
	w.parts[k], w.names[k] = s, names
}

func (w *partWeights) columnsOf(nodes []int) []int32 {
	columns := make([]int32, len(nodes))
	for j, n := range nodes {
		columns[j] = w.column[n]
	}
	return columns
}

// setNode is set for a part with a single node, with one weight per feature.
func (w *partWeights) setNode(k, node int, weights []float64, names []int32) {
	if w.records != nil {
		r := &record{features: len(weights), names: names}
		for f, v := range weights {
			if v != 0 {
				r.index, r.values = append(r.index, int64(f)), append(r.values, v)
			}
		}
		w.records[k] = r
		return
	}
	c := w.column[node]
	if w.dense != nil {
		for f, v := range weights {
			if names != nil {
				f = int(names[f])
			}
			if v != 0 || w.isSet[c] {
				w.dense.Set(f, int(c), v)
			}
		}
		w.isSet[c] = true
		return
	}
	s := &structured.SparseWeights{Columns: []int{node}, Begin: make([]int, len(weights)+1)}
	for f, v := range weights {
		if v != 0 {
			s.Column, s.Values = append(s.Column, c), append(s.Values, float32(v))
		}
		s.Begin[f+1] = len(s.Values)
	}
	w.parts[k], w.names[k] = s, names
}

// finish returns the weights in one of the two forms.
func (w *partWeights) finish() (*structured.Weights, *structured.SparseWeights) {
	if w.dense != nil {
		return w.dense, nil
	}
	s := &structured.SparseWeights{Columns: w.columns, Begin: make([]int, w.features+1)}
	w.each(func(k, f, lo, hi int) { s.Begin[f+1] += hi - lo })
	for f := range w.features {
		s.Begin[f+1] += s.Begin[f]
	}
	next := slices.Clone(s.Begin)
	s.Column, s.Values = make([]int32, s.Begin[w.features]), make([]float32, s.Begin[w.features])
	w.each(func(k, f, lo, hi int) {
		copy(s.Column[next[f]:], w.parts[k].Column[lo:hi])
		next[f] += copy(s.Values[next[f]:], w.parts[k].Values[lo:hi])
	})
	s.Sort()
	return nil, s
}

// each calls do for every part k and feature f of the whole with the range of its weights in the
// part.
func (w *partWeights) each(do func(k, f, lo, hi int)) {
	for k, part := range w.parts {
		if part == nil {
			continue
		}
		for f := range part.Features() {
			whole := f
			if w.names[k] != nil {
				whole = int(w.names[k][f])
			}
			if lo, hi := part.Begin[f], part.Begin[f+1]; lo < hi {
				do(k, whole, lo, hi)
			}
		}
	}
}
