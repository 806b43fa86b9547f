package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// forward returns k divisions of rows that are in order: each trains on all rows before those that
// it tests on. Rows whose times are the same are not separated.
func (d *divider) forward(k int, order []int, same func(row, other int) bool) ([]Division, error) {
	if d.wrong != nil {
		return nil, d.wrong
	}
	n := len(order)
	if k < 1 {
		return nil, fmt.Errorf("dataset: %d divisions forward in time; it has to be at least one", k)
	}
	size := n / (k + 1)
	if size == 0 {
		return nil, fmt.Errorf("dataset: %q has %d instances; %d divisions forward in time need at least %d", d.name, n, k, k+1)
	}
	starts := make([]int, k+1)
	for i := range starts {
		at := n - (k-i)*size
		for at < n && same(order[at-1], order[at]) {
			at++
		}
		starts[i] = at
	}
	divisions := make([]Division, k)
	for i := range divisions {
		from, to := starts[i], starts[i+1]
		if from == to {
			return nil, fmt.Errorf("dataset: %q has too many instances of the same time for %d divisions forward in time; ask for fewer", d.name, k)
		}
		test := slices.Sorted(slices.Values(order[from:to]))
		before := make(map[int]bool, from)
		for _, r := range order[:from] {
			before[r] = true
		}
		train := slices.DeleteFunc(d.apart(test), func(r int) bool { return !before[r] })
		if len(train) == 0 {
			return nil, fmt.Errorf("dataset: all instances of %q before the %d for testing belong to the groups of these: nothing is left to train on; ask for fewer divisions", d.name, len(test))
		}
		divisions[i] = Division{fmt.Sprintf("step %d of %d", i+1, k), train, test}
	}
	return divisions, nil
}

// inOrder divides rows that stand in the order of time.
func (d *divider) inOrder(k int) ([]Division, error) {
	order := make([]int, len(d.labels))
	for i := range order {
		order[i] = i
	}
	return d.forward(k, order, func(int, int) bool { return false })
}

// Forward returns k divisions of instances that stand in the order of time, the earliest first. The
// last instances are divided into k equal parts, each 1/(k+1) of all, rounded down: each division
// tests on one of them and trains on all instances before it, without those whose group is tested
// on. It is an error if k is below 1 or there are fewer than k+1 instances, or if groups leave
// nothing to train on.
func (d *Dataset) Forward(k int) ([]Division, error) {
	if d == nil {
		return nil, noData{}
	}
	return d.divider().inOrder(k)
}

// Forward returns k divisions of documents that stand in the order of time, by the rules of
// Dataset.Forward.
func (c *Corpus) Forward(k int) ([]Division, error) { return c.divider().inOrder(k) }

// Forward returns k divisions by the rules of Dataset.Forward, in the order of a column: its
// numbers, or its dates, written as 2006-01-02 15:04:05, 2006-01-02T15:04:05Z, 2006-01-02, 2006-01
// or 2006. Rows of the same time are on one side, so that parts may be larger or smaller. It is an
// error if a value is missing or neither number nor date.
func (t *Table) Forward(column string, k int) ([]Division, error) {
	c, err := t.Column(column)
	if err != nil {
		return nil, err
	}
	times, err := c.times()
	if err != nil {
		return nil, err
	}
	order := make([]int, t.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareTimes(times[a], times[b]) })
	return t.divider().forward(k, order, func(a, b int) bool { return compareTimes(times[a], times[b]) == 0 })
}

// moment is a number, or a time.
type moment struct {
	number float64
	time   time.Time
}

func compareTimes(a, b moment) int {
	return cmp.Or(cmp.Compare(a.number, b.number), a.time.Compare(b.time))
}

// timeLayouts are the forms in which times are read.
var timeLayouts = []string{
	time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", time.DateTime,
	"2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly, "2006-01", "2006",
}

func (c *Column) times() ([]moment, error) {
	times := make([]moment, c.Len())
	for row := range times {
		if c.Missing(row) {
			return nil, fmt.Errorf("dataset: the time of row %d is missing in column %q; remove such rows with Filter", row, c.Name)
		}
		if c.Kind == Number {
			times[row].number = c.Numbers[row]
			continue
		}
		known := false
		for _, layout := range timeLayouts {
			if at, err := time.Parse(layout, c.Value(row)); err == nil {
				times[row].time, known = at, true
				break
			}
		}
		if !known {
			return nil, fmt.Errorf("dataset: row %d has %.40q in column %q; times must be numbers, or written as 2006-01-02 15:04:05 or 2006-01-02", row, c.Value(row), c.Name)
		}
	}
	return times, nil
}
