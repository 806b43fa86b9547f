package clustering

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Random draws hierarchies of a given shape [Cai08, section 7.4.3]: with the same number of nodes
// on each level, and a child for every inner node, but otherwise arbitrary. The zero value draws
// all of these with equal probability.
type Random struct {
	// OneChildEach first gives every inner node a child, and then every other node a random parent.
	// This favours even sizes: two nodes with four children have two each with probability 1/2
	// instead of 3/7.
	OneChildEach bool

	// Seed chooses the hierarchy. Equal seeds draw equal ones.
	Seed uint64
}

// Like returns a taxonomy with the nodes, names, ids, depths and leaves of t, in which each node
// has one parent, drawn at random among the inner nodes one level higher. Instances of t keep their
// labels under it. Levels are longest depths. It returns an error for a graph in which some level
// has more inner nodes than the next level has nodes; no tree has such a level.
func (r Random) Like(ctx context.Context, t *taxonomy.Taxonomy) (*taxonomy.Taxonomy, error) {
	if t == nil {
		return nil, errors.New("clustering: the taxonomy to imitate is nil")
	}
	var levels, inner [][]int
	for n := range t.Len() {
		for len(levels) <= t.Depth(n) {
			levels, inner = append(levels, nil), append(inner, nil)
		}
		levels[t.Depth(n)] = append(levels[t.Depth(n)], n)
		if !t.IsLeaf(n) {
			inner[t.Depth(n)] = append(inner[t.Depth(n)], n)
		}
	}
	return r.draw(ctx, t.Names(), t.LabelNames(), levels, inner)
}

// Levels returns a taxonomy with the given number of nodes on each level, from the roots down. All
// nodes above the last level are inner ones. They are named by their level and number, "0.0" the
// first root, and their ids ascend in this order.
func (r Random) Levels(ctx context.Context, sizes []int) (*taxonomy.Taxonomy, error) {
	var names []string
	levels := make([][]int, len(sizes))
	for l, size := range sizes {
		if size < 1 {
			return nil, fmt.Errorf("clustering: level %d has %d nodes; every level needs at least one", l, size)
		}
		for k := range size {
			levels[l] = append(levels[l], len(names))
			names = append(names, fmt.Sprintf("%d.%d", l, k))
		}
	}
	if len(sizes) == 0 {
		return nil, errors.New("clustering: give the size of at least one level")
	}
	return r.draw(ctx, names, nil, levels, levels)
}

// draw gives each node of a level a parent among the inner nodes of the level before.
func (r Random) draw(ctx context.Context, names []string, labels map[int]string, levels, inner [][]int) (*taxonomy.Taxonomy, error) {
	rng := rand.New(rand.NewPCG(r.Seed, 0))
	var edges [][2]int
	for l := 1; l < len(levels); l++ {
		above := inner[l-1]
		if len(levels[l]) < len(above) {
			return nil, fmt.Errorf("clustering: level %d has %d nodes, too few to be children of the %d inner nodes above", l, len(levels[l]), len(above))
		}
		draw := surjection
		if r.OneChildEach {
			draw = oneEach
		}
		parents, err := draw(ctx, rng, len(levels[l]), len(above))
		if err != nil {
			return nil, err
		}
		for k, n := range levels[l] {
			edges = append(edges, [2]int{above[parents[k]], n})
		}
	}
	return taxonomy.NewWithLabels(names, edges, labels)
}

// oneEach returns a parent for each of m children: a child drawn at random for each of k parents,
// and then any parent for the others.
func oneEach(_ context.Context, rng *rand.Rand, m, k int) ([]int, error) {
	parents := make([]int, m)
	for i, child := range rng.Perm(m) {
		if i < k {
			parents[child] = i
		} else {
			parents[child] = rng.IntN(k)
		}
	}
	return parents, nil
}

// surjection returns a parent for each of m children, all choices in which each of k parents has a
// child alike. It draws parents until that is so, if it can be expected within some twenty times,
// and otherwise numbers of children.
func surjection(ctx context.Context, rng *rand.Rand, m, k int) ([]int, error) {
	if childless := float64(k) * math.Exp(-float64(m)/float64(k)); childless > 3 {
		return byCounts(ctx, rng, m, k)
	}
	return byRejection(ctx, rng, m, k)
}

// byRejection draws parents until none is without a child.
func byRejection(ctx context.Context, rng *rand.Rand, m, k int) ([]int, error) {
	parents, has := make([]int, m), make([]bool, k)
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		clear(has)
		without := k
		for i := range parents {
			p := rng.IntN(k)
			parents[i] = p
			if !has[p] {
				has[p] = true
				without--
			}
		}
		if without == 0 {
			return parents, nil
		}
	}
}

// byCounts draws the numbers of children, and then which children they are. Among the choices of
// byRejection the numbers c have probabilities proportional to 1/prod(c!), with c >= 1 and sum m.
// That is the distribution of independent Poisson numbers that are not zero, of any rate, if they
// sum to m; with the rate whose mean is m/k the sum is m in about 1 of sqrt(6m) draws.
func byCounts(ctx context.Context, rng *rand.Rand, m, k int) ([]int, error) {
	counts := make([]int, k)
	for i := range counts {
		counts[i] = 1
	}
	if m > k {
		rate := truncatedRate(float64(m) / float64(k))
		first := rate / math.Expm1(rate)
		for sum := 0; sum != m; {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			sum = 0
			for i := 0; i < k && sum <= m; i++ {
				c := 1
				for u, p := rng.Float64(), first; u >= p && c < m; {
					u -= p
					c++
					p *= rate / float64(c)
				}
				counts[i] = c
				sum += c
			}
		}
	}
	parents := make([]int, m)
	children := rng.Perm(m)
	for p, c := range counts {
		for range c {
			parents[children[0]] = p
			children = children[1:]
		}
	}
	return parents, nil
}

// truncatedRate returns the rate at which the Poisson numbers that are not zero have the given
// mean, more than 1.
func truncatedRate(mean float64) float64 {
	low, high := 0.0, mean
	for range 100 {
		rate := (low + high) / 2
		if rate/-math.Expm1(-rate) < mean {
			low = rate
		} else {
			high = rate
		}
	}
	return (low + high) / 2
}
