package rounding

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func lost(numbers ...float64) bool {
	var c Column
	for _, v := range numbers {
		c.Add(v)
	}
	_, lost := c.Lost()
	return lost
}

func TestLost(t *testing.T) {
	for _, test := range []struct {
		numbers []float64
		want    bool
	}{
		{nil, false},
		{[]float64{0.1}, false},
		{[]float64{16777217, 16777217}, false}, // constant
		{[]float64{16777216, 16777217}, true},
		{[]float64{20240101, 20240102, 20240228}, true},
		{[]float64{1e9 + 1, 1e9 + 2, 1e9 + 3}, true},
		{[]float64{1e9, 0, 1e9 + 1}, false}, // beside zero nothing is lost
		{[]float64{0.1, 0.2, 0.3}, false},
		{[]float64{1.7e9, 1.7e9 + 86400}, false},
		{[]float64{1e-50, 2e-50}, true}, // both zero
	} {
		if got := lost(test.numbers...); got != test.want {
			t.Errorf("%v: %v, want %v", test.numbers, got, test.want)
		}
	}
}

// TestLostExactly compares with sums of rational numbers.
func TestLostExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	found := 0
	for range 2000 {
		numbers := make([]float64, 2+r.IntN(6))
		shift, spread := math.Pow(10, 12*r.Float64()), math.Pow(10, 8*r.Float64()-4)
		for i := range numbers {
			numbers[i] = shift + spread*r.NormFloat64()
		}
		rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
		n := rat(float64(len(numbers)))
		mean, about, worst := new(big.Rat), new(big.Rat), new(big.Rat)
		for _, v := range numbers {
			mean.Add(mean, rat(v))
		}
		mean.Quo(mean, n)
		for _, v := range numbers {
			off := new(big.Rat).Sub(rat(v), mean)
			about.Add(about, off.Mul(off, off))
			if lost := new(big.Rat).Sub(rat(v), rat(float64(float32(v)))); lost.Abs(lost).Cmp(worst) > 0 {
				worst = lost
			}
		}
		bound := about.Quo(about, n)
		bound.Mul(bound, rat(Part*Part))
		square := worst.Mul(worst, worst)
		if near, _ := new(big.Rat).Quo(square, bound).Float64(); math.Abs(near-1) < 1e-6 {
			continue
		}
		want := square.Cmp(bound) > 0
		if got := lost(numbers...); got != want {
			t.Errorf("%v: %v, want %v", numbers, got, want)
		}
		if want {
			found++
		}
	}
	if found < 300 || found > 1700 {
		t.Errorf("%d of 2000 lose something; the test wants both", found)
	}
}
