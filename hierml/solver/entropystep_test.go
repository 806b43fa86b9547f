package solver

import (
	"math"
	"math/rand/v2"
	"testing"
)

// slowStep solves the problem of entropyStep by bisection: of tau, and of every v_k for each.
func slowStep(z, p []float64, sigma float64) []float64 {
	v := make([]float64, len(z))
	sumAt := func(tau float64) float64 {
		sum := 0.0
		for k := range v {
			lo, hi := -800.0, 800.0 // of log v
			for range 200 {
				if mid := (lo + hi) / 2; mid+sigma*math.Exp(mid) < z[k]+sigma*p[k]+tau {
					lo = mid
				} else {
					hi = mid
				}
			}
			v[k] = math.Exp(lo)
			sum += v[k]
		}
		return sum
	}
	lo, hi := -1e4, 1e4
	for range 200 {
		if mid := (lo + hi) / 2; sumAt(mid) < 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
	sumAt(lo)
	return v
}

func randomDistribution(rng *rand.Rand, n int, sharp float64) []float64 {
	p := make([]float64, n)
	sum := 0.0
	for k := range p {
		p[k] = math.Exp(sharp * rng.NormFloat64())
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// TestEntropyStep compares with bisection, also for distributions on a corner, and scores and
// sigmas of all sizes.
func TestEntropyStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 100 {
		n := 1 + rng.IntN(12)
		e := newEntropyStep(n)
		sigma := math.Exp(4*rng.NormFloat64()) * 0.5
		p := randomDistribution(rng, n, 3*rng.Float64())
		if trial%3 == 0 {
			clear(p)
			p[rng.IntN(n)] = 1
		}
		z, size := make([]float64, n), math.Exp(2*rng.NormFloat64())
		for k := range z {
			z[k] = size * rng.NormFloat64()
		}
		want := slowStep(z, p, sigma)
		for _, tolerance := range []float64{1e-12, 1e-7} {
			got := make([]float64, n)
			e.load(z)
			entropy := e.solve(sigma, p, got, tolerance)
			exact, near := 0.0, tolerance
			for k, v := range got {
				if !(math.Abs(v-want[k]) <= near) {
					t.Fatalf("trial %d, sigma %v, %d classes: v[%d] is %v, want %v", trial, sigma, n, k, v, want[k])
				}
				if v > 0 {
					exact -= v * math.Log(v)
				}
			}
			if math.Abs(entropy-exact) > 10*near {
				t.Fatalf("trial %d: entropy %v, want %v", trial, entropy, exact)
			}
		}
	}
}

// TestEntropyStepSolvesItsEquation takes sigmas and scores of all sizes: every tau_k is the same.
func TestEntropyStepSolvesItsEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 20000 {
		n := 2 + rng.IntN(12)
		e, v, z := newEntropyStep(n), make([]float64, n), make([]float64, n)
		sigma, size := math.Exp(8*rng.NormFloat64()), math.Exp(4*rng.NormFloat64())
		p := randomDistribution(rng, n, 3*rng.Float64())
		if trial%3 == 0 {
			clear(p)
			p[rng.IntN(n)] = 1
		}
		for k := range z {
			z[k] = size * rng.NormFloat64()
		}
		e.load(z)
		entropy, sum, tau := e.solve(sigma, p, v, 1e-12), 0.0, math.NaN()
		for k, x := range v {
			sum += x
			if x < 1e-9 {
				continue
			}
			got := math.Log(x) + sigma*(x-p[k]) - z[k]
			if math.IsNaN(tau) {
				tau = got
			}
			if scale := 1 + sigma + math.Abs(z[k]); !(math.Abs(got-tau) <= 1e-6+1e-11*scale) {
				t.Fatalf("trial %d, sigma %v, scores %v: tau is %v and %v for p %v and v %v", trial, sigma, z, tau, got, p, v)
			}
		}
		if !(math.Abs(sum-1) < 1e-14) || !(entropy >= -1e-9-1e-14*sigma) {
			t.Fatalf("trial %d: sum %v, entropy %v", trial, sum, entropy)
		}
	}
}

// TestOmega compares with the equation that defines it.
func TestOmega(t *testing.T) {
	for c := -700.0; c < 1e6; c += 0.1 + math.Abs(c)/500 {
		if y := omega(c); !(y > 0) || math.Abs(y+math.Log(y)-c) > 1e-13*(1+math.Abs(c)) {
			t.Errorf("omega(%v) is %v: the equation is off by %v", c, y, y+math.Log(y)-c)
		}
	}
}
