package synthetic

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TextLike describes data sets that resemble texts: every node of a random tree has a topic, a list
// of words that are frequent in its documents. Each word of a document is drawn from the topic of a
// node on the path to the document's leaf or, mostly, from a common background. Words follow Zipf's
// law. Values are (1 + log count) times the inverse document frequency in the training part, to
// unit length.
//
// The zero value is a small problem; NewsgroupsLike, WIPOLike, IPCLike, DMOZLike and WikipediaLike
// are as large as the collections of the papers. Use such data to measure time and memory, and real
// texts to compare methods.
type TextLike struct {
	Name string
	// Levels has the number of nodes at each depth, the roots first and the leaves last. No level
	// is smaller than the one above. The default value is 5 and 15.
	Levels []int
	// Even gives all nodes of a level the same number of children, as far as possible. By default
	// every node has one child, and the other children have random parents.
	Even bool
	// Train and Test are the numbers of instances. The default values are 1500 and 500.
	Train, Test int
	// Features is the number of words. The default value is 10000.
	Features int
	// Length is about the mean number of words of a document, each occurrence counted. The default
	// value is 150.
	Length int
	// Topic is the number of words in the topic of a node. The default value is 150.
	Topic int
	// Mix has for each level the share of a document's words from the topic of the node there. The
	// default is 0.09 in all, equally divided.
	Mix []float64
	// Noise is the share of the documents that take all topics from a random sibling of their leaf.
	// The default value is 0.1; below zero there are none.
	Noise float64
	// Tail makes classes of unequal size: the one of rank r has a size proportional to
	// (r+20)^-Tail. With zero, all have the same.
	Tail float64
	// Seed determines all random numbers.
	Seed uint64
	// Workers is the number of goroutines. The data do not depend on it. The default value is the
	// number of processors.
	Workers int
}

// NewsgroupsLike has the size of the 15 groups of Newsgroups [Cai08, section 7.1]: 20 nodes, 15
// leaves of equal size.
func NewsgroupsLike() TextLike {
	return TextLike{
		Name: "Newsgroups-like", Levels: []int{5, 15}, Even: true, Train: 15000, Test: 5000,
		Features: 63000, Topic: 250, Mix: []float64{0.03, 0.04}, Seed: 20150803,
	}
}

// WIPOLike has the size of section D of WIPO-alpha [Cai08, tables 7.1 and 7.17]: 160 leaves, 1,710
// instances to train on, 18,077 features.
func WIPOLike() TextLike {
	return TextLike{
		Name: "WIPO-like", Levels: []int{8, 20, 160}, Train: 1710, Test: 855,
		Features: 18077, Length: 300, Topic: 100, Mix: []float64{0.05, 0.08, 0.10}, Tail: 0.9, Seed: 20150805,
	}
}

// IPCLike has the size of IPC [CSS16, table 2]: 553 nodes, 451 leaves, 228,000 features, 75,250
// instances, of which 46,324 are to train on.
func IPCLike() TextLike {
	return TextLike{
		Name: "IPC-like", Levels: []int{8, 94, 451}, Train: 46324, Test: 28926,
		Features: 228000, Mix: []float64{0.02, 0.03, 0.04}, Tail: 0.9, Seed: 20150804,
	}
}

// DMOZLike has the size of DMOZ10 [CSS16, table 2]: 17,221 nodes, 12,294 leaves, 165,000 features,
// 163,590 instances, of which 128,710 are to train on: half of the classes have five of them or
// fewer, the largest several hundred. All leaves are at the fifth level. The sizes of the inner
// levels and the length of the documents, which the paper does not give, are a guess.
func DMOZLike() TextLike {
	return TextLike{
		Name: "DMOZ-like", Levels: []int{11, 346, 1402, 3168, 12294}, Train: 128710, Test: 34880,
		Features: 165000, Mix: []float64{0.02, 0.03, 0.04, 0.05, 0.06}, Tail: 0.9, Seed: 20150806,
	}
}

