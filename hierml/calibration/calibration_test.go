package calibration_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/internal/golden"
)

func dense(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

func close(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) }

func TestGoldenSetSizes(t *testing.T) {
	cases, err := golden.Read("setsize")
	if err != nil {
		t.Fatal(err)
	}
	type linear struct {
		Coef      []float64
		Intercept float64
	}
	for _, c := range cases {
		var g struct {
			Scores           [][]float64
			Labels           [][]int
			ThresholdTargets []float64   `json:"threshold_targets"`
			ErrorsAtTarget   []int       `json:"errors_at_target"`
			LinearThreshold  linear      `json:"linear_threshold"`
			LinearSize       linear      `json:"linear_size"`
			TestScores       [][]float64 `json:"test_scores"`
			TestThreshold    []float64   `json:"test_threshold"`
			TestSets         [][]int     `json:"test_sets"`
		}
		if err := c.Decode(&g); err != nil {
			t.Fatal(err)
		}
		for i, s := range g.Scores {
			if target, errors := calibration.Target(s, g.Labels[i]); !close(target, g.ThresholdTargets[i], 1e-12) || errors != g.ErrorsAtTarget[i] {
				t.Errorf("%s: row %d: target %v with %d errors; want %v with %d", c.ID, i, target, errors, g.ThresholdTargets[i], g.ErrorsAtTarget[i])
			}
		}
		check := func(what string, l calibration.Linear, err error, want linear) {
			if err != nil {
				t.Fatal(c.ID, err)
			}
			for y, v := range want.Coef {
				if !close(l.Coefficients[y], v, 1e-8) {
					t.Errorf("%s: %s: coefficient %d is %v; want %v", c.ID, what, y, l.Coefficients[y], v)
				}
			}
			if !close(l.Intercept, want.Intercept, 1e-8) {
				t.Errorf("%s: %s: intercept %v; want %v", c.ID, what, l.Intercept, want.Intercept)
			}
		}
		l, err := calibration.Threshold(dense(g.Scores), g.Labels)
		check("threshold", l.Linear, err, g.LinearThreshold)
		size, err := calibration.Size(dense(g.Scores), g.Labels)
		check("size", size.Linear, err, g.LinearSize)
		for i, s := range g.TestScores {
			threshold := l.At(s)
			if !close(threshold, g.TestThreshold[i], 1e-8) {
				t.Errorf("%s: test row %d: threshold %v; want %v", c.ID, i, threshold, g.TestThreshold[i])
			}
			set := l.Choose(s, nil)
			if !slices.Equal(set, g.TestSets[i]) {
				t.Errorf("%s: test row %d: set %v; want %v", c.ID, i, set, g.TestSets[i])
			}
		}
	}
}

func TestTargetMakesFewestErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		scores := make([]float64, 1+rng.IntN(6))
		var relevant []int
		for y := range scores {
			scores[y] = float64(rng.IntN(4))
			if rng.IntN(2) == 0 {
				relevant = append(relevant, y)
			}
		}
		wrong := func(at float64) (n int) {
			for y, s := range scores {
				if r := slices.Contains(relevant, y); r && s <= at || !r && s >= at {
					n++
				}
			}
			return n
		}
		target, errors := calibration.Target(scores, relevant)
		if wrong(target) != errors {
			t.Errorf("scores %v, relevant %v: %d errors at %v, not %d", scores, relevant, wrong(target), target, errors)
		}
		for at := -0.5; at <= 4.5; at++ {
			lower := slices.ContainsFunc(scores, func(s float64) bool { return at < s && s < target })
			if n := wrong(at); n < errors || n == errors && lower {
				t.Errorf("scores %v, relevant %v: %d errors at %v, %d at %v", scores, relevant, n, at, errors, target)
			}
		}
	}
}

// The scores of Crammer and Singer add up to zero, and there may be fewer rows than labels.
func TestDependentScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{3, 8, 50} {
		scores := mat.NewDense(n, 8, nil)
		sets := make([][]int, n)
		for i := range n {
			row := scores.RawRowView(i)
			var sum float64
			for y := range row[1:] {
				row[y] = rng.NormFloat64()
				sum += row[y]
			}
			row[7] = -sum
			sets[i] = rng.Perm(8)[:1+rng.IntN(3)]
		}
		l, err := calibration.Size(scores, sets)
		if err != nil {
			t.Fatal(err)
		}
		var sum, error float64
		for _, c := range l.Coefficients {
			sum += c
		}
		for i := range n {
			error += l.At(scores.RawRowView(i)) - float64(len(sets[i]))
		}
		if math.Abs(sum) > 1e-9 || math.Abs(error) > 1e-9 {
			t.Errorf("%d rows: coefficients %v add up to %v, errors to %v", n, l.Coefficients, sum, error)
		}
	}
	l, err := calibration.Size(mat.NewDense(2, 2, []float64{1, 2, 1, 2}), [][]int{{0}, {0, 1}})
	if err != nil || !slices.Equal(l.Coefficients, []float64{0, 0}) || l.Intercept != 1.5 {
		t.Errorf("equal scores: %v, %v", l, err)
	}
}

