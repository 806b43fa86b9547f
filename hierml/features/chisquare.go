package features

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// ChiForm is the form of the chi-square statistic of a column.
type ChiForm int

const (
	// ChiMax is the largest statistic of any class in the table of two rows and two columns:
	// whether the column is zero, and whether the instance is of the class (chi-square max of
	// [YP97]).
	ChiMax ChiForm = iota
	// ChiMean is the mean of these statistics, with every class weighted by its share of the
	// instances (their chi-square avg).
	ChiMean
	// ChiSums is the sum over classes of (O - E)^2 / E, where O is the sum of the column's values
	// in the class, and E its expected value if all classes had the same mean, as in scikit-learn's
	// chi2. Values must not be negative.
	ChiSums
)

var chiFormNames = []string{"max", "mean", "sums"}

func (f ChiForm) String() string { return enumName("ChiForm", int(f), chiFormNames) }

// MarshalText returns the name that String returns.
func (f ChiForm) MarshalText() ([]byte, error) { return marshalEnum("ChiForm", int(f), chiFormNames) }

// UnmarshalText sets the form by its name.
func (f *ChiForm) UnmarshalText(text []byte) error {
	return unmarshalEnum("ChiForm", (*int)(f), chiFormNames, text)
}

// ChiSquare selects columns that depend on the class.
type ChiSquare struct {
	// Features is the maximum number of columns to keep, those with the largest statistics. The
	// default, 0, keeps all with a non-zero statistic.
	Features int
	// Least is the minimum statistic of the columns to keep: 10.83 keeps 1 in 1000 of the columns
	// that do not depend on a given class.
	Least float64
	// Form is ChiMax, ChiMean or ChiSums.
	Form ChiForm
	// Level determines the classes: 1 means the roots of the taxonomy, 2 the nodes below them, and
	// so on. The class of an instance is then the ancestor of its label at this level; a label
	// above the level is itself a class. The default, 0, uses the labels as they are. If the
	// taxonomy is not a tree, the level of a node is its Depth plus 1.
	Level int
}

// Fit selects columns of training data. An instance with several labels belongs to several classes,
// one without labels to none. Fit returns an error if no column is left.
func (s ChiSquare) Fit(d *dataset.Dataset) (*Selection, error) {
	if err := checkChoice(d, s.Features, s.Least); err != nil {
		return nil, err
	}
	if _, err := s.Form.MarshalText(); err != nil {
		return nil, err
	}
	if s.Level < 0 {
		return nil, fmt.Errorf("features: Level is %d; it must be 1 for the roots of the taxonomy, more for nodes below, or 0 for the labels as they are", s.Level)
	}
	if s.Form == ChiSums {
		for i := range d.X.Rows {
			indices, values := d.X.Row(i)
			for k, v := range values {
				if !(v >= 0) {
					return nil, fmt.Errorf("features: row %d of %q has %v in column %d; ChiSums needs values that are not negative", i, d.Name, v, indices[k])
				}
			}
		}
	}
	c := newClassTable(d, s.Level)
	x, of := occurringIn(d.X)
	columns := x.Transposed()
	scores, classes := make([]float64, x.Cols), make([]int, x.Cols)
	parts := guarded.Workers(0)
	inParallel(x.Cols, parts, func(_, from, to int) {
		counter := &classCounter{classTable: c, sums: make([]float64, len(c.nodes))}
		for j := from; j < to; j++ {
			rows, values := columns.Row(j)
			scores[j], classes[j] = counter.score(s.Form, rows, values)
		}
	})
	method := "chi-square " + s.Form.String()
	if s.Level > 0 {
		method += fmt.Sprintf(" at level %d", s.Level)
	}
	return choose(d, of, method, scores, classes, s.Features, s.Least)
}

// classTable has the classes of the instances.
type classTable struct {
	nodes []int     // of the classes, ascending
	of    [][]int32 // the classes of each instance
	size  []float64 // instances of each class
	n     float64   // instances
	order []int32   // the classes, the largest first
	// the sum of p * size / (n - size) over classes with p = size / n, which ChiMean needs
	spread float64
	total  float64 // the sum of size
}

