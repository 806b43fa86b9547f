package metric

import (
	"errors"
	"fmt"
	"html/template"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval of a mean.
type Interval struct {
	Mean  float64 `json:"mean"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"` // share of such intervals that contain the true mean
}

// String returns the mean and the interval.
func (i Interval) String() string {
	return fmt.Sprintf("%.4f, with %g %% confidence between %.4f and %.4f", i.Mean, math.Round(1e6*i.Level)/1e4, i.Low, i.High)
}

// HTML returns the text of String as HTML.
func (i Interval) HTML() string { return paragraph(i.String()) }

// paragraph returns text as an HTML paragraph.
func paragraph(text string) string { return "<p>" + template.HTMLEscapeString(text) + "</p>" }

// Bootstrap returns the confidence interval of the mean of the values at a level such as 0.95. It
// uses the percentiles of the means of rounds samples (DefaultRounds if 0 or less) of the same
// size, drawn with replacement by the seed. NaNs are left out.
func Bootstrap(values []float64, level float64, rounds int, seed uint64) (Interval, error) {
	values, means, err := resample(values, level, rounds, seed)
	if err != nil {
		return Interval{}, err
	}
	return interval(values, means, level, (1-level)/2, (1+level)/2), nil
}

// BootstrapBCa is Bootstrap with the percentiles corrected for bias and skewness [Efr87], which is
// better for few or skewed values.
func BootstrapBCa(values []float64, level float64, rounds int, seed uint64) (Interval, error) {
	values, means, err := resample(values, level, rounds, seed)
	if err != nil {
		return Interval{}, err
	}
	mean := stat.Mean(values, nil)
	var squares, cubes float64
	for _, v := range values {
		squares += (v - mean) * (v - mean)
		cubes += (v - mean) * (v - mean) * (v - mean)
	}
	if means[0] == means[len(means)-1] {
		return interval(values, means, level, 0, 1), nil
	}
	// The acceleration is that of the jackknife. The bias is the number of means below that of the
	// values, where equal ones count half.
	acceleration := cubes / (6 * math.Pow(squares, 1.5))
	below, _ := slices.BinarySearch(means, mean)
	above := below
	for above < len(means) && means[above] == mean {
		above++
	}
	bias := distuv.UnitNormal.Quantile(float64(below+above) / float64(2*len(means)))
	corrected := func(p float64) float64 {
		z := bias + distuv.UnitNormal.Quantile(p)
		return distuv.UnitNormal.CDF(bias + z/(1-acceleration*z))
	}
	return interval(values, means, level, corrected((1-level)/2), corrected((1+level)/2)), nil
}

// resample returns the values that are not NaN and the means of the samples, ascending.
func resample(values []float64, level float64, rounds int, seed uint64) (kept, means []float64, err error) {
	if !(level > 0 && level < 1) {
		return nil, nil, fmt.Errorf("metric: confidence level %v; it must be between 0 and 1", level)
	}
	kept = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(kept) == 0 {
		return nil, nil, errors.New("metric: Bootstrap needs a value")
	}
	for _, v := range kept {
		if math.IsInf(v, 0) {
			return nil, nil, fmt.Errorf("metric: Bootstrap needs finite values; one is %v", v)
		}
	}
	if rounds <= 0 {
		rounds = DefaultRounds
	}
	random := rand.New(rand.NewPCG(seed, 0))
	means = make([]float64, rounds)
	for r := range means {
		sum := 0.0
		for range kept {
			sum += kept[random.IntN(len(kept))]
		}
		means[r] = sum / float64(len(kept))
	}
	slices.Sort(means)
	return kept, means, nil
}

// interval returns the interval between two quantiles of the means.
func interval(values, means []float64, level, low, high float64) Interval {
	return Interval{Mean: stat.Mean(values, nil), Low: quantile(means, low), High: quantile(means, high), Level: level}
}

// quantile interpolates between the two values of an ascending slice that are next to the fraction
// p.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
