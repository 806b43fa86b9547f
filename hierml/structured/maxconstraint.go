package structured

import (
	"fmt"
	"slices"
)

// MaxConstraint separates, for each node, the examples that have it from the others. The score of a
// node is the highest at or below it, the max constraint of [GL20]. There is one block per pair of
// an example and a node, with the loss
//
//	max(0, 1 - <W_n, x_i>)                         for a node n that example i has,
//	max(0, 1 + max_{m at or below n} <W_m, x_i>)   for the other nodes.
//
// Both are convex. For a node that the example has, its own score is used: the highest score below
// it would make the first loss a minimum of hinges. An example has its labels and all their
// ancestors.
//
// Blocks are sorted by example, then column. A competitor of a block is a column: that of the node,
// or of any node at or below.
type MaxConstraint struct {
	c     float64
	below [][]int32 // by column, those of the nodes at or below
	has   []bool    // examples x columns
}

// NewMaxConstraint returns the comparisons for examples with the given sets of labels, nodes of the
// taxonomy of a, possibly none. The attributes determine the column of each node; it is an error if
// a node has none. c is the weight of every hinge.
func NewMaxConstraint(a *Attributes, labels [][]int, c float64) (*MaxConstraint, error) {
	if a == nil {
		return nil, fmt.Errorf("structured: the max constraint needs Attributes")
	}
	if err := CheckC(c); err != nil {
		return nil, fmt.Errorf("structured: %w", err)
	}
	t, columns := a.taxonomy, a.columns
	if len(columns) != t.Len() {
		return nil, fmt.Errorf("structured: the attributes have columns for %d of %d nodes; call Widen with all nodes", len(columns), t.Len())
	}
	m := &MaxConstraint{c: c, below: make([][]int32, len(columns)), has: make([]bool, len(labels)*len(columns))}
	for c, n := range columns {
		m.below[c] = append(m.below[c], int32(c))
		for _, d := range t.Descendants(n) {
			if d != n {
				m.below[c] = append(m.below[c], int32(a.column[d]))
			}
		}
	}
	for i, set := range labels {
		for _, n := range set {
			if n < 0 || n >= t.Len() {
				return nil, fmt.Errorf("structured: row %d has label %d; the taxonomy has nodes 0..%d", i, n, t.Len()-1)
			}
		}
		for _, n := range t.Closure(set) {
			m.has[i*len(columns)+a.column[n]] = true
		}
	}
	return m, nil
}

// Blocks returns the number of examples times the number of nodes.
func (m *MaxConstraint) Blocks() int { return len(m.has) }

// Example returns the example of a block.
func (m *MaxConstraint) Example(b int) int { return b / len(m.below) }

// C returns the weight of the training error.
func (m *MaxConstraint) C(int) float64 { return m.c }

// competitors returns the columns that a block compares.
func (m *MaxConstraint) competitors(b int) []int32 {
	below := m.below[b%len(m.below)]
	if m.has[b] {
		return below[:1]
	}
	return below
}

// Known reports whether the id is a column that the block compares.
func (m *MaxConstraint) Known(b int, id int32) bool {
	return slices.Contains(m.competitors(b), id)
}

// Cost returns 1.
func (m *MaxConstraint) Cost(int, int32) float64 { return 1 }

// Direct adds scale at a column, or subtracts it if the example does not have the node of the
// block.
func (m *MaxConstraint) Direct(b int, id int32, scale float64, step *Step) {
	if !m.has[b] {
		scale = -scale
	}
	step.Add(id, scale)
}

// Product returns 1 for a column and itself, and 0 for two.
func (m *MaxConstraint) Product(_ int, k, l int32) float64 {
	if k == l {
		return 1
	}
	return 0
}

// atZero returns the violation of all blocks at zero weights.
func (m *MaxConstraint) atZero(int) (violation float64, ok bool) { return 1, true }

// NewSearch returns a search that looks at the scores of the columns of a block.
func (m *MaxConstraint) NewSearch() Search { return &maxSearch{problem: m} }

type maxSearch struct {
	problem *MaxConstraint
	columns []int32
	scores  []float64
	sign    float64
}

func (s *maxSearch) Load(b int, scores []float64) float64 {
	s.columns, s.scores, s.sign = s.problem.competitors(b), scores, -1
	if s.problem.has[b] {
		s.sign = 1
	}
	worst := 0.0
	for _, c := range s.columns {
		worst = max(worst, s.Violation(c))
	}
	return worst
}

func (s *maxSearch) Violation(c int32) float64 { return 1 - s.sign*s.scores[c] }

func (s *maxSearch) Worst(n int, floor float64, known []int32, dst []int32) []int32 {
	if n <= 0 {
		return dst
	}
	floor = max(floor, 0)
	worst := dst[len(dst):]
	for _, c := range s.columns {
		if v := s.Violation(c); v > floor && !slices.Contains(known, c) {
			worst, floor = insertWorst(s, worst, n, c, v, floor)
		}
	}
	return append(dst, worst...)
}
