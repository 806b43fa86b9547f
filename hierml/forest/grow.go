package forest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mathext"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
)

// problem is what all trees are grown from. Nothing of it changes.
type problem struct {
	settings Tree
	x        *dataset.Matrix // with the features that occur
	columns  []int32         // of the features of x, nil where they are all
	features int             // of x
	labels   [][]int         // by row: its labels and the nodes above
	weights  []float64       // by node
	prior    []float64       // by node: the share of the rows with it

	stored atomic.Int64 // entries of the leaves of all trees so far
}

func newProblem(s Tree, d *dataset.Dataset) (*problem, error) {
	if err := check(d); err != nil {
		return nil, err
	}
	p := &problem{settings: s, labels: make([][]int, len(d.Labels)), prior: make([]float64, d.Taxonomy.Len())}
	p.x, p.columns = d.X.Occurring()
	p.features = p.x.Cols
	p.weights = weights(d.Taxonomy, s.W0, s.Parents)
	for i, set := range d.Labels {
		p.labels[i] = d.Taxonomy.Closure(set)
		for _, n := range p.labels[i] {
			p.prior[n]++
		}
	}
	for n := range p.prior {
		p.prior[n] /= float64(len(d.Labels))
	}
	return p, nil
}

// tree is a tree in pre-order: node 0 is the root, and the instances for which the test of node k
// holds go to node k+1, the others to other[k].
type tree struct {
	feature   []int32   // by node; -1 for a leaf
	threshold []float32 // by node
	other     []int32   // by node; of a leaf its number
	size      []int32   // by leaf: how many instances it has
	begin     []int     // by leaf, and one more: where its entries begin
	labels    []int32   // the nodes of the taxonomy that instances of a leaf have
	counts    []int32   // how many of its instances
}

func (t *tree) leaves() int { return len(t.size) }

// leaf returns the leaf that a row comes to.
func (t *tree) leaf(features []int32, values []float32) int {
	k := 0
	for t.feature[k] >= 0 {
		if valueOf(features, values, t.feature[k]) > t.threshold[k] {
			k++
		} else {
			k = int(t.other[k])
		}
	}
	return int(t.other[k])
}

// valueOf returns the value of a feature, 0 where it is not stored.
func valueOf(features []int32, values []float32, f int32) float32 {
	if at, ok := slices.BinarySearch(features, f); ok {
		return values[at]
	}
	return 0
}

// maxEntries bounds the entries of the leaves of all trees, of eight bytes each.
const maxEntries = 1 << 28

// part is a node of a tree that is to be grown: the rows from lo to hi.
type part struct{ lo, hi, above int }

// grower grows one tree after the other.
type grower struct {
	*problem
	rng    *rand.Rand // nil where all features are tried
	times  []int32    // by row: how often it is in the sample
	rows   []int32    // of the sample, each once, in the order of the tree
	spare  []int32    // of rows, while they are divided
	tree   *tree
	report func(done float64, state string) error

	// Of the part at hand.
	n     float64   // instances, as often as they are in the sample
	count []float64 // by node of the taxonomy: instances with it
	nodes []int32   // with a count
	q     float64   // sum_v w_v count_v^2
	ss    float64
	cross []float64 // by row: sum over its nodes of w_v count_v

	search
}

func newGrower(p *problem) *grower {
	g := &grower{problem: p, times: make([]int32, p.x.Rows), rows: make([]int32, 0, p.x.Rows), spare: make([]int32, p.x.Rows),
		count: make([]float64, len(p.weights)), cross: make([]float64, p.x.Rows)}
	g.search = newSearch(p)
	return g
}

// all takes every instance once.
func (g *grower) all(report func(done float64, state string) error) {
	g.report = report
	for i := range g.times {
		g.times[i] = 1
	}
}

// sample draws the instances of tree k.
func (g *grower) sample(seed uint64, k int) {
	g.rng = rand.New(rand.NewPCG(seed, uint64(k)))
	draw(g.rng, g.times)
}

// draw draws as many instances as there are, and counts how often each is drawn.
func draw(rng *rand.Rand, times []int32) {
	clear(times)
	for range times {
		times[rng.IntN(len(times))]++
	}
}

// grow grows a tree that tries so many features for a division.
func (g *grower) grow(ctx context.Context, tried int) (*tree, error) {
	g.rows = g.rows[:0]
	for i, k := range g.times {
		if k > 0 {
			g.rows = append(g.rows, int32(i))
		}
	}
	g.tree = &tree{begin: []int{0}}
	inLeaves, told := 0, 0
	for waiting := []part{{0, len(g.rows), -1}}; len(waiting) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("forest: growing was stopped: %w", err)
		}
		at := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if at.above >= 0 {
			g.tree.other[at.above] = int32(len(g.tree.feature))
		}
		rows := g.rows[at.lo:at.hi]
		g.measure(rows)
		best, err := g.best(ctx, rows, tried)
		if err != nil {
			return nil, err
		}
		if best.gain > 0 && g.significant(best.gain) {
			middle := at.lo + g.divide(rows, best)
			k := g.tree.add(best.feature, best.threshold)
			waiting = append(waiting, part{middle, at.hi, k}, part{at.lo, middle, -1})
			continue
		}
		g.tree.add(-1, 0)
		if err := g.leaf(); err != nil {
			return nil, err
		}
		inLeaves += len(rows)
		const steps = 200
		if now := inLeaves * steps / len(g.rows); g.report != nil && now > told {
			told = now
			if err := g.report(float64(inLeaves)/float64(len(g.rows)), fmt.Sprintf("%d leaves", g.tree.leaves())); err != nil {
				return nil, fmt.Errorf("forest: stopped: %w", err)
			}
		}
	}
	return g.tree, nil
}

