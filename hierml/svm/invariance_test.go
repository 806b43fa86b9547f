package svm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// duplicated returns the graph with further nodes that are above the same leaves as one of its own:
// beside an inner node, with its parents and children, or on top of it, as its only parent.
func duplicated(t *testing.T, r *rand.Rand, g *taxonomy.Taxonomy, more int) *taxonomy.Taxonomy {
	t.Helper()
	names := append([]string(nil), g.Names()...)
	edges := append([][2]int(nil), g.Edges()...)
	for range more {
		n := r.IntN(g.Len())
		for g.IsLeaf(n) {
			n = r.IntN(g.Len())
		}
		dup := len(names)
		names = append(names, fmt.Sprintf("%d again", dup))
		beside := r.IntN(2) == 0
		for k, e := range edges {
			switch {
			case e[1] == n && beside:
				edges = append(edges, [2]int{e[0], dup})
			case e[1] == n:
				edges[k][1] = dup
			case e[0] == n && beside:
				edges = append(edges, [2]int{dup, e[1]})
			}
		}
		if !beside {
			edges = append(edges, [2]int{dup, n})
		}
	}
	d, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What is exact of [CSS16, Theorem 1], for any weights: dividing the weight of a node equally among
// duplicates of it changes neither the optimum nor the scores.
func TestDuplicatesChangeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	for k := range 9 {
		g := duplicated(t, r, example.Random(r, 12+r.IntN(6), 1+r.IntN(2), 1+k%3), 1+r.IntN(5))
		sets := make([][]int, len(g.Leaves()))
		for i, l := range g.Leaves() {
			sets[i] = []int{l}
		}
		m, err := g.Minimal(sets)
		if err != nil {
			t.Fatal(err)
		}
		if m.Taxonomy.Len() >= g.Len() {
			t.Fatalf("the minimal graph has %d of %d nodes", m.Taxonomy.Len(), g.Len())
		}
		alpha := make([]float64, m.Taxonomy.Len())
		for n := range alpha {
			alpha[n] = max(0, r.Float64()-0.1)
		}
		split, err := weighting.Split(g.Len(), m.Classes, alpha)
		if err != nil {
			t.Fatal(err)
		}
		d := example.Dense(g, 40, 6, uint64(k))
		several := separable(r, g, 40)
		settings := solver.Settings{Gap: 1e-7, MaxEpochs: 100000}
		for name, c := range map[string]struct {
			estimator svm.Normalized
			data      *dataset.Dataset
		}{
			"equation 10": {svm.Normalized{}, d},
			"equation 13": {svm.Normalized{DivideByNorm: true}, d},
			"label sets":  {svm.Normalized{}, several},
		} {
			c.estimator.Settings = settings
			c.estimator.Alpha = split
			whole := fit(t, c.estimator, c.data)
			mapped := *c.data
			mapped.Taxonomy, mapped.Labels = m.Taxonomy, make([][]int, len(c.data.Labels))
			for i, set := range c.data.Labels {
				mapped.Labels[i] = m.Map(set)
			}
			c.estimator.Alpha = alpha
			minimal := fit(t, c.estimator, &mapped)
			if a, b := whole.Training.Certificate.Primal, minimal.Training.Certificate.Primal; math.Abs(a-b) > 1e-6*b {
				t.Errorf("%v, %s: objective %v, on the minimal graph %v", g, name, a, b)
			}
			scores, others := whole.LeafScores(c.data.X), minimal.LeafScores(c.data.X)
			for y, l := range g.Leaves() {
				z := m.Taxonomy.LeafIndex(m.Class[l])
				if !mat.EqualApprox(relative(scores, y), relative(others, z), 2e-2) {
					t.Errorf("%v, %s: other scores of leaf %q", g, name, g.Name(l))
				}
			}
		}
	}
}

// relative returns the scores of a leaf less the mean score of the row.
func relative(scores *mat.Dense, leaf int) mat.Vector {
	rows, columns := scores.Dims()
	v := mat.NewVecDense(rows, nil)
	for i := range rows {
		v.SetVec(i, scores.At(i, leaf)-mat.Sum(scores.RowView(i))/float64(columns))
	}
	return v
}

// Every choice of node weights trains to its certificate, on trees and on graphs, with and without
// division by the norm.
func TestWeightings(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for name, g := range map[string]*taxonomy.Taxonomy{
		"tree": example.Tree(2, 3), "forest": example.Random(r, 15, 3, 1), "graph": example.Random(r, 18, 2, 3), "chains": example.Tree(1, 2, 1, 2),
	} {
		d := example.Dense(g, 40, 5, 2)
		for kind, w := range map[string]svm.Weighting{
			"default": nil, "rho 1.5": weighting.Path{Rho: 1.5}, "directional": weighting.Path{Directional: true}, "relaxed": weighting.Path{T: 1.5},
			"relaxed and directional": weighting.Path{T: 1.5, Directional: true}, "max-min": weighting.MaxMin{}, "relaxed max-min": weighting.MaxMin{T: 1.5},
		} {
			for _, e := range []svm.Normalized{{}, {DivideByNorm: true}, {Sets: true}} {
				e.Weighting, e.Settings = w, solver.Settings{Gap: 1e-4, MaxEpochs: 10000}
				if m := fit(t, e, d); m.Training.Status != solver.Converged || m.Training.Certificate.Gap > 1e-4 {
					t.Errorf("%s, %s, %s: %v", name, kind, m.Name, m.Training.Certificate)
				}
			}
		}
	}
}
