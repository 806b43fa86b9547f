package synthetic

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Gaussians describes points that scatter around a centre for each class, equally in all
// directions. Such data are easy to look at: in two dimensions, package chart draws what a model
// does with them.
//
// The zero value has nine classes in three branches in the plane, in the spirit of [Cai08, figures
// 4.3 and 4.4]: a branch lies in a direction of its own, 120 degrees from the others, and its three
// classes are 30 degrees apart.
type Gaussians struct {
	Name string
	// Classes has the path of each class, with "/" between the names of its nodes, as
	// taxonomy.FromPaths takes it. Each is a leaf. A class that is given twice has two centres.
	Classes []string
	// Centres has a point for each of the Classes, all with the same number of coordinates, which
	// are the features. OnCircle makes points in the plane.
	Centres [][]float64
	// Deviation is the standard deviation of each coordinate. The default value is 0.2.
	Deviation float64
	// PerClass is the number of instances around each centre. The default value is 20.
	PerClass int
	// Seed determines all that is drawn.
	Seed uint64
}

// Generate draws the instances, one around each centre in turn. Equal settings give equal data. It
// is an error if there is not one centre for each class, if the centres differ in their number of
// coordinates, or if a number is not finite.
//
// It ends early, with the context's error, when ctx does.
func (g Gaussians) Generate(ctx context.Context) (*dataset.Dataset, error) {
	g = g.withDefaults()
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("synthetic: %s: %w", g.Name, err)
	}
	t, err := taxonomy.FromPaths(g.Classes, "/")
	if err != nil {
		return nil, fmt.Errorf("synthetic: %s: %w", g.Name, err)
	}
	leaves := make([]int, len(g.Classes))
	for k, path := range g.Classes {
		n, ok := t.Node(path)
		if !ok || !t.IsLeaf(n) {
			return nil, fmt.Errorf("synthetic: %s: class %q is not a leaf of the taxonomy; give each class a path that no other class continues", g.Name, path)
		}
		leaves[k] = n
	}
	r := rand.New(rand.NewPCG(g.Seed, 0))
	x := mat.NewDense(g.PerClass*len(leaves), len(g.Centres[0]), nil)
	labels := make([][]int, x.RawMatrix().Rows)
	for i := range labels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k := i % len(leaves)
		labels[i] = []int{leaves[k]}
		row := x.RawRowView(i)
		for j, c := range g.Centres[k] {
			row[j] = c + g.Deviation*r.NormFloat64()
		}
	}
	return dataset.FromDense(g.Name, t, x, labels)
}

func (g Gaussians) withDefaults() Gaussians {
	if g.Name == "" {
		g.Name = "points"
	}
	if g.Classes == nil && g.Centres == nil {
		g.Classes = []string{"1/a", "1/b", "1/c", "2/a", "2/b", "2/c", "3/a", "3/b", "3/c"}
		g.Centres = OnCircle(1, 60, 90, 120, 180, 210, 240, 300, 330, 360)
	}
	if g.Deviation == 0 {
		g.Deviation = 0.2
	}
	if g.PerClass == 0 {
		g.PerClass = 20
	}
	return g
}

func (g Gaussians) check() error {
	if len(g.Classes) == 0 || len(g.Classes) != len(g.Centres) {
		return fmt.Errorf("%d classes and %d centres; give each class one centre", len(g.Classes), len(g.Centres))
	}
	if g.PerClass < 1 || g.PerClass > math.MaxInt32/len(g.Classes) {
		return fmt.Errorf("%d instances of each of %d classes; PerClass must be at least 1, and at most %d instances are allowed in all", g.PerClass, len(g.Classes), math.MaxInt32)
	}
	if !(g.Deviation > 0) || math.IsInf(g.Deviation, 0) {
		return fmt.Errorf("a deviation of %v; it must be positive and finite", g.Deviation)
	}
	for k, c := range g.Centres {
		if len(c) == 0 || len(c) != len(g.Centres[0]) {
			return fmt.Errorf("the centre of class %q has %d coordinates, that of %q has %d; all centres need the same number, at least 1", g.Classes[k], len(c), g.Classes[0], len(g.Centres[0]))
		}
		if floats.HasNaN(c) || math.IsInf(floats.Norm(c, math.Inf(1)), 0) {
			return fmt.Errorf("the centre of class %q is %v; its coordinates must be finite", g.Classes[k], c)
		}
	}
	return nil
}

// OnCircle returns points on the circle of a radius around the origin, at angles in degrees, which
// are counted from the first axis towards the second.
func OnCircle(radius float64, degrees ...float64) [][]float64 {
	points := make([][]float64, len(degrees))
	for k, d := range degrees {
		sin, cos := math.Sincos(d * math.Pi / 180)
		points[k] = []float64{radius * cos, radius * sin}
	}
	return points
}
