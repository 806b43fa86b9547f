//go:build !noasm

package solver

import "golang.org/x/sys/cpu"

var useAVX = cpu.X86.HasAVX

// dot returns the inner product of weights and a row, whose features ascend. Both ways give the
// same bits: no sum is reordered and no multiplication fused.
func dot(w []float64, features []int32, values []float32) float64 {
	if !useAVX || len(features) == 0 {
		return dotGo(w, features, values)
	}
	fits(w, features, values)
	if len(features) == len(w) { // all of them
		return dotAllAVX(&w[0], &values[0], len(w))
	}
	return dotAVX(&w[0], &features[0], &values[0], len(features))
}

// add adds scale times a row, whose features ascend, to weights. Both ways give the same bits.
func add(w []float64, scale float64, features []int32, values []float32) {
	if !useAVX || len(features) != len(w) || len(w) == 0 { // some wait for memory in any form
		addGo(w, scale, features, values)
		return
	}
	fits(w, features, values)
	addAllAVX(&w[0], scale, &values[0], len(w))
}

//go:noescape
func dotAVX(w *float64, features *int32, values *float32, n int) float64

//go:noescape
func dotAllAVX(w *float64, values *float32, n int) float64

//go:noescape
func addAllAVX(w *float64, scale float64, values *float32, n int)
