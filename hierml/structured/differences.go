package structured

import (
	"context"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Laplacian returns attributes of candidates, node ids that ascend, under which the ridge penalty
// 1/2 ||U||^2 is, in the weights w_n = sum_c Lambda_c(n) u_c of the nodes,
//
//	1/2 sum over the edges {m, n} of ||w_n - w_m||^2 + 1/2 sum_n ground_n ||w_n||^2.
//
// The edges are between nodes of the taxonomy, in any direction, each once: those of the taxonomy
// (Taxonomy.Edges) or others. ground has one number per node, none negative, or is nil for zeros.
// Nodes of the taxonomy without edge and ground are not penalized.
//
// The matrix of this form, the Laplacian of the graph and ground on its diagonal, is factored as
// LL' with u = L'w: u_n is a multiple of the difference between w_n and a mean of nodes eliminated
// later, on trees its parent. On trees L has no fill-in, and the attributes of a node are at its
// ancestors.
//
// In a connected component without ground, adding a constant to the weights does not change the
// penalty. One of its nodes is free: its u is its own w, which is not penalized, and its attribute
// is 1 for all nodes of the component. Laplacian returns the free nodes, ascending.
func Laplacian(ctx context.Context, t *taxonomy.Taxonomy, candidates []int, edges [][2]int, ground []float64) (a *Attributes, free []int, err error) {
	if t == nil {
		return nil, nil, taxonomy.ErrNone
	}
	f, err := newFactor(ctx, t, edges, ground)
	if err != nil {
		return nil, nil, err
	}
	scratch := make([]float64, t.Len())
	a, err = NewCandidates(t, candidates, func(n int) ([]int, []float64) { return f.inverseRow(n, scratch) })
	return a, f.free, err
}

// Differences returns attributes of all nodes under which the ridge penalty 1/2 ||V||^2 is, in the
// weights w_n = sum_c Lambda_c(n) V_c of the nodes, the regularizer of TRANSFER [ZXW11, section 5],
// which keeps nodes near their parents:
//
//	1/2 sum_n ( ||w_n||^2 + sum over the children m of n of ||w_n - w_m||^2 )
//
// It is Laplacian with a ground of 1 at every node. On trees the attributes of a node are path sums
// in which every step down from a node decreases by the same factor.
func Differences(ctx context.Context, t *taxonomy.Taxonomy) (*Attributes, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	ground := make([]float64, t.Len())
	for n := range ground {
		ground[n] = 1
	}
	a, _, err := Laplacian(ctx, t, allNodes(t), t.Edges(), ground)
	return a, err
}
