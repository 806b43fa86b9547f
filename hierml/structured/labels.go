package structured

import (
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/internal/enum"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/loss"
)

// Rescaling determines how the loss Delta enters the hinge max_y { b(y) + r(y) (F(y) - F(y_i)) }.
type Rescaling int

const (
	// Margin rescaling: b = Delta, r = 1. [CSS16, (2), (3), (10) and (12)].
	Margin Rescaling = iota
	// Norm rescaling divides everything inside the maximum by ||Lambda(y)-Lambda(y_i)||: b =
	// Delta/||.||, r = 1/||.||. With the loss [CSS16, (9)] this is [CSS16, (13)] (b = 1), with its
	// maximum taken over y != y_i and a hinge around it, without which the printed optimum is W =
	// 0. Labels with the attributes of y_i are left out.
	Norm
	// Slack rescaling: b = r = Delta. A margin of 1 is required, and a violation has weight Delta.
	// [Cai08, (4.10)]; TREELOSS of [ZXW11].
	Slack
)

var rescalings = []string{"Margin", "Norm", "Slack"}

// MarshalText returns the name of the constant.
func (r Rescaling) MarshalText() ([]byte, error) { return enum.Marshal(r, rescalings) }

// UnmarshalText reads the name of a constant, in whatever case.
func (r *Rescaling) UnmarshalText(text []byte) error { return enum.Unmarshal(r, rescalings, text) }

// String returns the name of the rescaling.
func (r Rescaling) String() string {
	switch r {
	case Margin:
		return "margin"
	case Norm:
		return "norm"
	case Slack:
		return "slack"
	}
	return fmt.Sprintf("Rescaling(%d)", int(r))
}

// costTable bounds the bytes of the costs that are tabulated; those of more labels are computed
// when asked for.
const costTable = 64 << 20

// Labels compares the label of every example with every other candidate of the attributes: one
// block per example, whose competitors are identified by their positions in Attributes.Candidates.
type Labels struct {
	attributes *Attributes
	loss       loss.Loss
	rescaling  Rescaling
	c          float64
	truth      []int32
	// b by true label and candidate; nil for labels without examples, or of which there are too
	// many
	costs   [][]float64
	scales  [][]float64 // r likewise, nil where all are 1
	leaves  bool        // the candidates are the leaves
	largest []float64   // b by true label, nil for Norm
}

// NewLabels returns the comparisons of labels y, one node id per example, with the other candidates
// of the attributes. c is the weight of every example.
func NewLabels(a *Attributes, y []int, l loss.Loss, r Rescaling, c float64) (*Labels, error) {
	if a == nil || l == nil {
		return nil, fmt.Errorf("structured: comparing labels needs Attributes and a Loss")
	}
	if err := CheckC(c); err != nil {
		return nil, fmt.Errorf("structured: %w", err)
	}
	if err := loss.Check(l, a.taxonomy); err != nil {
		return nil, err
	}
	if r < Margin || r > Slack {
		return nil, fmt.Errorf("structured: unknown Rescaling %d; use structured.Margin, structured.Norm or structured.Slack", int(r))
	}
	t := a.taxonomy
	ls := &Labels{attributes: a, loss: l, rescaling: r, c: c, truth: make([]int32, len(y)), leaves: slices.Equal(a.candidates, t.Leaves())}
	for i, n := range y {
		if n < 0 || n >= t.Len() {
			return nil, fmt.Errorf("structured: row %d has label %d; the taxonomy has nodes 0..%d", i, n, t.Len()-1)
		}
		k := a.Candidate(n)
		if k < 0 {
			return nil, fmt.Errorf("structured: row %d has label %q, an inner node of the taxonomy; labels must be leaves", i, t.Name(n))
		}
		ls.truth[i] = int32(k)
	}
	return ls, ls.tabulate()
}

// tabulate checks the costs of the labels that some example has and keeps them if they are few.
func (ls *Labels) tabulate() error {
	q := len(ls.attributes.candidates)
	distinct := slices.Clone(ls.truth)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	keep := len(distinct)*q*8 <= costTable
	if keep {
		ls.costs, ls.scales = make([][]float64, q), make([][]float64, q)
	}
	workers := 1 // those of too many labels are computed by several in the training, too
	if !keep {
		workers = guarded.Workers(0)
	}
	if ls.rescaling != Norm {
		ls.largest = make([]float64, q)
	}
	wrong := make([]error, len(distinct))
	costs, scales := make([][]float64, workers), make([][]float64, workers)
	guarded.Chunks(len(distinct), len(costs), func(worker, lo, hi int) {
		if costs[worker] == nil {
			costs[worker], scales[worker] = make([]float64, q), make([]float64, q)
		}
		cost, scale := costs[worker], scales[worker]
		for k := lo; k < hi; k++ {
			y := distinct[k]
			ls.losses(y, cost)
			largest, err := ls.check(y, cost)
			if ls.largest != nil {
				ls.largest[y] = largest
			}
			if wrong[k] = err; err != nil || !keep {
				continue
			}
			ls.rescale(y, cost, scale)
			ls.costs[y] = slices.Clone(cost)
			if ls.rescaling != Margin {
				ls.scales[y] = slices.Clone(scale)
			}
		}
	})
	for _, err := range wrong {
		if err != nil {
			return err
		}
	}
	return nil
}

