package weighting

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// subtrees is the closed form of [CSS16, (6)] on the parts of a taxonomy that are trees: below a
// node whose descendants all have one parent, and which leaves the weight r to share between itself
// and them, the smallest sum of alpha^rho is c r^rho. A leaf has c = 1. An inner node takes the
// share
//
//	k = q / (1+q),  q = S^(1/(rho-1)),  S the sum of c over its children,
//
// for itself, leaves 1-k to each child, and has c = k^(rho-1). As rho tends to 1 these numbers
// leave the range of float64, so that all of them are logarithms.
type subtrees struct {
	// the node and all below it form a tree in which only the node's own parents may be several
	pure  []bool
	cost  []float64 // log c
	own   []float64 // log k
	rest  []float64 // log (1-k)
	below []float64 // log S
}

func newSubtrees(t *taxonomy.Taxonomy, rho float64) *subtrees {
	n := t.Len()
	s := &subtrees{make([]bool, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	order := t.Topological()
	for i := n - 1; i >= 0; i-- {
		v := order[i]
		children := t.Children(v)
		s.pure[v] = true
		costs := make([]float64, len(children))
		for j, c := range children {
			s.pure[v] = s.pure[v] && s.pure[c] && len(t.Parents(c)) == 1
			costs[j] = s.cost[c]
		}
		if len(children) == 0 {
			s.rest[v] = math.Inf(-1)
			continue
		}
		if s.pure[v] {
			s.below[v] = floats.LogSumExp(costs)
			s.own[v], s.rest[v] = share(s.below[v], rho)
			s.cost[v] = (rho - 1) * s.own[v]
		}
	}
	return s
}

// share returns the logarithms of k and 1-k for the logarithm of S.
func share(logS, rho float64) (own, rest float64) {
	logQ := logS / (rho - 1)
	return -math.Log1p(math.Exp(-logQ)), -math.Log1p(math.Exp(logQ))
}

// top reports whether v is the root of such a tree that is not part of a larger one.
func (s *subtrees) top(t *taxonomy.Taxonomy, v int) bool {
	return s.pure[v] && (len(t.Parents(v)) != 1 || !s.pure[t.Parents(v)[0]])
}

// spread divides what a gives to the roots of the trees among the nodes of the trees, and returns
// the logarithms of all weights. It completes the multipliers of leaves.
func (s *subtrees) spread(t *taxonomy.Taxonomy, a *allotment) (logAlpha []float64) {
	logAlpha = make([]float64, t.Len())
	for _, v := range t.Topological() {
		if s.pure[v] && !s.top(t, v) {
			p := t.Parents(v)[0]
			a.amount[v] = a.amount[p] + s.rest[p]
			a.nu[v] = a.nu[p] / float64(len(t.Children(p)))
			if a.nu[p] > 0 {
				a.nu[v] = a.nu[p] * math.Exp(s.cost[v]-s.below[p])
			}
		}
		logAlpha[v] = a.amount[v] + s.own[v]
	}
	return logAlpha
}
