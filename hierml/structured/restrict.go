package structured

import "fmt"

// Restrict returns the attributes of some of the candidates, ascending node ids, over the same
// columns. Use it to predict only leaves after a problem that compared all nodes.
func (a *Attributes) Restrict(candidates []int) (*Attributes, error) {
	if len(candidates) == 0 {
		return nil, fmt.Errorf("structured: attributes are restricted to no candidates, so there is nothing to predict")
	}
	r := &Attributes{
		taxonomy: a.taxonomy, candidates: candidates, columns: a.columns, column: a.column, inner: a.inner,
		indptr: make([]int, 1, len(candidates)+1), colptr: make([]int, 1, len(candidates)+1),
	}
	for k, n := range candidates {
		y := a.Candidate(n)
		if y < 0 || k > 0 && candidates[k-1] >= n {
			return nil, fmt.Errorf("structured: candidate %d is node %d; pass candidates of the attributes, ascending", k, n)
		}
		nodes, values := a.Leaf(y)
		r.nodes, r.values = append(r.nodes, nodes...), append(r.values, values...)
		r.indptr = append(r.indptr, len(r.nodes))
		r.cols = append(r.cols, a.cols[a.colptr[y]:a.colptr[y+1]]...)
		r.vals = append(r.vals, a.vals[a.colptr[y]:a.colptr[y+1]]...)
		r.colptr = append(r.colptr, len(r.cols))
	}
	r.findTopDown()
	r.tabulate()
	return r, nil
}

// Widen returns the same attributes with a column for further nodes, which the candidates need not
// use: for a model with separate weights for inner nodes.
func (a *Attributes) Widen(nodes []int) (*Attributes, error) {
	for _, n := range nodes {
		if n < 0 || n >= a.taxonomy.Len() {
			return nil, fmt.Errorf("structured: a column for node %d; the taxonomy has nodes 0..%d", n, a.taxonomy.Len()-1)
		}
	}
	w := &Attributes{taxonomy: a.taxonomy, candidates: a.candidates, indptr: a.indptr, nodes: a.nodes, values: a.values}
	w.layout(nodes)
	w.findTopDown()
	w.tabulate()
	return w, nil
}
