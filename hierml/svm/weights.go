package svm

import "github.com/hierml/notebook/hierml/internal/weigh"

// weightsOf returns the weights of some rows, or nil if there are no weights.
func weightsOf[I int | int32](weights []float64, rows []I) []float64 {
	if weights == nil {
		return nil
	}
	of := make([]float64, len(rows))
	for k, i := range rows {
		of[k] = weights[i]
	}
	return of
}

// lossAtZero returns the loss of n rows at zero weights, summed as solvers do.
func lossAtZero(weights []float64, n int, c, loss float64) (sum float64) {
	for i := range n {
		sum += weigh.Of(weights, i) * c * loss
	}
	return sum
}
