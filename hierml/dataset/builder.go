package dataset

import "github.com/hierml/notebook/hierml/taxonomy"

// Builder builds a data set from single instances. The zero value is empty.
type Builder struct {
	// Fraction is the approximate share of all instances added so far, if known. When enough were
	// added to estimate the total size, memory for all is allocated at once, so the largest part of
	// the matrix is never stored twice.
	Fraction float64

	x      Matrix
	labels [][]int
	groups []string // as long as the last instance that has one
}

// Len returns the number of instances added.
func (b *Builder) Len() int { return len(b.labels) }

// Add adds an instance, whose columns and values are copied.
func (b *Builder) Add(in Instance) {
	if len(b.x.Indptr) == 0 {
		b.x.Indptr = []int{0}
	}
	b.reserve(len(in.Values))
	b.x.Indices = append(b.x.Indices, in.Columns...)
	b.x.Values = append(b.x.Values, in.Values...)
	b.x.Indptr = append(b.x.Indptr, len(b.x.Values))
	b.labels = append(b.labels, in.Labels)
	b.groups = appendGroup(b.groups, len(b.labels)-1, in.Group)
	if n := len(in.Columns); n > 0 {
		b.x.Cols = max(b.x.Cols, int(in.Columns[n-1])+1)
	}
}

// reserve makes room for further entries.
func (b *Builder) reserve(further int) {
	n := len(b.x.Values)
	if cap(b.x.Values)-n >= further && cap(b.x.Indices)-n >= further {
		return
	}
	const sample = 1 << 20 // entries
	size := max(2*n, 1024)
	if n >= sample {
		size = n + n/4
		if b.Fraction > 0 {
			size = max(int(1.05*float64(n)/b.Fraction), n)
		}
	}
	size += further
	columns, values := make([]int32, n, size), make([]float32, n, size)
	copy(columns, b.x.Indices)
	copy(values, b.x.Values)
	b.x.Indices, b.x.Values = columns, values
}

// Dataset returns the added instances. The number of columns is the given one, or the largest
// needed.
func (b *Builder) Dataset(name string, t *taxonomy.Taxonomy, columns int) *Dataset {
	x := b.x
	if len(x.Indptr) == 0 {
		x.Indptr = []int{0}
	}
	x.Rows = len(b.labels)
	x.Cols = max(x.Cols, columns)
	return &Dataset{Name: name, Taxonomy: t, X: &x, Labels: b.labels, Groups: allGroups(b.groups, x.Rows)}
}
