package clustering_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestAgreesWithSciPy compares links, coefficients and flat clusters with those that
// testdata/linkages.py wrote. Where scipy's inconsistent has heights that do not differ, its
// coefficient is 0 too.
func TestAgreesWithSciPy(t *testing.T) {
	text, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			N               int
			Method          string
			Distances       []float64
			Links           [][4]float64
			Inconsistent    map[int][][4]float64
			Threshold       float64
			ByInconsistency []int `json:"by_inconsistency"`
			Height          float64
			ByHeight        []int `json:"by_height"`
			Number          int
			ByNumber        []int `json:"by_number"`
			Points          [][]float64
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 75 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	methods := map[string]clustering.Linkage{"average": clustering.Average, "complete": clustering.Complete, "single": clustering.Single, "ward": clustering.Ward}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-10*max(1, math.Abs(b)) }
	for k, c := range file.Cases {
		distances := mat.NewSymDense(c.N, nil)
		at := 0
		for i := range c.N {
			for j := i + 1; j < c.N; j++ {
				distances.SetSym(i, j, c.Distances[at])
				at++
			}
		}
		linkage, ok := methods[c.Method]
		if !ok {
			t.Fatalf("case %d: method %q", k, c.Method)
		}
		a := clustering.Agglomerative{Linkage: linkage}
		d, err := a.Link(context.Background(), distances, nil)
		if c.Points != nil {
			a.Distance = clustering.Cosine
			data := each(t, c.Points)
			d, err = a.Fit(context.Background(), data)
			if got, _, err := a.Distances(context.Background(), data); err != nil || !mat.EqualApprox(got, distances, 1e-12) {
				t.Errorf("case %d: cosine distances %v, %v", k, got, err)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.Links {
			got := d.Links[i]
			if got.A != int(want[0]) || got.B != int(want[1]) || !near(got.Height, want[2]) || got.Size != int(want[3]) {
				t.Errorf("case %d, %s: link %d is %v, want %v", k, c.Method, i, got, want)
			}
		}
		for depth, want := range c.Inconsistent {
			got, err := d.Consistencies(depth)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				// scipy takes the deviation from a sum of squares, which costs it digits.
				if g := got[i]; !near(g.Mean, w[0]) || math.Abs(g.Deviation-w[1]) > 1e-7 || g.Count != int(w[2]) || math.Abs(g.Coefficient-w[3]) > 1e-5 {
					t.Errorf("case %d, depth %d: link %d is %v, want %v", k, depth, i, g, w)
				}
			}
		}
		if math.Abs(d.Threshold-c.Threshold) > 1e-6 {
			t.Errorf("case %d: threshold %v, want %v", k, d.Threshold, c.Threshold)
		}
		for _, cut := range []struct {
			clustering.Cut
			want []int
		}{{clustering.Inconsistent(), c.ByInconsistency}, {clustering.Height(c.Height), c.ByHeight}, {clustering.Number(c.Number), c.ByNumber}} {
			other, err := d.With(cut.Cut)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := other.Clusters, grouped(cut.want); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("case %d, %v: clusters %v, want %v", k, cut.Cut, got, want)
			}
		}
	}
}

// each returns instances at points, each of a class of its own.
func each(t *testing.T, points [][]float64) *dataset.Dataset {
	t.Helper()
	x := mat.NewDense(len(points), len(points[0]), nil)
	var names []string
	var labels [][]int
	for i, p := range points {
		x.SetRow(i, p)
		names, labels = append(names, fmt.Sprint("class ", i)), append(labels, []int{i})
	}
	tree, err := taxonomy.New(names, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.FromDense("points", tree, x, labels)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// grouped returns the things of each cluster, in the order of their first things.
func grouped(cluster []int) [][]int {
	var groups [][]int
	at := map[int]int{}
	for i, c := range cluster {
		k, ok := at[c]
		if !ok {
			k = len(groups)
			at[c] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return groups
}
