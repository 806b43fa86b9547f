package convex

import (
	"container/heap"
	"slices"
)

// order returns an order of elimination of the graph that keeps few nonzeros: always the node with
// the fewest neighbours in what remains. Nodes from first on, the rows of a program, have no pivot
// of their own: they wait for a neighbour.
func order(neighbours [][]int32, first int) []int32 {
	n := len(neighbours)
	q := &queue{at: make([]int, n), degree: make([]int, n)}
	ready := make([]bool, n)
	for v := range n {
		ready[v] = v < first
		q.degree[v] = len(neighbours[v])
		q.at[v] = -1
		if ready[v] {
			heap.Push(q, int32(v))
		}
	}
	sequence := make([]int32, 0, n)
	var union []int32
	for len(sequence) < n && q.Len() > 0 {
		if q.degree[q.nodes[0]] == n-len(sequence)-1 {
			// All that remains is connected: any order does, as long as the rows that still wait
			// come last.
			break
		}
		v := heap.Pop(q).(int32)
		sequence = append(sequence, v)
		around := neighbours[v]
		for _, u := range around {
			union = merge(union[:0], neighbours[u], around, u, v)
			neighbours[u] = append(neighbours[u][:0], union...)
			q.degree[u] = len(union)
			if !ready[u] {
				ready[u] = true
				heap.Push(q, u)
			} else {
				heap.Fix(q, q.at[u])
			}
		}
		neighbours[v] = nil
	}
	rest := slices.Clone(q.nodes)
	slices.SortFunc(rest, func(a, b int32) int { return q.at[a] - q.at[b] })
	for _, v := range rest {
		q.at[v] = -1
		sequence = append(sequence, v)
	}
	for v := range n {
		if !ready[v] {
			sequence = append(sequence, int32(v))
		}
	}
	return sequence
}

// merge appends the union of two ascending lists without the nodes x and y.
func merge(dst, a, b []int32, x, y int32) []int32 {
	for len(a) > 0 || len(b) > 0 {
		var v int32
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			v, a = a[0], a[1:]
		case len(a) == 0 || b[0] < a[0]:
			v, b = b[0], b[1:]
		default:
			v, a, b = a[0], a[1:], b[1:]
		}
		if v != x && v != y {
			dst = append(dst, v)
		}
	}
	return dst
}

// queue is a heap of nodes by degree, then by number.
type queue struct {
	nodes  []int32
	at     []int
	degree []int
}

func (q *queue) Len() int { return len(q.nodes) }

func (q *queue) Less(i, j int) bool {
	a, b := q.nodes[i], q.nodes[j]
	if q.degree[a] != q.degree[b] {
		return q.degree[a] < q.degree[b]
	}
	return a < b
}

func (q *queue) Swap(i, j int) {
	q.nodes[i], q.nodes[j] = q.nodes[j], q.nodes[i]
	q.at[q.nodes[i]], q.at[q.nodes[j]] = i, j
}

func (q *queue) Push(v any) {
	q.at[v.(int32)] = len(q.nodes)
	q.nodes = append(q.nodes, v.(int32))
}

func (q *queue) Pop() any {
	v := q.nodes[len(q.nodes)-1]
	q.nodes = q.nodes[:len(q.nodes)-1]
	q.at[v] = -1
	return v
}
