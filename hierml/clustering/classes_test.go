package clustering_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// sample returns sparse instances with one to three labels, of which the last of q classes is never
// one.
func sample(t *testing.T, n, q, features int) *dataset.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 9))
	classes := make([]int, q)
	var rows [][]float64
	var labels [][]int
	for range n {
		row := make([]float64, features)
		for range 1 + rng.IntN(features/2) {
			row[rng.IntN(features)] = float64(rng.IntN(64)-32) / 8
		}
		rows = append(rows, row)
		set := []int{rng.IntN(q - 1)}
		for range rng.IntN(3) {
			if y := rng.IntN(q - 1); !slices.Contains(set, y) {
				set = append(set, y)
			}
		}
		slices.Sort(set)
		labels = append(labels, set)
	}
	return instances(t, classes, rows, labels)
}

// TestCentroidDistances compares with dense centroids, and by the linear kernel, the identity
// kernel and any number of workers.
func TestCentroidDistances(t *testing.T) {
	d := sample(t, 150, 12, 30)
	const q = 11
	centroids := mat.NewDense(q, d.X.Cols, nil)
	size := make([]float64, q)
	for i, set := range d.Labels {
		indices, values := d.X.Row(i)
		for _, y := range set {
			size[y]++
			for e, f := range indices {
				centroids.Set(y, int(f), centroids.At(y, int(f))+float64(values[e]))
			}
		}
	}
	want, cosine := mat.NewSymDense(q, nil), mat.NewSymDense(q, nil)
	for k := range q {
		for l := range k {
			a, b := centroids.RowView(k), centroids.RowView(l)
			cosine.SetSym(k, l, 1-mat.Dot(a, b)/mat.Norm(a, 2)/mat.Norm(b, 2))
			var sum float64
			for f := range d.X.Cols {
				v := centroids.At(k, f)/size[k] - centroids.At(l, f)/size[l]
				sum += v * v
			}
			want.SetSym(k, l, math.Sqrt(sum))
		}
	}
	for name, settings := range map[string]clustering.Agglomerative{
		"sparse":            {},
		"one worker":        {Workers: 1},
		"linear kernel":     {Kernel: gram.Linear{}},
		"polynomial kernel": {Kernel: gram.Polynomial{Degree: 1}, Workers: 3},

		"cosine":                {Distance: clustering.Cosine},
		"cosine, linear kernel": {Distance: clustering.Cosine, Kernel: gram.Linear{}},
	} {
		want := want
		if settings.Distance == clustering.Cosine {
			want = cosine
		}
		got, names, err := settings.Distances(context.Background(), d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(names) != q || !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%s: distances of %v are\n%.6v, want\n%.6v", name, names, mat.Formatted(got), mat.Formatted(want))
		}
	}
}

