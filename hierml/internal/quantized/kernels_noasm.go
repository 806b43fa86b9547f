//go:build !amd64 || noasm

package quantized

// addScaled adds x*row to dst, element by element, in float64.
func addScaled(dst []float64, x float64, row []int16) { addScaledGo(dst, x, row) }

// scorePanel sets dst, of panelWidth columns, to scores and step times the sum of as many columns
// of the rows from an offset, each multiplied by half of a factor: those of rows 2*k and 2*k+1 are
// the low and the high bits of factors[k]. The sum is one of whole numbers of 32 bits, for which
// the caller knows that there is room.
func scorePanel(dst, scores []float32, rows []*int16, factors []uint32, step float32, offset int) {
	scorePanelGo(dst, scores, rows, factors, step, offset)
}

// spreadPanel adds values[k] times panelWidth columns of a row to the scores at slots[k], of as
// many columns each, for all k, in float32.
func spreadPanel(scores []float32, slots []int32, values []float32, row, _ *int16) {
	spreadPanelGo(scores, slots, values, row)
}
