package hierml_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// The tests of this file show errata of the papers, listed in doc/papers.md, that no other test
// shows.

// [Cai08, (7.2)] is said to be Delta_h where all leaves are equally deep; it is Delta_h divided by
// the depth.
func TestNormalizedLossIsHalfByDepth(t *testing.T) {
	g := example.Tree(2, 3, 2)
	normalized, err := loss.Normalized(g)
	if err != nil {
		t.Fatal(err)
	}
	half := loss.Half(g)
	for _, y := range g.Leaves() {
		depth := float64(g.Depth(y))
		for _, z := range g.Leaves() {
			if got, want := normalized.Cost(y, z), half.Cost(y, z)/depth; math.Abs(got-want) > 1e-15 {
				t.Errorf("cost %v of %d and %d, want %v", got, y, z, want)
			}
		}
	}
}

// [Cai08, (3.13)] is the length of a path in trees and forests, and not in every graph with one
// path between two nodes.
func TestPathLengthOfPolytree(t *testing.T) {
	g, err := taxonomy.New([]string{"0", "1", "2", "3", "4"}, [][2]int{{0, 3}, {1, 3}, {0, 4}, {2, 4}})
	if err != nil {
		t.Fatal(err)
	}
	if got := loss.Symdiff(g).Cost(3, 4); got != 4 {
		t.Errorf("%v nodes are above one of the two, want 4", got)
	}
	if got := g.Distance(3, 4); got != 2 {
		t.Errorf("%d edges are between the two, want 2", got)
	}
}

// On trees with one root and one label an instance, the loss of [QGH09, (6)] with equal costs is
// twice the 0/1 loss, which rows of table 1 there violate.
func TestUniformLossIsTwiceZeroOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		g := example.Random(r, 2+r.IntN(25), 1, 1)
		uni, err := loss.Uni(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range g.Leaves() {
			for _, z := range g.Leaves() {
				if got, want := uni.Cost(y, z), 2*loss.ZeroOne().Cost(y, z); got != want {
					t.Errorf("cost %v of %d and %d, want %v", got, y, z, want)
				}
			}
		}
	}
}

// The attributes 1/sqrt(depth) of [Cai08, section 7.2] with the largest depth have norm 1 where all
// leaves are equally deep, and elsewhere not.
func TestNormsOfAttributesByDepth(t *testing.T) {
	caterpillar, err := taxonomy.New([]string{"root", "a", "1", "2", "b", "3", "4"}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}, {4, 5}, {4, 6}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := structured.InvSqrtMaxDepth(caterpillar)
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]float64{2: 1. / 3, 3: 2. / 3, 5: 1, 6: 1}
	for i, y := range a.Candidates() {
		_, values := a.Leaf(i)
		got := 0.
		for _, v := range values {
			got += v * v
		}
		if math.Abs(got-want[y]) > 1e-15 {
			t.Errorf("the attributes of %s have the squared norm %v, want %v", caterpillar.Name(y), got, want[y])
		}
	}
}

// The comparison matrix of [ZXW11, (6)] with alpha = 1 is positive semidefinite where the forest
// has at most two levels, and nowhere else: "often" does not extend to three.
func TestConvexOnTwoLevelsOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	seen := map[bool]int{}
	for range 200 {
		n := 2 + r.IntN(9)
		g := example.Random(r, n, 1+r.IntN(n), 1)
		levels := 0
		for v := range n {
			levels = max(levels, g.Depth(v)+1)
		}
		flat := levels <= 2
		seen[flat]++
		if largest := orthogonal.MaxAlpha(g); (largest >= 1-1e-9) != flat {
			t.Errorf("the largest alpha is %v for %d levels\n%v", largest, levels, g)
		}
	}
	if seen[true] < 20 || seen[false] < 20 {
		t.Errorf("forests of at most two levels, and of more: %v", seen)
	}
}

// [Cai08, proposition 2 and corollary 1]: the mean slack, of the primal problem and not of the dual
// as [Cai08, section 7.3] says, bounds the maximal loss on the training data, which bounds the top
// loss.
func TestSlackBoundsTheLosses(t *testing.T) {
	const c = 0.1
	g := example.Tree(3, 2)
	for seed := range uint64(5) {
		d := example.Dense(g, 60, 2, seed)
		model, err := svm.Hierarchical{C: c, Loss: loss.Half(g), Rescaling: structured.Slack}.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		squares := 0.
		for n := range g.Len() {
			for _, w := range model.Weights(n) {
				squares += w * w
			}
		}
		slack := (model.Training.Certificate.Primal - squares/2) / c / float64(d.X.Rows)
		report, err := metric.Evaluate(model, d)
		if err != nil {
			t.Fatal(err)
		}
		if !(report.TopLoss > 0 && report.TopLoss <= report.MaximalLoss && report.MaximalLoss <= slack+1e-6) {
			t.Errorf("top loss %v, maximal loss %v, mean slack %v", report.TopLoss, report.MaximalLoss, slack)
		}
	}
}
