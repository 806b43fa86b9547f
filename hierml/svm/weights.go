package svm

import "github.com/hierml/notebook/hierml/internal/weigh"

// weightsOf returns the weights of some rows, nil where there are none.
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

// lossAtZero returns what n rows with one loss each pay at zero weights, added up as solvers do.
func lossAtZero(weights []float64, n int, c, loss float64) (sum float64) {
	for i := range n {
		sum += weigh.Of(weights, i) * c * loss
	}
	return sum
}
