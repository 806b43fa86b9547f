package clustering_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// onALine returns the dendrogram of points on a line, named a, b, c, ...
func onALine(t *testing.T, settings clustering.Agglomerative, points ...float64) *clustering.Dendrogram {
	t.Helper()
	distances := mat.NewSymDense(len(points), nil)
	var names []string
	for i, p := range points {
		names = append(names, string(rune('a'+i)))
		for j, q := range points[:i] {
			distances.SetSym(i, j, math.Abs(p-q))
		}
	}
	d, err := settings.Link(context.Background(), distances, names)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// paths returns the paths from the roots to the leaves, in the order of the leaves.
func paths(h *taxonomy.Taxonomy) []string {
	var list []string
	for _, leaf := range h.Leaves() {
		var up []string
		for n := leaf; ; n = h.Parents(n)[0] {
			up = append(up, h.Name(n))
			if len(h.Parents(n)) == 0 {
				break
			}
		}
		slices.Reverse(up)
		list = append(list, strings.Join(up, "/"))
	}
	return list
}

// Two pairs and a point far away; the pairs join at 10, the point at 50.
var grouped5 = []float64{0, 1, 10, 11.5, 60}

func TestCuts(t *testing.T) {
	d := onALine(t, clustering.Agglomerative{}, grouped5...)
	for _, c := range []struct {
		cut  clustering.Cut
		want [][]int
	}{
		{clustering.Number(1), [][]int{{0, 1, 2, 3, 4}}},
		{clustering.Number(2), [][]int{{0, 1, 2, 3}, {4}}},
		{clustering.Number(3), [][]int{{0, 1}, {2, 3}, {4}}},
		{clustering.Number(4), [][]int{{0, 1}, {2}, {3}, {4}}},
		{clustering.Number(5), [][]int{{0}, {1}, {2}, {3}, {4}}},
		{clustering.Cut{By: "number", Value: math.Inf(1)}, [][]int{{0}, {1}, {2}, {3}, {4}}},
		{clustering.Number(99), [][]int{{0}, {1}, {2}, {3}, {4}}},
		{clustering.Height(1000), [][]int{{0, 1, 2, 3, 4}}},
		{clustering.Height(1.5), [][]int{{0, 1}, {2, 3}, {4}}},
		{clustering.Height(1.2), [][]int{{0, 1}, {2}, {3}, {4}}},
		{clustering.Height(-1), [][]int{{0}, {1}, {2}, {3}, {4}}},
		{clustering.Depth(0), [][]int{{0, 1, 2, 3, 4}}},
		{clustering.Depth(1), [][]int{{0, 1, 2, 3}, {4}}},
		{clustering.Depth(2), [][]int{{0, 1}, {2, 3}, {4}}},
		{clustering.Depth(3), [][]int{{0}, {1}, {2}, {3}, {4}}},
		{clustering.InconsistentAbove(0), [][]int{{0, 1}, {2, 3}, {4}}},
		{clustering.InconsistentAbove(9), [][]int{{0, 1, 2, 3, 4}}},
		{clustering.Inconsistent(), d.Clusters},
	} {
		other, err := d.With(c.cut)
		if err != nil {
			t.Errorf("%v: %v", c.cut, err)
			continue
		}
		if !reflect.DeepEqual(other.Clusters, c.want) {
			t.Errorf("%v: clusters %v, want %v", c.cut, other.Clusters, c.want)
		}
	}
	for _, c := range []clustering.Cut{{}, {By: "number", Value: math.NaN()}, {By: "depth", Value: math.NaN()}, {By: "number", Value: math.Inf(-1)}, clustering.Number(0), clustering.Depth(-1), clustering.Height(math.NaN()), clustering.InconsistentAbove(math.NaN())} {
		if _, err := d.With(c); err == nil {
			t.Errorf("%v: no error", c)
		}
		if _, err := d.Taxonomy(c); err == nil {
			t.Errorf("taxonomy of %v: no error", c)
		}
	}
}

func TestTaxonomies(t *testing.T) {
	d := onALine(t, clustering.Agglomerative{}, grouped5...)
	d.Empty = []string{"none"}
	for _, c := range []struct {
		name string
		make func() (*taxonomy.Taxonomy, error)
		want []string
	}{
		{"one cut", func() (*taxonomy.Taxonomy, error) { return d.Taxonomy(clustering.Number(3)) },
			[]string{"cluster 1/a", "cluster 1/b", "cluster 2/c", "cluster 2/d", "cluster 3/e", "cluster 4/none"}},
		{"two cuts, the finer first", func() (*taxonomy.Taxonomy, error) {
			return d.Taxonomy(clustering.Number(3), clustering.Height(20))
		}, []string{
			"cluster 1/cluster 1.1/a", "cluster 1/cluster 1.1/b", "cluster 1/cluster 1.2/c", "cluster 1/cluster 1.2/d",
			"cluster 2/cluster 2.1/e", "cluster 3/cluster 3.1/none",
		}},
		{"dendrogram", d.Binary, []string{
			"link 3/link 2/link 0/a", "link 3/link 2/link 0/b", "link 3/link 2/link 1/c", "link 3/link 2/link 1/d", "link 3/e", "link 3/none",
		}},
	} {
		h, err := c.make()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := paths(h); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	clustered, err := d.With(clustering.Number(3))
	if err != nil {
		t.Fatal(err)
	}
	byDefault, err := clustered.Taxonomy()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := paths(byDefault), []string{"cluster 1/a", "cluster 1/b", "cluster 2/c", "cluster 2/d", "cluster 3/e", "cluster 4/none"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the cut of the dendrogram: %q, want %q", got, want)
	}
}

// TestCutsThatDoNotRefine has a cut by height through one branch and one by depth through the
// other.
func TestCutsThatDoNotRefine(t *testing.T) {
	d := onALine(t, clustering.Agglomerative{Linkage: clustering.Single}, 0, 4, 9, 15, 22, 60, 61, 62.5, 64.7)
	if _, err := d.Taxonomy(clustering.Height(5.5), clustering.Depth(2)); err == nil || !strings.Contains(err.Error(), "refine") {
		t.Errorf("error %v, want one that says the cuts do not refine each other", err)
	}
}

func TestNamesOfClustersAreNew(t *testing.T) {
	distances := mat.NewSymDense(2, []float64{0, 1, 1, 0})
	d, err := clustering.Agglomerative{}.Link(context.Background(), distances, []string{"cluster 1", "link 0"})
	if err != nil {
		t.Fatal(err)
	}
	h, err := d.Taxonomy()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := paths(h), []string{"cluster 1'/cluster 1", "cluster 1'/link 0"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if h, err = d.Binary(); err != nil {
		t.Fatal(err)
	}
	if got, want := paths(h), []string{"link 0'/cluster 1", "link 0'/link 0"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOneClass(t *testing.T) {
	d := onALine(t, clustering.Agglomerative{}, 3)
	d.Empty = []string{"x"}
	for name, make := range map[string]func() (*taxonomy.Taxonomy, error){
		"taxonomy": func() (*taxonomy.Taxonomy, error) { return d.Taxonomy() },
		"binary":   d.Binary,
	} {
		h, err := make()
		if err != nil || len(h.Leaves()) != 2 || h.Depth(0) != 1 {
			t.Errorf("%s: %v, error %v", name, h, err)
		}
	}
	if !strings.Contains(d.String(), "1 class") || !strings.Contains(d.HTML(), "1 cluster") {
		t.Errorf("%s\n%s", d, d.HTML())
	}
}

// TestCoefficients has links that are alike, of which rounding must not decide, and a deviation
// that is not zero.
func TestCoefficients(t *testing.T) {
	equal := mat.NewSymDense(9, nil)
	for i := range 9 {
		for j := range i {
			equal.SetSym(i, j, 0.1)
		}
	}
	d, err := clustering.Agglomerative{Depth: 4}.Link(context.Background(), equal, nil)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Max(d.Inconsistency) != 0 || d.Threshold != 0 || len(d.Clusters) != 1 {
		t.Errorf("equal distances: coefficients %v, threshold %v, clusters %v", d.Inconsistency, d.Threshold, d.Clusters)
	}
	d = onALine(t, clustering.Agglomerative{Linkage: clustering.Single}, 0, 1, 3, 6, 10)
	all, err := d.Consistencies(3)
	if err != nil {
		t.Fatal(err)
	}
	// Link 3 merges at 4, above 3 and 2: mean 3, deviation 1.
	if got, want := all[3], (clustering.Consistency{Mean: 3, Deviation: 1, Count: 3, Coefficient: 1}); got != want {
		t.Errorf("link 3: %v, want %v", got, want)
	}
	if _, err := d.Consistencies(0); err == nil {
		t.Error("depth 0: no error")
	}
}

// A dendrogram that is put together by hand may be wrong anywhere; none of its methods panics.
func TestWrongDendrograms(t *testing.T) {
	right := onALine(t, clustering.Agglomerative{}, grouped5...)
	for name, change := range map[string]func(d *clustering.Dendrogram){
		"no classes":   func(d *clustering.Dendrogram) { d.Classes = nil },
		"few classes":  func(d *clustering.Dendrogram) { d.Classes = d.Classes[:2] },
		"few links":    func(d *clustering.Dendrogram) { d.Links = d.Links[:2] },
		"no cut":       func(d *clustering.Dendrogram) { d.Cut = nil },
		"no coeff":     func(d *clustering.Dendrogram) { d.Inconsistency = nil },
		"wrong link":   func(d *clustering.Dendrogram) { d.Links = slices.Clone(d.Links); d.Links[0].B = 99 },
		"same twice":   func(d *clustering.Dendrogram) { d.Links = slices.Clone(d.Links); d.Links[3].A = 0 },
		"wrong member": func(d *clustering.Dendrogram) { d.Clusters = [][]int{{7}} },
	} {
		d := *right
		change(&d)
		if _, err := d.With(clustering.Number(2)); err == nil {
			t.Errorf("%s: With has no error", name)
		}
		if _, err := d.Taxonomy(); err == nil {
			t.Errorf("%s: Taxonomy has no error", name)
		}
		if _, err := d.Binary(); err == nil {
			t.Errorf("%s: Binary has no error", name)
		}
		if _, err := d.Consistencies(2); err == nil {
			t.Errorf("%s: Consistencies has no error", name)
		}
		if !strings.Contains(d.String(), "clustering:") || !strings.Contains(d.HTML(), "clustering:") {
			t.Errorf("%s: does not say what is wrong: %s", name, &d)
		}
	}
}

func TestShow(t *testing.T) {
	var many []float64
	for i := range 60 {
		many = append(many, float64(i*i))
	}
	d := onALine(t, clustering.Agglomerative{}, many...)
	d.Classes[59] = "<last>"
	d.Empty = []string{"x"}
	for _, want := range []string{"60 classes by average linkage", "1 class without instances", "the last 40 of 59 links", "<last>"} {
		if !strings.Contains(d.String(), want) {
			t.Errorf("String lacks %q:\n%s", want, d)
		}
	}
	if page := d.HTML(); !strings.Contains(page, "&lt;last&gt;") || strings.Contains(page, "<last>") {
		t.Errorf("HTML does not escape names:\n%s", page)
	}
}
