package dataset

import (
	"fmt"
	"math"
	"slices"
)

// Beside joins the columns of several data sets of the same instances, in the given order, for
// example words and numbers. It returns an error if they differ in the number of rows, in taxonomy,
// labels or weights. Columns keep their names; if an earlier part has the same name, " (2)" is
// appended, or the next free number. If one part has no names, the result has none.
//
// For the columns of a table use features.Columns, which can be saved with a model.
func Beside(parts ...*Dataset) (*Dataset, error) {
	if len(parts) == 0 {
		return nil, noData{}
	}
	matrices := make([]*Matrix, len(parts))
	var groups []string
	for k, d := range parts {
		if err := d.Check(); err != nil {
			return nil, err
		}
		if d.Taxonomy != parts[0].Taxonomy {
			return nil, fmt.Errorf("dataset: cannot join: part %d has another taxonomy than part 0; read both with the same taxonomy", k)
		}
		if !slices.EqualFunc(d.Labels, parts[0].Labels, slices.Equal[[]int]) {
			return nil, fmt.Errorf("dataset: cannot join: part %d has other labels than part 0; row i of each part must be the same instance", k)
		}
		if d.Groups != nil && groups != nil && !slices.Equal(d.Groups, groups) {
			return nil, fmt.Errorf("dataset: cannot join: part %d has other Groups than an earlier part; row i of each part must be the same instance", k)
		}
		if d.Groups != nil {
			groups = d.Groups
		}
		if !slices.Equal(d.Weights, parts[0].Weights) {
			return nil, fmt.Errorf("dataset: cannot join: part %d has other instance weights than part 0; give all parts the same Weights", k)
		}
		x := *d.X
		x.Vocabulary = d.Vocabulary
		matrices[k] = &x
	}
	x, err := matrices[0].Beside(matrices[1:]...)
	if err != nil {
		return nil, err
	}
	s := *parts[0]
	s.X, s.Vocabulary, s.Groups = x, x.Vocabulary, groups
	return &s, nil
}

// Beside returns the matrix with the columns of others behind its own. Names are as the function
// Beside has them.
func (m *Matrix) Beside(others ...*Matrix) (*Matrix, error) {
	parts := append([]*Matrix{m}, others...)
	joined := &Matrix{Rows: m.Rows, Indptr: make([]int, 1, m.Rows+1)}
	entries, named := 0, true
	for k, p := range parts {
		if p.Rows != m.Rows {
			return nil, fmt.Errorf("dataset: cannot join: part %d has %d rows, and part 0 has %d", k, p.Rows, m.Rows)
		}
		if p.Cols > math.MaxInt32-joined.Cols {
			return nil, fmt.Errorf("dataset: cannot join: the parts have more than %d columns together", math.MaxInt32)
		}
		joined.Cols += p.Cols
		entries += p.NonZeros()
		named = named && (len(p.Vocabulary) == p.Cols)
	}
	joined.Indices, joined.Values = make([]int32, 0, entries), make([]float32, 0, entries)
	for i := range m.Rows {
		first := int32(0)
		for _, p := range parts {
			indices, values := p.Row(i)
			for _, j := range indices {
				joined.Indices = append(joined.Indices, first+j)
			}
			joined.Values = append(joined.Values, values...)
			first += int32(p.Cols)
		}
		joined.Indptr = append(joined.Indptr, len(joined.Values))
	}
	if named {
		joined.Vocabulary = besideNames(parts)
	}
	return joined, nil
}

// besideNames returns the names of all columns, each once.
func besideNames(parts []*Matrix) []string {
	var names []string
	taken := make(map[string]bool)
	for _, p := range parts {
		for _, name := range p.Vocabulary {
			free := name
			for k := 2; taken[free]; k++ {
				free = fmt.Sprintf("%s (%d)", name, k)
			}
			taken[free] = true
			names = append(names, free)
		}
	}
	return names
}
