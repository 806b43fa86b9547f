package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/internal/testrun"
)

// simulated says how studies of two methods are simulated. Instances have four features for each of
// the methods, independent and normal, of which that of the instance's class has the mean signal;
// for the first method it is higher by gain. Each method goes by the nearest mean of a class that
// it was trained on. Without a gain they are equally good, whatever is drawn.
type simulated struct {
	name      string
	instances int
	given     int // trained on, where the data have a division
	split     Split
	repeats   int
	signal    float64
	gain      float64 // with which the power is measured
}

const simulatedClasses = 4

// study returns the cells of the two methods.
func (s simulated) study(t *testing.T, random *rand.Rand, gain float64) *Results {
	t.Helper()
	in := &instances{vectors: &dataset.Dataset{}, given: s.given}
	features := make([][2][simulatedClasses]float64, s.instances)
	for i := range features {
		class := i % simulatedClasses
		in.vectors.Labels = append(in.vectors.Labels, []int{class})
		for m := range 2 {
			for f := range simulatedClasses {
				features[i][m][f] = random.NormFloat64()
			}
			features[i][m][class] += s.signal
		}
		features[i][0][class] += gain
	}
	r := &Results{Measures: []string{"accuracy"}, Baseline: "b", methods: []string{"a", "b"}}
	perClass, first := 0, 0
	if len(s.split.PerClass) > 0 {
		perClass = s.split.PerClass[0]
	} else if s.split.HeldOut > 0 || s.split.rounds() > 1 {
		r.repeated = []string{"d"}
	}
	if s.split.rounds() > 0 {
		first = 1
	}
	single := s.repeats == 1 && s.split.rounds() <= 1
	for repeat := 1; repeat <= s.repeats; repeat++ {
		seed := random.Uint64()
		for fold := first; fold <= s.split.rounds(); fold++ {
			by, err := in.division(s.split, perClass, fold, seed)
			if err != nil {
				t.Fatal(err)
			}
			for m, method := range r.methods {
				c := &Cell{Data: "d", Method: method, PerClass: perClass, Repeat: repeat, Fold: fold, Train: len(by.Train), Test: len(by.Test)}
				values := nearestMeans(features, m, by)
				sum := 0.0
				for _, v := range values {
					sum += v
				}
				c.Values = map[string]float64{"accuracy": sum / float64(len(values))}
				if single {
					c.Instances = map[string][]float64{"accuracy": values}
				} else if perClass > 0 {
					c.Pool, c.GivenTest = s.instances, s.split.GivenTest
					sample := sampled(s.instances)
					if c.GivenTest {
						c.Pool, sample = s.given, sequence(s.given, s.instances)
					}
					c.Instances = map[string][]float64{"accuracy": ofDraw(values, by.Test, sample)}
				}
				r.Cells = append(r.Cells, c)
			}
		}
	}
	return r
}

// nearestMeans returns 1 for each instance tested on that is classified right, and otherwise 0.
func nearestMeans(features [][2][simulatedClasses]float64, m int, by dataset.Division) []float64 {
	var means [simulatedClasses][simulatedClasses]float64
	var count [simulatedClasses]float64
	for _, i := range by.Train {
		count[i%simulatedClasses]++
		for f, v := range features[i][m] {
			means[i%simulatedClasses][f] += v
		}
	}
	values := make([]float64, len(by.Test))
	for k, i := range by.Test {
		best, least := 0, math.Inf(1)
		for c := range means {
			d := 0.0
			for f, v := range features[i][m] {
				d += (v - means[c][f]/count[c]) * (v - means[c][f]/count[c])
			}
			if d < least {
				best, least = c, d
			}
		}
		if best == i%simulatedClasses {
			values[k] = 1
		}
	}
	return values
}

// found returns in how many of studies a test finds a difference at the level 0.05.
func (s simulated) found(t *testing.T, studies int, test Test, gain float64) int {
	t.Helper()
	random := rand.New(rand.NewPCG(12, uint64(len(s.name))))
	found := 0
	for range studies {
		r := s.study(t, random, gain)
		r.Test = test
		var cells [2][]*Cell
		for _, c := range r.Cells {
			if c.Method == "a" {
				cells[0] = append(cells[0], c)
			} else {
				cells[1] = append(cells[1], c)
			}
		}
		outcome, err := r.compare("accuracy", cells[0], cells[1])
		if err != nil {
			t.Fatal(err)
		}
		if outcome.P <= 0.05 {
			found++
		}
	}
	return found
}

