package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Range represents the numbers from Low to High in a Grid from which points are drawn; see
// Method.Draws. In JSON it is {"experiment.Range": {"Low": 0.01, "High": 100, "Log": true}}.
type Range struct {
	Low, High float64
	// Log draws the logarithm uniformly, for example for a C; Low must then be positive. By default
	// the number itself is uniform.
	Log bool
	// Whole rounds to whole numbers. Others have three significant digits.
	Whole bool
}

func (r Range) check() error {
	switch {
	case !(r.Low < r.High) || math.IsInf(r.High-r.Low, 0):
		return fmt.Errorf("has a Range from %g to %g; Low must be below High, and both finite", r.Low, r.High)
	case r.Log && r.Low <= 0:
		return fmt.Errorf("has a Range from %g to %g of logarithms; Low has to be positive", r.Low, r.High)
	case r.Whole && math.Ceil(r.Low) > math.Floor(r.High):
		return fmt.Errorf("has a Range from %g to %g without a whole number", r.Low, r.High)
	}
	return nil
}

// draw returns a number: a whole one as an int.
func (r Range) draw(rng *rand.Rand) any {
	low, high := r.Low, r.High
	if r.Whole { // each whole number stands for those that round to it
		low, high = math.Ceil(low)-0.5, math.Floor(high)+0.5
		if r.Log {
			low = max(low, 0.5)
		}
	}
	v := low + rng.Float64()*(high-low)
	if r.Log {
		v = math.Exp(math.Log(low) + rng.Float64()*(math.Log(high)-math.Log(low)))
	}
	if r.Whole {
		return int(min(max(math.Round(v), math.Ceil(r.Low)), math.Floor(r.High)))
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		rounded = v
	}
	return min(max(rounded, r.Low), r.High)
}

// points returns the points of the method: all of its grid, or as many as Draws says, drawn by the
// seed of the study.
func (m *Method) points(studySeed uint64) ([]point, error) {
	if m.Draws < 0 {
		return nil, fmt.Errorf("experiment: Draws is %d; it must be the number of points to draw, or 0 for the whole grid", m.Draws)
	}
	if m.Draws == 0 {
		return m.Grid.points()
	}
	if m.Draws > largestGrid {
		return nil, fmt.Errorf("experiment: Draws is %d; it must be at most %d", m.Draws, largestGrid)
	}
	paths := m.Grid.paths()
	if len(paths) == 0 {
		return nil, fmt.Errorf("experiment: Draws is %d, but the grid has no values to draw from", m.Draws)
	}
	streams := make([]*rand.Rand, len(paths))
	for k, path := range paths {
		if err := m.Grid.checkRanges(path); err != nil {
			return nil, err
		}
		streams[k] = rand.New(rand.NewPCG(seed("draws", studySeed, path), 0))
	}
	const tries = 1000 // for a point that is not there yet
	known := make(map[string]bool)
	var points []point
	for misses := 0; misses < tries; {
		var p point
		for k, path := range paths {
			values := m.Grid[path]
			value := values[streams[k].IntN(len(values))]
			if r, ok := value.(Range); ok {
				value = r.draw(streams[k])
			}
			text, err := texts([]any{value})
			if err != nil {
				return nil, fmt.Errorf("experiment: the grid of %s %w", path, err)
			}
			p = append(p, setting{path, value, text[0]})
		}
		if known[p.identity()] {
			misses++
			continue
		}
		known[p.identity()], misses = true, 0
		if points = append(points, p); len(points) == m.Draws {
			return points, nil
		}
	}
	return nil, fmt.Errorf("experiment: Draws is %d, but the grid seems to have only %d different points; set fewer Draws, or 0 for the whole grid", m.Draws, len(points))
}

// checkRanges says what is wrong with the values of a path of which some are drawn.
func (g Grid) checkRanges(path string) error {
	if len(g[path]) == 0 {
		return fmt.Errorf("experiment: the grid has no values of %s", path)
	}
	for _, value := range g[path] {
		if r, ok := value.(Range); ok {
			if err := r.check(); err != nil {
				return fmt.Errorf("experiment: the grid of %s %w", path, err)
			}
		}
	}
	return nil
}

// hasRange tells whether a value is a Range.
func hasRange(values []any) bool {
	return slices.ContainsFunc(values, func(v any) bool { _, is := v.(Range); return is })
}
