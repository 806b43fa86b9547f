package decision

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// LargestF is the Rule that chooses the set of nodes, with their ancestors, or the single node,
// with the largest expected hierarchical F1 of the instance [PPLSB25]. With Y the label and its
// ancestors, and Z the chosen nodes and their ancestors, the F1 is 2 |Y and Z| / (|Y| + |Z|). It
// optimizes the mean over the instances, "hierarchical samples F1" in reports and studies,
// metric.Report.HierarchicalSamplesF1; it is not "hierarchical F1", of all pairs of an instance and
// a node together, which may fall. The values are expected F1. The zero value is ready to use.
//
// Of the sets of k nodes the best one has those k nodes n with the largest
//
//	D_k(n) = sum of P(y) 2 / (k + |Y|) over the labels y at or below n,
//
// because the expected F1 of a set is the sum of D_k over its nodes. D_k of a node is never larger
// than that of its parent, so the k largest (in case of a tie, ancestors first) include their
// ancestors: the decision is exact, also on graphs. The search over k stops above the largest |Y|
// when the falling bound, the sum of P(y) 2 |Y| / (k + |Y|), is no more than the best value found.
// In case of a tie the smaller set is chosen and, of single nodes, the deepest with the smallest
// id.
type LargestF struct {
	// Single chooses a single node, with its ancestors, instead of a set.
	Single bool
	// Rootless excludes roots from the sets, as the measure "rootless samples F1" does. A label
	// that is a root then counts 0, and the set may be empty if only a root is probable.
	Rootless bool
}

