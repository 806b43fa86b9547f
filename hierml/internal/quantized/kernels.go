package quantized

// panelWidth is the number of columns of a panel, and rowsAhead the number of rows by which
// scorePanel is ahead with loading.
const panelWidth, rowsAhead = 64, 12

// addScaledGo is the portable form of addScaled.
func addScaledGo(dst []float64, x float64, row []int16) {
	dst = dst[:len(row)]
	for j, n := range row {
		dst[j] += float64(x * float64(n))
	}
}

// scorePanelGo is the portable form of scorePanel.
func scorePanelGo(dst, scores []float32, rows []*int16, factors []uint32, step float32, offset int) {
	dst, scores = dst[:panelWidth], scores[:panelWidth]
	var sums [panelWidth]int32
	for k, pair := range factors {
		x, y := int32(int16(pair)), int32(int16(pair>>16))
		a, b := panelOf(rows[2*k], offset), panelOf(rows[2*k+1], offset)
		for j := range sums {
			sums[j] += x*int32(a[j]) + y*int32(b[j])
		}
	}
	for j, v := range sums {
		dst[j] = scores[j] + float32(step*float32(v))
	}
}

// spreadPanelGo is the portable form of spreadPanel.
func spreadPanelGo(scores []float32, slots []int32, values []float32, row *int16) {
	weights := panelOf(row, 0)
	for k, s := range slots {
		x := values[k]
		dst := scores[int(s)*panelWidth:][:panelWidth]
		for j, v := range weights {
			dst[j] += float32(x * float32(v))
		}
	}
}
