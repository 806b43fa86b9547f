package clustering_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/clustering"
)

// bruteForce looks at all pairs of clusters at every step. Distances of members are summed in the
// order in which the rows stand, which for whole numbers is exact.
func bruteForce(distances *mat.SymDense, linkage clustering.Linkage) []clustering.Link {
	n := distances.SymmetricDim()
	clusters := map[int][]int{}
	for i := range n {
		clusters[i] = []int{i}
	}
	apart := func(a, b []int) float64 {
		var sum, most float64
		least := math.Inf(1)
		for _, i := range a {
			for _, j := range b {
				d := distances.At(i, j)
				sum, most, least = sum+d, max(most, d), min(least, d)
			}
		}
		switch linkage {
		case clustering.Complete:
			return most
		case clustering.Single:
			return least
		case clustering.Ward:
			// The distance of the means, by the squared distances of members.
			mean := func(a, b []int) (m float64) {
				for _, i := range a {
					for _, j := range b {
						m += distances.At(i, j) * distances.At(i, j) / float64(len(a)*len(b))
					}
				}
				return m
			}
			n, m := float64(len(a)), float64(len(b))
			return math.Sqrt(2 * n * m / (n + m) * (mean(a, b) - mean(a, a)/2 - mean(b, b)/2))
		}
		return sum / float64(len(a)*len(b))
	}
	var links []clustering.Link
	for t := range n - 1 {
		best := clustering.Link{Height: math.Inf(1)}
		for a := range n + t {
			for b := a + 1; b < n+t; b++ {
				if clusters[a] == nil || clusters[b] == nil {
					continue
				}
				if h := apart(clusters[a], clusters[b]); h < best.Height {
					best = clustering.Link{A: a, B: b, Height: h, Size: len(clusters[a]) + len(clusters[b])}
				}
			}
		}
		links = append(links, best)
		clusters[n+t] = slices.Concat(clusters[best.A], clusters[best.B])
		clusters[best.A], clusters[best.B] = nil, nil
	}
	return links
}

// TestLinksAreThoseOfBruteForce compares on distances without ties and on whole numbers, the fewer
// of them the more ties.
func TestLinksAreThoseOfBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, linkage := range []clustering.Linkage{clustering.Average, clustering.Complete, clustering.Single, clustering.Ward} {
		for round := range 600 {
			n := 1 + rng.IntN(14)
			values := []int{0, 1, 2, 3, 5, 20}[round%6] // 0: no ties
			if linkage == clustering.Ward {
				values = 0 // whose sums of squares are not exact
			}
			distances := mat.NewSymDense(n, nil)
			for i := range n {
				for j := range i {
					d := rng.Float64()
					if values > 0 {
						d = float64(rng.IntN(values) + round%2)
					}
					distances.SetSym(i, j, d)
				}
			}
			d, err := clustering.Agglomerative{Linkage: linkage}.Link(context.Background(), distances, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := bruteForce(distances, linkage)
			same := slices.EqualFunc(d.Links, want, func(a, b clustering.Link) bool {
				near := math.Abs(a.Height-b.Height) <= 1e-12
				if values > 0 {
					near = a.Height == b.Height
				}
				return near && a.A == b.A && a.B == b.B && a.Size == b.Size
			})
			if !same {
				t.Fatalf("%v, round %d: links %v, want %v, of\n%v", linkage, round, d.Links, want, mat.Formatted(distances))
			}
		}
	}
}

// TestTies has points in a row at equal distances, where every inner one has two nearest
// neighbours, and distances that all are equal but for those of one thing or two that are near all
// others.
func TestTies(t *testing.T) {
	const n = 30
	for name, of := range map[string]func(i, j int) float64{
		"line":      func(i, j int) float64 { return float64(j - i) },
		"equal":     func(i, j int) float64 { return 2 },
		"one near":  func(i, j int) float64 { return float64(2 - j/(n-1)) },
		"two near":  func(i, j int) float64 { return float64(3 - j/(n-2)) },
		"two rings": func(i, j int) float64 { return float64(1 + (j-i)%2*(2+(i+j)%4)) },
	} {
		distances := mat.NewSymDense(n, nil)
		for j := range n {
			for i := range j {
				distances.SetSym(i, j, of(i, j))
			}
		}
		for _, linkage := range []clustering.Linkage{clustering.Average, clustering.Complete, clustering.Single} {
			d, err := clustering.Agglomerative{Linkage: linkage}.Link(context.Background(), distances, nil)
			if err != nil {
				t.Fatal(err)
			}
			if want := bruteForce(distances, linkage); !slices.Equal(d.Links, want) {
				t.Errorf("%s, %v: links %v, want %v", name, linkage, d.Links, want)
			}
		}
	}
}