func TestCuts(t *testing.T) {
	scores := []float64{0.5, -1, 2, 0.5}
	twice := calibration.Linear{Coefficients: []float64{0, 0, 0.5, 0}, Intercept: 1.2}
	for name, c := range map[string]struct {
		cut  calibration.Cut
		want []int
	}{
		"above":            {calibration.Above(0.5), []int{2}},
		"none":             {calibration.Above(3), nil},
		"thresholds":       {calibration.Thresholds{0, 0, 5, 0.4}, []int{0, 3}},
		"size":             {calibration.LinearSize{Linear: twice}, []int{0, 2}},
		"linear threshold": {calibration.LinearThreshold{Linear: calibration.Linear{Coefficients: []float64{1, 0, 0, 0}, Intercept: -0.1}}, []int{0, 2, 3}},
		"one at least":     {calibration.LinearSize{Linear: calibration.Linear{Intercept: -7}}, []int{2}},
		"all at most":      {calibration.LinearSize{Linear: calibration.Linear{Intercept: 1e9}}, []int{0, 1, 2, 3}},
	} {
		if got := c.cut.Choose(scores, nil); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v; want %v", name, got, c.want)
		}
	}
}

func TestPerLabelMaximisesF1(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	scores := mat.NewDense(30, 3, nil)
	sets := make([][]int, 30)
	for i := range 30 {
		for y := range 3 {
			scores.Set(i, y, float64(rng.IntN(12)))
			if y < 2 && rng.Float64()*12 < scores.At(i, y) {
				sets[i] = append(sets[i], y)
			}
		}
	}
	thresholds, err := calibration.PerLabel(scores, sets)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(thresholds[2], 1) {
		t.Errorf("threshold %v of a label that no row has", thresholds[2])
	}
	f1 := func(y int, at float64) float64 {
		var hits, errors float64
		for i := range 30 {
			switch got, want := scores.At(i, y) > at, slices.Contains(sets[i], y); {
			case got && want:
				hits++
			case got != want:
				errors++
			}
		}
		return 2 * hits / (2*hits + errors)
	}
	for y := range 2 {
		for at := -0.5; at < 13; at++ {
			if f1(y, at) > f1(y, thresholds[y]) {
				t.Errorf("label %d: F1 %v at %v, %v at %v", y, f1(y, at), at, f1(y, thresholds[y]), thresholds[y])
			}
		}
	}
}

// logistic returns scores with truths drawn from a sigmoid.
func logistic(n int, a, b float64) (scores []float64, positive []bool) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range n {
		s := rng.NormFloat64() * 2
		scores = append(scores, s)
		positive = append(positive, rng.Float64() < calibration.Sigmoid{A: a, B: b}.Probability(s))
	}
	return
}

func TestPlattFindsTheSigmoid(t *testing.T) {
	scores, positive := logistic(50_000, -1.5, 0.7)
	p, err := calibration.Platt(scores, positive)
	if err != nil || math.Abs(p.A+1.5) > 0.05 || math.Abs(p.B-0.7) > 0.05 {
		t.Errorf("sigmoid %v, %v", p, err)
	}
	// In other units of the scores the probabilities are the same.
	for _, unit := range []float64{1e-8, 1e8} {
		moved := make([]float64, len(scores))
		for i, s := range scores {
			moved[i] = unit * (s + 3)
		}
		q, err := calibration.Platt(moved, positive)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []float64{-4, 0, 1, 5} {
			if got, want := q.Probability(unit*(s+3)), p.Probability(s); math.Abs(got-want) > 1e-6 {
				t.Errorf("unit %v: probability %v of score %v; want %v", unit, got, s, want)
			}
		}
	}
}

