package dataset

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// groupStream is the stream of random numbers by which groups are drawn. Classes have those from 0.
const groupStream = 1 << 63

// grouped returns the rows of each group, in the order in which the groups occur, and the number of
// each row's. Both are nil where no group has two rows, so that all rows are free. A row without a
// group is one of its own.
func (d *divider) grouped() (groups [][]int, number []int) {
	numbers := make(map[string]int)
	number = make([]int, len(d.groups))
	for row, name := range d.groups {
		k, ok := numbers[name]
		if !ok || name == "" {
			k = len(groups)
			numbers[name] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], row)
		number[row] = k
	}
	if len(groups) == len(d.groups) {
		return nil, nil
	}
	return groups, number
}

// apart returns the rows that are not among the given ones, which ascend, and of no group of
// theirs.
func (d *divider) apart(rows []int) []int {
	others := without(len(d.labels), rows)
	taken := make(map[string]bool)
	for _, r := range rows {
		if d.groups != nil && d.groups[r] != "" {
			taken[d.groups[r]] = true
		}
	}
	return slices.DeleteFunc(others, func(r int) bool { return d.groups != nil && taken[d.groups[r]] })
}

// CheckGroups returns an error if a group, as Dataset.Groups has them, is both trained on and
// tested on.
func (d Division) CheckGroups(groups []string) error {
	if groups == nil {
		return nil
	}
	tested := make(map[string]int)
	for _, r := range d.Test {
		if groups[r] != "" {
			tested[groups[r]] = r
		}
	}
	for _, r := range d.Train {
		if t, ok := tested[groups[r]]; ok {
			return fmt.Errorf("dataset: the group %.40q is divided: row %d is for testing, row %d for training; keep all rows of a group on one side, or set no Groups", groups[r], t, r)
		}
	}
	return nil
}

// parts divides the rows into parts of about the given shares, each row in one of them, ascending,
// and no group in two. It returns nil where there are no groups, and no row has several labels:
// then classes can be divided one by one.
func (d *divider) parts(shares []float64, seed uint64) ([][]int, error) {
	if d.wrong != nil {
		return nil, d.wrong
	}
	groups, _ := d.grouped()
	if groups == nil {
		if !slices.ContainsFunc(d.labels, func(set []int) bool { return len(set) > 1 }) {
			return nil, nil
		}
		for row := range d.labels {
			groups = append(groups, []int{row})
		}
	}
	if len(groups) < len(shares) {
		return nil, fmt.Errorf("dataset: the instances of %q belong to %d groups, which cannot be divided into %d parts; ask for fewer parts, or set no Groups", d.name, len(groups), len(shares))
	}
	b := newBalance(groups, d.labels, shares)
	b.draw(rand.New(rand.NewPCG(seed, groupStream)))
	parts := make([][]int, len(shares))
	for u, rows := range groups {
		parts[b.part[u]] = append(parts[b.part[u]], rows...)
	}
	for _, rows := range parts {
		slices.Sort(rows)
	}
	return parts, nil
}

// balance is a division of groups, here units, into parts. Its classes are the labels, the rows of
// units of about one size, and the rows as a whole, whose squares weigh as much as all others
// together.
type balance struct {
	shares []float64
	counts [][]classCount // of each unit: how many of its rows are of a class
	weight []float64      // of a class, for the squares of numbers of rows
	want   [][]float64    // by class and part
	have   [][]float64
	part   []int // of each unit
	units  []int // in each part
}

type classCount struct {
	class int
	rows  float64
}