var simulations = []simulated{
	{name: "10 folds", instances: 120, split: Split{Folds: 10}, repeats: 1, signal: 1.5, gain: 0.5},
	{name: "10 folds of noise", instances: 120, split: Split{Folds: 10}, repeats: 1},
	{name: "5 folds, 3 times", instances: 120, split: Split{Folds: 5}, repeats: 3, signal: 1.5, gain: 0.5},
	{name: "2 folds, 5 times", instances: 120, split: Split{Folds: 2}, repeats: 5, signal: 1.5, gain: 0.5},
	{name: "a third held out, 10 times", instances: 120, split: Split{HeldOut: 1. / 3}, repeats: 10, signal: 1.5, gain: 0.5},
	{name: "fixed parts of noise", instances: 240, given: 120, repeats: 1},
	{name: "fixed parts", instances: 500, given: 300, repeats: 1, signal: 1.5, gain: 0.5},
	{name: "10 of each of 30, 10 times", instances: 120, split: Split{PerClass: []int{10}}, repeats: 10, signal: 1.5, gain: 0.5},
	{name: "10 of each of 30, of noise, 10 times", instances: 120, split: Split{PerClass: []int{10}}, repeats: 10},
	{name: "20 of each of 30, 10 times", instances: 120, split: Split{PerClass: []int{20}}, repeats: 10, signal: 1.5, gain: 0.5},
	{name: "3 of each of 30, 10 times", instances: 120, split: Split{PerClass: []int{3}}, repeats: 10, signal: 1.5, gain: 0.5},
	{name: "3 of each of 30, of noise, 10 times", instances: 120, split: Split{PerClass: []int{3}}, repeats: 10},
	{name: "3 of each of 30, 30 times", instances: 120, split: Split{PerClass: []int{3}}, repeats: 30, signal: 1.5, gain: 0.5},
	{name: "3 of each of 30, twice", instances: 120, split: Split{PerClass: []int{3}}, repeats: 2, signal: 1.5, gain: 0.5},
	{name: "10 of each of 100, 10 times", instances: 400, split: Split{PerClass: []int{10}}, repeats: 10, signal: 1.5, gain: 0.5},
	{name: "10 of each of 30, given tests, 10 times", instances: 240, given: 120, split: Split{PerClass: []int{10}, GivenTest: true}, repeats: 10, signal: 1.5, gain: 0.5},
	{name: "25 of each of 30, given tests, 10 times", instances: 240, given: 120, split: Split{PerClass: []int{25}, GivenTest: true}, repeats: 10, signal: 1.5, gain: 0.5},
}

// TestLevel simulates studies in which there is nothing to find. The default test finds something
// in no more than 5 % of them, as far as so many studies can tell.
func TestLevel(t *testing.T) {
	studies := 300
	if testrun.Long() {
		studies = 4000
	}
	for _, s := range simulations {
		t.Run(s.name, func(t *testing.T) {
			found := s.found(t, studies, DefaultTest, 0)
			text := fmt.Sprintf("%.1f %% of %d studies without a difference", 100*float64(found)/float64(studies), studies)
			share, err := metric.ShareInterval(found, studies)
			if err != nil {
				t.Fatal(err)
			}
			if share.Low > 0.05 {
				t.Errorf("a difference in %s", text)
			}
			if s.gain > 0 {
				text += fmt.Sprintf(", %.1f %% with one", 100*float64(s.found(t, studies, DefaultTest, s.gain))/float64(studies))
			}
			t.Logf("%s; by the plain t-test %.1f %%", text, 100*float64(s.plain(t, studies))/float64(studies))
		})
	}
}

// plain is what the t-test finds without a difference.
func (s simulated) plain(t *testing.T, studies int) int {
	if s.repeats == 1 && s.split.rounds() <= 1 {
		return 0
	}
	return s.found(t, studies, T, 0)
}
