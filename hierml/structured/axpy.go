package structured

// axpyGo adds x*row to dst, element by element, in float64.
func axpyGo(dst []float64, x float64, row []float32) {
	dst = dst[:len(row)]
	for j, v := range row {
		dst[j] += float64(x * float64(v))
	}
}
