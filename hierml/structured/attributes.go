package structured

import (
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Attributes holds the class attribute vectors Lambda(y) of a taxonomy: for every candidate y,
// usually the leaves, a sparse vector over the nodes. A candidate's score is
//
//	F(x, y) = sum_n Lambda_n(y) <W_n, x>.
//
// It is immutable and safe for concurrent use.
type Attributes struct {
	taxonomy   *taxonomy.Taxonomy
	candidates []int // node ids, ascending

	// Rows over nodes, as given.
	indptr []int
	nodes  []int
	values []float64

	// Columns are the nodes that can have a weight other than zero: inner nodes first, parents
	// before children, then every leaf in the order of Taxonomy.Leaves. A node that all candidates
	// share with the same value has weight zero at the optimum of every problem of this package,
	// because only differences Lambda(y)-Lambda(z) enter it, and gets no column.
	columns []int
	column  []int // node -> column, -1 without
	inner   int   // number of inner columns

	// Rows over columns.
	colptr []int
	cols   []int32
	vals   []float64

	// On a tree whose attributes depend on the node alone the score of a leaf is its parent's sum
	// plus its own term, so one pass over the columns gives all of them.
	topDown bool
	value   []float64 // by column
	parent  []int32   // by column, 1 + column of the nearest ancestor with one; 0 without

	gram        []float64 // inner products of candidates, nil for large taxonomies
	orthonormal bool      // every candidate has a column of its own with value 1, and nothing else
}

// String returns the number of candidates and columns.
func (a *Attributes) String() string {
	return fmt.Sprintf("attributes of %d candidates over %d nodes, %d of them with weights", len(a.candidates), a.taxonomy.Len(), len(a.columns))
}

// maxGram bounds the leaves for which all inner products of attribute vectors are tabulated (32
// MiB); above it they are computed when asked for.
const maxGram = 2048

// Flat returns the attributes of a flat classifier: the identity over the leaves, so that a leaf's
// score is <W_y, x>.
func Flat(t *taxonomy.Taxonomy) *Attributes {
	a, err := NewAttributes(t, func(leaf int) ([]int, []float64) {
		return []int{leaf}, []float64{1}
	})
	if err != nil {
		panic("structured: flat attributes: " + err.Error())
	}
	return a
}

// Ancestors returns the indicator attributes of [CH04]: 1 on every ancestor of the leaf and on the
// leaf itself [CSS16, above (1)].
func Ancestors(t *taxonomy.Taxonomy) *Attributes {
	ones := make([]float64, t.Len())
	for n := range ones {
		ones[n] = 1
	}
	a, err := ancestors(t, ones)
	if err != nil {
		panic("structured: ancestor attributes: " + err.Error())
	}
	return a
}

// Nodes returns the attributes of a classifier with a weight vector for every node, which is a
// candidate whose score is <W_n, x>.
func Nodes(t *taxonomy.Taxonomy) *Attributes {
	a, err := NewCandidates(t, allNodes(t), func(n int) ([]int, []float64) { return []int{n}, []float64{1} })
	if err != nil {
		panic("structured: attributes of nodes: " + err.Error())
	}
	return a
}

// allNodes returns the ids of all nodes.
func allNodes(t *taxonomy.Taxonomy) []int {
	nodes := make([]int, t.Len())
	for n := range nodes {
		nodes[n] = n
	}
	return nodes
}

// SqrtAlpha returns the normalized attributes of [CSS16, (5)]: sqrt(alpha_n) on every ancestor n of
// the leaf and on the leaf itself. alpha has one entry per node, none negative.
func SqrtAlpha(t *taxonomy.Taxonomy, alpha []float64) (*Attributes, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if len(alpha) != t.Len() {
		return nil, fmt.Errorf("structured: alpha has %d entries, the taxonomy %d nodes; pass one weight per node", len(alpha), t.Len())
	}
	root := make([]float64, len(alpha))
	for n, v := range alpha {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("structured: alpha of node %q is %v; node weights must be finite and not negative", t.Name(n), v)
		}
		root[n] = math.Sqrt(v)
	}
	return ancestors(t, root)
}