// WikipediaLike has the size of WIKI [CSS16, table 2]: 50,312 nodes, 36,504 leaves, 346,299
// features, 456,886 instances to train on, here with one label each. All leaves are at the fifth
// level. The sizes of the inner levels, of the test part and of the documents are a guess. It takes
// 0.7 GB of memory.
func WikipediaLike() TextLike {
	return TextLike{
		Name: "Wikipedia-like", Levels: []int{25, 783, 4000, 9000, 36504}, Train: 456886, Test: 50000,
		Features: 346299, Mix: []float64{0.02, 0.03, 0.04, 0.05, 0.06}, Tail: 0.9, Seed: 20150807,
	}
}

// Generate draws the taxonomy and the instances. Equal settings give equal data. Labels are leaves;
// if the training part has room for it, every leaf is the label of at least one instance there. The
// columns are those of words that may not occur in the training part.
//
// It stops with the context's error when ctx is cancelled.
func (g TextLike) Generate(ctx context.Context) (*dataset.Collection, error) {
	g = g.withDefaults()
	if err := g.check(); err != nil {
		return nil, err
	}
	t, paths, err := g.taxonomy()
	if err != nil {
		return nil, err
	}
	leaves := g.labels(len(paths))
	words := newTextWords(g)
	draw := func(documents []int, seed func(i int) *rand.Rand) (*dataset.Matrix, error) {
		return drawRows(ctx, len(documents), g.Features, g.Workers, func() rowDrawer {
			d := words.newDocument()
			return func(i int, columns []int32, values []float32) ([]int32, []float32) {
				rng := seed(i)
				return d.draw(rng, g.topics(rng, t, paths, documents[i]), columns, values)
			}
		})
	}
	c := &dataset.Collection{Name: g.Name, Train: &dataset.Dataset{Name: g.Name + " train", Taxonomy: t}, Test: &dataset.Dataset{Name: g.Name + " test", Taxonomy: t}}
	first := 0
	for _, part := range []*dataset.Dataset{c.Train, c.Test} {
		size := g.Train
		if part == c.Test {
			size = g.Test
		}
		documents := leaves[first : first+size]
		offset := first
		if part.X, err = draw(documents, func(i int) *rand.Rand { return stream(g.Seed, documentStream, offset+i) }); err != nil {
			return nil, err
		}
		part.Labels = labelsOf(paths, documents)
		first += size
	}
	inverse := inverseFrequencies(c.Train.X)
	for _, part := range []*dataset.Dataset{c.Train, c.Test} {
		weighCounts(part.X, inverse)
	}
	return c, nil
}

func (g TextLike) withDefaults() TextLike {
	if g.Name == "" {
		g.Name = "text-like"
	}
	if g.Levels == nil {
		g.Levels = []int{5, 15}
	}
	if g.Train == 0 && g.Test == 0 {
		g.Train, g.Test = 1500, 500
	}
	for _, value := range []struct {
		setting *int
		normal  int
	}{{&g.Features, 10000}, {&g.Length, 150}, {&g.Topic, 150}} {
		if *value.setting == 0 {
			*value.setting = value.normal
		}
	}
	if g.Mix == nil && len(g.Levels) > 0 {
		g.Mix = slices.Repeat([]float64{0.09 / float64(len(g.Levels))}, len(g.Levels))
	}
	switch {
	case g.Noise == 0:
		g.Noise = 0.1
	case g.Noise < 0:
		g.Noise = 0
	}
	return g
}