// At the optimum the gradient is zero: the probabilities add up to the targets, and so do their
// products with the scores.
func TestPlattIsOptimal(t *testing.T) {
	for name, c := range map[string]struct {
		scores   []float64
		positive []bool
	}{
		"separable":    {[]float64{-3, -2, -1, 1, 2, 3}, []bool{false, false, false, true, true, true}},
		"reversed":     {[]float64{3, 2, 1, -1, -2, -3}, []bool{false, false, false, true, true, true}},
		"mixed":        {[]float64{0.1, 0.4, 0.2, 0.9, -0.3}, []bool{false, true, true, true, false}},
		"all positive": {[]float64{1, 2, 3}, []bool{true, true, true}},
		"no positive":  {[]float64{1, 2, 3}, []bool{false, false, false}},
		"one":          {[]float64{5}, []bool{true}},
		"equal":        {[]float64{2, 2, 2, 2}, []bool{true, false, true, true}},
		"outlier":      {[]float64{-1, 1, -2, 1000}, []bool{false, true, false, true}},
	} {
		p, err := calibration.Platt(c.scores, c.positive)
		if err != nil {
			t.Fatal(name, err)
		}
		n := 0.0
		for _, yes := range c.positive {
			if yes {
				n++
			}
		}
		m := float64(len(c.scores)) - n
		var g1, g2, size float64
		for i, s := range c.scores {
			target := 1 / (m + 2)
			if c.positive[i] {
				target = (n + 1) / (n + 2)
			}
			got := p.Probability(s)
			if !(got > 0 && got < 1) {
				t.Errorf("%s: probability %v", name, got)
			}
			g1, g2, size = g1+s*(target-got), g2+target-got, max(size, math.Abs(s))
		}
		if math.Abs(g1) > 1e-6*size || math.Abs(g2) > 1e-6 {
			t.Errorf("%s: gradient %v, %v at %v", name, g1, g2, p)
		}
	}
}

func TestSigmoidDoesNotOverflow(t *testing.T) {
	p := calibration.Sigmoid{A: -1, B: 0}
	if a, b := p.Probability(1e6), p.Probability(-1e6); a != 1 || b != 0 {
		t.Error(a, b)
	}
}

func TestIsotonic(t *testing.T) {
	p, err := calibration.Isotonic([]float64{1, 2, 3, 4, 5, 5, 6}, []bool{false, true, false, true, true, false, true})
	if err != nil {
		t.Fatal(err)
	}
	// 2 and 3 are pooled, as are 4 and 5, whose two instances share a probability.
	for score, want := range map[float64]float64{-9: 0, 1: 0, 1.5: 0.25, 2: 0.5, 2.5: 0.5, 3: 0.5, 3.5: 0.5 + 1.0/12, 4: 2.0 / 3, 5: 2.0 / 3, 5.5: 5.0 / 6, 6: 1, 99: 1} {
		if got := p.Probability(score); math.Abs(got-want) > 1e-12 {
			t.Errorf("probability %v of score %v; want %v (%v)", got, score, want, p)
		}
	}
}

// The fit is the projection: no other monotone function is closer, in particular none of those made
// by moving a block.
func TestIsotonicIsTheLeastSquaresFit(t *testing.T) {
	scores, positive := logistic(400, -1, 0)
	p, err := calibration.Isotonic(scores, positive)
	if err != nil {
		t.Fatal(err)
	}
	if !sort.Float64sAreSorted(p.Scores) || !sort.Float64sAreSorted(p.Probabilities) {
		t.Error("not ascending")
	}
	error := func(f func(float64) float64) (sum float64) {
		for i, s := range scores {
			v := f(s)
			if positive[i] {
				v--
			}
			sum += v * v
		}
		return sum
	}
	best := error(p.Probability)
	for _, cut := range []float64{-3, -1, 0, 0.5, 2} {
		for _, by := range []float64{-0.03, 0.03} {
			if e := error(func(s float64) float64 {
				if (s >= cut) == (by > 0) {
					return min(max(p.Probability(s)+by, 0), 1)
				}
				return p.Probability(s)
			}); e < best {
				t.Errorf("moved by %v at %v: error %v, below %v", by, cut, e, best)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	nan := math.NaN()
	scores := mat.NewDense(2, 2, []float64{1, 2, 3, nan})
	fine := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	for name, err := range map[string]error{
		"no scores":     second(calibration.Platt(nil, nil)),
		"lengths":       second(calibration.Isotonic([]float64{1}, nil)),
		"not a number":  second(calibration.Platt([]float64{nan}, []bool{true})),
		"infinite":      second(calibration.Isotonic([]float64{math.Inf(1)}, []bool{true})),
		"matrix":        second(calibration.Threshold(nil, nil)),
		"empty":         second(calibration.Size(new(mat.Dense), nil)),
		"rows":          second(calibration.PerLabel(fine, [][]int{{0}})),
		"NaN in matrix": second(calibration.Threshold(scores, [][]int{{0}, {1}})),
		"column":        second(calibration.Threshold(fine, [][]int{{0}, {2}})),
		"negative":      second(calibration.Threshold(fine, [][]int{{-1}, {1}})),
		"twice":         second(calibration.Size(fine, [][]int{{0, 0}, {1}})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func ExamplePlatt() {
	scores := []float64{-2, -1, -0.5, 0.3, 0.6, 1.5, 2}
	positive := []bool{false, false, false, true, false, true, true}
	p, err := calibration.Platt(scores, positive)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f %.2f\n", p.Probability(-1), p.Probability(1))
	// Output: 0.21 0.61
}
