package solver

// dotGo is the portable form of dot: eight sums, entry k in sum k%8, except that the last entries
// beyond a multiple of eight are in the first.
func dotGo(w []float64, features []int32, values []float32) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	values = values[:len(features)]
	for len(features) >= 8 {
		f, v := features[:8:8], values[:8:8]
		s0 += float64(w[f[0]] * float64(v[0]))
		s1 += float64(w[f[1]] * float64(v[1]))
		s2 += float64(w[f[2]] * float64(v[2]))
		s3 += float64(w[f[3]] * float64(v[3]))
		s4 += float64(w[f[4]] * float64(v[4]))
		s5 += float64(w[f[5]] * float64(v[5]))
		s6 += float64(w[f[6]] * float64(v[6]))
		s7 += float64(w[f[7]] * float64(v[7]))
		features, values = features[8:], values[8:]
	}
	for k, f := range features {
		s0 += float64(w[f] * float64(values[k]))
	}
	return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
}

// addGo is the portable form of add.
func addGo(w []float64, scale float64, features []int32, values []float32) {
	values = values[:len(features)]
	for k, f := range features {
		w[f] += float64(scale * float64(values[k]))
	}
}

// fits panics if a feature has no weight; the last feature is the largest.
func fits(w []float64, features []int32, values []float32) {
	_, _ = w[features[len(features)-1]], values[len(features)-1]
}
