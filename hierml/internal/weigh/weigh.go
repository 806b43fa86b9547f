// Package weigh reads the weights of rows, where no list of weights stands for ones.
package weigh

// Of returns the weight of a row.
func Of[I int | int32](weights []float64, row I) float64 {
	if len(weights) == 0 {
		return 1
	}
	return weights[row]
}

// Sum returns the weights of n rows, added up.
func Sum(weights []float64, n int) (sum float64) {
	for i := range n {
		sum += Of(weights, i)
	}
	return sum
}
