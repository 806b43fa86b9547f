package clustering

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Taxonomy returns the classes below the clusters of the dendrogram's cut: the hierarchy of [Cai08,
// Algorithm 8], with the clusters on the first level and the classes on the second. With cuts it
// has one level for each of them instead, in the order of their numbers of clusters. A cluster of
// one class is a node with one child. It returns an error if neither of two cuts refines the
// other.
//
// The leaves are the classes under their names, in the order of Classes and then of Empty, with ids
// from 0 on. Every class of Empty is a separate cluster on each level.
func (d *Dendrogram) Taxonomy(cuts ...Cut) (*taxonomy.Taxonomy, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	levels := [][]bool{d.Cut}
	if len(cuts) > 0 {
		levels = nil
	}
	for _, c := range cuts {
		other, err := d.With(c)
		if err != nil {
			return nil, err
		}
		levels = append(levels, other.Cut)
	}
	slices.SortStableFunc(levels, func(a, b []bool) int { return cmp.Compare(countTrue(a), countTrue(b)) })
	for l, finer := range levels[1:] {
		for t, cut := range levels[l] {
			if cut && !finer[t] {
				return nil, fmt.Errorf("clustering: the cuts do not refine each other: link %d is cut in the cut into %d clusters, but not in the cut into %d; choose cuts that do", t, countTrue(levels[l])+1, countTrue(finer)+1)
			}
		}
	}

	b := d.builder()
	above := make([]int, len(d.Classes)+len(d.Empty)) // the node that each class is below, so far
	for i := range above {
		above[i] = -1
	}
	numbers := make(map[int]string) // of nodes, as "2.1"
	for _, cut := range levels {
		clusters := d.partition(cut)
		for i := range d.Empty {
			clusters = append(clusters, []int{len(d.Classes) + i})
		}
		children := make(map[int]int)
		for _, cluster := range clusters {
			parent := above[cluster[0]]
			children[parent]++
			number := fmt.Sprint(children[parent])
			if parent >= 0 {
				number = numbers[parent] + "." + number
			}
			node := b.node("cluster " + number)
			numbers[node] = number
			if parent >= 0 {
				b.edge(parent, node)
			}
			for _, class := range cluster {
				above[class] = node
			}
		}
	}
	for class, node := range above {
		b.edge(node, class)
	}
	return taxonomy.New(b.names, b.edges)
}

// Binary returns the whole dendrogram as a taxonomy: every link is a node with two children. The
// leaves are as those of Taxonomy; classes of Empty are children of the root.
func (d *Dendrogram) Binary() (*taxonomy.Taxonomy, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	b := d.builder()
	node := make([]int, len(d.Classes)+len(d.Links))
	for i := range d.Classes {
		node[i] = i
	}
	for t, l := range d.Links {
		n := b.node(fmt.Sprintf("link %d", t))
		node[len(d.Classes)+t] = n
		b.edge(n, node[l.A])
		b.edge(n, node[l.B])
	}
	root := node[len(node)-1]
	if len(d.Links) == 0 {
		root = b.node("cluster 1")
		b.edge(root, 0)
	}
	for i := range d.Empty {
		b.edge(root, len(d.Classes)+i)
	}
	return taxonomy.New(b.names, b.edges)
}

// builder collects the nodes and edges of a taxonomy.
type builder struct {
	names []string
	taken map[string]bool
	edges [][2]int
}

// builder returns one with the classes as its first nodes, as newBuilder does.
func (d *Dendrogram) builder() *builder { return newBuilder(slices.Concat(d.Classes, d.Empty)) }

func newBuilder(classes []string) *builder {
	b := &builder{names: classes, taken: make(map[string]bool)}
	for _, name := range b.names {
		b.taken[name] = true
	}
	return b
}

// node adds a node, with an apostrophe or more after its name if a class has that already.
func (b *builder) node(name string) int {
	for b.taken[name] {
		name += "'"
	}
	b.taken[name] = true
	b.names = append(b.names, name)
	return len(b.names) - 1
}

func (b *builder) edge(parent, child int) { b.edges = append(b.edges, [2]int{parent, child}) }

func countTrue(list []bool) int {
	n := 0
	for _, v := range list {
		if v {
			n++
		}
	}
	return n
}