func (g TextLike) check() error {
	if len(g.Levels) == 0 {
		return fmt.Errorf("synthetic: %s: no levels; give the number of nodes at each depth", g.Name)
	}
	above := 1
	for k, n := range g.Levels {
		if n < above {
			return fmt.Errorf("synthetic: %s: level %d has %d nodes; it needs at least the %d of the level above", g.Name, k, n, above)
		}
		above = n
	}
	if g.Train < 1 || g.Test < 0 {
		return fmt.Errorf("synthetic: %s: %d instances for training and %d for testing; give at least 1 for training and at least 0 for testing", g.Name, g.Train, g.Test)
	}
	if g.Features < 1 || g.Features > math.MaxInt32 || g.Topic < 1 || g.Length < 1 || g.Length > 1<<20 {
		return fmt.Errorf("synthetic: %s: %d words, %d in a topic and %d in a document; all must be positive and not too large", g.Name, g.Features, g.Topic, g.Length)
	}
	if len(g.Mix) != len(g.Levels) {
		return fmt.Errorf("synthetic: %s: Mix has %d parts for %d levels; give one per level", g.Name, len(g.Mix), len(g.Levels))
	}
	sum := 0.0
	for _, part := range g.Mix {
		if !(part >= 0) {
			return fmt.Errorf("synthetic: %s: a part of Mix is %v; none may be negative", g.Name, part)
		}
		sum += part
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("synthetic: %s: the parts of Mix add up to %v, more than 1", g.Name, sum)
	}
	if !(g.Noise <= 1) || !(g.Tail >= 0) || math.IsInf(g.Tail, 1) {
		return fmt.Errorf("synthetic: %s: Noise is %v and Tail %v; Noise must be at most 1, and Tail finite and not negative", g.Name, g.Noise, g.Tail)
	}
	if g.Workers < 0 {
		return fmt.Errorf("synthetic: %s: Workers is %d; it must not be negative, and 0 means one per CPU", g.Name, g.Workers)
	}
	return nil
}

// taxonomy returns the tree and the path of nodes to each leaf, the root first. A node is named by
// its path: 3.1 is a child of 3.
func (g TextLike) taxonomy() (t *taxonomy.Taxonomy, paths [][]int, err error) {
	rng := stream(g.Seed, taxonomyStream, 0)
	var names []string
	var edges [][2]int
	level := [][]int{nil} // paths to the nodes of a level
	for _, n := range g.Levels {
		parents := make([]int, n)
		for i := range parents {
			switch {
			case g.Even:
				parents[i] = i * len(level) / n
			case i < len(level):
				parents[i] = i
			default:
				parents[i] = rng.IntN(len(level))
			}
		}
		slices.Sort(parents)
		next := make([][]int, n)
		number := 0
		for i, p := range parents {
			if number++; i > 0 && parents[i-1] != p {
				number = 1
			}
			node := len(names)
			name := strconv.Itoa(number)
			if path := level[p]; len(path) > 0 {
				parent := path[len(path)-1]
				name = names[parent] + "." + name
				edges = append(edges, [2]int{parent, node})
			}
			names = append(names, name)
			next[i] = append(slices.Clone(level[p]), node)
		}
		level = next
	}
	t, err = taxonomy.New(names, edges)
	if err != nil {
		return nil, nil, fmt.Errorf("synthetic: %s: %w", g.Name, err)
	}
	return t, level, nil
}

// labels returns the number of the leaf, from 0, of each instance.
func (g TextLike) labels(leaves int) []int {
	rng := stream(g.Seed, labelStream, 0)
	y := make([]int, g.Train+g.Test)
	weights := make([]float64, leaves)
	for r, leaf := range rng.Perm(leaves) {
		weights[leaf] = math.Pow(float64(r+20), -g.Tail)
	}
	classes := newAlias(weights)
	for i := range y {
		switch {
		case g.Tail == 0, leaves <= g.Train && i < leaves:
			y[i] = i % leaves
		default:
			y[i] = classes.draw(rng)
		}
	}
	for _, part := range [][]int{y[:g.Train], y[g.Train:]} {
		rng.Shuffle(len(part), func(a, b int) { part[a], part[b] = part[b], part[a] })
	}
	return y
}

// topics returns the nodes whose topics a document of the leaf has.
func (g TextLike) topics(rng *rand.Rand, t *taxonomy.Taxonomy, paths [][]int, leaf int) []int {
	path := paths[leaf]
	if len(path) < 2 || rng.Float64() >= g.Noise {
		return path
	}
	siblings := t.Children(path[len(path)-2])
	return paths[siblings[rng.IntN(len(siblings))]-paths[0][len(paths[0])-1]] // leaves have the last ids, in order
}

// labelsOf returns the label lists of documents by the numbers of their leaves.
func labelsOf(paths [][]int, documents []int) [][]int {
	of := make([][]int, len(paths))
	for i, path := range paths {
		of[i] = []int{path[len(path)-1]}
	}
	labels := make([][]int, len(documents))
	for i, leaf := range documents {
		labels[i] = of[leaf]
	}
	return labels
}
