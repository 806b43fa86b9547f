package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"

	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// checkLayout fails if rows overlap, if there are too many, or if something is out of the drawing.
func checkLayout(t *testing.T, d *drawing) (leaves, hidden int) {
	t.Helper()
	total := 0
	for _, p := range d.panels {
		used := make(map[vg.Length]string)
		var visit func(b *branch)
		visit = func(b *branch) {
			if b.x+nameOffset+b.textWidth() > p.width+1e-9 || b.y > vg.Length(p.rows)*rowHeight {
				t.Errorf("%s at %v, %v is out of a panel of %v x %d rows", b.name, b.x, b.y, p.width, p.rows)
			}
			if b.hidden {
				hidden++
			}
			if len(b.children) == 0 {
				if b.node >= 0 && !b.hidden {
					leaves++
				}
				if other, taken := used[b.y]; taken {
					t.Errorf("%s and %s are in one row", b.name, other)
				}
				used[b.y] = b.name
				total++
			}
			for i, c := range b.children {
				if c.x <= b.x+nameOffset+b.textWidth() {
					t.Errorf("%s begins within the name of %s", c.name, b.name)
				}
				if i > 0 && c.y <= b.children[i-1].y {
					t.Errorf("%s is not below %s", c.name, b.children[i-1].name)
				}
				visit(c)
			}
		}
		for _, b := range p.tops {
			visit(b)
		}
	}
	if total > maxRows {
		t.Errorf("%d rows", total)
	}
	return leaves, hidden
}

func TestTaxonomyLayout(t *testing.T) {
	tests := []struct {
		tops, leaves           int
		panels, drawn, collaps int
	}{
		{1, 1, 1, 1, 0},
		{5, 4, 1, 20, 0},
		{8, 8, 1, 64, 0},
		{10, 12, 2, 120, 0},
		{50, 4, 4, 200, 0},
		{50, 5, 4, 185, 13}, // 37 of the 50 are open: 37*5 + 13 = 198
		{1, 120, 2, 120, 0}, // an only root stands in both panels
		{1, 300, 4, 199, 0}, // and has its last row say how many there are more
		{2, 300, 1, 0, 2},
		{300, 2, 4, 0, 199},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.tops, "x", test.leaves), func(t *testing.T) {
			tax := paths(t, test.tops, test.leaves)
			d := layOut(tax, 9)
			leaves, hidden := checkLayout(t, d)
			if len(d.panels) != test.panels || leaves != test.drawn || hidden != test.collaps {
				t.Errorf("%d panels, %d leaves, %d collapsed; want %d, %d, %d", len(d.panels), leaves, hidden, test.panels, test.drawn, test.collaps)
			}
			f, err := Taxonomy(tax)
			if err != nil {
				t.Fatal(err)
			}
			svg := f.SVG()
			if names := strings.Count(svg, "-l"); leaves > 0 && names < leaves {
				t.Errorf("%d of %d names are drawn", names, leaves)
			}
			if f.Width < 100 || f.Height < 30 || math.IsNaN(float64(f.Width)) {
				t.Errorf("%v x %v", f.Width, f.Height)
			}
		})
	}
}

