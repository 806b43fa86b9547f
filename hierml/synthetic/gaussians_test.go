package synthetic_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hierml/notebook/hierml/synthetic"
)

// TestGaussians estimates centres and deviation from many points.
func TestGaussians(t *testing.T) {
	g := synthetic.Gaussians{
		Classes: []string{"top/b", "top/a", "other"}, Centres: [][]float64{{0, 5, 1}, {-3, 0, 1}, {100, 100, 1}},
		Deviation: 2, PerClass: 4000, Seed: 7,
	}
	d, err := g.Generate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	coordinates := make(map[string][3][]float64)
	for i, set := range d.Labels {
		_, values := d.X.Row(i)
		name := d.Taxonomy.Name(set[0])
		all := coordinates[name]
		for j, v := range values {
			all[j] = append(all[j], float64(v))
		}
		coordinates[name] = all
	}
	for k, name := range g.Classes {
		for j, values := range coordinates[name] {
			mean, deviation := stat.MeanStdDev(values, nil)
			if len(values) != g.PerClass || math.Abs(mean-g.Centres[k][j]) > 0.15 || math.Abs(deviation-2) > 0.1 {
				t.Errorf("coordinate %d of %s: %d values, mean %v, deviation %v", j, name, len(values), mean, deviation)
			}
		}
	}
	again, err := g.Generate(context.Background())
	if err != nil || !slices.Equal(again.X.Values, d.X.Values) {
		t.Errorf("the same settings give other data (%v)", err)
	}
}

// TestGaussiansByDefault finds the nine classes of the zero value where its comment says.
func TestGaussiansByDefault(t *testing.T) {
	d, err := synthetic.Gaussians{Deviation: 1e-9, PerClass: 1}.Generate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() != 9 || len(d.Taxonomy.Roots()) != 3 {
		t.Fatalf("%v", d)
	}
	degrees := make([]float64, 9)
	for i := range degrees {
		_, v := d.X.Row(i)
		degrees[i] = math.Round(math.Atan2(float64(v[1]), float64(v[0])) * 180 / math.Pi)
	}
	for i := 1; i < 9; i++ {
		want := 30.0
		if d.Taxonomy.Parents(d.Labels[i][0])[0] != d.Taxonomy.Parents(d.Labels[i-1][0])[0] {
			want = 60
		}
		if got := math.Mod(degrees[i]-degrees[i-1]+360, 360); got != want {
			t.Errorf("class %d is %v degrees behind the one before it, want %v", i, got, want)
		}
	}
}

func TestGaussiansRefuse(t *testing.T) {
	two := synthetic.OnCircle(1, 0, 90)
	for want, g := range map[string]synthetic.Gaussians{
		"give each class one centre":  {Classes: []string{"a"}, Centres: two},
		"the same number, at least 1": {Classes: []string{"a", "b"}, Centres: [][]float64{{1}, {1, 2}}},
		"coordinates must be finite":  {Classes: []string{"a", "b"}, Centres: [][]float64{{1}, {math.NaN()}}},
		"is not a leaf":               {Classes: []string{"a", "a/b"}, Centres: two},
		"PerClass must be at least 1": {PerClass: -1},
		"must be positive and finite": {Deviation: -1},
	} {
		_, err := g.Generate(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %q", err, want)
		}
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (synthetic.Gaussians{}).Generate(done); err != context.Canceled {
		t.Errorf("got the error %v from a context that has ended", err)
	}
}