// TestEqualCentroids has two classes with the same instances, far from 0: their distance is exactly
// 0.
func TestEqualCentroids(t *testing.T) {
	d := instances(t, make([]int, 3), [][]float64{{1e4 + 0.1, 7}, {3, 1e4}, {1e4, 1e4}}, [][]int{{0, 1}, {0, 1}, {2}})
	for _, distance := range []clustering.Distance{clustering.Euclidean, clustering.Cosine} {
		distances, _, err := clustering.Agglomerative{Distance: distance}.Distances(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		if got := distances.At(0, 1); got != 0 {
			t.Errorf("%v %v, want 0", distance, got)
		}
	}
}

// TestCosineOfNothing has a class whose instances have no features.
func TestCosineOfNothing(t *testing.T) {
	d := instances(t, make([]int, 3), [][]float64{{1, 0}, {0, 0}, {0, 2}}, [][]int{{0}, {1}, {2}})
	for name, kernel := range map[string]gram.Kernel{"features": nil, "kernel": gram.Linear{}} {
		distances, _, err := clustering.Agglomerative{Distance: clustering.Cosine, Kernel: kernel}.Distances(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]int{{0, 1}, {1, 2}, {0, 2}} {
			if got := distances.At(pair[0], pair[1]); got != 1 {
				t.Errorf("%s: distance of %v is %v, want 1", name, pair, got)
			}
		}
	}
}

func TestClassesWithoutInstances(t *testing.T) {
	d := sample(t, 40, 6, 10)
	for _, omit := range []bool{false, true} {
		settings := clustering.Agglomerative{OmitEmpty: omit}
		for name, cluster := range map[string]func(context.Context, *dataset.Dataset) (*clustering.Dendrogram, error){
			"centroids": settings.Fit, "labels": settings.CoOccurrence,
		} {
			dendrogram, err := cluster(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			h, err := dendrogram.Taxonomy()
			if err != nil {
				t.Fatal(err)
			}
			node, ok := h.Node("5")
			if ok == omit || len(dendrogram.Classes) != 5 {
				t.Errorf("%s, omitted %v: class 5 is there: %v, %d classes in the dendrogram", name, omit, ok, len(dendrogram.Classes))
			}
			if ok && len(h.Siblings(node)) != 0 {
				t.Errorf("%s: class 5 has siblings %v, want a cluster of its own", name, h.Siblings(node))
			}
			if _, err := d.Under(h); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestJaccardDistances(t *testing.T) {
	// a and b stand together in 2 of 4 instances with either; c and d in 1 of 3; others never.
	d := instances(t, make([]int, 4), [][]float64{{1}, {1}, {1}, {1}, {1}, {1}, {1}},
		[][]int{{0, 1}, {0, 1}, {0}, {1}, {2, 3}, {2}, {3}})
	d.X = nil // plays no part
	dendrogram, err := clustering.Agglomerative{}.CoOccurrence(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	want := []clustering.Link{{A: 0, B: 1, Height: 0.5, Size: 2}, {A: 2, B: 3, Height: 2.0 / 3, Size: 2}, {A: 4, B: 5, Height: 1, Size: 4}}
	if !reflect.DeepEqual(dendrogram.Links, want) {
		t.Errorf("links %v, want %v", dendrogram.Links, want)
	}
}

func TestDataIsChecked(t *testing.T) {
	tree, err := taxonomy.New([]string{"top", "a", "b"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	good := func() *dataset.Dataset {
		return &dataset.Dataset{
			Name: "small", Taxonomy: tree, Labels: [][]int{{1}, {2}},
			X: &dataset.Matrix{Rows: 2, Cols: 2, Indptr: []int{0, 1, 2}, Indices: []int32{0, 1}, Values: []float32{1, 2}},
		}
	}
	if _, err := (clustering.Agglomerative{}).Fit(context.Background(), good()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(d *dataset.Dataset)
		want   string
	}{
		{"no taxonomy", func(d *dataset.Dataset) { d.Taxonomy = nil }, "set X and Taxonomy"},
		{"no matrix", func(d *dataset.Dataset) { d.X = nil }, "set X and Taxonomy"},
		{"rows", func(d *dataset.Dataset) { d.Labels = d.Labels[:1] }, "labels for 1"},
		{"inner node", func(d *dataset.Dataset) { d.Labels[1] = []int{0} }, "Leafed"},
		{"no such node", func(d *dataset.Dataset) { d.Labels[1] = []int{9} }, "label 9"},
		{"not ascending", func(d *dataset.Dataset) { d.Labels[1] = []int{2, 1} }, "not ascending"},
		{"no labels", func(d *dataset.Dataset) { d.Labels = [][]int{nil, nil} }, "nothing to cluster"},
		{"NaN", func(d *dataset.Dataset) { d.X.Values[1] = float32(math.NaN()) }, "row 1, feature 1"},
		{"infinite", func(d *dataset.Dataset) { d.X.Values[1] = float32(math.Inf(-1)) }, "not finite"},
		{"feature", func(d *dataset.Dataset) { d.X.Indices[1] = 2 }, "features must ascend"},
		{"borders", func(d *dataset.Dataset) { d.X.Indptr = []int{0, 1, 3} }, "row borders"},
		{"borders backwards", func(d *dataset.Dataset) { d.X.Indptr = []int{0, 5, 2} }, "before it begins"},
	} {
		d := good()
		c.change(d)
		for _, k := range []gram.Kernel{nil, gram.RBF{}} {
			_, err := clustering.Agglomerative{Kernel: k}.Fit(context.Background(), d)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
			}
		}
	}
	if _, err := (clustering.Agglomerative{}).Fit(context.Background(), nil); err == nil {
		t.Error("no data: no error")
	}
	for name, k := range map[string]gram.Kernel{
		"no function":  gram.Func(nil),
		"gamma":        gram.RBF{Gamma: -1},
		"not definite": gram.Func(func(a, b gram.Vector) float64 { return -a.Dot(b) }),
		"not finite":   gram.Func(func(a, b gram.Vector) float64 { return math.NaN() }),
	} {
		if _, err := (clustering.Agglomerative{Kernel: k}).Fit(context.Background(), good()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestFitEndsEarly(t *testing.T) {
	d := sample(t, 100, 40, 10)
	because := errors.New("enough")
	for _, k := range []gram.Kernel{nil, gram.RBF{}} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(because)
		if _, err := (clustering.Agglomerative{Kernel: k}).Fit(ctx, d); !errors.Is(err, because) {
			t.Errorf("error %v, want that of the context", err)
		}
		last := 0.0
		settings := clustering.Agglomerative{Kernel: k, Progress: func(done float64, state string) error {
			if done < last || done > 1 || !strings.Contains(state, " of 39 rows of distances") && !strings.Contains(state, " of 38 links") {
				t.Errorf("%v after %v: %s", done, last, state)
			}
			last = done
			return nil
		}}
		if _, err := settings.Fit(context.Background(), d); err != nil || last != 1 {
			t.Errorf("error %v, progress to %v", err, last)
		}
		settings.Progress = func(done float64, state string) error {
			if done >= 0.25 {
				return because
			}
			return nil
		}
		if _, err := settings.Fit(context.Background(), d); !errors.Is(err, because) {
			t.Errorf("error %v, want that of Progress", err)
		}
	}
}
