package structured

import "slices"

// Partial is a [State] that can score some of its columns for less than the cost of all.
type Partial interface {
	State
	// ScoresAt writes <W_c, x_i> of the given columns into dst, one entry per column.
	ScoresAt(i int, columns []int32, dst []float64)
	// ColumnCost is the approximate cost of scoring a column with ScoresAt, as a multiple of its
	// cost when all columns are scored.
	ColumnCost() int
}

// ColumnCost is 16, for single weights instead of vectors.
func (s *linearState) ColumnCost() int { return 16 }

// ColumnCost is 16, for memory access to the scores.
func (e *Expansion) ColumnCost() int { return 16 }

// ScoresAt scores the columns given, feature by feature.
func (s *linearState) ScoresAt(i int, columns []int32, dst []float64) {
	features, values := s.linear.x.Row(i)
	s.ColumnScores(features, values, columns, dst)
}

// ColumnScores writes <W_c, x> of the given columns into dst, one entry a column. Features beyond
// those of w are ignored.
func (w *Weights) ColumnScores(features []int32, values []float32, columns []int32, dst []float64) {
	dst = dst[:len(columns)]
	clear(dst)
	for k, f := range features {
		if int(f) >= w.Features {
			break
		}
		w.scoresAt(int(f), float64(values[k]), columns, dst)
	}
}

// ColumnScores writes <W_c, x> of the given columns, ascending, into dst, one entry a column.
// Features beyond those of w are ignored.
func (w *SparseWeights) ColumnScores(features []int32, values []float32, columns []int32, dst []float64) {
	dst = dst[:len(columns)]
	clear(dst)
	for k, f := range features {
		if int(f) >= w.Features() {
			break
		}
		of := w.Column[w.Begin[f]:w.Begin[f+1]]
		at := 0
		for j, c := range columns {
			more, is := slices.BinarySearch(of[at:], c)
			if at += more; !is {
				continue
			}
			v := 0.0
			if w.Wide != nil {
				v = w.Wide[w.Begin[f]+at]
			} else {
				v = float64(w.Values[w.Begin[f]+at])
			}
			dst[j] += float64(values[k]) * v
		}
	}
}

// scoresAt adds x times the columns given of a feature to dst.
func (w *Weights) scoresAt(feature int, x float64, columns []int32, dst []float64) {
	dst = dst[:len(columns)]
	at := feature * w.Stride
	switch {
	case w.quantized != nil:
		w.quantized.AddScoresAt(feature, x, columns, dst)
	case w.Wide != nil:
		row := w.Wide[at : at+w.Stride]
		for j, c := range columns {
			dst[j] += x * row[c]
		}
	default:
		row := w.Data[at : at+w.Stride]
		for j, c := range columns {
			dst[j] += x * float64(row[c])
		}
	}
}

// ScoresAt copies the scores of the columns given.
func (e *Expansion) ScoresAt(i int, columns []int32, dst []float64) {
	row := e.scores[i*e.width : (i+1)*e.width]
	for j, c := range columns {
		dst[j] = row[c]
	}
}
