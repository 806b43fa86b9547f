package structured

import (
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/loss"
)

// Ranking compares every label of an example with every other candidate, in one block per example:
// the sum over blocks of the largest
//
//	Delta(y, z) (1 - (F(x_i, y) - F(x_i, z)))  over y in Y_i, z not in Y_i   (Slack)
//	Delta(y, z) - (F(x_i, y) - F(x_i, z))                                    (Margin)
//
// is [Cai08, (4.10)] with Slack rescaling, [Cai08, (4.3)] with a loss of 1, where they agree, and,
// for one label per example, the same as Labels. Examples that have all candidates, or none, as
// labels have no comparisons and no block.
type Ranking struct {
	attributes *Attributes
	loss       loss.Loss
	rescaling  Rescaling
	c          float64
	examples   []int32   // of each block
	labels     [][]int32 // of each block, positions in the candidates, ascending
	// loss by label and candidate; nil for labels that no example has, or if there are too many
	rows [][]float64
	same float64 // the loss of every pair of two candidates, 0 if they differ
}

// NewRanking returns the comparisons for examples with the given sets of labels, node ids that are
// candidates of the attributes; a repeated label counts once. The rescaling must be Margin or
// Slack, c is the weight of every example.
func NewRanking(a *Attributes, labels [][]int, l loss.Loss, r Rescaling, c float64) (*Ranking, error) {
	if a == nil || l == nil {
		return nil, fmt.Errorf("structured: ranking labels needs Attributes and a Loss")
	}
	if err := CheckC(c); err != nil {
		return nil, fmt.Errorf("structured: %w", err)
	}
	if r != Margin && r != Slack {
		return nil, fmt.Errorf("structured: labels are ranked with structured.Margin or structured.Slack rescaling, not %v", r)
	}
	if err := loss.Check(l, a.taxonomy); err != nil {
		return nil, err
	}
	rk := &Ranking{attributes: a, loss: l, rescaling: r, c: c}
	q := len(a.candidates)
	seen := make([]bool, q)
	for i, nodes := range labels {
		set, err := rk.positions(i, nodes)
		if err != nil {
			return nil, err
		}
		if len(set) == 0 || len(set) == q {
			continue
		}
		if len(set) > math.MaxInt32/q {
			return nil, fmt.Errorf("structured: row %d has %d labels; of %d candidates at most %d can be labels of one row", i, len(set), q, math.MaxInt32/q)
		}
		for _, y := range set {
			seen[y] = true
		}
		rk.examples = append(rk.examples, int32(i))
		rk.labels = append(rk.labels, set)
	}
	return rk, rk.tabulate(seen)
}

// positions returns the candidates that are the labels of a row, ascending.
func (rk *Ranking) positions(row int, labels []int) ([]int32, error) {
	t := rk.attributes.taxonomy
	set := make([]int32, len(labels))
	for k, n := range labels {
		if n < 0 || n >= t.Len() {
			return nil, fmt.Errorf("structured: row %d has label %d; the taxonomy has nodes 0..%d", row, n, t.Len()-1)
		}
		y := rk.attributes.Candidate(n)
		if y < 0 {
			return nil, fmt.Errorf("structured: row %d has label %q, which is not among the candidates; labels must be leaves", row, t.Name(n))
		}
		set[k] = int32(y)
	}
	slices.Sort(set)
	return slices.Compact(set), nil
}

// tabulate checks the losses of the labels seen and keeps them if they are few.
func (rk *Ranking) tabulate(seen []bool) error {
	t, candidates := rk.attributes.taxonomy, rk.attributes.candidates
	distinct := 0
	for _, s := range seen {
		if s {
			distinct++
		}
	}
	if distinct*len(candidates)*8 <= costTable {
		rk.rows = make([][]float64, len(candidates))
	}
	var row []float64
	same := math.NaN()
	for y, s := range seen {
		if !s {
			continue
		}
		if row == nil || rk.rows != nil {
			row = make([]float64, len(candidates))
		}
		rk.fill(int32(y), row)
		for z, v := range row {
			if !(v >= 0) || math.IsInf(v, 1) {
				return fmt.Errorf("structured: loss of predicting %q when %q is true is %v; a loss must be finite and not negative",
					t.Name(candidates[z]), t.Name(candidates[y]), v)
			}
			if math.IsNaN(same) && z != y {
				same = v
			}
			if v != same && z != y {
				same = 0
			}
		}
		if rk.rows != nil {
			rk.rows[y] = row
		}
	}
	if same > 0 {
		rk.same = same
	}
	return nil
}

// fill writes the losses of all candidates for a label.
func (rk *Ranking) fill(y int32, row []float64) {
	a := rk.attributes
	if slices.Equal(a.candidates, a.taxonomy.Leaves()) {
		loss.Row(rk.loss, a.taxonomy, a.candidates[y], row)
		return
	}
	for z, n := range a.candidates {
		row[z] = rk.loss.Cost(a.candidates[y], n)
	}
}

// pair returns the label and the candidate that a competitor compares.
func (rk *Ranking) pair(b int, id int32) (y, z int32) {
	q := int32(len(rk.attributes.candidates))
	return rk.labels[b][id/q], id % q
}

