package classifier

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/structured"
)

// DefaultRise is the rise of the objective that Compact allows by default.
const DefaultRise = 5e-4

// Compact returns a model that takes less memory and a much smaller file. It rounds the weights to
// half precision and removes as many of the smallest as possible, such that the primal value rises
// by at most rise times itself. If rise is zero, it is DefaultRise, half of the gap to which models
// are trained by default.
//
// The certificate of the result is recomputed on the training data: Primal is the value of the
// remaining weights, and Dual remains a lower bound. Compact needs the problem that the model was
// trained on, which a loaded model does not have: compact a model before you save it. It makes up
// to ten passes over the training data.
func (m *Model) Compact(ctx context.Context, rise float64) (*Model, error) {
	if rise == 0 {
		rise = DefaultRise
	}
	if !(rise > 0) || math.IsInf(rise, 1) {
		return nil, fmt.Errorf("classifier: rise is %v; it must be a positive share of the primal value, or 0 for the default of %v", rise, DefaultRise)
	}
	var inputs *structured.Linear
	if m.Problem != nil {
		inputs, _ = m.Problem.Inputs.(*structured.Linear)
	}
	if inputs == nil || m.dense == nil || m.constants != nil || !slices.Equal(m.Problem.Columns, m.dense.Columns) {
		return nil, fmt.Errorf("classifier: Compact needs a linear model returned by Fit; this one was loaded, compacted, trained with a kernel or an Intercept, or solved in parts")
	}
	oracle, err := m.Problem.Compile()
	if err != nil {
		return nil, err
	}
	c := &compaction{model: m, oracle: oracle, x: inputs.Matrix()}
	if err := c.count(); err != nil {
		return nil, err
	}
	certificate := m.Training.Certificate
	limit := certificate.Primal * (1 + rise)
	best, err := c.try(ctx, 1)
	if err != nil {
		return nil, err
	}
	if primal := best.Training.Certificate.Primal; primal > limit {
		return nil, fmt.Errorf("classifier: rounded to half precision the primal value rises from %.8g to %.8g; only %.8g is allowed", certificate.Primal, primal, limit)
	}
	// Because the objective is strongly convex, removing weights with half their squared norm above
	// the rise plus the gap is never allowed.
	low, high := 1, c.first(certificate.Primal-certificate.Dual+rise*certificate.Primal)
	if all := c.kept(1); float64(all-c.kept(high)) < worthwhile*float64(all) {
		return best, nil
	}
	for step := 1 << 11; low < high; {
		// Search from above first, because the answer is within a few octaves of 1<<10 numbers
		// each; then bisect.
		at := max(high-step, (low+high+1)/2)
		step *= 2
		tried, err := c.try(ctx, at)
		if err != nil {
			return nil, err
		}
		if tried.Training.Certificate.Primal <= limit {
			best, low = tried, at
		} else {
			high = at - 1
		}
		const close = 1 << 6 // within a sixteenth of the threshold
		if high-low < close {
			break
		}
	}
	return best, nil
}

// worthwhile is the minimum share of removable weights for the search to be worthwhile.
const worthwhile = 0.05

// compaction searches for the smallest weight to keep. Magnitudes are counted by the bits of
// half-precision numbers, whose order is the same.
type compaction struct {
	model  *Model
	oracle *structured.Oracle
	x      *dataset.Matrix
	counts [infinite]int // of weights, by the bits of their magnitudes
}

// infinite are the bits of the first half-precision number that is not finite.
const infinite = 0x7c00

func (c *compaction) count() error {
	for values := range values(dense{c.model.dense}) {
		for _, v := range values {
			bits := safetensors.ToHalf(float32(v)) & 0x7fff
			if bits >= infinite {
				return fmt.Errorf("classifier: a weight of %v is too large for half precision; scale the features", v)
			}
			c.counts[bits]++
		}
	}
	return nil
}

// kept returns the number of weights whose bits are at least keep.
func (c *compaction) kept(keep int) (n int) {
	for _, k := range c.counts[keep:] {
		n += k
	}
	return n
}

// first returns the largest threshold below which the weights have at most the given half squared
// norm.
func (c *compaction) first(half float64) int {
	var sum float64
	for bits, n := range c.counts {
		v := float64(safetensors.FromHalf(uint16(bits)))
		if sum += float64(n) * v * v / 2; sum > half {
			return max(bits, 1)
		}
	}
	return infinite - 1
}

// try returns the model with the weights, rounded, whose half-precision bits are at least keep,
// which is not zero, and its primal value.
func (c *compaction) try(ctx context.Context, keep int) (*Model, error) {
	from := c.model.dense
	to := make([]int32, len(from.Columns))
	for k := range to {
		to[k] = int32(k)
	}
	w := &weightReader{to: to, columns: from.Columns}
	w.begin(from.Features, c.kept(keep))
	var norm float64
	var columns []int32
	var values []float64
	for f := range from.Features {
		columns, values = from.Row(f, columns[:0], values[:0])
		for k, v := range values {
			bits := safetensors.ToHalf(float32(v))
			if int(bits&0x7fff) < keep {
				continue
			}
			v = float64(safetensors.FromHalf(bits))
			norm += v * v
			w.put(f, int(columns[k]), v)
		}
	}
	result := *c.model.Training.Certificate
	result.Weights, result.Point, result.Last = nil, nil, nil
	m := *c.model
	m.Training.Certificate, m.dense, m.sparse, m.Problem = &result, w.dense, w.finish(), nil
	scored := m
	scored.features = nil // those of c.x are the rows of the weights
	primal, err := c.oracle.Primal(ctx, scoredRows{&scored, c.x}, norm, m.Workers)
	if err != nil {
		return nil, fmt.Errorf("classifier: compacting was stopped: %w", err)
	}
	result.Primal = primal
	result.Gap = structured.Certificate{Primal: primal, Dual: result.Dual}.Gap()
	return &m, nil
}

// scoredRows are the weights of a model as they score the rows of a matrix.
type scoredRows struct {
	model *Model
	x     *dataset.Matrix
}

// Width is the length of a slice of scores.
func (s scoredRows) Width() int { return s.model.width() }

// Scores writes the scores of the columns for a row.
func (s scoredRows) Scores(i int, scores []float64) { s.model.columnScores(s.x, i, scores) }
