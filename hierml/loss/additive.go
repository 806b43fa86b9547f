package loss

import "github.com/hierml/notebook/hierml/taxonomy"

// Additive returns the weights of the nodes of t, nil for 1 each, and the two factors of a loss
// whose cost is a sum over nodes: missed times the weights of the nodes at or above the truth
// alone, and added times those of the nodes at or above the prediction alone. These are Weighted,
// Symdiff and Half, and on trees Tree and HalfGraph. ok is false for other losses, and for those of
// another taxonomy than t. The weights must not be modified.
func Additive(l Loss, t *taxonomy.Taxonomy) (weight []float64, missed, added float64, ok bool) {
	var p *path
	switch l := l.(type) {
	case weighted:
		p = l.path
	case *distance:
		if l.t.IsTree() {
			p = l.path
		}
	}
	if p == nil || p.t != t {
		return nil, 0, 0, false
	}
	return p.weight, p.missed, p.added, true
}