// Decide returns the decisions and their expected F1; see Rule.
func (r LargestF) Decide(ctx context.Context, t *taxonomy.Taxonomy, probabilities *mat.Dense) (sets [][]int, values []float64, err error) {
	if err := check(t, probabilities); err != nil {
		return nil, nil, err
	}
	s := newLargest(newLabels(t, true), r.Rootless)
	rows, _ := probabilities.Dims()
	sets, values = make([][]int, rows), make([]float64, rows)
	err = each(ctx, rows, s.start, func(w *largestRow, i int) {
		normalized(w.p, probabilities.RawRowView(i))
		if r.Single {
			sets[i], values[i] = w.single()
		} else {
			sets[i], values[i] = w.set()
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return sets, values, nil
}

// largest has what is the same for all rows.
type largest struct {
	*labels
	above   [][]int // of each node the nodes at or above it that count
	sizes   []int   // of the sets of labels, ascending
	single  []int   // of the sets of all nodes
	longest int     // of sizes
	starts  []int   // nodes that have no others above them that count
	leaf    []int   // the position of the label that a node is, or -1
}

func newLargest(l *labels, rootless bool) *largest {
	s := &largest{labels: l, above: make([][]int, l.nodes.Len())}
	root := func(n int) bool { return rootless && len(l.nodes.Parents(n)) == 0 }
	for n := range s.above {
		s.above[n] = l.nodes.Ancestors(n)
		if rootless {
			s.above[n] = slices.DeleteFunc(slices.Clone(s.above[n]), root)
		}
		if len(s.above[n]) == 1 && s.above[n][0] == n {
			s.starts = append(s.starts, n)
		}
		s.single = append(s.single, len(s.above[n]))
	}
	s.leaf = slices.Repeat([]int{-1}, l.nodes.Len())
	for y, n := range l.of {
		s.sizes = append(s.sizes, len(s.above[n]))
		s.leaf[n] = y
	}
	for _, sizes := range []*[]int{&s.sizes, &s.single} {
		slices.Sort(*sizes)
		*sizes = slices.Compact(*sizes)
	}
	s.longest = s.sizes[len(s.sizes)-1]
	return s
}

// largestRow decides for one row.
type largestRow struct {
	*largest
	p, d   []float64 // of the leaves, and D_k
	likely []float64 // that the label is at or below a node
	shares []float64 // how likely |Y| is each of sizes
	next   frontier
	waits  []int // parents that a node waits for
	chosen []int
	in     []bool
}

func (s *largest) start() *largestRow {
	n := s.nodes.Len()
	w := &largestRow{largest: s, p: make([]float64, len(s.of)), d: make([]float64, n), likely: make([]float64, n), shares: make([]float64, len(s.sizes)), waits: make([]int, n), in: make([]bool, n)}
	w.next.row = w
	return w
}

// share writes D_k.
func (w *largestRow) share(k int) {
	clear(w.d)
	for y, n := range w.of {
		if w.p[y] == 0 {
			continue
		}
		own := w.p[y] * 2 / float64(k+len(w.above[n]))
		for _, a := range w.above[n] {
			w.d[a] += own
		}
	}
}

// bound is the largest expected F1 that a set of k nodes could have.
func (w *largestRow) bound(k int) (most float64) {
	for j, size := range w.sizes {
		if size > 0 {
			most += w.shares[j] * 2 * float64(min(k, size)) / float64(k+size)
		}
	}
	return most
}

// set returns the best set, in its most specific form.
func (w *largestRow) set() ([]int, float64) {
	clear(w.shares)
	for y, n := range w.of {
		j, _ := slices.BinarySearch(w.sizes, len(w.above[n]))
		w.shares[j] += w.p[y]
	}
	found, value := []int{}, 0.0
	for k := 1; k <= w.nodes.Len(); k++ {
		if enough := value * (1 + tolerance); w.bound(k) <= enough {
			if k >= w.longest {
				break
			}
			continue
		}
		w.share(k)
		v, all := w.top(k)
		if v > value*(1+tolerance) {
			found, value = append(found[:0], w.chosen...), v
		}
		if !all {
			break // further nodes add nothing
		}
	}
	return w.specific(found), value
}

// top chooses the k nodes with the largest D_k, from above, and returns their sum. It is false if
// fewer have any.
func (w *largestRow) top(k int) (sum float64, all bool) {
	w.chosen, w.next.nodes = w.chosen[:0], append(w.next.nodes[:0], w.starts...)
	heap.Init(&w.next)
	for n := range w.waits {
		w.waits[n] = 0
	}
	for len(w.chosen) < k {
		if len(w.next.nodes) == 0 || w.d[w.next.nodes[0]] == 0 {
			return sum, false
		}
		n := heap.Pop(&w.next).(int)
		w.chosen = append(w.chosen, n)
		sum += w.d[n]
		for _, c := range w.nodes.Children(n) {
			w.waits[c]++
			if w.waits[c] == w.counted(c) {
				heap.Push(&w.next, c)
			}
		}
	}
	return sum, true
}

// counted is the number of parents that count.
func (w *largestRow) counted(n int) int {
	counted := 0
	for _, p := range w.nodes.Parents(n) {
		if len(w.above[p]) > 0 {
			counted++
		}
	}
	return counted
}

// specific returns the nodes of a closed set that have no child in it.
func (w *largestRow) specific(closed []int) []int {
	clear(w.in)
	for _, n := range closed {
		for _, p := range w.nodes.Parents(n) {
			w.in[p] = true // implied
		}
	}
	lowest := make([]int, 0, len(closed))
	for _, n := range closed {
		if !w.in[n] {
			lowest = append(lowest, n)
		}
	}
	return w.labels.set(lowest...)
}

// single returns the best node: the expected F1 of n is the sum of D_k over the nodes at or above
// it, with their number k.
func (w *largestRow) single() ([]int, float64) {
	negative := make([]float64, w.nodes.Len()) // expected F1, for best
	for n := range negative {
		negative[n] = math.Inf(1)
	}
	for _, k := range w.largest.single {
		if k > 0 {
			w.share(k)
		}
		for n, above := range w.above {
			if len(above) != k {
				continue
			}
			var sum float64
			for _, a := range above {
				sum += w.d[a]
			}
			negative[n] = -sum
			if k == 0 {
				negative[n] = 0
			}
		}
	}
	n := best(w.order, negative)
	return w.labels.set(n), -negative[n]
}

// frontier is a heap of nodes whose parents are chosen, that with the largest D_k first, of equal
// ones the upper, and of these that with the smallest id.
type frontier struct {
	row   *largestRow
	nodes []int
}

func (f *frontier) Len() int { return len(f.nodes) }

func (f *frontier) Less(i, j int) bool {
	a, b := f.nodes[i], f.nodes[j]
	t := f.row.nodes
	return cmp.Or(cmp.Compare(f.row.d[b], f.row.d[a]), t.Depth(a)-t.Depth(b), a-b) < 0
}

func (f *frontier) Swap(i, j int) { f.nodes[i], f.nodes[j] = f.nodes[j], f.nodes[i] }

func (f *frontier) Push(n any) { f.nodes = append(f.nodes, n.(int)) }

func (f *frontier) Pop() any {
	last := f.nodes[len(f.nodes)-1]
	f.nodes = f.nodes[:len(f.nodes)-1]
	return last
}

// String describes the rule.
func (r LargestF) String() string {
	among := "set of nodes"
	if r.Single {
		among = "node"
	}
	return fmt.Sprintf("the %s with the largest expected %s", among, f1Name(r.Rootless))
}

// f1Name is what the expected values of LargestF and SetF are.
func f1Name(rootless bool) string {
	if rootless {
		return "hierarchical F1 without roots"
	}
	return "hierarchical F1"
}
