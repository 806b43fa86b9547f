//go:build !amd64 || noasm

package solver

// dot returns the inner product of weights and a row, whose features ascend.
func dot(w []float64, features []int32, values []float32) float64 {
	return dotGo(w, features, values)
}

// add adds scale times a row, whose features ascend, to weights.
func add(w []float64, scale float64, features []int32, values []float32) {
	addGo(w, scale, features, values)
}
