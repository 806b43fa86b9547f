package metric

import (
	"errors"
	"fmt"
	"html/template"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Interval is a confidence interval of a mean.
type Interval struct {
	Mean  float64 `json:"mean"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"` // how often an interval made like this has the true mean
}

// String returns the mean and the interval.
func (i Interval) String() string {
	return fmt.Sprintf("%.4f, with %g %% confidence between %.4f and %.4f", i.Mean, math.Round(1e6*i.Level)/1e4, i.Low, i.High)
}

// HTML returns what String does.
func (i Interval) HTML() string { return paragraph(i.String()) }

// paragraph is text as HTML.
func paragraph(text string) string { return "<p>" + template.HTMLEscapeString(text) + "</p>" }

// Bootstrap returns the interval in which the mean of the values is with the confidence level, such as 0.95: the percentiles of
// the means of rounds (DefaultRounds, if 0 or less) samples of as many values, drawn with replacement by the seed. NaNs
// are left out.
func Bootstrap(values []float64, level float64, rounds int, seed uint64) (Interval, error) {
	if !(level > 0 && level < 1) {
		return Interval{}, fmt.Errorf("metric: confidence level %v; it is between 0 and 1", level)
	}
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(values) == 0 {
		return Interval{}, errors.New("metric: Bootstrap needs a value")
	}
	if rounds <= 0 {
		rounds = DefaultRounds
	}
	random := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, rounds)
	for r := range means {
		sum := 0.0
		for range values {
			sum += values[random.IntN(len(values))]
		}
		means[r] = sum / float64(len(values))
	}
	slices.Sort(means)
	return Interval{
		Mean:  stat.Mean(values, nil),
		Low:   quantile(means, (1-level)/2),
		High:  quantile(means, (1+level)/2),
		Level: level,
	}, nil
}

// quantile interpolates between the two values of an ascending slice that are next to the fraction p.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
