package structured

import (
	"maps"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Differences returns attributes of all nodes under which the ridge penalty 1/2 ||V||^2 is, in the
// weights w_n = sum_c Lambda_c(n) V_c of the nodes, the regularizer of TRANSFER [ZXW11, section 5],
// which keeps nodes near their parents:
//
//	1/2 sum_n ( ||w_n||^2 + sum over the children m of n of ||w_n - w_m||^2 )
//
// The matrix of this form, Q = LL' with V = L'w, is factored with children before parents. On trees
// no entries come up in L, and the attributes of a node are at its ancestors: path sums, in which
// every step down from a node n loses the same share.
func Differences(t *taxonomy.Taxonomy) (*Attributes, error) {
	// q has the entries of the matrix between nodes not eliminated.
	q := make([]map[int]float64, t.Len())
	for n := range q {
		q[n] = map[int]float64{n: 1 + float64(len(t.Children(n))+len(t.Parents(n)))}
	}
	for _, e := range t.Edges() {
		q[e[0]][e[1]], q[e[1]][e[0]] = -1, -1
	}
	order := t.Topological()
	// rest[n] is row n of L' without its diagonal, each over the diagonal.
	rest := make([]map[int]float64, t.Len())
	pivot := make([]float64, t.Len())
	for _, n := range slices.Backward(order) {
		pivot[n] = q[n][n]
		delete(q[n], n)
		rest[n] = make(map[int]float64, len(q[n]))
		others := slices.Sorted(maps.Keys(q[n]))
		for _, p := range others {
			rest[n][p] = q[n][p] / pivot[n]
			delete(q[p], n)
			for _, r := range others {
				q[p][r] -= q[n][p] * q[n][r] / pivot[n]
			}
		}
	}
	rows := make([]map[int]float64, t.Len())
	for _, n := range order {
		rows[n] = map[int]float64{n: 1 / math.Sqrt(pivot[n])}
		for _, p := range slices.Sorted(maps.Keys(rest[n])) {
			for c, v := range rows[p] {
				rows[n][c] -= rest[n][p] * v
			}
		}
	}
	return NewCandidates(t, allNodes(t), func(n int) (nodes []int, values []float64) {
		nodes = slices.Sorted(maps.Keys(rows[n]))
		for _, c := range nodes {
			values = append(values, rows[n][c])
		}
		return nodes, values
	})
}
