package synthetic

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Hyperplanes describes data on the unit sphere with a taxonomy as unbalanced as a binary tree can
// be, the unbalanced synthetic data of [CSS16, section 8.1]: a random hyperplane through the origin
// divides the space into two, the next one divides the second of these, and so on. Every part is a
// leaf, whose depth is the number of hyperplanes that bound it. Every instance has all features.
//
// The zero value has the paper's settings. Its text and its table 2 do not agree: a depth of 10 is
// ten hyperplanes, which make the 11 leaves of the table but 20 nodes below the root, where the
// table has 19.
type Hyperplanes struct {
	Name string
	// Count is the number of hyperplanes, one less than that of leaves. The default value is 10.
	Count int
	// Features and Instances have the default values 1000 and 10000.
	Features, Instances int
	// Seed determines all random numbers.
	Seed uint64
}

// Generate draws the taxonomy and the instances. Equal settings give equal data.
//
// It stops with the context's error when ctx is cancelled.
func (g Hyperplanes) Generate(ctx context.Context) (*dataset.Dataset, error) {
	if g.Name == "" {
		g.Name = "hyperplanes"
	}
	for _, value := range []struct {
		setting *int
		normal  int
	}{{&g.Count, 10}, {&g.Features, 1000}, {&g.Instances, 10000}} {
		if *value.setting == 0 {
			*value.setting = value.normal
		}
		if *value.setting < 1 || *value.setting > math.MaxInt32 {
			return nil, fmt.Errorf("synthetic: %s: %d hyperplanes, %d features and %d instances; all must be positive", g.Name, g.Count, g.Features, g.Instances)
		}
	}
	t, leaves, err := caterpillar(g.Count)
	if err != nil {
		return nil, fmt.Errorf("synthetic: %s: %w", g.Name, err)
	}
	normals := make([][]float32, g.Count)
	for k := range normals {
		normals[k] = make([]float32, g.Features)
		drawNormal(stream(g.Seed, nodeStream, k), normals[k])
	}
	d := &dataset.Dataset{Name: g.Name, Taxonomy: t, X: newDenseMatrix(g.Instances, g.Features), Labels: make([][]int, g.Instances)}
	for i := range g.Instances {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, x := d.X.Row(i)
		drawNormal(stream(g.Seed, instanceStream, i), x)
		norm := math.Sqrt(dotDense(x, x))
		for j := range x {
			x[j] = float32(float64(x[j]) / norm)
		}
		k := 0
		for k < len(normals) && dotDense(normals[k], x) <= 0 {
			k++
		}
		d.Labels[i] = []int{leaves[k]}
	}
	return d, nil
}

// caterpillar returns the binary tree that has a leaf below every inner node, and two below the
// last of count, and the leaves from the top down.
func caterpillar(count int) (t *taxonomy.Taxonomy, leaves []int, err error) {
	names := []string{"root"}
	var edges [][2]int
	inner := 0
	add := func(name string) int {
		names = append(names, name)
		edges = append(edges, [2]int{inner, len(names) - 1})
		return len(names) - 1
	}
	for k := range count {
		leaves = append(leaves, add("leaf"+strconv.Itoa(k+1)))
		if k < count-1 {
			inner = add("rest" + strconv.Itoa(k+1))
		}
	}
	leaves = append(leaves, add("leaf"+strconv.Itoa(count+1)))
	t, err = taxonomy.New(names, edges)
	return t, leaves, err
}
