package weighting

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// subtrees is the closed form of equation 6 on the parts of a taxonomy that are trees: below a node
// whose descendants all have one parent, and which leaves the weight r to share between itself and
// them, the smallest sum of alpha^rho is c r^rho. A leaf has c = 1. An inner node takes the share
//
//	k = q / (1+q),  q = S^(1/(rho-1)),  S the sum of c over its children,
//
// for itself, leaves 1-k to each child, and has c = k^(rho-1). As rho tends to 1 these numbers
// leave the range of float64, so that all of them are logarithms.
type subtrees struct {
	pure []bool    // the node and all below it form a tree in which only the node's own parents may be several
	cost []float64 // log c
	own  []float64 // log k
	rest []float64 // log (1-k)
}

func newSubtrees(t *taxonomy.Taxonomy, rho float64) *subtrees {
	n := t.Len()
	s := &subtrees{make([]bool, n), make([]float64, n), make([]float64, n), make([]float64, n)}
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
			s.own[v], s.rest[v] = share(floats.LogSumExp(costs), rho)
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

// spread writes the logarithms of the weights below the nodes where remaining, the logarithm of
// what is left for a node and those below it, is given: at the topmost pure nodes.
func (s *subtrees) spread(t *taxonomy.Taxonomy, remaining, logAlpha []float64) {
	for _, v := range t.Topological() {
		if !s.pure[v] {
			continue
		}
		if p := t.Parents(v); len(p) == 1 && s.pure[p[0]] {
			remaining[v] = remaining[p[0]] + s.rest[p[0]]
		}
		logAlpha[v] = remaining[v] + s.own[v]
	}
}
