// Package weigh reads the weights of rows, where no list of weights stands for ones.
package weigh

import (
	"errors"
	"fmt"
	"math"
)

// Check says what is wrong with weights, of which there may be none.
func Check(weights []float64) error {
	var sum float64
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("weight %d is %v; a weight must be finite and not negative", i, w)
		}
		sum += w
	}
	if len(weights) > 0 && sum == 0 {
		return errors.New("all weights are 0; at least one must count")
	}
	return nil
}

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