func ancestors(t *taxonomy.Taxonomy, value []float64) (*Attributes, error) {
	return NewAttributes(t, func(leaf int) ([]int, []float64) {
		nodes := t.Ancestors(leaf)
		values := make([]float64, len(nodes))
		for k, n := range nodes {
			values[k] = value[n]
		}
		return nodes, values
	})
}

// NewAttributes returns the attributes whose vector for a leaf is what row returns: node ids,
// ascending, and the values there. Any vectors are allowed, on trees and on DAGs; those that depend
// on the node alone and cover all ancestors are recognised and scored in one pass over the nodes of
// a tree.
func NewAttributes(t *taxonomy.Taxonomy, row func(leaf int) (nodes []int, values []float64)) (*Attributes, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	return NewCandidates(t, t.Leaves(), row)
}

// NewCandidates is NewAttributes for labels other than the leaves: candidates are node ids,
// ascending.
func NewCandidates(t *taxonomy.Taxonomy, candidates []int, row func(candidate int) (nodes []int, values []float64)) (*Attributes, error) {
	if len(candidates) == 0 {
		return nil, fmt.Errorf("structured: the taxonomy has no leaves to predict")
	}
	a := &Attributes{taxonomy: t, candidates: candidates, indptr: make([]int, 1, len(candidates)+1)}
	for k, leaf := range candidates {
		if leaf < 0 || leaf >= t.Len() || k > 0 && candidates[k-1] >= leaf {
			return nil, fmt.Errorf("structured: candidate %d is node %d; candidates must be node ids of the taxonomy, ascending", k, leaf)
		}
		nodes, values := row(leaf)
		if len(nodes) != len(values) {
			return nil, fmt.Errorf("structured: attributes of leaf %q: %d nodes, %d values", t.Name(leaf), len(nodes), len(values))
		}
		for k, n := range nodes {
			if n < 0 || n >= t.Len() {
				return nil, fmt.Errorf("structured: attributes of leaf %q: node %d is not in 0..%d", t.Name(leaf), n, t.Len()-1)
			}
			if k > 0 && nodes[k-1] >= n {
				return nil, fmt.Errorf("structured: attributes of leaf %q: node ids %d, %d do not ascend", t.Name(leaf), nodes[k-1], n)
			}
			if math.IsNaN(values[k]) || math.IsInf(values[k], 0) {
				return nil, fmt.Errorf("structured: attributes of leaf %q: value %v at node %q is not finite", t.Name(leaf), values[k], t.Name(n))
			}
			if values[k] != 0 {
				a.nodes = append(a.nodes, n)
				a.values = append(a.values, values[k])
			}
		}
		a.indptr = append(a.indptr, len(a.nodes))
	}
	a.layout(nil)
	a.findTopDown()
	a.findOrthonormal()
	a.tabulate()
	return a, nil
}

// tabulate computes the inner products of all attribute vectors if they are few.
func (a *Attributes) tabulate() {
	q := len(a.candidates)
	if q > maxGram {
		return
	}
	a.gram = make([]float64, q*q)
	for y := range q {
		for z := range y + 1 {
			g := a.dot(y, z)
			a.gram[y*q+z], a.gram[z*q+y] = g, g
		}
	}
}