func newBalance(groups [][]int, labels [][]int, shares []float64) *balance {
	b := &balance{shares: shares, part: make([]int, len(groups)), units: make([]int, len(shares))}
	classes := make(map[int]int)
	var totals []float64
	var of map[int]int // where a class is among those of the unit
	count := func(unit, node int, n float64) {
		c, ok := classes[node]
		if !ok {
			c = len(totals)
			classes[node] = c
			totals = append(totals, 0)
		}
		totals[c] += n
		k, ok := of[c]
		if !ok {
			k = len(b.counts[unit])
			of[c] = k
			b.counts[unit] = append(b.counts[unit], classCount{class: c})
		}
		b.counts[unit][k].rows += n
	}
	const none, whole = -1, -2
	for u, rows := range groups {
		b.counts, of = append(b.counts, nil), make(map[int]int)
		for _, r := range rows {
			for _, n := range labels[r] {
				count(u, n, 1)
			}
			if len(labels[r]) == 0 {
				count(u, none, 1)
			}
		}
		// Large groups are to be found in each part, too, and not in the largest alone.
		count(u, whole-bits.Len(uint(len(rows))), float64(len(rows)))
		count(u, whole, float64(len(rows)))
	}
	for c, total := range totals {
		b.weight = append(b.weight, 1/(total*total))
		if c == classes[whole] {
			b.weight[c] *= float64(len(totals) - 1)
		}
		want := make([]float64, len(shares))
		for p, share := range shares {
			want[p] = share * total
		}
		b.want = append(b.want, want)
		b.have = append(b.have, make([]float64, len(shares)))
	}
	return b
}

// added returns by how much the sum of squares rises if a unit comes to a part.
func (b *balance) added(unit, part int) float64 {
	rise := 0.0
	for _, n := range b.counts[unit] {
		rise += b.weight[n.class] * n.rows * (n.rows + 2*(b.have[n.class][part]-b.want[n.class][part]))
	}
	return rise
}

// put adds a unit to a part, or with sign -1 takes it away.
func (b *balance) put(unit, part int, sign float64) {
	for _, n := range b.counts[unit] {
		b.have[n.class][part] += sign * n.rows
	}
	b.units[part] += int(sign)
	b.part[unit] = part
}

// draw divides the units: it puts each where the sum of squares rises least, and then improves
// that. The order is random, and those that are hard to place are rather among the first.
func (b *balance) draw(rng *rand.Rand) {
	rank := make([]float64, len(b.counts))
	for u, counts := range b.counts {
		for _, n := range counts {
			rank[u] += b.weight[n.class] * n.rows * n.rows
		}
		rank[u] *= rng.Float64()
	}
	order := rng.Perm(len(b.counts))
	slices.SortStableFunc(order, func(u, v int) int { return cmp.Compare(rank[v], rank[u]) })
	empty := len(b.shares)
	for k, u := range order {
		best, least := -1, 0.0
		for _, p := range rng.Perm(len(b.shares)) {
			if b.units[p] > 0 && len(order)-k <= empty {
				continue // each part gets one
			}
			if rise := b.added(u, p); best < 0 || rise < least {
				best, least = p, rise
			}
		}
		if b.units[best] == 0 {
			empty--
		}
		b.put(u, best, 1)
	}
	const most, few = 10, 300
	for range most {
		if !b.move(order) && (len(order) > few || !b.exchange(order)) {
			return
		}
	}
}

// less is by how much the sum of squares has to fall, so that rounding is no progress.
const less = 1e-12

// move moves each unit to another part, if that lowers the sum of squares, and reports whether any
// was moved.
func (b *balance) move(order []int) bool {
	moved := false
	for _, u := range order {
		from := b.part[u]
		if b.units[from] == 1 {
			continue
		}
		b.put(u, from, -1)
		best, least := from, b.added(u, from)
		for p := range b.shares {
			if rise := b.added(u, p); rise < least-less {
				best, least = p, rise
			}
		}
		b.put(u, best, 1)
		moved = moved || best != from
	}
	return moved
}

// exchange lets two units of different parts change places, if that lowers the sum of squares, and
// reports whether any did.
func (b *balance) exchange(order []int) bool {
	exchanged := false
	for k, u := range order {
		for _, v := range order[:k] {
			p, q := b.part[u], b.part[v]
			if p == q {
				continue
			}
			b.put(u, p, -1)
			b.put(v, q, -1)
			before := b.added(u, p) + b.added(v, q)
			if after := b.added(u, q) + b.added(v, p); after < before-less {
				p, q = q, p
				exchanged = true
			}
			b.put(u, p, 1)
			b.put(v, q, 1)
		}
	}
	return exchanged
}
