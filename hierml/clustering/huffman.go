package clustering

import (
	"container/heap"
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Huffman is an estimator that builds the binary tree with the smallest mean depth of the labels of
// all instances, by [Huf52], and trains under it; its model is evaluated on the true taxonomy. With
// svm.PLT and svm.HierarchicalSoftmax it is the label tree with the lowest cost of training and
// prediction. Features are not used: neighbouring classes have only their frequency in common.
type Huffman struct {
	// Estimator trains under the tree, as in Automatic.
	Estimator classifier.Estimator
}

// Fit makes the tree, trains with it, and returns the model as Automatic's Fit does.
func (h Huffman) Fit(ctx context.Context, d *dataset.Dataset) (*Translated, error) {
	return fitUnder(ctx, h.Estimator, d, h.Hierarchy)
}

// Hierarchy returns the tree that Fit trains with: the classes as leaves under their names, with
// ids from 0 on, below nodes called "cluster 1" for the root, "cluster 1.1" and "cluster 1.2" for
// what is below it, and so on. The two clusters, or classes, with the fewest labels are merged
// repeatedly; ties are broken by age. Classes without instances are children of the root.
func (h Huffman) Hierarchy(ctx context.Context, d *dataset.Dataset) (*taxonomy.Taxonomy, error) {
	s, err := newClasses(d, false)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	queue := make(rareFirst, s.len())
	for k, members := range s.members {
		queue[k] = rare{len(members), k}
	}
	heap.Init(&queue)
	var merged [][2]int // cluster s.len()+t is made of these
	for len(queue) > 1 {
		a := heap.Pop(&queue).(rare)
		b := heap.Pop(&queue).(rare)
		heap.Push(&queue, rare{a.labels + b.labels, s.len() + len(merged)})
		merged = append(merged, [2]int{a.number, b.number})
	}
	b := newBuilder(append(s.names, s.empty...))
	var below func(number int, name string) int
	below = func(number int, name string) int {
		if number < s.len() {
			return number
		}
		node := b.node("cluster " + name)
		for k, part := range merged[number-s.len()] {
			b.edge(node, below(part, fmt.Sprintf("%s.%d", name, k+1)))
		}
		return node
	}
	root := below(queue[0].number, "1")
	if root < s.len() { // the only class with instances
		root = b.node("cluster 1")
		b.edge(root, queue[0].number)
	}
	for k := range s.empty {
		b.edge(root, s.len()+k)
	}
	return taxonomy.New(b.names, b.edges)
}

// rare is a class or a cluster with its number of labels.
type rare struct{ labels, number int }

// rareFirst is a heap of them.
type rareFirst []rare

func (q rareFirst) Len() int { return len(q) }

func (q rareFirst) Less(i, j int) bool {
	if q[i].labels != q[j].labels {
		return q[i].labels < q[j].labels
	}
	return q[i].number < q[j].number
}

func (q rareFirst) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *rareFirst) Push(x any) { *q = append(*q, x.(rare)) }

func (q *rareFirst) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
