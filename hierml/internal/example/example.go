// Package example generates small and large learning problems for the tests and benchmarks of the
// learning library. Equal seeds give equal problems.
package example

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Tree returns a balanced tree: one root, and branching[d] children for every node at depth d.
func Tree(branching ...int) *taxonomy.Taxonomy {
	names := []string{"0"}
	var edges [][2]int
	level := []int{0}
	for _, b := range branching {
		var next []int
		for _, n := range level {
			for range b {
				next = append(next, len(names))
				edges = append(edges, [2]int{n, len(names)})
				names = append(names, fmt.Sprint(len(names)))
			}
		}
		level = next
	}
	return must(taxonomy.New(names, edges))
}

// Graph returns a random DAG with the given number of nodes, in which every node but the first has
// a parent and some have two.
func Graph(nodes int, seed uint64) *taxonomy.Taxonomy {
	rng := rand.New(rand.NewPCG(seed, 1))
	names := make([]string, nodes)
	var edges [][2]int
	for n := range names {
		names[n] = fmt.Sprint(n)
		if n == 0 {
			continue
		}
		p := rng.IntN(n)
		edges = append(edges, [2]int{p, n})
		if q := rng.IntN(n); q != p && rng.IntN(3) == 0 {
			edges = append(edges, [2]int{q, n})
		}
	}
	return must(taxonomy.New(names, edges))
}

// Random returns a random graph of n nodes with ids in random order, in which each node that is not
// one of the roots has up to most parents: a forest where most is 1.
func Random(r *rand.Rand, n, roots, most int) *taxonomy.Taxonomy {
	ids := r.Perm(n)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	var edges [][2]int
	for i := roots; i < n; i++ {
		for _, p := range r.Perm(i)[:min(i, 1+r.IntN(most))] {
			edges = append(edges, [2]int{ids[p], ids[i]})
		}
	}
	return must(taxonomy.New(names, edges))
}

// Dense returns normally distributed instances whose labels are leaves in turn, with a shift of the
// mean a leaf.
func Dense(t *taxonomy.Taxonomy, rows, cols int, seed uint64) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(seed, 2))
	leaves := t.Leaves()
	means := make([]float64, len(leaves)*cols)
	for k := range means {
		means[k] = rng.NormFloat64()
	}
	d := &dataset.Dataset{Name: "dense", Taxonomy: t, X: &dataset.Matrix{Rows: rows, Cols: cols, Indptr: []int{0}}}
	for i := range rows {
		y := i % len(leaves)
		for f := range cols {
			d.X.Indices = append(d.X.Indices, int32(f))
			d.X.Values = append(d.X.Values, float32(means[y*cols+f]+rng.NormFloat64()))
		}
		d.X.Indptr = append(d.X.Indptr, len(d.X.Values))
		d.Labels = append(d.Labels, []int{leaves[y]})
	}
	return d
}

// Texts returns rows like tf-idf vectors of texts: words words from a Zipf distribution over cols,
// a third of them from the topics of the nodes above the label, one row in ten from a neighbouring
// leaf's topics, unit length. The labels are unbalanced.
func Texts(t *taxonomy.Taxonomy, rows, cols, words int, seed uint64) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(seed, 3))
	leaves := t.Leaves()
	zipf := rand.NewZipf(rng, 1.1, 8, uint64(cols-1))
	labels := rand.NewZipf(rng, 1.2, float64(len(leaves))/4, uint64(len(leaves)-1))
	topics := make([][]int32, t.Len())
	for n := range topics {
		topics[n] = make([]int32, 60)
		for k := range topics[n] {
			topics[n][k] = int32(rng.IntN(cols))
		}
	}
	d := &dataset.Dataset{Name: "texts", Taxonomy: t, X: &dataset.Matrix{Rows: rows, Cols: cols, Indptr: []int{0}}}
	count := map[int32]int{}
	for range rows {
		y := int(labels.Uint64())
		from := y
		if rng.IntN(10) == 0 {
			from = min(y+1, len(leaves)-1)
		}
		above := t.Ancestors(leaves[from])
		clear(count)
		for range words {
			if rng.IntN(3) > 0 {
				count[int32(zipf.Uint64())]++
				continue
			}
			topic := topics[above[rng.IntN(len(above))]]
			count[topic[rng.IntN(len(topic))]]++
		}
		row := make([]int32, 0, len(count))
		var norm float64
		for f, c := range count {
			row = append(row, f)
			v := value(f, c)
			norm += v * v
		}
		slices.Sort(row)
		norm = math.Sqrt(norm)
		for _, f := range row {
			d.X.Indices = append(d.X.Indices, f)
			d.X.Values = append(d.X.Values, float32(value(f, count[f])/norm))
		}
		d.X.Indptr = append(d.X.Indptr, len(d.X.Values))
		d.Labels = append(d.Labels, []int{leaves[y]})
	}
	return d
}

// value is log tf-idf for the frequency that the Zipf distribution implies.
func value(f int32, count int) float64 {
	return (1 + math.Log(float64(count))) * math.Log(2+float64(f))
}

func must(t *taxonomy.Taxonomy, err error) *taxonomy.Taxonomy {
	if err != nil {
		panic("example: " + err.Error())
	}
	return t
}