// check returns the largest of the losses where the candidate at position y is true, or an error
// where one of them is no loss.
func (ls *Labels) check(y int32, losses []float64) (largest float64, err error) {
	t, candidates := ls.attributes.taxonomy, ls.attributes.candidates
	for z, v := range losses {
		if !(v >= 0 && v <= math.MaxFloat64) || z == int(y) && v != 0 {
			return 0, fmt.Errorf("structured: loss of predicting %q when %q is true is %v; a loss must be finite, not negative, and zero for the truth",
				t.Name(candidates[z]), t.Name(candidates[y]), v)
		}
		if v > largest {
			largest = v
		}
	}
	return largest, nil
}

// losses writes the losses of all candidates.
func (ls *Labels) losses(truth int32, dst []float64) {
	a := ls.attributes
	if ls.leaves {
		loss.Row(ls.loss, a.taxonomy, a.candidates[truth], dst)
		return
	}
	for z, n := range a.candidates {
		dst[z] = ls.loss.Cost(a.candidates[truth], n)
	}
}

// rescale turns a row of losses into b and writes r.
func (ls *Labels) rescale(truth int32, cost, scale []float64) {
	switch ls.rescaling {
	case Norm:
		for z := range cost {
			if norm := ls.attributes.NormDifference(int(truth), z); norm > 0 {
				cost[z], scale[z] = cost[z]/norm, 1/norm
			} else {
				cost[z], scale[z] = 0, 0
			}
		}
	case Slack:
		copy(scale, cost)
	}
}

// Attributes returns the attribute vectors.
func (ls *Labels) Attributes() *Attributes { return ls.attributes }

// Separate reports whether the directions of the competitors of an example share only the column of
// its label and have one other column each, as in a flat SVM with margin rescaling.
func (ls *Labels) Separate() bool { return ls.attributes.orthonormal && ls.rescaling == Margin }

// Label returns the position of the true label of example i.
func (ls *Labels) Label(i int) int32 { return ls.truth[i] }

// Leads writes into dst, one entry per candidate, the lead of the candidate at position y that an
// example with label y needs to have no error: b/r, which is Delta with margin and norm rescaling
// and 1 with slack rescaling. It is zero where nothing is required: for y itself, and for labels
// whose loss is zero or that norm rescaling leaves out.
func (ls *Labels) Leads(y int, dst []float64) {
	for z := range dst {
		dst[z] = 0
		candidates := ls.attributes.candidates
		cost := ls.loss.Cost(candidates[y], candidates[z])
		switch {
		case cost == 0 || ls.rescaling == Norm && ls.attributes.NormDifference(y, z) == 0:
		case ls.rescaling == Slack:
			dst[z] = 1
		default:
			dst[z] = cost
		}
	}
}

// Blocks returns the number of examples.
func (ls *Labels) Blocks() int { return len(ls.truth) }

// Example returns b.
func (ls *Labels) Example(b int) int { return b }

// C returns the weight of the training error.
func (ls *Labels) C(int) float64 { return ls.c }

// terms returns b and r of a competitor.
func (ls *Labels) terms(truth, y int32) (cost, scale float64) {
	if ls.costs != nil {
		cost, scale = ls.costs[truth][y], 1
		if r := ls.scales[truth]; r != nil {
			scale = r[y]
		}
		return cost, scale
	}
	candidates := ls.attributes.candidates
	cost = ls.loss.Cost(candidates[truth], candidates[y])
	switch ls.rescaling {
	case Norm:
		norm := ls.attributes.NormDifference(int(truth), int(y))
		if norm == 0 {
			return 0, 0
		}
		return cost / norm, 1 / norm
	case Slack:
		return cost, cost
	}
	return cost, 1
}

// Known reports whether y is a position among the candidates.
func (ls *Labels) Known(_ int, y int32) bool { return y >= 0 && int(y) < len(ls.attributes.candidates) }

// Cost returns b_i(y).
func (ls *Labels) Cost(b int, y int32) float64 {
	cost, _ := ls.terms(ls.truth[b], y)
	return cost
}

// atZero returns the largest violation of a block at zero weights, if it is known.
func (ls *Labels) atZero(b int) (violation float64, ok bool) {
	if ls.largest == nil {
		return 0, false
	}
	return ls.largest[ls.truth[b]], true
}

// scale returns r_i(y).
func (ls *Labels) scale(truth, y int32) float64 {
	if ls.rescaling == Margin {
		return 1
	}
	_, scale := ls.terms(truth, y)
	return scale
}

