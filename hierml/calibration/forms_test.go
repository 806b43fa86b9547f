package calibration_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
)

// drawn returns scores, of which some are equal, and whether each is positive.
func drawn(rng *rand.Rand, n int) (scores []float64, positive []bool) {
	scores, positive = make([]float64, n), make([]bool, n)
	for i := range scores {
		scores[i] = math.Round(8*rng.NormFloat64()) / 4
		positive[i] = rng.Float64() < 1/(1+math.Exp(-scores[i]))
	}
	return scores, positive
}

// TestVennABERSIsTwoRegressions compares both probabilities, at scores that occur, between and
// beyond them, with the isotonic regression of all scores and of the new one.
func TestVennABERSIsTwoRegressions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		scores, positive := drawn(rng, 1+rng.IntN(30))
		var weights []float64
		if rng.IntN(2) == 0 {
			for range scores {
				weights = append(weights, float64(rng.IntN(3)))
			}
			weights[rng.IntN(len(weights))] = 1
		}
		p, err := calibration.VennABERS(scores, positive, weights...)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			at := scores[rng.IntN(len(scores))] + []float64{0, 0.1, -0.1, 100, -100}[rng.IntN(5)]
			low, high := p.Interval(at)
			for yes, got := range map[bool]float64{false: low, true: high} {
				with := slices.Clone(weights)
				if weights != nil {
					with = append(with, 1)
				}
				steps, err := calibration.Isotonic(append(slices.Clone(scores), at), append(slices.Clone(positive), yes), with...)
				if err != nil {
					t.Fatal(err)
				}
				if want := steps.Probability(at); !close(got, want, 1e-12) {
					t.Fatalf("scores %v positive %v weights %v: %v at %v if it is %v; want %v", scores, positive, weights, got, at, yes, want)
				}
			}
			if want := high / (1 - low + high); p.Probability(at) != want || low > high {
				t.Fatalf("%v and %v give %v", low, high, p.Probability(at))
			}
		}
	}
}

// TestBetaIsLikeliest looks for a likelier curve nearby, and by a search of its own.
func TestBetaIsLikeliest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	constrained := 0
	for range 60 {
		scores, positive := drawn(rng, 20+rng.IntN(60))
		for i := range scores { // of other forms than a sigmoid, and some turned round
			if rng.IntN(4) == 0 {
				positive[i] = !positive[i]
			}
			if rng.IntN(3) == 0 {
				scores[i] *= 4
			}
		}
		p, err := calibration.Beta(scores, positive)
		if err != nil {
			t.Fatal(err)
		}
		if !(p.A >= 0 && p.B >= 0) {
			t.Fatalf("%+v", p)
		}
		if p.A == 0 || p.B == 0 {
			constrained++
		}
		yes := 0.0
		for _, is := range positive {
			if is {
				yes++
			}
		}
		no := float64(len(scores)) - yes
		miss := func(q calibration.BetaCurve) float64 {
			var sum float64
			for i, s := range scores {
				u := q.Sigmoid.Probability(s)
				z := q.A*math.Log(u) - q.B*math.Log(1-u) + q.C
				v, target := 1/(1+math.Exp(-z)), 1/(no+2)
				if positive[i] {
					target = (yes + 1) / (yes + 2)
				}
				sum -= target*math.Log(v) + (1-target)*math.Log(1-v)
			}
			return sum
		}
		least := miss(p)
		for _, size := range []float64{1, 0.1, 0.01, 0.001} {
			for range 200 {
				q := p
				q.A = max(0, q.A+size*rng.NormFloat64())
				q.B = max(0, q.B+size*rng.NormFloat64())
				q.C += size * rng.NormFloat64()
				if v := miss(q); v < least-1e-5*least {
					t.Fatalf("%+v misses by %v, %+v by %v", p, least, q, v)
				}
			}
		}
		for s := -9.0; s < 9; s += 0.1 {
			if v, next := p.Probability(s), p.Probability(s+0.1); p.Sigmoid.A <= 0 && next < v-1e-12 || v < 0 || v > 1 {
				t.Fatalf("%+v: %v at %v, then %v", p, v, s, next)
			}
		}
	}
	if constrained == 0 {
		t.Error("no case where A or B would be negative")
	}
}

