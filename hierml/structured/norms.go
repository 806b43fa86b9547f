package structured

import "github.com/hierml/notebook/hierml/internal/guarded"

// ColumnSquares returns ||W_c||^2 for every column of W = sum_i u_i (x) x_i, in float64. The result
// does not depend on workers.
func ColumnSquares(in Inputs, u *Rows, columns, workers int) []float64 {
	squares := make([]float64, columns)
	l, ok := in.(*Linear)
	if !ok {
		byProducts(in, u, squares)
		return squares
	}
	chunks := make([][]float64, l.x.Cols/guarded.ChunkSize+1)
	rows := make([][]float64, guarded.Workers(workers))
	guarded.Chunks(l.x.Cols, len(rows), func(worker, lo, hi int) {
		if rows[worker] == nil {
			rows[worker] = make([]float64, columns)
		}
		row, sums := rows[worker], make([]float64, columns)
		for f := lo; f < hi; f++ {
			clear(row)
			examples, entries := l.byFeature.Row(f)
			for k, i := range examples {
				x := float64(entries[k])
				touched, values := u.Row(int(i))
				for j, c := range touched {
					row[c] += x * values[j]
				}
			}
			for c, v := range row {
				sums[c] += v * v
			}
		}
		chunks[lo/guarded.ChunkSize] = sums
	})
	for _, sums := range chunks {
		for c, v := range sums {
			squares[c] += v
		}
	}
	return squares
}

// byProducts adds up the inner products of all pairs of examples.
func byProducts(in Inputs, u *Rows, squares []float64) {
	own := make([]float64, len(squares))
	for i := range in.Len() {
		columns, values := u.Row(i)
		if len(columns) == 0 {
			continue
		}
		for k, c := range columns {
			own[c] = values[k]
		}
		for j := range in.Len() {
			k := in.Product(i, j)
			others, theirs := u.Row(j)
			for m, c := range others {
				squares[c] += k * own[c] * theirs[m]
			}
		}
		for _, c := range columns {
			own[c] = 0
		}
	}
}