// Direct adds scale times r_i(y) (Lambda(y_i)-Lambda(y)).
func (ls *Labels) Direct(b int, y int32, scale float64, step *Step) {
	t := ls.truth[b]
	scale *= ls.scale(t, y)
	ls.attributes.direct(t, scale, step)
	ls.attributes.direct(y, -scale, step)
}

// Product returns the inner product of r_i(y) (Lambda(y_i)-Lambda(y)) and r_i(z)
// (Lambda(y_i)-Lambda(z)).
func (ls *Labels) Product(b int, y, z int32) float64 {
	t, a := ls.truth[b], ls.attributes
	return ls.scale(t, y) * ls.scale(t, z) * (a.product(t, t) - a.product(t, y) - a.product(t, z) + a.product(y, z))
}

// Products is Product for all pairs.
func (ls *Labels) Products(b int, ids []int32, dst []float64, stride int) {
	t, a := ls.truth[b], ls.attributes
	own := a.product(t, t)
	for k, y := range ids {
		row := dst[k*stride : k*stride+k+1]
		if a.orthonormal {
			for l := range row {
				row[l] = 1
			}
			row[k] = 2
		} else if a.gram != nil {
			q := len(a.candidates)
			gram := a.gram[int(y)*q : int(y+1)*q]
			rest := own - gram[t]
			for l, z := range ids[:k+1] {
				row[l] = rest - a.gram[int(t)*q+int(z)] + gram[z]
			}
		} else {
			rest := own - a.product(t, y)
			for l, z := range ids[:k+1] {
				row[l] = rest - a.product(t, z) + a.product(y, z)
			}
		}
		if ls.rescaling != Margin {
			scale := ls.scale(t, y)
			for l, z := range ids[:k+1] {
				row[l] *= scale * ls.scale(t, z)
			}
		}
	}
}

// NewSearch returns a search that scores all candidates at once.
func (ls *Labels) NewSearch() Search {
	q := len(ls.attributes.candidates)
	s := &labelSearch{labels: ls, length: ls.attributes.longestSum(), violations: make([]float64, q), sums: make([]float64, len(ls.attributes.columns)+1)}
	if ls.costs == nil {
		s.cost, s.scale = make([]float64, q), make([]float64, q)
		s.row = -1
	}
	return s
}

type labelSearch struct {
	labels     *Labels
	truth      int32   // of the block loaded
	length     float64 // the largest sum of the absolute values of an attribute vector
	violations []float64
	sums       []float64
	saved      []float64 // violations of the known, while others are looked for

	// costs of the label row, where they are not tabulated.
	row         int32
	cost, scale []float64
}

// terms returns b and r of all candidates, r nil if all are 1.
func (s *labelSearch) terms(truth int32) (cost, scale []float64) {
	ls := s.labels
	if ls.costs != nil {
		return ls.costs[truth], ls.scales[truth]
	}
	if s.row != truth {
		ls.losses(truth, s.cost)
		ls.rescale(truth, s.cost, s.scale)
		s.row = truth
	}
	if ls.rescaling == Margin {
		return s.cost, nil
	}
	return s.cost, s.scale
}

func (s *labelSearch) Load(b int, scores []float64) float64 {
	s.labels.attributes.candidateScores(scores, s.sums, s.violations)
	t := s.labels.truth[b]
	s.truth = t
	cost, scale := s.terms(t)
	v := s.violations
	truth := v[t]
	cost = cost[:len(v)]
	worst := 0.0
	if scale == nil {
		for y, f := range v {
			f += cost[y] - truth
			v[y] = f
			if f > worst {
				worst = f
			}
		}
	} else {
		scale = scale[:len(v)]
		for y, f := range v {
			f = cost[y] + scale[y]*(f-truth)
			v[y] = f
			if f > worst {
				worst = f
			}
		}
	}
	v[t] = 0
	return worst
}

func (s *labelSearch) near(bound float64, dst []int32) []int32 {
	bound *= 2 * s.length
	if _, scale := s.terms(s.truth); scale != nil {
		bound *= slices.Max(scale)
	}
	worst := 0.0
	for _, v := range s.violations {
		worst = max(worst, v)
	}
	floor := max(worst-2*bound, -bound)
	for y, v := range s.violations {
		if v >= floor && y != int(s.truth) {
			dst = append(dst, int32(y))
		}
	}
	return dst
}

func (s *labelSearch) Violation(y int32) float64 { return s.violations[y] }

func (s *labelSearch) Worst(n int, floor float64, known []int32, dst []int32) []int32 {
	floor = max(floor, 0)
	if n <= 0 {
		return dst
	}
	values := s.violations
	s.saved = s.saved[:0]
	for _, y := range known {
		s.saved = append(s.saved, values[y])
		values[y] = 0
	}
	worst := dst[len(dst):]
	for y, v := range values {
		if v > floor {
			worst, floor = insertWorst(s, worst, n, int32(y), v, floor)
		}
	}
	for k, y := range known {
		values[y] = s.saved[k]
	}
	return append(dst, worst...)
}
