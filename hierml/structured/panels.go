package structured

import (
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// panels score many examples under mixed weights that do not change meanwhile, in float32, panel of columns
// by panel. A panel of the rows of frequent features stays in the cache, and those of an example are summed up
// in registers; a panel of the row of another feature is read once for all examples. They are scratch
// space.
type panels struct {
	mixed  *mixed
	x      *dataset.Matrix
	scores []float32   // examples x stride
	panel  [][]float32 // by worker, examples x panelWidth

	count []int32 // by feature, examples that have it; less than 0 for the features below
	// The rows of frequent features, example by example; those of example k begin at border[k].
	border []int
	rows   []*int16
	values []float32
	// The examples of the other features that have rows; those of features[k] begin at begin[k].
	features []int32
	begin    []int32
	examples []int32
	factors  []float32
}

// frequent is the number of examples together from which a feature is frequent.
const frequent = 64

func newPanels(m *mixed, x *dataset.Matrix) *panels {
	return &panels{mixed: m, x: x, count: make([]int32, len(m.rows))}
}

// load scores examples but for what tables add, which is left to [panels.of].
func (s *panels) load(examples []int, workers int) {
	stride := s.mixed.stride
	if need := len(examples) * stride; cap(s.scores) < need {
		s.scores = newZeros[float32](need)
	}
	s.sort(examples)
	n := stride / panelWidth
	shares := min(workerCount(workers), n)
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
func (s *panels) sort(examples []int) {
	m := s.mixed
	clear(s.count)
	for _, i := range examples {
		features, _ := s.x.Row(i)
		for _, f := range features {
			s.count[f]++
		}
	}
	s.features, s.begin = s.features[:0], append(s.begin[:0], 0)
	var others int32
	for f, n := range s.count {
		if n == 0 || n >= frequent || m.rows[f] == nil {
			continue
		}
		s.count[f] = -1 - int32(len(s.features)) // its number
		s.features = append(s.features, int32(f))
		others += n
		s.begin = append(s.begin, others)
	}
	s.examples, s.factors = slices.Grow(s.examples[:0], int(others))[:others], slices.Grow(s.factors[:0], int(others))[:others]
	s.border, s.rows, s.values = append(s.border[:0], 0), s.rows[:0], s.values[:0]
	for k, i := range examples {
		features, values := s.x.Row(i)
		for j, f := range features {
			row, x := m.rows[f], values[j]*m.units[f]
			switch n := s.count[f]; {
			case row == nil:
			case n > 0:
				s.rows, s.values = append(s.rows, &row[0]), append(s.values, x)
			default:
				at := &s.begin[-1-n]
				s.examples[*at], s.factors[*at] = int32(k), x
				*at++
			}
		}
		s.border = append(s.border, len(s.rows))
	}
	copy(s.begin[1:], s.begin) // each is where the next begins now
	s.begin[0] = 0
	if n := len(s.rows); n > 0 {
		for range rowsAhead {
			s.rows = append(s.rows, s.rows[n-1])
		}
	}
}

// score scores a panel of the examples.
func (s *panels) score(column, examples int, panel []float32) {
	for k := range examples {
		scorePanel(panel[k*panelWidth:][:panelWidth], s.rows[s.border[k]:s.border[k+1]], s.values[s.border[k]:s.border[k+1]], column)
	}
	for j, f := range s.features {
		lo, hi := s.begin[j], s.begin[j+1]
		next := s.features[min(j+rowsAhead, len(s.features)-1)]
		spreadPanel(panel, s.examples[lo:hi], s.factors[lo:hi], &s.mixed.rows[f][column], &s.mixed.rows[next][column])
	}
	for k := range examples {
		copy(s.scores[k*s.mixed.stride+column:][:panelWidth], panel[k*panelWidth:])
	}
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
