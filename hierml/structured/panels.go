package structured

import (
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/internal/pages"
)

// panels score many examples under mixed weights that do not change meanwhile, in float32, panel of
// columns by panel. A panel of the rows of frequent features stays in the cache, and those of an
// example are summed up in registers; a panel of the row of another feature is read once for all
// examples. They are scratch space.
//
// Rows are summed up as whole numbers: an example's values for frequent features are rounded to
// multiples of a step of its own, of which the largest is many. Where scores are to be closely
// bounded, what is left of the values is rounded and summed up likewise.
type panels struct {
	mixed  *mixed
	x      *dataset.Matrix
	scores []float32   // examples x stride
	panel  [][]float32 // by worker, examples x panelWidth
	// values of an example, and what is left of them when they are rounded, and units of the
	// features
	exact []float64
	units []float64

	count []int32 // by feature, examples that have it; less than 0 for the features below
	// The rows of frequent features, example by example, and what multiplies each two of them.
	// Example k has the groups border[k] to border[k+1]; group g has the rows starts[g] to
	// starts[g+1], and a step.
	border  []int
	starts  []int
	rows    []*int16
	factors []uint32
	steps   []float32
	// by example, the norm of what its values are changed by when they are rounded
	errors []float64
	// by example, what the norms of its rounded values are together above that of the values, at
	// most
	sizes []float64
	terms []int // by example, sums of its groups and products that are added to them
	// The examples of the other features that have rows; those of features[k] begin at begin[k].
	features []int32
	begin    []int32
	examples []int32
	values   []float32
}

// frequent is the number of examples together from which a feature is frequent; of few examples all
// features are.
const frequent, fewExamples = 32, 64

// maxSteps is the largest number of steps that a value has, and roomSteps that of values together
// for which the sum of their products with weights has room.
const maxSteps, roomSteps = 1<<12 - 1, math.MaxUint16

func newPanels(m *mixed, x *dataset.Matrix) *panels {
	return &panels{mixed: m, x: x}
}

// load scores examples but for what tables add, which is left to [panels.of]. Scores are wrong by
// less, and take longer, if they are to be close.
func (s *panels) load(examples []int, workers int, closely bool) {
	stride := s.mixed.stride
	if need := len(examples) * stride; cap(s.scores) < need {
		s.scores = pages.Zeros[float32](need)
	}
	s.sort(examples, closely)
	n := stride / panelWidth
	shares := min(guarded.Workers(workers), n)
	for len(s.panel) < shares {
		s.panel = append(s.panel, nil)
	}
	guarded.Each(shares, shares, func(share int) {
		if len(s.panel[share]) < len(examples)*panelWidth {
			s.panel[share] = make([]float32, len(examples)*panelWidth)
		}
		for k := share * n / shares; k < (share+1)*n/shares; k++ {
			s.score(k*panelWidth, len(examples), s.panel[share])
		}
	})
}

// sort finds the rows of every example, or the examples of every row.
func (s *panels) sort(examples []int, closely bool) {
	m := s.mixed
	few := len(examples) <= fewExamples
	s.features, s.begin = s.features[:0], append(s.begin[:0], 0)
	if !few {
		s.number(examples)
	}
	others := s.begin[len(s.features)]
	s.examples, s.values = slices.Grow(s.examples[:0], int(others))[:others], slices.Grow(s.values[:0], int(others))[:others]
	s.border, s.starts, s.rows, s.factors = append(s.border[:0], 0), s.starts[:0], s.rows[:0], s.factors[:0]
	s.steps, s.errors, s.sizes, s.terms = s.steps[:0], s.errors[:0], s.sizes[:0], s.terms[:0]
	for k, i := range examples {
		features, values := s.x.Row(i)
		s.exact, s.units = s.exact[:0], s.units[:0]
		for j, f := range features {
			row := m.rows[f]
			switch {
			case row == nil:
			case few || s.count[f] > 0:
				s.rows = append(s.rows, &row[0])
				s.exact, s.units = append(s.exact, float64(values[j])*float64(m.units[f])), append(s.units, float64(m.units[f]))
			default:
				at := &s.begin[-1-s.count[f]]
				s.examples[*at], s.values[*at] = int32(k), values[j]*m.units[f]
				*at++
			}
		}
		others, groups := len(features)-len(s.exact), len(s.starts)
		s.round()
		left := s.left()
		size := left
		if n := len(s.exact); closely && n > 0 {
			s.rows = append(s.rows, s.rows[len(s.rows)-n:]...)
			s.round()
			size = 2 * left
			left = s.left()
			size += left
		}
		s.border, s.errors, s.sizes = append(s.border, len(s.starts)), append(s.errors, left), append(s.sizes, size)
		s.terms = append(s.terms, others+len(s.starts)-groups)
	}
	copy(s.begin[1:], s.begin) // each is where the next begins now
	s.begin[0] = 0
	s.starts = append(s.starts, len(s.rows))
	if n := len(s.rows); n > 0 {
		for range rowsAhead {
			s.rows = append(s.rows, s.rows[n-1])
		}
	}
}