func newClassTable(d *dataset.Dataset, level int) *classTable {
	c := &classTable{of: make([][]int32, d.Len()), n: float64(d.Len())}
	classes := make(map[int]int32) // of nodes
	sets := make([][]int, d.Len())
	for i, labels := range d.Labels {
		sets[i] = labels
		if level > 0 {
			sets[i] = atLevel(d, labels, level)
		}
		for _, node := range sets[i] {
			if _, ok := classes[node]; !ok {
				classes[node] = 0
				c.nodes = append(c.nodes, node)
			}
		}
	}
	slices.Sort(c.nodes)
	for k, node := range c.nodes {
		classes[node] = int32(k)
	}
	c.size = make([]float64, len(c.nodes))
	for i, set := range sets {
		for _, node := range set {
			c.of[i] = append(c.of[i], classes[node])
			c.size[classes[node]]++
		}
	}
	for k, size := range c.size {
		c.order = append(c.order, int32(k))
		c.total += size
		if size < c.n {
			c.spread += size / c.n * size / (c.n - size)
		}
	}
	slices.SortStableFunc(c.order, func(a, b int32) int { return cmp.Compare(c.size[b], c.size[a]) })
	return c
}

// atLevel returns the ancestors of the labels at the level, from 1, each once; for labels above it,
// these themselves.
func atLevel(d *dataset.Dataset, labels []int, level int) []int {
	var nodes []int
	for _, n := range labels {
		if d.Taxonomy.Depth(n) <= level-1 {
			nodes = append(nodes, n)
			continue
		}
		for _, a := range d.Taxonomy.Ancestors(n) {
			if d.Taxonomy.Depth(a) == level-1 {
				nodes = append(nodes, a)
			}
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// classCounter computes the statistics of one column after the other.
type classCounter struct {
	*classTable
	sums    []float64 // of each class; zeros between columns
	touched []int32   // the classes with sums
}

// score returns the statistic of a column, with the class that contributes most to it, or -1. In
// case of a tie it is a class in which the column is more frequent than elsewhere, if there is one.
func (c *classCounter) score(form ChiForm, rows []int32, values []float32) (score float64, class int) {
	sum := 0.0 // over instances: how many have the column, or of its values
	for k, i := range rows {
		v := float64(values[k])
		if v == 0 {
			continue
		}
		if form != ChiSums {
			v = 1
		}
		sum += v
		for _, k := range c.of[i] {
			if c.sums[k] == 0 {
				c.touched = append(c.touched, k)
			}
			c.sums[k] += v
		}
	}
	slices.Sort(c.touched)
	best, bestClass := 0.0, int32(-1)
	above := false // the class has more of the column than the others
	consider := func(k int32, statistic float64) {
		more := c.sums[k]*c.n > c.size[k]*sum
		if statistic > best || statistic == best && statistic > 0 && (more && !above || more == above && k < bestClass) {
			best, bestClass, above = statistic, k, more
		}
	}
	// The largest of the classes without the column: their statistics grow with their size.
	for _, k := range c.order {
		if c.sums[k] == 0 && c.size[k] < c.n {
			consider(k, c.statistic(form, k, 0, sum))
			break
		}
	}
	if form != ChiMax {
		score = c.absent(form, sum)
	}
	for _, k := range c.touched {
		statistic := c.statistic(form, k, c.sums[k], sum)
		consider(k, statistic)
		switch form {
		case ChiMean:
			score += c.size[k] / c.n * statistic
		case ChiSums:
			score += statistic
		}
		c.sums[k] = 0
	}
	c.touched = c.touched[:0]
	if form == ChiMax {
		score = best
	}
	if bestClass < 0 {
		return score, -1
	}
	return score, c.nodes[bestClass]
}

// statistic returns the part of class k in the statistic of a column whose sum is sum, and in the
// class own.
func (c *classTable) statistic(form ChiForm, k int32, own, sum float64) float64 {
	size := c.size[k]
	if form == ChiSums {
		expected := sum * size / c.n
		if expected == 0 {
			return 0
		}
		return (own - expected) * (own - expected) / expected
	}
	if size == c.n || sum == 0 || sum == c.n {
		return 0
	}
	difference := own*c.n - size*sum
	return c.n * (difference / (size * (c.n - size))) * (difference / (sum * (c.n - sum)))
}

// absent returns the sum of the parts of all classes without the column, the ones not touched.
func (c *classCounter) absent(form ChiForm, sum float64) float64 {
	if form == ChiSums {
		size := c.total
		for _, k := range c.touched {
			size -= c.size[k]
		}
		return sum * size / c.n
	}
	if sum == c.n {
		return 0
	}
	spread := c.spread
	for _, k := range c.touched {
		if c.size[k] < c.n {
			spread -= c.size[k] / c.n * c.size[k] / (c.n - c.size[k])
		}
	}
	return c.n * sum / (c.n - sum) * max(spread, 0)
}
