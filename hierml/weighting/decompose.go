package weighting

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// column is a node, or several that were put together, of which the smallest sum of alpha^rho for
// the weight r is exp(cost) r^rho. Its members are the leaves below, by position in the block,
// ascending.
type column struct {
	members []int
	cost    float64
	part    *part
}

// decomposer solves [CSS16, (6)] for graphs. It puts nodes together for which the optimum is known
// in closed form, so that on trees, and on many other graphs, nothing remains to be solved
// numerically, however small the weights:
//
//   - nodes above the same leaves divide an amount as costs demand;
//   - leaves with all other nodes in common have the sum of their costs;
//   - sets of leaves without a node in common are solved apart;
//   - a node above all leaves and the rest are like nodes above the same leaves;
//   - a node whose leaves no other node divides is solved with what is below it, and stands for a
//     leaf then.
//
// Every step uses that the optimum for the amount r on each path is r^rho times the one for 1. What
// is left is a core.
type decomposer struct {
	ctx context.Context
	rho float64
}

// solve returns the optimum for the amount 1 of a block of m leaves. Every leaf has a column for
// itself alone.
func (d *decomposer) solve(m int, columns []column) (column, error) {
	for {
		if err := d.ctx.Err(); err != nil {
			return column{}, err
		}
		columns = d.mergeSeries(columns)
		merged, n := d.mergeParallel(m, columns)
		if n < m {
			m, columns = n, merged
			continue
		}
		if m == 1 {
			return columns[0], nil
		}
		if blocks := split(m, columns); len(blocks) > 1 {
			return d.apart(blocks)
		}
		if i := slices.IndexFunc(columns, func(c column) bool { return len(c.members) == m }); i >= 0 {
			common := columns[i]
			rest, err := d.solve(m, slices.Delete(slices.Clone(columns), i, i+1))
			if err != nil {
				return column{}, err
			}
			return d.inSeries([]column{common, rest}, nil), nil
		}
		smaller, n, err := d.mergeModules(m, columns)
		if err != nil {
			return column{}, err
		}
		if n == m {
			return d.core(m, columns)
		}
		m, columns = n, smaller
	}
}

// inSeries puts columns with the same members together. The sum of c_i a_i^rho for a sum of a_i of
// 1 is smallest for a_i proportional to c_i^(-1/(rho-1)).
func (d *decomposer) inSeries(columns []column, members []int) column {
	if len(columns) == 1 {
		return column{members, columns[0].cost, columns[0].part}
	}
	p := &part{kind: series}
	for _, c := range columns {
		p.parts = append(p.parts, c.part)
		p.share = append(p.share, -c.cost/(d.rho-1))
	}
	total := floats.LogSumExp(p.share)
	floats.AddConst(-total, p.share)
	return column{members, -(d.rho - 1) * total, p}
}

// inParallel puts columns without common members together.
func inParallel(columns []column, members []int) column {
	if len(columns) == 1 {
		return column{members, columns[0].cost, columns[0].part}
	}
	p := &part{kind: parallel}
	costs := make([]float64, len(columns))
	for i, c := range columns {
		p.parts = append(p.parts, c.part)
		costs[i] = c.cost
	}
	total := floats.LogSumExp(costs)
	for _, c := range costs {
		p.worth = append(p.worth, math.Exp(c-total))
	}
	return column{members, total, p}
}

// mergeSeries merges the columns with the same members.
func (d *decomposer) mergeSeries(columns []column) []column {
	return group(columns, func(c column) []int { return c.members }, func(same []column) column {
		return d.inSeries(same, same[0].members)
	})
}

// mergeParallel merges the leaves whose other nodes are the same, and renumbers.
func (d *decomposer) mergeParallel(m int, columns []column) ([]column, int) {
	type leaf struct {
		id     int
		own    column
		shared []int
	}
	leaves := make([]leaf, m)
	for i, c := range columns {
		if len(c.members) == 1 {
			leaves[c.members[0]].own = c
			continue
		}
		for _, l := range c.members {
			leaves[l].shared = append(leaves[l].shared, i)
		}
	}
	for l := range leaves {
		leaves[l].id = l
	}
	number := make([]int, m)
	n := 0
	var merged []column
	group(leaves, func(l leaf) []int { return l.shared }, func(same []leaf) leaf {
		own := make([]column, len(same))
		for i, l := range same {
			own[i] = l.own
			number[l.id] = n
		}
		merged = append(merged, inParallel(own, []int{n}))
		n++
		return leaf{}
	})
	if n == m {
		return nil, m
	}
	return append(merged, renumber(columns, number)...), n
}

// renumber returns the columns of several leaves with new numbers for the leaves.
func renumber(columns []column, number []int) []column {
	var renamed []column
	for _, c := range columns {
		if len(c.members) == 1 {
			continue
		}
		var members []int
		for _, l := range c.members {
			members = append(members, number[l])
		}
		slices.Sort(members)
		c.members = slices.Compact(members)
		renamed = append(renamed, c)
	}
	return renamed
}

// group puts the items with the same key together, in the order of their first.
func group[T any](items []T, key func(T) []int, join func([]T) T) []T {
	index := make(map[string]int)
	var groups [][]T
	var text []byte
	for _, item := range items {
		text = text[:0]
		for _, k := range key(item) {
			text = binary.AppendVarint(text, int64(k))
		}
		g, ok := index[string(text)]
		if !ok {
			g = len(groups)
			index[string(text)] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], item)
	}
	joined := make([]T, len(groups))
	for g, same := range groups {
		joined[g] = join(same)
	}
	return joined
}

