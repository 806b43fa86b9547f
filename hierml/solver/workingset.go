package solver

import "github.com/hierml/notebook/hierml/structured"

// workingSet is the problem of one block on some of its competitors: maximise
// sum_k values[k] b_k - 1/2 ||W||^2 over values >= 0 with a fixed sum, where
// violations[k] is the gradient. The first entry is none, with violation zero.
type workingSet struct {
	ids        []int32
	values     []float64 // coefficients
	before     []float64 // at the start of the visit
	violations []float64
	products   []float64 // symmetric, len(ids) rows of stride entries
	stride     int
}

func (s *workingSet) reset() {
	s.ids, s.values, s.before, s.violations = s.ids[:0], s.values[:0], s.before[:0], s.violations[:0]
}

func (s *workingSet) add(id int32, value, violation float64) {
	s.ids = append(s.ids, id)
	s.values = append(s.values, value)
	s.before = append(s.before, value)
	s.violations = append(s.violations, violation)
}

// allot makes room for the products.
func (s *workingSet) allot() {
	s.stride = len(s.ids)
	if need := s.stride * s.stride; cap(s.products) < need {
		s.products = make([]float64, 2*need)
	}
	s.products = s.products[:s.stride*s.stride]
}

// multiply fills the products of block b.
func (s *workingSet) multiply(c structured.Competitors, b int) {
	s.allot()
	clear(s.products[:s.stride])
	for k := range s.stride {
		s.products[k*s.stride] = 0
	}
	if s.stride == 1 {
		return
	}
	within := s.products[s.stride+1:]
	if m, ok := c.(structured.Multiplier); ok {
		m.Products(b, s.ids[1:], within, s.stride)
	} else {
		for k, id := range s.ids[1:] {
			for l, other := range s.ids[1 : k+2] {
				within[k*s.stride+l] = c.Product(b, id, other)
			}
		}
	}
	for k := range s.stride - 1 {
		for l := range k {
			within[l*s.stride+k] = within[k*s.stride+l]
		}
	}
}

// solve takes pairwise steps from the competitor with a coefficient and the smallest violation to
// the one with the largest, with exact line search, and reports whether a coefficient has changed.
// squaredNorm is ||x||^2, steps how many are taken at most.
func (s *workingSet) solve(squaredNorm float64, steps int) bool {
	changed := false
	enough := 0.0
	violations := s.violations
	for range steps {
		to, from := 0, -1
		for k, v := range violations {
			if v > violations[to] {
				to = k
			}
			if s.values[k] > 0 && (from < 0 || v < violations[from]) {
				from = k
			}
		}
		if from < 0 {
			break
		}
		slope := violations[to] - violations[from]
		if slope <= enough {
			break
		}
		if enough == 0 {
			enough = innerShare * slope
		}
		up := s.products[to*s.stride : (to+1)*s.stride]
		down := s.products[from*s.stride : (from+1)*s.stride]
		down = down[:len(up)]
		t := s.values[from]
		if curvature := squaredNorm * (up[to] + down[from] - 2*up[from]); curvature*t > slope {
			t = slope / curvature
		}
		s.values[from] -= t
		s.values[to] += t
		changed = true
		t *= squaredNorm
		violations := violations[:len(up)]
		for k := range violations {
			violations[k] -= t * (up[k] - down[k])
		}
	}
	return changed
}
