package solver

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// A forecast of made-up epochs, of two seconds each, is what is left of them, or none.
func TestForecast(t *testing.T) {
	halved := func(e float64) float64 { return math.Pow(0.5, e) }
	inverse := func(e float64) float64 { return 1 / e }
	parts := func(e float64) float64 { return max(1-e/500, 1e-4) }
	flat := func(float64) float64 { return 0.5 }
	for _, c := range []struct {
		name   string
		gap    func(epoch float64) float64
		noise  float64 // of the logarithm of the gap
		epochs int
		goal   float64
		most   int
		bound  time.Duration
		// epochs, and by what share they may be others; negative where none is known
		left, share float64
	}{
		{"by a factor", halved, 0, 6, 1e-3, 1000, 0, math.Log2(1000) - 6, 0.01},
		{"by a factor, five epochs", halved, 0, 5, 1e-3, 1000, 0, -1, 0},
		{"by a factor, at the goal", halved, 0, 10, 1e-3, 1000, 0, -1, 0},
		{"by a factor, with noise", halved, 0.2, 6, 1e-3, 1000, 0, math.Log2(1000) - 6, 0.5},
		{"by a factor, in few epochs", halved, 0, 6, 1e-6, 8, 0, 2, 0.01},
		{"by a factor, in little time", halved, 0, 6, 1e-6, 1000, 15 * time.Second, 1.5, 0.01},
		{"by a power", inverse, 0, 30, 1e-2, 1000, 0, 70, 0.01},
		{"by a power, with noise", inverse, 0.1, 60, 1e-2, 1000, 0, 40, 0.5},
		{"by a power, too far", inverse, 0, 30, 1e-4, 100000, 0, -1, 0},
		{"parts", parts, 0, 400, 1e-3, math.MaxInt, 0, 99.5, 0.01},
		{"parts, at the beginning", parts, 0, 100, 1e-3, math.MaxInt, 0, 399.5, 0.01},
		{"not at all", flat, 0, 20, 1e-3, 1000, 0, -1, 0},
		{"not at all, near the last epoch", flat, 0, 90, 1e-3, 100, 0, 10, 0.01},
		{"not at all, near the end of the time", flat, 0, 20, 1e-3, 1000, time.Minute, 10, 0.01},
		{"rising", func(e float64) float64 { return 0.1 * e / (e + 1) }, 0, 20, 1e-3, 1000, 0, -1, 0},
		{"no gap", func(float64) float64 { return math.Inf(1) }, 0, 20, 1e-3, 1000, 0, -1, 0},
		{"not a number", func(float64) float64 { return math.NaN() }, 0, 20, 1e-3, 100000, 0, -1, 0},
	} {
		var f forecast
		rng := rand.New(rand.NewPCG(1, 1))
		for e := 1; e <= c.epochs; e++ {
			p := Progress{Epoch: e, Gap: c.gap(float64(e)) * math.Exp(c.noise*rng.NormFloat64()), Seconds: 2 * float64(e)}
			if e%3 == 0 { // of which there is no certificate
				p.Gap, p.Estimate = 1, p.Gap
			}
			f.add(p)
		}
		left := f.left(c.goal, c.most, c.bound)
		if c.left < 0 {
			if left >= 0 {
				t.Errorf("%s: %v, want none", c.name, left)
			}
			continue
		}
		if got := left.Seconds() / 2; !(math.Abs(got-c.left) <= c.share*c.left) {
			t.Errorf("%s: %.3g epochs, want %.3g", c.name, got, c.left)
		}
	}
}