func (t *tree) add(feature int32, threshold float32) int {
	t.feature, t.threshold, t.other = append(t.feature, feature), append(t.threshold, threshold), append(t.other, int32(len(t.size)))
	return len(t.feature) - 1
}

// measure counts the instances of a part and their labels.
func (g *grower) measure(rows []int32) {
	for _, v := range g.nodes {
		g.count[v] = 0
	}
	g.nodes, g.n, g.q = g.nodes[:0], 0, 0
	for _, i := range rows {
		k := float64(g.times[i])
		g.n += k
		for _, v := range g.labels[i] {
			if g.count[v] == 0 {
				g.nodes = append(g.nodes, int32(v))
			}
			g.count[v] += k
		}
	}
	var sum float64
	for _, v := range g.nodes {
		c := g.count[v]
		sum += g.weights[v] * c
		g.q += g.weights[v] * c * c
	}
	g.ss = sum - g.q/g.n
	for _, i := range rows {
		var c float64
		for _, v := range g.labels[i] {
			c += g.weights[v] * g.count[v]
		}
		g.cross[i] = c
	}
}

// significant tests whether the variance falls by more than chance: with SS and SS' before and
// after, (n-2)(SS-SS')/SS' against the F distribution of 1 and n-2 degrees of freedom.
func (g *grower) significant(gain float64) bool {
	if g.settings.Significance == 1 {
		return true
	}
	free := g.n - 2
	if free <= 0 {
		return false
	}
	left := g.ss - gain
	if left <= 0 {
		return true
	}
	f := free * gain / left
	return mathext.RegIncBeta(free/2, 0.5, free/(free+f)) < g.settings.Significance
}

// divide puts the rows for which the test holds before the others, both in their order, and returns
// how many they are.
func (g *grower) divide(rows []int32, by division) int {
	yes, no := 0, 0
	for _, i := range rows {
		features, values := g.x.Row(int(i))
		if valueOf(features, values, by.feature) > by.threshold {
			rows[yes] = i
			yes++
		} else {
			g.spare[no] = i
			no++
		}
	}
	copy(rows[yes:], g.spare[:no])
	return yes
}

// leaf makes a leaf of the part at hand.
func (g *grower) leaf() error {
	t := g.tree
	slices.Sort(g.nodes)
	for _, v := range g.nodes {
		t.labels, t.counts = append(t.labels, v), append(t.counts, int32(g.count[v]))
	}
	t.size, t.begin = append(t.size, int32(g.n)), append(t.begin, len(t.labels))
	if g.stored.Add(int64(len(g.nodes))) > maxEntries {
		return fmt.Errorf("forest: the leaves have more than %d labels together, which take %d GiB; take fewer trees or a larger MinLeaf", maxEntries, maxEntries>>27)
	}
	return nil
}

// growAll grows the trees of a forest on several goroutines.
func (s Forest) growAll(ctx context.Context, p *problem, begin time.Time, report func(done float64, state string) error) ([]*tree, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	workers := s.Workers
	workers = guarded.Workers(workers)
	workers = min(workers, s.Trees)
	trees := make([]*tree, s.Trees)
	tried := s.Features.of(p.features)
	var (
		next  atomic.Int64
		mu    sync.Mutex
		grown int
		first error
		wait  guarded.Group
	)
	done := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			grown++
			if report != nil {
				if err = report(float64(grown)/float64(s.Trees), fmt.Sprintf("tree %d of %d", grown, s.Trees)); err != nil {
					err = fmt.Errorf("forest: stopped: %w", err)
				}
			}
		}
		if err != nil && first == nil {
			first = err
			stop()
		}
	}
	for range workers {
		wait.Go(func() {
			g := newGrower(p)
			for ctx.Err() == nil {
				k := int(next.Add(1)) - 1
				if k >= s.Trees || k > 0 && s.Time > 0 && time.Since(begin) > s.Time {
					return
				}
				g.sample(s.Seed, k)
				t, err := g.grow(ctx, tried)
				trees[k] = t
				done(err)
			}
		})
	}
	wait.Wait()
	if first == nil {
		if err := ctx.Err(); err != nil {
			first = fmt.Errorf("forest: growing was stopped: %w", err)
		}
	}
	if first != nil {
		return nil, first
	}
	return slices.DeleteFunc(trees, func(t *tree) bool { return t == nil }), nil
}
