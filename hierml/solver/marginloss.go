package solver

import (
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/internal/enum"
)

// A MarginLoss is the loss of a binary classifier at the margin m = s <w, x> of an example of side
// s.
type MarginLoss int

const (
	// Hinge is max(0, 1-m), as in the support vector machine.
	Hinge MarginLoss = iota
	// SquaredHinge is max(0, 1-m)^2, LIBLINEAR's default.
	SquaredHinge
	// Logistic is log(1 + exp(-m)), as in logistic regression; scores are log odds.
	Logistic
)

var marginLosses = []string{"Hinge", "SquaredHinge", "Logistic"}

// String returns the name of the constant.
func (l MarginLoss) String() string {
	if l < Hinge || l > Logistic {
		return fmt.Sprintf("MarginLoss(%d)", int(l))
	}
	return marginLosses[l]
}

// MarshalText returns the name of the constant.
func (l MarginLoss) MarshalText() ([]byte, error) { return enum.Marshal(l, marginLosses) }

// UnmarshalText reads the name of a constant, in whatever case.
func (l *MarginLoss) UnmarshalText(text []byte) error { return enum.Unmarshal(l, marginLosses, text) }

// Check returns an error for any other value than the constants.
func (l MarginLoss) Check() error {
	if l < Hinge || l > Logistic {
		return fmt.Errorf("solver: unknown loss %d; use solver.Hinge, solver.SquaredHinge or solver.Logistic", int(l))
	}
	return nil
}

// Value returns the loss at margin m.
func (l MarginLoss) Value(m float64) float64 {
	switch l {
	case SquaredHinge:
		v := max(0, 1-m)
		return v * v
	case Logistic:
		if m < 0 {
			return math.Log1p(math.Exp(m)) - m
		}
		return math.Log1p(math.Exp(-m))
	}
	return max(0, 1-m)
}

// The dual of C times the loss has a coefficient alpha, from 0 to the bound, an example, and for
// each the term -conjugate(alpha):
//
//	hinge           alpha                      0 <= alpha <= C
//	squared hinge   alpha - alpha^2/(4C)       0 <= alpha
//	logistic        -alpha log(alpha/C) - (C-alpha) log(1-alpha/C)   0 <= alpha <= C
//
// [HCLKS08, (4)] for the former, [YHL11, (3)] for the last.

// bound is the largest coefficient.
func (l MarginLoss) bound(c float64) float64 {
	if l == SquaredHinge {
		return math.Inf(1)
	}
	return c
}

// term is the contribution of an example to the dual: -conjugate(alpha).
func (l MarginLoss) term(alpha, c float64) float64 {
	switch l {
	case SquaredHinge:
		return alpha - alpha*(alpha/(4*c)) // which does not underflow with C
	case Logistic:
		return c * (entropy(alpha/c) + entropy(1-alpha/c))
	}
	return alpha
}

func entropy(p float64) float64 {
	if p <= 0 {
		return 0
	}
	return -p * math.Log(p)
}

// derivative is the derivative of the negative dual in a coefficient whose example has margin m.
func (l MarginLoss) derivative(alpha, m, c float64) float64 {
	switch l {
	case SquaredHinge:
		return m - 1 + alpha/(2*c)
	case Logistic:
		return m + math.Log(alpha) - math.Log(c-alpha)
	}
	return m - 1
}

// best returns the coefficient that maximizes the dual, where the margin is m at alpha and rises by
// curvature, above zero, a unit of the coefficient.
func (l MarginLoss) best(alpha, m, curvature, c float64) float64 {
	switch l {
	case SquaredHinge:
		return max(0, alpha-(m-1+alpha/(2*c))/(curvature+1/(2*c)))
	case Logistic:
		return bestLogistic(alpha, m, curvature, c)
	}
	return min(max(alpha-(m-1)/curvature, 0), c)
}

// bestLogistic returns the coefficient that maximizes the dual of the logistic loss.
func bestLogistic(alpha, m, curvature, c float64) float64 {
	u, p := m, likely(m)
	if alpha > 0 && alpha < c {
		p = alpha / c
		u = math.Log(1/p - 1)
	}
	_, p = logisticMargin(u, p, m-curvature*alpha, curvature*c, 0)
	return c * p
}

// likely returns 1/(1+exp(u)), the probability of the other side at margin u.
func likely(u float64) float64 { return 1 / (1 + math.Exp(u)) }

// logisticMargin finds the margin u = base + rise p at the best coefficient, C p with p =
// likely(u), and returns both: until the difference of the two sides is no more than a share of
// what it is at first, or rounding makes it. It begins at u, with its p. The difference, as a
// function of u, rises with slopes from 1 to 1 + rise/4, so that Newton's steps, halved where they
// leave what is known to contain the root, end there.
func logisticMargin(u, p, base, rise, share float64) (margin, probability float64) {
	low, high := base, base+rise // the margins at coefficients 0 and C
	if !(u > low && u < high) {
		u = low + (high-low)/2
		p = likely(u)
	}
	const rounds, exact = 100, 1e-14
	enough := share * math.Abs(u-base-rise*p)
	for range rounds {
		f := u - base - rise*p
		if f <= enough && f >= -enough {
			break
		}
		if f > 0 {
			high = u
		} else {
			low = u
		}
		step := f / (1 + rise*p*(1-p))
		if math.Abs(step) <= exact*max(1, math.Abs(u)) {
			break
		}
		if u -= step; !(u > low && u < high) {
			u = low + (high-low)/2
		}
		p = likely(u)
	}
	return u, p
}
