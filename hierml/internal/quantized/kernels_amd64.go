//go:build !noasm

package quantized

import "golang.org/x/sys/cpu"

var useAVX2 = cpu.X86.HasAVX2

// addScaled adds x*row to dst, element by element, in float64. The row has a multiple of 8 columns,
// as many as dst. Both ways give the same bits.
func addScaled(dst []float64, x float64, row []int16) {
	if !useAVX2 || len(row) == 0 {
		addScaledGo(dst, x, row)
		return
	}
	addScaledAVX2(&dst[0], x, &row[0], len(row))
}

//go:noescape
func addScaledAVX2(dst *float64, x float64, row *int16, n int)

// scorePanel sets dst, of panelWidth columns, to scores and step times the sum of as many columns
// of the rows from an offset, each multiplied by half of a factor: those of rows 2*k and 2*k+1 are
// the low and the high bits of factors[k]. The sum is one of whole numbers of 32 bits, for which
// the caller knows that there is room. There are rowsAhead rows beyond the last in rows, which are
// loaded into the cache meanwhile. Both ways give the same bits.
func scorePanel(dst, scores []float32, rows []*int16, factors []uint32, step float32, offset int) {
	if !useAVX2 || len(rows) == 0 {
		scorePanelGo(dst, scores, rows, factors, step, offset)
		return
	}
	scorePanelAVX2(&dst[0], &scores[0], &rows[0], &factors[0], len(factors), step, 2*offset)
}

//go:noescape
func scorePanelAVX2(dst, scores *float32, rows **int16, factors *uint32, n int, step float32, offset int)

// spreadPanel adds values[k] times panelWidth columns of a row to the scores at slots[k], of as
// many columns each, for all k, in float32, and loads the columns of another row into the cache.
// Both ways give the same bits.
func spreadPanel(scores []float32, slots []int32, values []float32, row, next *int16) {
	if !useAVX2 || len(slots) == 0 {
		spreadPanelGo(scores, slots, values, row)
		return
	}
	spreadPanelAVX2(&scores[0], &slots[0], &values[0], len(slots), row, next)
}

//go:noescape
func spreadPanelAVX2(scores *float32, slots *int32, values *float32, n int, row, next *int16)
