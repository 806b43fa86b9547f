package structured

import (
	"context"
	"math"
)

// Scored has weights that are known by their scores of examples. Scores must be safe for concurrent
// use.
type Scored interface {
	// Width is the length of a slice of scores, at least the number of columns.
	Width() int
	// Scores writes <W_c, x_i> of every column into scores.
	Scores(i int, scores []float64)
}

// Primal returns the value of the objective at weights with the given squared norm, in one pass
// over the examples. It is infinite if a score is not finite. The result does not depend on
// workers. Primal returns ctx's error if it is cancelled.
func (o *Oracle) Primal(ctx context.Context, w Scored, squaredNorm float64, workers int) (float64, error) {
	hinges := make([]float64, o.inputs.Len())
	o.scan(ctx, w, o.withBlocks(), workers, true, func(s *scanned, i int) {
		if !finite(s.scores) {
			hinges[i] = math.Inf(1)
		}
		for _, b := range o.BlocksOf(i) {
			hinges[i] += o.C(b) * s.worst(b)
		}
	})
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	value := squaredNorm / 2
	for _, h := range hinges {
		value += h
	}
	return value, nil
}
