package weighting

// part says how an amount of weight that a set of leaves has left is divided among nodes: one node
// takes all of it, or smaller parts take shares. The amounts that the parts of a path take add up
// to the amount divided.
type part struct {
	kind  kind
	node  int
	parts []*part

	// share has the logarithm of the fraction that each of parts takes.
	share []float64

	// worth has the fractions of the leaves' multipliers that belong to the leaves of each of
	// parts; they add up to 1. Of parts in series only one has leaves, which makes it superfluous.
	worth []float64
}

type kind int

const (
	single   kind = iota // the node takes all
	series               // the parts stand above each other, so that their shares add up to 1
	parallel             // the parts have no leaf in common; each takes all
	core                 // the parts overlap; shares are those of an optimum
)

// allotment collects what a part gives to each node: the logarithm of the amount and, to nodes that
// are or stand for leaves, the sum of the multipliers of the path constraints of these leaves.
type allotment struct {
	amount []float64
	nu     []float64
}

// divide gives the amount, a logarithm, and the multipliers' sum to the nodes of p.
func (a *allotment) divide(p *part, amount, nu float64) {
	if p.kind == single {
		a.amount[p.node], a.nu[p.node] = amount, nu
		return
	}
	for i, q := range p.parts {
		below := amount
		if p.share != nil {
			below += p.share[i]
		}
		a.divide(q, below, p.multiplier(i, nu))
	}
}

// multiplier returns what part i gets of a sum of multipliers. A sum that is not positive belongs
// to leaves that get no weight: any division without a positive part will do.
func (p *part) multiplier(i int, nu float64) float64 {
	switch {
	case p.kind == series:
		return nu
	case nu <= 0:
		return nu / float64(len(p.parts))
	default:
		return nu * p.worth[i]
	}
}
