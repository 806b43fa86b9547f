package structured

import (
	"context"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Edges are the edge attributes of HM3 [RSSS06], reduced to the nodes. There every edge has a
// weight vector for each pair of states of its ends, with a parent above the roots that is always
// on:
//
//	F(x, Y) = sum over the edges (p, v) of <w_{pv, ab}, x>   with a, b whether p, v are in Y.
//
// On sets that are closed under taking ancestors, which never have b without a, F(x, Y) - F(x, {})
// is the sum of <theta_v, x> over the nodes v in Y, where
//
//	theta_v = sum over the edges (p, v) of w_{pv, 11} - w_{pv, 10} + sum over the edges (v, c) of w_{vc, 10} - w_{vc, 00},
//
// and the smallest 1/2 ||w||^2 that gives theta is 1/2 tr(theta' M^-1 theta) with M_vv twice the
// number of edges of v, that from above a root included, and M_vp = -1 for every edge: 2 + 2
// |children| and -1 on trees. Edges is a sparse L with M = L L', so that the columns u = L^-1
// theta, one a node, have the norm 1/2 ||u||^2. On trees and forests it has no more entries than
// nodes and edges; on other graphs, nodes with several parents add entries.
type Edges struct {
	taxonomy *taxonomy.Taxonomy
	diagonal []float64 // of M

	// L by row, the node; the diagonal entry is among those of a row.
	begin   []int
	columns []int32
	values  []float64
}

// NewEdges returns the edge attributes of a taxonomy. It returns an error if the graph is so far
// from a tree that the factor would not fit into memory.
func NewEdges(ctx context.Context, t *taxonomy.Taxonomy) (*Edges, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	ground := make([]float64, t.Len())
	for v := range ground {
		p, c := len(t.Parents(v)), len(t.Children(v))
		ground[v] = float64(2*max(1, p) + 2*c - (p + c))
	}
	f, err := newFactor(ctx, t, t.Edges(), ground)
	if err != nil {
		return nil, err
	}
	e := &Edges{taxonomy: t, diagonal: f.diagonal}
	e.begin, e.columns, e.values = f.rows()
	return e, nil
}

// Taxonomy returns the taxonomy whose nodes the columns are.
func (e *Edges) Taxonomy() *taxonomy.Taxonomy { return e.taxonomy }

// Columns returns the node of each column: all nodes, by id.
func (e *Edges) Columns() []int { return allNodes(e.taxonomy) }

// Row returns the columns of u whose weighted sum is theta of a node, and their factors. The slices
// must not be modified.
func (e *Edges) Row(n int) (columns []int32, factors []float64) {
	return e.columns[e.begin[n]:e.begin[n+1]], e.values[e.begin[n]:e.begin[n+1]]
}

// Nodes turns scores of the columns, <u_c, x>, into those of the nodes, <theta_n, x>.
func (e *Edges) Nodes(columns, dst []float64) {
	for n := range dst {
		at, factors := e.Row(n)
		var sum float64
		for k, c := range at {
			sum += factors[k] * columns[c]
		}
		dst[n] = sum
	}
}

// multiply adds scale times column n of M to dst.
func (e *Edges) multiply(n int32, scale float64, dst []float64) {
	dst[n] += scale * e.diagonal[n]
	for _, m := range e.taxonomy.Parents(int(n)) {
		dst[m] -= scale
	}
	for _, m := range e.taxonomy.Children(int(n)) {
		dst[m] -= scale
	}
}

// Weights returns theta for weights u, in the order of the columns of the attributes, which have
// one for every node, in the same storage.
func (e *Edges) Weights(u *Weights, a *Attributes) (*Weights, error) {
	to, err := e.positions(a)
	if err != nil {
		return nil, err
	}
	w := u.Like(a.columns)
	columns, nodes := make([]float64, len(to)), make([]float64, len(to))
	for f := range u.Features {
		for c := range columns {
			columns[c] = u.At(f, c)
		}
		e.Nodes(columns, nodes)
		for n, v := range nodes {
			w.Set(f, to[n], v)
		}
	}
	return w, nil
}

// Expansion is Weights for the expansion of a kernel problem.
func (e *Edges) Expansion(x *Expansion, a *Attributes) (*Expansion, error) {
	to, err := e.positions(a)
	if err != nil {
		return nil, err
	}
	rows := Rows{Border: []int{0}}
	columns, nodes := make([]float64, len(to)), make([]float64, len(to))
	byColumn := make([]float64, len(to))
	for i := range len(x.Rows.Border) - 1 {
		at, values := x.Rows.Row(i)
		if len(at) > 0 {
			clear(columns)
			for k, c := range at {
				columns[c] = values[k]
			}
			e.Nodes(columns, nodes)
			for n, v := range nodes {
				byColumn[to[n]] = v
			}
			for c, v := range byColumn {
				if v != 0 {
					rows.Columns, rows.Values = append(rows.Columns, int32(c)), append(rows.Values, v)
				}
			}
		}
		rows.Border = append(rows.Border, len(rows.Columns))
	}
	return &Expansion{Columns: slices.Clone(a.columns), Rows: rows}, nil
}

// positions returns the column of every node in the attributes.
func (e *Edges) positions(a *Attributes) ([]int, error) {
	if a.taxonomy != e.taxonomy || len(a.columns) != e.taxonomy.Len() {
		return nil, fmt.Errorf("structured: the attributes have columns for %d nodes, and the edges have %d; use Ancestors of the same taxonomy, widened to all nodes", len(a.columns), e.taxonomy.Len())
	}
	return a.column, nil
}
