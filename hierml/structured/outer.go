package structured

import "github.com/hierml/notebook/hierml/dataset"

// ByFeature returns the examples by feature: a row for each feature, with the examples that have it
// and their values.
func (l *Linear) ByFeature() *dataset.Matrix { return l.byFeature }

// AddOuter adds u (x) x to weights in float32, where u has Stride entries.
func (w *Weights) AddOuter(features []int32, values []float32, u []float32) {
	if len(features) > 0 {
		addOuter(w.Data, w.Stride, features, values, u[:w.Stride])
	}
}

// AddWideOuter is AddOuter for weights in float64.
func (w *Weights) AddWideOuter(features []int32, values []float32, u []float64) {
	for k, f := range features {
		axpyWide(w.Wide[int(f)*w.Stride:int(f+1)*w.Stride], float64(values[k]), u[:w.Stride])
	}
}

// addOuterGo is the portable form of addOuter.
func addOuterGo(data []float32, stride int, features []int32, values []float32, u []float32) {
	for k, f := range features {
		x, row := values[k], data[int(f)*stride:][:len(u)]
		for j, v := range u {
			row[j] += float32(x * v)
		}
	}
}