// TestWardOfTies has whole numbers, of which the squares tie but for rounding: heights never fall,
// and the same matrix is clustered alike.
func TestWardOfTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 2 + rng.IntN(30)
		distances := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i {
				distances.SetSym(i, j, float64(rng.IntN(4)))
			}
		}
		a := clustering.Agglomerative{Linkage: clustering.Ward}
		d, err := a.Link(t.Context(), distances, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		for k := 1; k < len(d.Links); k++ {
			if d.Links[k].Height < d.Links[k-1].Height {
				t.Fatalf("heights %v and then %v", d.Links[k-1].Height, d.Links[k].Height)
			}
		}
		again, err := a.Link(t.Context(), distances, nil)
		if err != nil || !slices.Equal(again.Links, d.Links) {
			t.Fatalf("%v and then %v, %v", d.Links, again.Links, err)
		}
	}
}

func TestLinkRefuses(t *testing.T) {
	nan := math.NaN()
	matrix := func(values ...float64) *mat.Dense {
		n := int(math.Sqrt(float64(len(values))))
		return mat.NewDense(n, n, values)
	}
	for _, c := range []struct {
		name      string
		distances mat.Matrix
		names     []string
		settings  clustering.Agglomerative
		want      string
	}{
		{"no matrix", nil, nil, clustering.Agglomerative{}, "no matrix"},
		{"not square", mat.NewDense(2, 3, nil), nil, clustering.Agglomerative{}, "2 x 3"},
		{"empty", &mat.SymDense{}, nil, clustering.Agglomerative{}, "nothing to cluster"},
		{"NaN", matrix(0, nan, nan, 0), nil, clustering.Agglomerative{}, "between things 0 and 1 is NaN"},
		{"infinite", matrix(0, math.Inf(1), math.Inf(1), 0), nil, clustering.Agglomerative{}, "+Inf"},
		{"too large", matrix(0, 1e308, 1e308, 0), nil, clustering.Agglomerative{}, "sum"},
		{"squares too large", matrix(0, 1e160, 1e160, 0), nil, clustering.Agglomerative{Linkage: clustering.Ward}, "squares"},
		{"distance", matrix(0, 1, 1, 0), nil, clustering.Agglomerative{Distance: 7}, "Euclidean or Cosine"},
		{"negative", matrix(0, -1, -1, 0), nil, clustering.Agglomerative{}, "must not be negative"},
		{"asymmetric", matrix(0, 1, 2, 0), nil, clustering.Agglomerative{}, "symmetric"},
		{"asymmetric NaN", matrix(0, 1, nan, 0), nil, clustering.Agglomerative{}, "symmetric"},
		{"diagonal", matrix(0, 1, 1, 3), nil, clustering.Agglomerative{}, "thing 1 has the distance 3 from itself"},
		{"names", matrix(0, 1, 1, 0), []string{"a"}, clustering.Agglomerative{}, "1 names"},
		{"same name", matrix(0, 1, 1, 0), []string{"a", "a"}, clustering.Agglomerative{}, `both called "a"`},
		{"empty name", matrix(0, 1, 1, 0), []string{"a", ""}, clustering.Agglomerative{}, "no name"},
		{"linkage", matrix(0, 1, 1, 0), nil, clustering.Agglomerative{Linkage: 7}, "Linkage"},
		{"depth", matrix(0, 1, 1, 0), nil, clustering.Agglomerative{Depth: -1}, "Depth"},
		{"workers", matrix(0, 1, 1, 0), nil, clustering.Agglomerative{Workers: -1}, "Workers"},
	} {
		_, err := c.settings.Link(context.Background(), c.distances, c.names)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestLinkEndsEarly(t *testing.T) {
	distances := mat.NewSymDense(50, nil)
	for i := range 50 {
		for j := range i {
			distances.SetSym(i, j, float64(1+(i*j)%7))
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	because := errors.New("enough")
	cancel(because)
	if _, err := (clustering.Agglomerative{}).Link(ctx, distances, nil); !errors.Is(err, because) {
		t.Errorf("error %v, want that of the context", err)
	}
	calls := 0
	settings := clustering.Agglomerative{Progress: func(done float64, state string) error {
		calls++
		if want := fmt.Sprintf("%d of 49 links", calls); state != want || math.Abs(done-float64(calls)/49) > 1e-9 {
			return fmt.Errorf("%v, %q", done, state)
		}
		if calls == 20 {
			return because
		}
		return nil
	}}
	if _, err := settings.Link(context.Background(), distances, nil); !errors.Is(err, because) || calls != 20 {
		t.Errorf("error %v after %d calls, want that of the 20th", err, calls)
	}
}
