package synthetic

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
)

func TestTextLikeDeterminism(t *testing.T) {
	settings := TextLike{Levels: []int{3, 7, 20}, Train: 700, Test: 300, Features: 900, Tail: 0.9, Seed: 4}
	generate := func(change func(*TextLike)) *dataset.Collection {
		t.Helper()
		g := settings
		change(&g)
		c, err := g.Generate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	want := generate(func(*TextLike) {})
	for _, workers := range []int{1, 2, 5} {
		got := generate(func(g *TextLike) { g.Workers = workers })
		if !reflect.DeepEqual(got.Train.X, want.Train.X) || !reflect.DeepEqual(got.Test.X, want.Test.X) ||
			!reflect.DeepEqual(got.Train.Labels, want.Train.Labels) || !reflect.DeepEqual(got.Test.Labels, want.Test.Labels) ||
			!reflect.DeepEqual(got.Train.Taxonomy.Edges(), want.Train.Taxonomy.Edges()) {
			t.Errorf("%d workers draw other data", workers)
		}
	}
	other := generate(func(g *TextLike) { g.Seed = 5 })
	if reflect.DeepEqual(other.Train.X, want.Train.X) || reflect.DeepEqual(other.Train.Labels, want.Train.Labels) {
		t.Error("another seed draws the same data")
	}
}

func TestTextLike(t *testing.T) {
	g := TextLike{Levels: []int{4, 10, 60}, Train: 3000, Test: 1000, Features: 5000, Tail: 0.9, Seed: 1}
	c, err := g.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tax := c.Train.Taxonomy
	if tax.Len() != 74 || len(tax.Leaves()) != 60 || len(tax.Roots()) != 4 || !tax.IsTree() || c.Test.Taxonomy != tax {
		t.Errorf("%v", tax)
	}
	for _, l := range tax.Leaves() {
		if tax.Depth(l) != 2 {
			t.Fatalf("leaf %s has depth %d", tax.Name(l), tax.Depth(l))
		}
	}
	count := make(map[int]int)
	for _, d := range []*dataset.Dataset{c.Train, c.Test} {
		checkRows(t, d.X, 5000)
		if d.X.Rows != d.Len() {
			t.Fatalf("%d rows, %d labels", d.X.Rows, d.Len())
		}
		for i, set := range d.Labels {
			if len(set) != 1 || !tax.IsLeaf(set[0]) {
				t.Fatalf("row %d has labels %v", i, set)
			}
			if d == c.Train {
				count[set[0]]++
			}
			squares := 0.0
			_, values := d.X.Row(i)
			for _, v := range values {
				squares += float64(v) * float64(v)
			}
			if math.Abs(squares-1) > 1e-5 {
				t.Fatalf("row %d has the length %v", i, math.Sqrt(squares))
			}
		}
	}
	sizes := make([]int, 0, len(count))
	for _, n := range count {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	// The largest class has (79/20)^0.9 = 3.4 times the instances of the smallest, but for chance.
	if len(sizes) != 60 || sizes[59] < 2*sizes[0] || sizes[59] > 8*sizes[0] {
		t.Errorf("classes of sizes %v", sizes)
	}
	// Words are shared along the tree: what classifies the nearest mean by leaf is far better than
	// chance, and its errors stay near.
	leaf, parent := nearestMean(c)
	if leaf < 0.15 || parent < leaf+0.2 {
		t.Errorf("the nearest mean is right for %.3f of the leaves and %.3f of the parents", leaf, parent)
	}
}

// nearestMean returns how often the mean of the right class, and of one with the same parent, has
// the largest product with a test instance.
func nearestMean(c *dataset.Collection) (leaf, parent float64) {
	tax := c.Train.Taxonomy
	means := make([][]float64, tax.Len())
	for i, set := range c.Train.Labels {
		if means[set[0]] == nil {
			means[set[0]] = make([]float64, c.Train.X.Cols)
		}
		indices, values := c.Train.X.Row(i)
		for k, j := range indices {
			means[set[0]][j] += float64(values[k])
		}
	}
	for _, m := range means {
		squares := 0.0
		for _, v := range m {
			squares += v * v
		}
		for j := range m {
			m[j] /= math.Sqrt(squares)
		}
	}
	for i, set := range c.Test.Labels {
		best, highest := -1, math.Inf(-1)
		indices, values := c.Test.X.Row(i)
		for n, m := range means {
			if m == nil {
				continue
			}
			score := 0.0
			for k, j := range indices {
				score += float64(values[k]) * m[j]
			}
			if score > highest {
				best, highest = n, score
			}
		}
		if best == set[0] {
			leaf += 1 / float64(c.Test.Len())
		}
		if slices.Equal(tax.Parents(best), tax.Parents(set[0])) {
			parent += 1 / float64(c.Test.Len())
		}
	}
	return leaf, parent
}

func checkRows(t *testing.T, x *dataset.Matrix, columns int) {
	t.Helper()
	if x.Cols != columns || len(x.Indptr) != x.Rows+1 || x.Indptr[x.Rows] != len(x.Values) || len(x.Indices) != len(x.Values) {
		t.Fatalf("%v", x)
	}
	for i := range x.Rows {
		indices, values := x.Row(i)
		for k, j := range indices {
			if j < 0 || int(j) >= columns || k > 0 && indices[k-1] >= j || !(math.Abs(float64(values[k])) < math.Inf(1)) {
				t.Fatalf("row %d has %v", i, indices)
			}
		}
	}
}

// TestTextLikePresets draws few instances of the large presets; their sizes are those that the
// papers give.
func TestTextLikePresets(t *testing.T) {
	tests := []struct {
		preset                           TextLike
		nodes, leaves, features, atLeast int
	}{
		{NewsgroupsLike(), 20, 15, 63000, 15000 + 5000},
		{WIPOLike(), 188, 160, 18077, 1710},
		{IPCLike(), 553, 451, 228000, 75000},
		{DMOZLike(), 17221, 12294, 165000, 163000},
		{WikipediaLike(), 50312, 36504, 346299, 456886},
	}
	for _, test := range tests {
		g := test.preset
		if g.Train+g.Test < test.atLeast || g.Features != test.features {
			t.Errorf("%s: %d and %d instances, %d features", g.Name, g.Train, g.Test, g.Features)
		}
		g.Train, g.Test = 200, 100
		c, err := g.Generate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tax := c.Train.Taxonomy
		if tax.Len() != test.nodes || len(tax.Leaves()) != test.leaves || c.Train.Len() != 200 || c.Test.X.Cols != test.features {
			t.Errorf("%s: %v, %v", g.Name, tax, c.Test.X)
		}
	}
}

func TestTextLikeErrors(t *testing.T) {
	tests := []struct {
		settings TextLike
		words    string
	}{
		{TextLike{Levels: []int{}}, "no levels"},
		{TextLike{Levels: []int{5, 4}}, "level 1 has 4 nodes"},
		{TextLike{Levels: []int{0, 4}}, "level 0 has 0 nodes"},
		{TextLike{Test: 5}, "0 instances for training"},
		{TextLike{Train: 5, Test: -1}, "-1 for testing"},
		{TextLike{Features: -1}, "-1 words"},
		{TextLike{Length: -2}, "-2 in a document"},
		{TextLike{Mix: []float64{0.1}}, "Mix has 1 parts for 2 levels; give one per level"},
		{TextLike{Mix: []float64{0.1, math.NaN()}}, "NaN"},
		{TextLike{Mix: []float64{0.7, 0.6}}, "more than 1"},
		{TextLike{Noise: 2}, "Noise is 2"},
		{TextLike{Tail: -1}, "Tail -1"},
		{TextLike{Workers: -1}, "Workers is -1"},
	}
	for _, test := range tests {
		c, err := test.settings.Generate(t.Context())
		if c != nil || err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%+v: %v, want %q", test.settings, err, test.words)
		}
	}
}

func TestGenerateCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, generate := range map[string]func() error{
		"text-like":   func() error { _, err := DMOZLike().Generate(ctx); return err },
		"linear tree": func() error { _, err := NHSVMBalanced(1).Generate(ctx); return err },
		"hyperplanes": func() error { _, err := Hyperplanes{}.Generate(ctx); return err },
	} {
		if err := generate(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLinearTree(t *testing.T) {
	g := LinearTree{FanOut: 3, Depth: 2, Features: 30, Instances: 4000, Deviation: []float64{1, 2, 0.5}, Seed: 3}
	d, err := g.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := g.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d.X, again.X) || !reflect.DeepEqual(d.Labels, again.Labels) {
		t.Error("the same settings draw other data")
	}
	tax := d.Taxonomy
	if tax.Len() != 13 || len(tax.Leaves()) != 9 || tax.Depth(tax.Leaves()[0]) != 2 {
		t.Errorf("%v", tax)
	}
	checkRows(t, d.X, 30)
	wantStandardNormal(t, d.X)
	// The labels are what the definition says, and most leaves are the label of some instance.
	weights := g.withDefaults().weights(tax)
	seen := make(map[int]int)
	for i, set := range d.Labels {
		_, x := d.X.Row(i)
		potential := func(leaf int) (sum float64) {
			for _, n := range tax.Ancestors(leaf) {
				sum += dotDense(weights[n], x)
			}
			return sum
		}
		for _, l := range tax.Leaves() {
			if potential(l) > potential(set[0])+1e-9 {
				t.Fatalf("row %d has label %d, but %d has a larger potential", i, set[0], l)
			}
		}
		seen[set[0]]++
	}
	if len(seen) < 7 {
		t.Errorf("instances by label: %v", seen)
	}
	// Deviations: the root's vector has one of 1, the others of 2 and 0.5.
	for depth, want := range []float64{1, 2, 0.5} {
		squares, count := 0.0, 0
		for n, w := range weights {
			if tax.Depth(n) == depth {
				squares += dotDense(w, w)
				count += len(w)
			}
		}
		if got := math.Sqrt(squares / float64(count)); math.Abs(got/want-1) > 4/math.Sqrt(2*float64(count)) {
			t.Errorf("depth %d: deviation %v, want %v", depth, got, want)
		}
	}
}

func TestThesisSynthetic(t *testing.T) {
	for _, shape := range [][2]int{{3, 3}, {6, 2}} {
		for seed := range uint64(5) {
			d, err := ThesisSynthetic(shape[0], shape[1], seed).Generate(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			leaves := len(d.Taxonomy.Leaves())
			if d.Len() != 200 || d.X.Cols != 20 || leaves != int(math.Pow(float64(shape[0]), float64(shape[1]))) {
				t.Fatalf("%v, %v", d.X, d.Taxonomy)
			}
			for i, set := range d.Labels {
				if len(set) == 0 || len(set)*len(set) >= leaves || !slices.IsSorted(set) {
					t.Fatalf("row %d has labels %v of %d leaves", i, set, leaves)
				}
			}
		}
	}
}

func TestNHSVMBalanced(t *testing.T) {
	g := NHSVMBalanced(2)
	g.Instances = 800
	d, err := g.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Taxonomy.Len() != 15 || len(d.Taxonomy.Leaves()) != 8 || d.X.Cols != 1000 || d.Len() != 800 {
		t.Errorf("%v, %v", d.X, d.Taxonomy)
	}
	wantStandardNormal(t, d.X)
}

func TestHyperplanes(t *testing.T) {
	d, err := Hyperplanes{Features: 50, Instances: 8000, Seed: 6}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tax := d.Taxonomy
	if tax.Len() != 21 || len(tax.Leaves()) != 11 || !tax.IsTree() {
		t.Errorf("%v", tax)
	}
	checkRows(t, d.X, 50)
	depths := make([]int, 11)
	for i, set := range d.Labels {
		_, x := d.X.Row(i)
		if squares := dotDense(x, x); math.Abs(squares-1) > 1e-5 {
			t.Fatalf("row %d has the length %v", i, math.Sqrt(squares))
		}
		depths[tax.Depth(set[0])]++
	}
	// A hyperplane through the origin halves the space, and the one after it nearly halves its
	// half.
	if n := depths[1]; n < 3800 || n > 4200 {
		t.Errorf("%d instances of 8000 on the one side of the first hyperplane", n)
	}
	for k := 1; k < 10; k++ {
		if depths[k] == 0 || depths[k+1] > depths[k] && k < 6 && depths[k+1] > 2*depths[k] {
			t.Errorf("instances by depth: %v", depths)
		}
	}
	if _, err := (Hyperplanes{Count: -1}).Generate(t.Context()); err == nil || !strings.Contains(err.Error(), "-1 hyperplanes") {
		t.Errorf("%v", err)
	}
}

func TestLinearTreeErrors(t *testing.T) {
	tests := []struct {
		settings LinearTree
		words    string
	}{
		{LinearTree{FanOut: -1}, "fan-out -1"},
		{LinearTree{FanOut: 10, Depth: 100}, "at most"},
		{LinearTree{Instances: -1}, "-1 instances"},
		{LinearTree{Deviation: []float64{1, math.NaN()}}, "NaN"},
		{LinearTree{FanOut: 1, Depth: 1, Sets: true, Features: 3}, "acceptable number of labels"},
	}
	for _, test := range tests {
		d, err := test.settings.Generate(t.Context())
		if d != nil || err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%+v: %v, want %q", test.settings, err, test.words)
		}
	}
}

// wantStandardNormal checks the first four moments of all values.
func wantStandardNormal(t *testing.T, x *dataset.Matrix) {
	t.Helper()
	var moments [5]float64
	for _, v := range x.Values {
		p := 1.0
		for k := range moments {
			moments[k] += p / float64(len(x.Values))
			p *= float64(v)
		}
	}
	// The variance of the sample's k-th moment is that of v^k, 1, 2, 15 and 96, over the number of
	// values.
	for k, want := range []float64{1, 0, 1, 0, 3} {
		deviation := math.Sqrt([]float64{0, 1, 2, 15, 96}[k] / float64(len(x.Values)))
		if math.Abs(moments[k]-want) > 5*deviation+1e-9 {
			t.Errorf("moment %d is %v, want %v give or take %v", k, moments[k], want, deviation)
		}
	}
}

func TestAlias(t *testing.T) {
	weights := []float64{3, 0, 1, 0.5, 2.5}
	a := newAlias(weights)
	rng := stream(1, 0, 0)
	const draws = 200000
	count := make([]int, len(weights))
	for range draws {
		count[a.draw(rng)]++
	}
	for i, w := range weights {
		p := w / 7
		if math.Abs(float64(count[i])/draws-p) > 5*math.Sqrt(p*(1-p)/draws) {
			t.Errorf("number %d drawn %d times of %d, want %v", i, count[i], draws, p)
		}
	}
}

func BenchmarkTextLike(b *testing.B) {
	for _, g := range []TextLike{NewsgroupsLike(), WIPOLike(), IPCLike(), DMOZLike()} {
		b.Run(g.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Generate(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
