package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hierml/notebook/hierml/metric"
)

// Test says how methods are tested against the baseline, on the same divisions of the same data.
//
// The t-test takes the rounds to be independent, which they are where each has data of its own.
// Where folds or shares of the same instances are trained on again and again, what is trained on
// overlaps: the variance over the rounds is too small, and the t-test finds too much, the more so
// the more rounds there are. The corrected one makes up for that.
//
// With few instances of every class (Split.PerClass) training parts hardly overlap and test parts
// are almost the same. The correction, which grows with what is tested on, then finds almost
// nothing; the two-way test takes draws and instances for random, each with a variance of its own.
//
// Where there is one division, the test is about the two models that were trained on it, and not
// about what the methods would make of other data.
//
// A test in this package simulates studies of two methods that are equally good, with divisions of
// all kinds, and holds that the default finds a difference in no more of them than its level.
type Test string

const (
	// DefaultTest is Permutation where there is one division, and T where each round has data of
	// its own. Where the same instances are divided more than once, it is CorrectedT for HeldOut,
	// Folds and Rounds. For PerClass it is TwoWayT, but CorrectedT where a quarter of the instances
	// or more are trained on, where that finds more, and for measures that are no means over
	// instances.
	DefaultTest Test = ""
	// T is the paired t-test over the rounds, metric.PairedT.
	T Test = "t"
	// CorrectedT is the corrected resampled t-test over the rounds; see the function CorrectedTest.
	CorrectedT Test = "corrected t"
	// TwoWayT is a t-test over the draws of PerClass and the instances, in a model of two random
	// effects, that of the training part and that of the instance [CGY12]. The variance of the mean
	// difference of R draws is
	//
	//	v/R + u + a + 2 sqrt(u a), u = v share/(1-share)
	//
	// where v is the variance over the draws, a that over the instances' mean differences divided
	// by the number of instances tested on, and share the part of the instances that a draw trains
	// on. With u, draws from the same instances are no more independent than they are, and with the
	// last term an instance may weigh alike where it is trained on and where it is tested on; where
	// the test part is given there is no such term. The degrees of freedom are Satterthwaite's.
	TwoWayT Test = "two-way t"
	// Permutation is the paired permutation test over the rounds, and where there is one division,
	// over the instances.
	Permutation Test = "permutation"
)

func (t Test) check() error {
	switch t {
	case DefaultTest, T, CorrectedT, TwoWayT, Permutation:
		return nil
	}
	return fmt.Errorf("experiment: no test is called %q; there are %q, %q, %q and %q", string(t), T, CorrectedT, TwoWayT, Permutation)
}

// CorrectedTest is the corrected resampled t-test of [NB03] for
// the mean of the differences a - b of pairs from repeated divisions of the same instances:
//
//	t = mean / sqrt((1/n + ratio) variance), with n - 1 degrees of freedom
//
// where ratio is the number of instances tested on over that of those trained on. With ratio 0 it
// is the paired t-test. Where all differences are 0, P is 1, and where they are the same and not 0,
// it is 0.
func CorrectedTest(a, b []float64, ratio float64) (metric.Test, error) {
	if !(ratio >= 0) || math.IsInf(ratio, 1) {
		return metric.Test{}, fmt.Errorf("experiment: the ratio of instances for testing to those for training is %v; it must be finite and not negative", ratio)
	}
	t, err := metric.PairedT(a, b)
	if err != nil {
		return t, err
	}
	t.Name = "the corrected resampled t-test"
	var d []float64
	for i := range a {
		if v := a[i] - b[i]; !math.IsNaN(v) {
			d = append(d, v)
		}
	}
	n := float64(len(d))
	mean, variance := stat.MeanVariance(d, nil)
	if variance == 0 {
		return t, nil
	}
	deviation := math.Sqrt((1/n + ratio) * variance)
	t.Statistic = mean / deviation
	t.Interval = metric.StudentInterval(mean, deviation, n-1)
	t.P = min(1, 2*distuv.StudentsT{Sigma: 1, Nu: n - 1}.CDF(-math.Abs(t.Statistic)))
	return t, nil
}

// permutations and permutationSeed are those of Permutation.
const (
	permutations    = 10_000
	permutationSeed = 1
)

// Why there is no test.
var (
	errOneRound = errors.New("the measure is not a mean over instances, and there is only one round")
	errRounds   = errors.New("there are fewer than two rounds in which neither method failed")
)

// compare tests a measure of cells a against the cells b of the baseline, which are of the same
// data and size.
func (r *Results) compare(measure string, a, b []*Cell) (metric.Test, error) {
	type round struct{ repeat, fold int }
	base := make(map[round]*Cell)
	for _, c := range b {
		base[round{c.Repeat, c.Fold}] = c
	}
	var x, y []float64
	var pairs [][2]*Cell
	trained, tested := 0, 0
	for _, c := range a {
		other := base[round{c.Repeat, c.Fold}]
		if other == nil {
			continue
		}
		v, ok := c.value(measure)
		w, also := other.value(measure)
		if ok && also && !math.IsNaN(v-w) {
			x, y = append(x, v), append(y, w)
			pairs = append(pairs, [2]*Cell{c, other})
			trained += c.Train
			tested += c.Test
		}
	}
	test := r.Test
	if len(a) == 1 && len(pairs) == 1 && (test == DefaultTest || test == Permutation) {
		of, others := pairs[0][0].Instances[measure], pairs[0][1].Instances[measure]
		if of == nil || others == nil {
			return metric.Test{}, errOneRound
		}
		return metric.Permutation(of, others, permutations, permutationSeed)
	}
	if len(x) < 2 {
		return metric.Test{}, errRounds
	}
	switch {
	case test == Permutation:
		return metric.Permutation(x, y, permutations, permutationSeed)
	case test == TwoWayT || test == DefaultTest && pairs[0][0].Pool > 0:
		return r.drawn(measure, pairs, x, y)
	case test == CorrectedT || test == DefaultTest && slices.Contains(r.repeated, a[0].Data):
		return CorrectedTest(x, y, float64(tested)/float64(trained))
	}
	return metric.PairedT(x, y)
}