// Pair returns the label and the other candidate that a competitor compares, as node ids.
func (rk *Ranking) Pair(b int, id int32) (label, other int) {
	y, z := rk.pair(b, id)
	return rk.attributes.candidates[y], rk.attributes.candidates[z]
}

// Attributes returns the attribute vectors.
func (rk *Ranking) Attributes() *Attributes { return rk.attributes }

// Blocks returns the number of examples that have labels and other candidates.
func (rk *Ranking) Blocks() int { return len(rk.examples) }

// Example returns the example of a block.
func (rk *Ranking) Example(b int) int { return int(rk.examples[b]) }

// C returns the weight of the training error.
func (rk *Ranking) C(int) float64 { return rk.c }

func (rk *Ranking) cost(y, z int32) float64 {
	if rk.rows != nil {
		return rk.rows[y][z]
	}
	return rk.loss.Cost(rk.attributes.candidates[y], rk.attributes.candidates[z])
}

func (rk *Ranking) scale(y, z int32) float64 {
	if rk.rescaling == Margin {
		return 1
	}
	return rk.cost(y, z)
}

// Known reports whether the id names a label of the example and a candidate.
func (rk *Ranking) Known(b int, id int32) bool {
	return id >= 0 && int(id) < len(rk.labels[b])*len(rk.attributes.candidates)
}

// Cost returns the loss of a competitor.
func (rk *Ranking) Cost(b int, id int32) float64 { return rk.cost(rk.pair(b, id)) }

// Direct adds scale times Lambda(y)-Lambda(z), itself times the loss under Slack rescaling.
func (rk *Ranking) Direct(b int, id int32, scale float64, step *Step) {
	y, z := rk.pair(b, id)
	scale *= rk.scale(y, z)
	rk.attributes.direct(y, scale, step)
	rk.attributes.direct(z, -scale, step)
}

// Product returns the inner product of two competitors' directions.
func (rk *Ranking) Product(b int, k, l int32) float64 {
	y, z := rk.pair(b, k)
	v, w := rk.pair(b, l)
	a := rk.attributes
	return rk.scale(y, z) * rk.scale(v, w) * (a.product(y, v) - a.product(y, w) - a.product(z, v) + a.product(z, w))
}

// NewSearch returns a search that scores all candidates at once. It checks all pairs or, if all
// have the same loss, the labels with the lowest and the others with the highest scores.
func (rk *Ranking) NewSearch() Search {
	q := len(rk.attributes.candidates)
	s := &rankingSearch{
		ranking: rk, scores: make([]float64, q), relevant: make([]bool, q),
		sums: make([]float64, len(rk.attributes.columns)+1),
	}
	if rk.same > 0 {
		return &extremes{rankingSearch: s}
	}
	return s
}

type rankingSearch struct {
	ranking  *Ranking
	labels   []int32     // of the block
	scores   []float64   // of the candidates
	relevant []bool      // by candidate
	rows     [][]float64 // losses of each label of the block
	own      [][]float64 // rows that are not tabulated
	sums     []float64
}

// turn turns to a block and scores its candidates.
func (s *rankingSearch) turn(b int, scores []float64) {
	for _, y := range s.labels {
		s.relevant[y] = false
	}
	s.labels = s.ranking.labels[b]
	for _, y := range s.labels {
		s.relevant[y] = true
	}
	s.ranking.attributes.candidateScores(scores, s.sums, s.scores)
}

func (s *rankingSearch) Load(b int, scores []float64) float64 {
	rk := s.ranking
	s.turn(b, scores)
	s.rows = s.rows[:0]
	for r, y := range s.labels {
		if rk.rows != nil {
			s.rows = append(s.rows, rk.rows[y])
			continue
		}
		if r == len(s.own) {
			s.own = append(s.own, make([]float64, len(s.scores)))
		}
		rk.fill(y, s.own[r])
		s.rows = append(s.rows, s.own[r])
	}
	worst := 0.0
	for r := range s.labels {
		f, row := s.scores[s.labels[r]], s.rows[r]
		for z, g := range s.scores {
			if !s.relevant[z] {
				worst = max(worst, s.violation(row[z], f-g))
			}
		}
	}
	return worst
}

func (s *rankingSearch) violation(cost, margin float64) float64 {
	if s.ranking.rescaling == Slack {
		return cost * (1 - margin)
	}
	return cost - margin
}

func (s *rankingSearch) Violation(id int32) float64 {
	q := int32(len(s.scores))
	r, z := id/q, id%q
	return s.violation(s.rows[r][z], s.scores[s.labels[r]]-s.scores[z])
}

func (s *rankingSearch) Worst(n int, floor float64, known []int32, dst []int32) []int32 {
	floor = max(floor, 0)
	if n <= 0 {
		return dst
	}
	q, worst := len(s.scores), dst[len(dst):]
	for r, y := range s.labels {
		f, row := s.scores[y], s.rows[r]
		for z, g := range s.scores {
			v := s.violation(row[z], f-g)
			id := int32(r*q + z)
			if v > floor && !s.relevant[z] && !slices.Contains(known, id) {
				worst, floor = insertWorst(s, worst, n, id, v, floor)
			}
		}
	}
	return append(dst, worst...)
}
