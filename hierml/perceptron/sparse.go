package perceptron

import (
	"slices"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/structured"
)

// sparse stores the non-zero entries of w by feature, in float32, for taxonomies where each feature
// occurs with few nodes.
type sparse struct {
	attributes *structured.Attributes
	rows       []*sparseRow // nil for features without an update
	averaged   bool

	// The columns of an update, ascending, and u there.
	order []int
	at    []int32
	u     []float64

	columns, sums, candidates []float64
}

// sparseRow has the weights of a feature.
type sparseRow struct {
	columns []int32 // ascending; nil if all columns are there
	w       []float32
	delay   []float32 // as in linear
}

// fullShare is the share of the columns from which a row stores all of them.
const fullShare = 0.25

func newSparse(a *structured.Attributes, features int, averaged bool) *sparse {
	columns := len(a.Columns())
	return &sparse{
		attributes: a, rows: make([]*sparseRow, features), averaged: averaged,
		columns: make([]float64, columns), sums: make([]float64, columns+1), candidates: make([]float64, len(a.Candidates())),
	}
}

func (s *sparse) scores(x *instance) ([]float64, error) {
	clear(s.columns)
	for k, f := range x.Indices {
		row := s.rows[f]
		if row == nil {
			continue
		}
		v := float64(x.Values[k])
		if row.columns == nil {
			columns := s.columns[:len(row.w)]
			for c, w := range row.w {
				columns[c] += v * float64(w)
			}
			continue
		}
		weights := row.w[:len(row.columns)]
		for j, c := range row.columns {
			s.columns[c] += v * float64(weights[j])
		}
	}
	s.attributes.Scores(s.columns, s.sums, s.candidates)
	return s.candidates, nil
}

func (s *sparse) square(x *instance) float64 { return x.Dot(x.Vector) }

func (s *sparse) add(x *instance, c change, columns []int32, u []float64) error {
	s.order, s.at, s.u = s.order[:0], s.at[:0], s.u[:0]
	for k := range columns {
		s.order = append(s.order, k)
	}
	slices.SortFunc(s.order, func(a, b int) int { return int(columns[a]) - int(columns[b]) })
	for _, k := range s.order {
		s.at, s.u = append(s.at, columns[k]), append(s.u, u[k])
	}
	for k, f := range x.Indices {
		if s.rows[f] == nil {
			s.rows[f] = &sparseRow{columns: []int32{}}
		}
		row := s.rows[f]
		row.reserve(s.at, s.averaged, len(s.columns))
		v := float64(x.Values[k])
		delay := v * float64(c.step-1)
		place := 0
		for j, c := range s.at {
			if row.columns == nil {
				place = int(c)
			} else {
				step, _ := slices.BinarySearch(row.columns[place:], c)
				place += step
			}
			row.w[place] = float32(float64(row.w[place]) + v*s.u[j])
			if s.averaged {
				row.delay[place] = float32(float64(row.delay[place]) + delay*s.u[j])
			}
		}
	}
	return nil
}

// reserve makes room for columns, in ascending order; all is the number of all columns.
func (r *sparseRow) reserve(columns []int32, averaged bool, all int) {
	if r.columns == nil {
		return
	}
	missing, place := 0, 0
	for _, c := range columns {
		step, ok := slices.BinarySearch(r.columns[place:], c)
		place += step
		if !ok {
			missing++
		}
	}
	if missing == 0 {
		return
	}
	old := len(r.columns)
	if float64(old+missing) > fullShare*float64(all) {
		r.fill(averaged, all)
		return
	}
	// From the end on, so that every entry moves once.
	r.columns = slices.Grow(r.columns, missing)[:old+missing]
	r.w = slices.Grow(r.w, missing)[:old+missing]
	if averaged {
		r.delay = slices.Grow(r.delay, missing)[:old+missing]
	}
	from, to, next := old-1, old+missing-1, len(columns)-1
	for from < to {
		switch {
		case from >= 0 && (next < 0 || r.columns[from] > columns[next]):
			r.columns[to], r.w[to] = r.columns[from], r.w[from]
			if averaged {
				r.delay[to] = r.delay[from]
			}
			from--
			to--
		case from >= 0 && r.columns[from] == columns[next]:
			next--
		default:
			r.columns[to], r.w[to] = columns[next], 0
			if averaged {
				r.delay[to] = 0
			}
			next--
			to--
		}
	}
}

// fill makes room for all columns.
func (r *sparseRow) fill(averaged bool, all int) {
	w, delay := make([]float32, all), []float32(nil)
	if averaged {
		delay = make([]float32, all)
	}
	for j, c := range r.columns {
		w[c] = r.w[j]
		if averaged {
			delay[c] = r.delay[j]
		}
	}
	*r = sparseRow{w: w, delay: delay}
}

func (s *sparse) model(t classifier.Training, d *dataset.Dataset, averaged bool, steps int, _ bool) *classifier.Model {
	return classifier.NewSparse(s.attributes, s.compressed(averaged, steps), t, d)
}

// compressed returns w, or its mean over the steps.
func (s *sparse) compressed(averaged bool, steps int) *structured.SparseWeights {
	result := &structured.SparseWeights{Columns: s.attributes.Columns(), Begin: make([]int, 1, len(s.rows)+1)}
	for _, row := range s.rows {
		if row != nil {
			for j, w := range row.w {
				v := float64(w)
				if averaged && steps > 0 {
					v -= float64(row.delay[j]) / float64(steps)
				}
				if v == 0 {
					continue
				}
				c := int32(j)
				if row.columns != nil {
					c = row.columns[j]
				}
				result.Column, result.Values = append(result.Column, c), append(result.Values, float32(v))
			}
		}
		result.Begin = append(result.Begin, len(result.Column))
	}
	return result
}