// TestTemperatureIsLikeliest compares the temperature with those of a fine grid.
func TestTemperatureIsLikeliest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 200 {
		n, q := 1+rng.IntN(20), 2+rng.IntN(4)
		unit := math.Pow(10, float64(rng.IntN(9)-4))
		scores, truth := mat.NewDense(n, q, nil), make([]int, n)
		for i := range n {
			truth[i] = rng.IntN(q)
			for y := range q {
				scores.Set(i, y, unit*rng.NormFloat64())
			}
			if rng.IntN(3) > 0 || round%5 == 0 { // all of them right, where it would be without bound
				scores.Set(i, truth[i], 4*unit)
			}
			if y := rng.IntN(q); y != truth[i] && rng.IntN(4) == 0 {
				scores.Set(i, y, math.Inf(-1))
			}
		}
		got, err := calibration.SoftmaxTemperature(scores, truth)
		if err != nil {
			t.Fatal(err)
		}
		miss := func(inverse float64) float64 {
			var sum float64
			for i := range n {
				total, possible := 0.0, 0
				for y := range q {
					if s := scores.At(i, y); !math.IsInf(s, -1) {
						total += math.Exp(inverse * s)
						possible++
					}
				}
				if possible == 1 {
					continue
				}
				for y := range q {
					if s := scores.At(i, y); !math.IsInf(s, -1) {
						target := 1 / (float64(n) + 2) / float64(possible-1)
						if y == truth[i] {
							target = (float64(n) + 1) / (float64(n) + 2)
						}
						sum -= target * (inverse*s - math.Log(total))
					}
				}
			}
			return sum
		}
		least := miss(float64(got))
		for k := range 2000 {
			inverse := float64(k) / 100 / unit
			if v := miss(inverse); v < least-1e-9*(1+least) {
				t.Fatalf("1/T %v misses by %v, %v by %v", got, least, inverse, v)
			}
		}
	}
}

// TestFormsOfWeights says that a score of weight 2 counts as two, and one of weight 0 as none.
func TestFormsOfWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 30 {
		scores, positive := drawn(rng, 40)
		var weights, repeated []float64
		var yes []bool
		rows, twice := mat.NewDense(40, 2, nil), new(mat.Dense)
		var labels, labelsTwice []int
		var values []float64
		for i, s := range scores {
			w := rng.IntN(3)
			weights = append(weights, float64(w))
			rows.Set(i, 1, s)
			label := 0
			if positive[i] {
				label = 1
			}
			labels = append(labels, label)
			for range w {
				repeated, yes = append(repeated, s), append(yes, positive[i])
				values, labelsTwice = append(values, 0, s), append(labelsTwice, label)
			}
		}
		*twice = *mat.NewDense(len(repeated), 2, values)
		one, err := calibration.Beta(scores, positive, weights...)
		if err != nil {
			t.Fatal(err)
		}
		two, err := calibration.Beta(repeated, yes)
		if err != nil {
			t.Fatal(err)
		}
		a, err := calibration.SoftmaxTemperature(rows, labels, weights...)
		if err != nil {
			t.Fatal(err)
		}
		b, err := calibration.SoftmaxTemperature(twice, labelsTwice)
		if err != nil {
			t.Fatal(err)
		}
		if !close(float64(a), float64(b), 1e-9) {
			t.Errorf("temperature %v with weights, %v of repeated rows", a, b)
		}
		for s := -3.0; s <= 3; s += 0.5 {
			if v, w := one.Probability(s), two.Probability(s); !close(v, w, 1e-3) {
				t.Errorf("%v at %v with weights, %v of repeated scores", v, s, w)
			}
		}
	}
}

func TestFormsRefuse(t *testing.T) {
	for _, scores := range [][]float64{nil, {math.NaN()}, {1, 2}} {
		if _, err := calibration.Beta(scores, []bool{true}); err == nil {
			t.Errorf("Beta takes %v", scores)
		}
		if _, err := calibration.VennABERS(scores, []bool{true}); err == nil {
			t.Errorf("VennABERS takes %v", scores)
		}
	}
	for _, truth := range [][]int{nil, {-1}, {2}, {0, 1}} {
		if _, err := calibration.SoftmaxTemperature(mat.NewDense(1, 2, []float64{1, 2}), truth); err == nil {
			t.Errorf("SoftmaxTemperature takes the labels %v", truth)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := calibration.SoftmaxTemperature(mat.NewDense(1, 2, []float64{bad, 2}), []int{0}); err == nil {
			t.Errorf("SoftmaxTemperature takes %v as the score of the label", bad)
		}
	}
	if _, err := calibration.SoftmaxTemperature(nil, nil); err == nil {
		t.Error("a temperature of no scores")
	}
	if got := calibration.Temperature(4).String(); got != "temperature 0.25" {
		t.Error(got)
	}
	if v, err := calibration.SoftmaxTemperature(new(mat.Dense), nil); err == nil {
		t.Errorf("temperature %v of nothing", v)
	}
}