// number numbers the features with rows that are not frequent.
func (s *panels) number(examples []int) {
	if s.count == nil {
		s.count = make([]int32, len(s.mixed.rows))
	}
	clear(s.count)
	for _, i := range examples {
		features, _ := s.x.Row(i)
		for _, f := range features {
			s.count[f]++
		}
	}
	var others int32
	for f, n := range s.count {
		if n == 0 || n >= frequent || s.mixed.rows[f] == nil {
			continue
		}
		s.count[f] = -1 - int32(len(s.features))
		s.features = append(s.features, int32(f))
		others += n
		s.begin = append(s.begin, others)
	}
}

// round rounds the values of the rows of an example, the last ones, and makes groups of them. It
// leaves of the values what they are changed by.
func (s *panels) round() {
	var largest float64
	for _, v := range s.exact {
		largest = max(largest, math.Abs(v)) // no number where one is none
	}
	step := float64(unitFor(largest * full / maxSteps))
	if len(s.exact)%2 == 1 {
		s.rows = append(s.rows, s.rows[len(s.rows)-1])
		s.exact, s.units = append(s.exact, 0), append(s.units, 0)
	}
	first := len(s.rows) - len(s.exact)
	sum := roomSteps + 1
	for j := 0; j < len(s.exact); j += 2 {
		var pair [2]int
		for side := range pair {
			v := s.exact[j+side]
			s.exact[j+side] = 0
			if v == 0 || math.IsInf(step, 1) {
				continue
			}
			n := math.RoundToEven(v / step)
			s.exact[j+side] = v - n*step
			pair[side] = int(n)
		}
		n := max(pair[0], -pair[0]) + max(pair[1], -pair[1])
		if sum += n; sum > roomSteps {
			s.starts, s.steps = append(s.starts, first+j), append(s.steps, float32(step))
			sum = n
		}
		s.factors = append(s.factors, uint32(uint16(int16(pair[0])))|uint32(uint16(int16(pair[1])))<<16)
	}
}

// left returns the norm of what the values of an example are changed by, without the units.
func (s *panels) left() float64 {
	var square float64
	for j, v := range s.exact {
		if v != 0 {
			square += v / s.units[j] * (v / s.units[j])
		}
	}
	return math.Sqrt(square)
}

// score scores a panel of the examples.
func (s *panels) score(column, examples int, panel []float32) {
	clear(panel[:examples*panelWidth])
	for j, f := range s.features {
		lo, hi := s.begin[j], s.begin[j+1]
		next := s.features[min(j+rowsAhead, len(s.features)-1)]
		spreadPanel(panel, s.examples[lo:hi], s.values[lo:hi], &s.mixed.rows[f][column], &s.mixed.rows[next][column])
	}
	for k := range examples {
		sums, dst := panel[k*panelWidth:][:panelWidth], s.scores[k*s.mixed.stride+column:][:panelWidth]
		last := s.border[k+1] - 1
		if last < s.border[k] {
			copy(dst, sums)
			continue
		}
		for g := s.border[k]; g <= last; g++ {
			to := sums
			if g == last {
				to = dst
			}
			lo, hi := s.starts[g], s.starts[g+1]
			scorePanel(to, sums, s.rows[lo:hi], s.factors[lo/2:hi/2], s.steps[g], column)
		}
	}
}

// bound bounds what the scores of the k-th example, of the given norm, are wrong by, where no
// column is longer than longest.
func (s *panels) bound(k int, norm, longest float64) float64 {
	return s.errors[k]*longest + sumError(s.terms[k], (norm+s.sizes[k])*longest)
}

// of writes the scores of the k-th example, which is i, into dst; once.
func (s *panels) of(k, i int, dst []float64) {
	m := s.mixed
	scores := s.scores[k*m.stride : (k+1)*m.stride]
	features, values := s.x.Row(i)
	for j, f := range features {
		addTable(m.tables[f], values[j]*m.units[f], scores)
	}
	for c, v := range scores {
		dst[c] = float64(v)
	}
}
