package clustering_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/golden"
)

type autohier struct {
	Classes   []int
	Kernel    string
	Gamma     float64
	X         [][]float64
	Labels    [][]int
	Distances [][]float64
	TwoLevel  struct{ Clusters [][]int } `json:"two_level"`
	Links     [][3]float64
	IC        []float64 `json:"ic"`
	Threshold float64
	Cut       []bool
}

// check compares a dendrogram with the case; heights as far as they are known.
func (want autohier) check(t *testing.T, id string, d *clustering.Dendrogram, tolerance float64) {
	t.Helper()
	near := func(a, b float64) bool { return math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) }
	if len(d.Links) != len(want.Links) {
		t.Fatalf("%s: %d links, want %d", id, len(d.Links), len(want.Links))
	}
	for k, l := range want.Links {
		if got := d.Links[k]; got.A != int(l[0]) || got.B != int(l[1]) || !near(got.Height, l[2]) {
			t.Errorf("%s: link %d is %v, want %v", id, k, got, l)
		}
		// A coefficient of two heights is 1/sqrt(2) however near they are, otherwise it moves with
		// them.
		if !near(d.Inconsistency[k], want.IC[k]) {
			t.Errorf("%s: coefficient of link %d is %.13g, want %.13g", id, k, d.Inconsistency[k], want.IC[k])
		}
	}
	if !near(d.Threshold, want.Threshold) {
		t.Errorf("%s: threshold %.13g, want %.13g", id, d.Threshold, want.Threshold)
	}
	if !reflect.DeepEqual(d.Cut, want.Cut) {
		t.Errorf("%s: cut %v, want %v", id, d.Cut, want.Cut)
	}
	if !reflect.DeepEqual(d.Clusters, want.TwoLevel.Clusters) {
		t.Errorf("%s: clusters %v, want %v", id, d.Clusters, want.TwoLevel.Clusters)
	}
	hierarchy, err := d.Taxonomy()
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	for _, cluster := range want.TwoLevel.Clusters {
		parent := hierarchy.Parents(cluster[0])[0]
		if !reflect.DeepEqual(hierarchy.Children(parent), cluster) {
			t.Errorf("%s: class %d stands with %v in the taxonomy, want %v", id, cluster[0], hierarchy.Children(parent), cluster)
		}
	}
}

// TestGoldenAutohier compares links and cuts from the distances as given, and from the instances as
// far as the float32 of a data set has their digits.
func TestGoldenAutohier(t *testing.T) {
	cases, err := golden.Read("autohier")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var want autohier
		if err := c.Decode(&want); err != nil {
			t.Fatal(err)
		}
		n := len(want.Distances)
		distances := mat.NewDense(n, n, nil)
		for i, row := range want.Distances {
			distances.SetRow(i, row)
		}
		d, err := clustering.Agglomerative{}.Link(context.Background(), distances, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		want.check(t, c.ID, d, 1e-11)

		if want.X == nil {
			continue
		}
		data := instances(t, want.Classes, want.X, want.Labels)
		var settings clustering.Agglomerative
		switch want.Kernel {
		case "linear":
		case "rbf":
			settings.Kernel = gram.RBF{Gamma: want.Gamma}
		default:
			t.Fatalf("%s: kernel %q", c.ID, want.Kernel)
		}
		d, err = settings.Fit(context.Background(), data)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		want.check(t, c.ID+" from instances", d, 1e-5)
		if settings.Kernel == nil {
			settings.Kernel = gram.Linear{}
			got, names, err := settings.Distances(context.Background(), data)
			if err != nil || len(names) != n {
				t.Fatalf("%s: %d names, %v", c.ID, len(names), err)
			}
			if !mat.EqualApprox(got, distances, 1e-5) {
				t.Errorf("%s: distances by the linear kernel are\n%v, want\n%v", c.ID, mat.Formatted(got), mat.Formatted(distances))
			}
		}
	}
}

// instances returns a data set of dense rows over a flat taxonomy.
func instances(t *testing.T, classes []int, rows [][]float64, labels [][]int) *dataset.Dataset {
	t.Helper()
	flat, err := golden.Taxonomy{N: len(classes)}.New()
	if err != nil {
		t.Fatal(err)
	}
	x := &dataset.Matrix{Rows: len(rows), Cols: len(rows[0]), Indptr: []int{0}}
	for _, row := range rows {
		for f, v := range row {
			if v != 0 {
				x.Indices = append(x.Indices, int32(f))
				x.Values = append(x.Values, float32(v))
			}
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	return &dataset.Dataset{Name: "golden", Taxonomy: flat, X: x, Labels: labels}
}