// layout chooses the columns, among them those of the nodes given, and writes the rows over them.
func (a *Attributes) layout(also []int) {
	t := a.taxonomy
	q := len(a.candidates)
	count := make([]int, t.Len())
	first := make([]float64, t.Len())
	constant := make([]bool, t.Len())
	for k, n := range a.nodes {
		if count[n] == 0 {
			first[n], constant[n] = a.values[k], true
		}
		constant[n] = constant[n] && first[n] == a.values[k]
		count[n]++
	}
	a.column = make([]int, t.Len())
	for n := range a.column {
		a.column[n] = -1
	}
	wanted := make([]bool, t.Len())
	for _, n := range also {
		wanted[n] = true
	}
	for _, n := range t.Topological() {
		if !t.IsLeaf(n) && (wanted[n] || count[n] > 0 && !(constant[n] && count[n] == q)) {
			a.column[n] = len(a.columns)
			a.columns = append(a.columns, n)
		}
	}
	a.inner = len(a.columns)
	for _, n := range t.Leaves() {
		a.column[n] = len(a.columns)
		a.columns = append(a.columns, n)
	}
	a.colptr = make([]int, 1, q+1)
	for y := range q {
		for k := a.indptr[y]; k < a.indptr[y+1]; k++ {
			if c := a.column[a.nodes[k]]; c >= 0 {
				a.cols = append(a.cols, int32(c))
				a.vals = append(a.vals, a.values[k])
			}
		}
		a.colptr = append(a.colptr, len(a.cols))
	}
}

// findTopDown sets topDown if the columns of every leaf are exactly its ancestors with a column,
// each with the node's own value, on a tree.
func (a *Attributes) findTopDown() {
	t := a.taxonomy
	if !t.IsTree() || !slices.Equal(a.candidates, t.Leaves()) {
		return
	}
	value := make([]float64, len(a.columns))
	for k, c := range a.cols {
		if value[c] != 0 && value[c] != a.vals[k] {
			return
		}
		value[c] = a.vals[k]
	}
	for y, leaf := range t.Leaves() {
		above := 0
		for _, n := range t.Ancestors(leaf) {
			if c := a.column[n]; c >= 0 && value[c] != 0 {
				above++
			}
		}
		row := a.cols[a.colptr[y]:a.colptr[y+1]]
		if above != len(row) {
			return
		}
		for _, c := range row {
			if !slices.Contains(t.Ancestors(leaf), a.columns[c]) {
				return
			}
		}
	}
	a.topDown, a.value = true, value
	a.parent = make([]int32, len(a.columns))
	for c, n := range a.columns {
		for up := t.Parents(n); len(up) > 0; up = t.Parents(up[0]) {
			if p := a.column[up[0]]; p >= 0 {
				a.parent[c] = int32(p + 1)
				break
			}
		}
	}
}

// findOrthonormal sets orthonormal.
func (a *Attributes) findOrthonormal() {
	seen := make([]bool, len(a.columns))
	for y := range a.candidates {
		lo := a.colptr[y]
		if a.colptr[y+1] != lo+1 || a.vals[lo] != 1 || seen[a.cols[lo]] {
			return
		}
		seen[a.cols[lo]] = true
	}
	a.orthonormal = true
}

// Taxonomy returns the taxonomy whose leaves the attributes describe.
func (a *Attributes) Taxonomy() *taxonomy.Taxonomy { return a.taxonomy }

// Candidates returns the node ids of the labels, ascending. The slice must not be modified.
func (a *Attributes) Candidates() []int { return a.candidates }

// Candidate returns the position of a node in Candidates, or -1 if it is not a candidate.
func (a *Attributes) Candidate(node int) int {
	if at, ok := slices.BinarySearch(a.candidates, node); ok {
		return at
	}
	return -1
}

// Columns returns the node id of each column of the weights: nodes that can have a weight other
// than zero. The slice must not be modified.
func (a *Attributes) Columns() []int { return a.columns }

// Column returns the column of a node, -1 if it has none.
func (a *Attributes) Column(node int) int { return a.column[node] }

// direct adds scale times the attribute vector of a candidate to a step.
func (a *Attributes) direct(y int32, scale float64, step *Step) {
	for k := a.colptr[y]; k < a.colptr[y+1]; k++ {
		step.Add(a.cols[k], scale*a.vals[k])
	}
}

// Leaf returns the attribute vector of the candidate at position y, for the leaves their position
// in Taxonomy.Leaves: node ids and values without zeros. The slices must not be modified.
func (a *Attributes) Leaf(y int) (nodes []int, values []float64) {
	return a.nodes[a.indptr[y]:a.indptr[y+1]], a.values[a.indptr[y]:a.indptr[y+1]]
}

