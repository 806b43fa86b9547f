package forest

import "github.com/hierml/notebook/hierml/taxonomy"

// weights returns the weight of every node: w0 times what aggregate makes of the weights of its
// parents, w0 at the top [VSSDB08, section 4.1].
func weights(t *taxonomy.Taxonomy, w0 float64, aggregate Aggregate) []float64 {
	w := make([]float64, t.Len())
	for _, n := range t.Topological() {
		above := 1.0
		for k, p := range t.Parents(n) {
			switch {
			case k == 0:
				above = w[p]
			case aggregate == Minimum:
				above = min(above, w[p])
			case aggregate == Maximum:
				above = max(above, w[p])
			default:
				above += w[p]
			}
		}
		if parents := len(t.Parents(n)); parents > 0 && aggregate == Mean {
			above /= float64(parents)
		}
		w[n] = w0 * above
	}
	return w
}
