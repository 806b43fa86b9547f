package experiment

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hierml/notebook/hierml/metric"
)

// errInstances says why there is no two-way test.
var errInstances = errors.New("the cells have no values of instances; the two-way test needs a measure of the study that is a mean over instances, and draws by PerClass")

// draws are the differences of two methods over several draws of few instances of every class.
type draws struct {
	means []float64   // of the draws
	rows  [][]float64 // of the draws, by instance; NaN where one was not tested
	// tested is the number of instances tested on in a draw.
	tested float64
	// share is the part of the instances trained on in a draw of those that it is drawn from.
	share float64
	// given is true if what is tested on is never trained on.
	given bool
}

// twoWay is the test of TwoWayT.
func (d *draws) twoWay() (metric.Test, error) {
	if len(d.means) < 2 {
		return metric.Test{}, errRounds
	}
	n := float64(len(d.means))
	mean, between := stat.MeanVariance(d.means, nil)
	t := metric.Test{Name: "the two-way t-test over draws and instances", Difference: mean, N: len(d.means), P: 1}
	// The mean difference of every instance over the draws that tested it.
	var instances []float64
	for i := range d.rows[0] {
		sum, times := 0.0, 0.0
		for _, row := range d.rows {
			if !math.IsNaN(row[i]) {
				sum += row[i]
				times++
			}
		}
		if times > 0 {
			instances = append(instances, sum/times)
		}
	}
	if len(instances) < 2 {
		return metric.Test{}, errInstances
	}
	ofInstances := stat.Variance(instances, nil) / d.tested
	overlap := d.share / (1 - d.share)
	common := 0.0
	if !d.given {
		common = 2 * math.Sqrt(between*overlap*ofInstances)
	}
	ofDraws := between * (1/n + overlap)
	variance := ofDraws + ofInstances + common
	if !(variance > 1e-30) { // all differences are the same
		t.Interval = metric.StudentInterval(mean, 0, n-1)
		if mean != 0 {
			t.Statistic, t.P = math.Copysign(math.Inf(1), mean), 0
		}
		return t, nil
	}
	// Satterthwaite's degrees of freedom, by the derivatives of the variance in its two parts.
	a, b := ofDraws+common/2, ofInstances+common/2
	freedom := variance * variance / (a*a/(n-1) + b*b/float64(len(instances)-1))
	t.Statistic = mean / math.Sqrt(variance)
	t.Interval = metric.StudentInterval(mean, math.Sqrt(variance), freedom)
	t.P = min(1, 2*distuv.StudentsT{Sigma: 1, Nu: freedom}.CDF(-math.Abs(t.Statistic)))
	return t, nil
}

// maxInstances bounds how many instances a cell keeps the values of where there are several draws.
const maxInstances = 5000

// sampled are the rows from 0 to n that cells keep the values of: all, or as many of them as are
// kept, evenly spaced.
func sampled(n int) []int {
	rows := make([]int, min(n, maxInstances))
	for i := range rows {
		rows[i] = i * n / len(rows)
	}
	return rows
}

// ofDraw returns the values of the sampled rows, given those of the rows tested on, which ascend;
// NaN where a row is not among them.
func ofDraw(values []float64, tested []int, sample []int) []float64 {
	all := make([]float64, len(sample))
	k := 0
	for i, r := range sample {
		for k < len(tested) && tested[k] < r {
			k++
		}
		all[i] = math.NaN()
		if k < len(tested) && tested[k] == r {
			all[i] = values[k]
		}
	}
	return all
}

// fewTested is the number of instances tested on for one that is trained on up to which the
// corrected test finds more than the two-way test.
const fewTested = 3

// drawn tests pairs of cells of several draws by PerClass; x and y are their values.
func (r *Results) drawn(measure string, pairs [][2]*Cell, x, y []float64) (metric.Test, error) {
	trained, tested, from := 0.0, 0.0, 0.0
	for _, p := range pairs {
		trained += float64(p[0].Train)
		tested += float64(p[0].Test)
		from += float64(p[0].Pool)
	}
	ratio := tested / trained
	given := pairs[0][0].GivenTest
	if r.Test == DefaultTest && !given && ratio <= fewTested {
		return CorrectedTest(x, y, ratio)
	}
	d := draws{tested: tested / float64(len(pairs)), share: trained / from, given: given}
	for i, p := range pairs {
		a, b := p[0].Instances[measure], p[1].Instances[measure]
		if a == nil || len(a) != len(b) || i > 0 && len(a) != len(d.rows[0]) || d.share >= 1 {
			if r.Test == DefaultTest {
				return CorrectedTest(x, y, ratio)
			}
			return metric.Test{}, errInstances
		}
		row := make([]float64, len(a))
		for k := range a {
			row[k] = a[k] - b[k]
		}
		d.means, d.rows = append(d.means, x[i]-y[i]), append(d.rows, row)
	}
	return d.twoWay()
}