// NormDifference returns ||Lambda(y)-Lambda(z)|| of the leaves at positions y and z; for SqrtAlpha
// this is the normalized loss, [CSS16, (9)].
func (a *Attributes) NormDifference(y, z int) float64 {
	var sum float64
	a.merge(y, z, func(n int, v, w float64) {
		if v != w {
			sum += (v - w) * (v - w)
		}
	})
	return math.Sqrt(sum)
}

// dot returns the inner product of two attribute vectors over the columns.
func (a *Attributes) dot(y, z int) float64 {
	var sum float64
	a.merge(y, z, func(n int, v, w float64) {
		if a.column[n] >= 0 {
			sum += v * w
		}
	})
	return sum
}

// merge calls do for every node where one of two attribute vectors is not zero.
func (a *Attributes) merge(y, z int, do func(n int, v, w float64)) {
	nodes, values := a.Leaf(y)
	others, theirs := a.Leaf(z)
	for len(nodes) > 0 || len(others) > 0 {
		switch {
		case len(others) == 0 || len(nodes) > 0 && nodes[0] < others[0]:
			do(nodes[0], values[0], 0)
			nodes, values = nodes[1:], values[1:]
		case len(nodes) == 0 || others[0] < nodes[0]:
			do(others[0], 0, theirs[0])
			others, theirs = others[1:], theirs[1:]
		default:
			do(nodes[0], values[0], theirs[0])
			nodes, values = nodes[1:], values[1:]
			others, theirs = others[1:], theirs[1:]
		}
	}
}

// product returns <Lambda(y), Lambda(z)> over the columns.
func (a *Attributes) product(y, z int32) float64 {
	if a.orthonormal {
		if y == z {
			return 1
		}
		return 0
	}
	if a.gram != nil {
		return a.gram[int(y)*len(a.candidates)+int(z)]
	}
	return a.dot(int(y), int(z))
}

// candidateScores turns node scores s (one entry a column, <W_n, x>) into the scores of all
// candidates. sums is scratch of at least one entry a column plus one. On a tree with attributes
// that depend on the node alone it takes O(nodes), otherwise the number of non-zero attributes.
func (a *Attributes) candidateScores(s, sums, leaves []float64) {
	if !a.topDown {
		for y := range leaves {
			var f float64
			for k := a.colptr[y]; k < a.colptr[y+1]; k++ {
				f += float64(a.vals[k] * s[a.cols[k]])
			}
			leaves[y] = f
		}
		return
	}
	sums[0] = 0
	for c := range a.inner {
		sums[c+1] = float64(a.value[c]*s[c]) + sums[a.parent[c]]
	}
	s, value, parent := s[a.inner:], a.value[a.inner:], a.parent[a.inner:]
	s, value, parent = s[:len(leaves)], value[:len(leaves)], parent[:len(leaves)]
	for y := range leaves {
		leaves[y] = float64(value[y]*s[y]) + sums[parent[y]]
	}
}

// candidateScore is candidateScores for the candidate at position y, with its bits.
func (a *Attributes) candidateScore(s []float64, y int) (f float64) {
	if a.topDown {
		return a.downTo(s, int32(a.inner+y+1))
	}
	for k := a.colptr[y]; k < a.colptr[y+1]; k++ {
		f += float64(a.vals[k] * s[a.cols[k]])
	}
	return f
}

// downTo returns the sum down to a column, which is numbered from 1; 0 for 0.
func (a *Attributes) downTo(s []float64, column int32) float64 {
	if column == 0 {
		return 0
	}
	return float64(a.value[column-1]*s[column-1]) + a.downTo(s, a.parent[column-1])
}

// longestSum returns the largest sum of the absolute values of an attribute vector.
func (a *Attributes) longestSum() (longest float64) {
	for y := range a.candidates {
		var sum float64
		for _, v := range a.vals[a.colptr[y]:a.colptr[y+1]] {
			sum += math.Abs(v)
		}
		longest = max(longest, sum)
	}
	return longest
}