func TestTaxonomySeveralParents(t *testing.T) {
	tax, err := taxonomy.New([]string{"a", "b", "c", "d", "leaf"}, [][2]int{{0, 4}, {1, 4}, {2, 4}, {3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	d := layOut(tax, 9)
	if leaves, _ := checkLayout(t, d); leaves != 4 { // b, c, d have nothing below them in the drawing
		t.Errorf("%d rows", leaves)
	}
	f, err := Taxonomy(tax)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(f.SVG(), "also below b, c, 1 more") {
		t.Error("the other parents are not named")
	}
}

// A deep taxonomy is cut where it would be too wide, and never recurses without end.
func TestTaxonomyDeep(t *testing.T) {
	var names []string
	var edges [][2]int
	for i := range 3000 {
		names = append(names, fmt.Sprintf("a chain of nodes %d", i))
		if i > 0 {
			edges = append(edges, [2]int{i - 1, i})
		}
	}
	tax, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Taxonomy(tax)
	if err != nil {
		t.Fatal(err)
	}
	if f.Width > maxWidth+2*margin || !strings.Contains(f.SVG(), "1 leaf") {
		t.Errorf("%v points wide", f.Width)
	}
	if _, err := Taxonomy(nil); err == nil {
		t.Error("draws nothing")
	}
}

func TestConfusion(t *testing.T) {
	tax := paths(t, 3, 2)
	leaves := tax.Leaves()
	f, err := Confusion(tax, []int{leaves[0], leaves[0], leaves[5]}, []int{leaves[0], leaves[1], leaves[5]})
	if err != nil {
		t.Fatal(err)
	}
	svg := f.SVG()
	for _, w := range []string{"2 of 3 right", "predicted", "true", "t0-l0", "t2-l1", "instances"} {
		if !strings.Contains(svg, w) {
			t.Errorf("no %q", w)
		}
	}
	for name, c := range map[string]struct {
		truth, predicted []int
		words            string
	}{
		"none":      {nil, nil, "0 true and 0 predicted"},
		"unequal":   {leaves[:2], leaves[:1], "2 true and 1 predicted"},
		"inner":     {[]int{tax.Roots()[0]}, leaves[:1], "instance 0"},
		"elsewhere": {leaves[:2], []int{leaves[0], 99}, "instance 1 is of node"},
	} {
		if _, err := Confusion(tax, c.truth, c.predicted); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Where leaves are too many to be named, the larger parts are; names never overlap; and very many
// leaves share rows.
func TestConfusionMany(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {4, 11}, {10, 12}, {300, 2}, {3, 500}} {
		tax := paths(t, shape[0], shape[1])
		leaves := tax.Leaves()
		f, err := Confusion(tax, leaves, leaves)
		if err != nil {
			t.Fatal(err)
		}
		ticks := f.X.Tick.Marker.Ticks(0, 1)
		perLeaf := confusionSide / float64(len(leaves))
		for i := 1; i < len(ticks); i++ {
			if (ticks[i].Value-ticks[i-1].Value)*perLeaf < labelRoom {
				t.Errorf("%v: %q and %q overlap", shape, ticks[i-1].Label, ticks[i].Label)
			}
		}
		if len(ticks) == 0 {
			t.Errorf("%v: no names", shape)
		}
		if n := strings.Count(f.SVG(), "<path"); n > 3*confusionBins+700 {
			t.Errorf("%v: %d paths", shape, n)
		}
	}
}

// Of a report with many leaves, those with the most mistakes are drawn.
func TestConfusionOf(t *testing.T) {
	report := func(tax *taxonomy.Taxonomy, truth, predicted []int) *metric.Report {
		scores, labels := mat.NewDense(len(truth), len(tax.Leaves()), nil), make([][]int, len(truth))
		for i, y := range truth {
			scores.Set(i, tax.LeafIndex(predicted[i]), 1)
			labels[i] = []int{y}
		}
		r, err := metric.EvaluateScores(scores, labels, tax)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	few := paths(t, 4, 10)
	leaves := few.Leaves()
	whole, err := Confusion(few, leaves, append(slices.Clone(leaves[1:]), leaves[0]))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ConfusionOf(report(few, leaves, append(slices.Clone(leaves[1:]), leaves[0])))
	if err != nil || f.SVG() != whole.SVG() {
		t.Errorf("of 40 leaves, another picture, %v", err)
	}

	// Without those that end at inner nodes.
	root := few.Parents(leaves[0])[0]
	scores := mat.NewDense(3, len(leaves), nil)
	labels := [][]int{{leaves[0]}, {leaves[1]}, {leaves[1]}}
	for sets, want := range map[[3]int]string{
		{leaves[0], root, leaves[0]}: "Confusions (1 inner nodes left out): 1 of 2 right",
		{root, root, root}:           "for every instance",
	} {
		r, err := metric.Settings{}.EvaluateSets(scores, [][]int{sets[:1], sets[1:2], sets[2:]}, labels, few)
		if err != nil {
			t.Fatal(err)
		}
		if f, err = ConfusionOf(r); err != nil && strings.Contains(err.Error(), want) {
			continue
		}
		if err != nil || f.Title.Text != want {
			t.Errorf("%v, %v; want %q", f, err, want)
		}
	}

	many := paths(t, 6, 10)
	leaves = many.Leaves()
	truth, predicted := slices.Clone(leaves), slices.Clone(leaves)
	for i := 25; i < 55; i++ { // t2-l5 to t5-l4 are confused, those before are right, and so are those behind
		predicted[i] = leaves[25+(i-24)%30]
	}
	if f, err = ConfusionOf(report(many, truth, predicted)); err != nil {
		t.Fatal(err)
	}
	// With ten that have no mistakes, the first.
	if want := "Confusions among 40 of 60 classes: 10 of 40 right"; f.Title.Text != want {
		t.Errorf("%q, want %q", f.Title.Text, want)
	}
	svg := f.SVG()
	for name, want := range map[string]bool{"t0-l0": true, "t0-l9": true, "t1-l0": false, "t2-l4": false, "t2-l5": true, "t5-l4": true, "t5-l5": false} {
		if got := strings.Contains(svg, name); got != want {
			t.Errorf("%s is drawn: %v, want %v", name, got, want)
		}
	}
	if _, err := ConfusionOf(&metric.Report{}); err == nil || !strings.HasPrefix(err.Error(), "chart: metric: the report has no predictions") {
		t.Errorf("of nothing: %v", err)
	}
}

// The order is that of the taxonomy, not of the ids.
func TestLeafOrder(t *testing.T) {
	tax, err := taxonomy.New([]string{"x", "y", "a", "b", "c", "d"}, [][2]int{{1, 2}, {0, 3}, {1, 4}, {0, 5}, {1, 5}})
	if err != nil {
		t.Fatal(err)
	}
	order, groups := leafOrder(tax)
	if fmt.Sprint(order, groups) != "[3 5 2 4] [{0 0 2} {1 2 4}]" {
		t.Errorf("got %v %v", order, groups)
	}
}

// The colours of a growing count grow darker, so that print in grey keeps their order.
func TestShade(t *testing.T) {
	before := math.Inf(1)
	for v := 0.0; v <= 1; v += 0.05 {
		r, g, b, _ := shade(v).RGBA()
		light := 0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b)
		if light >= before {
			t.Errorf("at %.2f it is as light as before", v)
		}
		before = light
	}
}
