package weighting

import (
	"container/heap"
	"errors"
	"math"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// MaxMin chooses the weights of [CSS16, (7)]: those with the largest smallest weight, under the
// constraints that every path sums to 1 and that no node has a smaller weight than one of its
// parents. The smallest weight is then 1 over the number of nodes on the longest path, which many
// choices reach. Of these MaxMin takes the one with the largest second smallest weight, and so on.
// That one is unique.
type MaxMin struct {
	// T allows paths with sums from 1 to T, (8), which makes all weights T times as large. It must
	// be finite and at least 1; the default value is 1.
	T float64
}

// Weights returns the weight of every node.
//
// It raises all weights together. When the sum of a path reaches its limit, the path's weights are
// final, including the leaf's, so every path uses its whole sum. This is the max-min fair division
// of the paths among their nodes. It automatically satisfies the directional constraint, because a
// parent is on all paths of its children and stops with the first.
func (m MaxMin) Weights(t *taxonomy.Taxonomy) ([]float64, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	limit, err := pathLimit(m.T)
	if err != nil {
		return nil, err
	}
	if math.IsInf(limit, 1) {
		return nil, errors.New("weighting: T is infinite, so the largest smallest weight has no bound; set a finite T")
	}
	below := make([][]int, t.Len())
	paths := make(saturation, len(t.Leaves()))
	at := make([]*path, len(paths))
	for i, l := range t.Leaves() {
		above := t.Ancestors(l)
		at[i] = &path{nodes: above, rest: limit, rising: len(above), index: i}
		paths[i] = at[i]
		for _, v := range above {
			below[v] = append(below[v], i)
		}
	}
	heap.Init(&paths)
	alpha := make([]float64, t.Len())
	final := make([]bool, t.Len())
	level := 0.0
	for paths.Len() > 0 {
		next := paths[0]
		// Rounding must not let the level fall: children would get less than their parents.
		level = max(level, next.level())
		for _, v := range next.nodes {
			if final[v] {
				continue
			}
			final[v] = true
			alpha[v] = level
			for _, i := range below[v] {
				p := at[i]
				p.rest -= level
				p.rising--
				if p.rising > 0 {
					heap.Fix(&paths, p.index)
				} else {
					heap.Remove(&paths, p.index)
				}
			}
		}
	}
	return alpha, nil
}

// path is the way from a leaf to all of its ancestors: what is left of its sum, and how many of its
// nodes are not final.
type path struct {
	nodes  []int
	rest   float64
	rising int
	index  int
}

// level returns the weight of the rising nodes at which the sum is complete.
func (p *path) level() float64 { return p.rest / float64(p.rising) }

// saturation is a heap of paths by level.
type saturation []*path

func (s saturation) Len() int           { return len(s) }
func (s saturation) Less(i, j int) bool { return s[i].level() < s[j].level() }

func (s saturation) Swap(i, j int) {
	s[i], s[j] = s[j], s[i]
	s[i].index, s[j].index = i, j
}

func (s *saturation) Push(v any) {
	p := v.(*path)
	p.index = len(*s)
	*s = append(*s, p)
}

func (s *saturation) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