// block is a set of columns with leaves of its own.
type block struct {
	m       int
	columns []column
}

// restrict returns the block of the columns, whose leaves are only those given, ascending.
func restrict(leaves []int, columns []column) block {
	b := block{m: len(leaves)}
	for _, c := range columns {
		members := make([]int, len(c.members))
		for i, l := range c.members {
			members[i], _ = slices.BinarySearch(leaves, l)
		}
		c.members = members
		b.columns = append(b.columns, c)
	}
	return b
}

// split returns the parts of a block that have no column in common.
func split(m int, columns []column) []block {
	parent := make([]int, m)
	for l := range parent {
		parent[l] = l
	}
	find := func(l int) int {
		for parent[l] != l {
			parent[l] = parent[parent[l]]
			l = parent[l]
		}
		return l
	}
	for _, c := range columns {
		for _, l := range c.members[1:] {
			parent[find(l)] = find(c.members[0])
		}
	}
	leaves := make(map[int][]int)
	for l := range m {
		leaves[find(l)] = append(leaves[find(l)], l)
	}
	if len(leaves) == 1 {
		return []block{{m, columns}}
	}
	of := make(map[int][]column)
	for _, c := range columns {
		r := find(c.members[0])
		of[r] = append(of[r], c)
	}
	var blocks []block
	for l := range m {
		if find(l) == l {
			blocks = append(blocks, restrict(leaves[l], of[l]))
		}
	}
	return blocks
}

// apart solves blocks without a common column.
func (d *decomposer) apart(blocks []block) (column, error) {
	var solved []column
	for _, b := range blocks {
		c, err := d.solve(b.m, b.columns)
		if err != nil {
			return column{}, err
		}
		solved = append(solved, c)
	}
	return inParallel(solved, nil), nil
}

// mergeModules replaces the largest columns whose members no other column divides, with all columns
// inside of them, by a leaf. It returns the new number of leaves.
func (d *decomposer) mergeModules(m int, columns []column) ([]column, int, error) {
	modules := undivided(m, columns)
	if len(modules) == 0 {
		return columns, m, nil
	}
	number := make([]int, m)
	for l := range number {
		number[l] = -1
	}
	inside := make([][]column, len(modules))
	for i, module := range modules {
		for _, l := range module {
			number[l] = i
		}
	}
	var outside []column
	for _, c := range columns {
		if i := number[c.members[0]]; i >= 0 && len(c.members) <= len(modules[i]) {
			inside[i] = append(inside[i], c)
		} else {
			outside = append(outside, c)
		}
	}
	var merged []column
	for i, module := range modules {
		b := restrict(module, inside[i])
		c, err := d.solve(b.m, b.columns)
		if err != nil {
			return nil, 0, err
		}
		c.members = []int{i}
		merged = append(merged, c)
	}
	n := len(modules)
	for l := range number {
		if number[l] < 0 {
			number[l] = n
			n++
		}
	}
	for _, c := range outside {
		if len(c.members) == 1 {
			c.members = []int{number[c.members[0]]}
			merged = append(merged, c)
		}
	}
	return append(merged, renumber(outside, number)...), n, nil
}

// undivided returns the members of the largest columns that every other column contains, is
// contained in, or has no leaf in common with.
func undivided(m int, columns []column) [][]int {
	above := make([][]int, m)
	for i, c := range columns {
		for _, l := range c.members {
			above[l] = append(above[l], i)
		}
	}
	bySize := make([]int, 0, len(columns))
	for i, c := range columns {
		if len(c.members) > 1 {
			bySize = append(bySize, i)
		}
	}
	slices.SortStableFunc(bySize, func(i, j int) int { return cmp.Compare(len(columns[j].members), len(columns[i].members)) })
	taken := make([]bool, m)
	common := make([]int, len(columns))
	var modules [][]int
	for _, i := range bySize {
		members := columns[i].members
		if taken[members[0]] {
			continue
		}
		for _, l := range members {
			for _, j := range above[l] {
				common[j]++
			}
		}
		divided := false
		for _, l := range members {
			for _, j := range above[l] {
				divided = divided || common[j] != 0 && common[j] < min(len(members), len(columns[j].members))
				common[j] = 0
			}
		}
		if divided {
			continue
		}
		for _, l := range members {
			taken[l] = true
		}
		modules = append(modules, members)
	}
	return modules
}

// core solves what cannot be decomposed.
func (d *decomposer) core(m int, columns []column) (column, error) {
	p := &part{kind: core}
	problem := &overlap{rho: d.rho, own: make([]float64, m)}
	last := math.Inf(-1)
	for _, c := range columns {
		last = max(last, c.cost)
	}
	own := make([]*part, m)
	for _, c := range columns {
		if len(c.members) == 1 {
			problem.own[c.members[0]] = math.Exp(c.cost - last)
			own[c.members[0]] = c.part
			continue
		}
		problem.sets = append(problem.sets, c.members)
		problem.cost = append(problem.cost, math.Exp(c.cost-last))
		p.parts = append(p.parts, c.part)
	}
	p.parts = append(p.parts, own...)
	optimum, err := problem.solve(d.ctx)
	if err != nil {
		return column{}, err
	}
	p.share = optimum.logX
	p.worth = append(make([]float64, len(problem.sets)), optimum.nu...)
	floats.Scale(1/floats.Sum(optimum.nu), p.worth)
	return column{nil, math.Log(optimum.value) + last, p}, nil
}
