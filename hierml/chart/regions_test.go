package chart

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// nine returns points of nine classes, three below each of three, around zero.
func nine(t testing.TB) *dataset.Dataset {
	t.Helper()
	tax, err := taxonomy.FromPaths([]string{"0/123/1", "0/123/2", "0/123/3", "0/456/4", "0/456/5", "0/456/6", "0/789/7", "0/789/8", "0/789/9"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var x []float64
	var labels [][]int
	for c, leaf := range tax.Leaves() {
		angle := 2 * math.Pi * (float64(c) + 0.5) / 9
		for range 8 {
			x = append(x, 3*math.Cos(angle)+0.2*r.NormFloat64(), 3*math.Sin(angle)+0.2*r.NormFloat64())
			labels = append(labels, []int{leaf})
		}
	}
	d, err := dataset.FromDense("nine", tax, mat.NewDense(len(labels), 2, x), labels)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// dense returns the rows of the first two columns.
func dense(x *dataset.Matrix) [][2]float64 {
	rows := make([][2]float64, x.Rows)
	for i := range rows {
		indices, values := x.Row(i)
		for k, column := range indices {
			if column < 2 {
				rows[i][column] = float64(values[k])
			}
		}
	}
	return rows
}

// sectors predicts by the angle, and rings by the distance from zero.
func sectors(d *dataset.Dataset) Predictor {
	return PredictFunc(func(x *dataset.Matrix) []int {
		var nodes []int
		for _, at := range dense(x) {
			turn := math.Atan2(at[1], at[0])/(2*math.Pi) + 1
			nodes = append(nodes, d.Taxonomy.Leaves()[int(turn*9)%9])
		}
		return nodes
	})
}

func rings(d *dataset.Dataset) Predictor {
	return PredictFunc(func(x *dataset.Matrix) []int {
		var nodes []int
		for _, at := range dense(x) {
			nodes = append(nodes, d.Taxonomy.Leaves()[min(8, int(math.Hypot(at[0], at[1])))])
		}
		return nodes
	})
}

// area returns the area of a region, by the shoelace formula.
func (r *region) area() float64 {
	total := 0.0
	for _, loop := range r.loops {
		for k, a := range loop {
			b := loop[(k+1)%len(loop)]
			total += (a[0]*b[1] - b[0]*a[1]) / 2
		}
	}
	return total
}

// The regions cover the plane, and each has the area it has: pi, 3 pi, ... of rings and of what is
// between them.
func TestRegionAreas(t *testing.T) {
	d := nine(t)
	p, err := newPlane(d)
	if err != nil {
		t.Fatal(err)
	}
	whole := (p.high[0] - p.low[0]) * (p.high[1] - p.low[1])
	for name, m := range map[string]Predictor{
		"rings": rings(d), "sectors": sectors(d),
		"one": PredictFunc(func(x *dataset.Matrix) []int { return make([]int, x.Rows) }),
		"chessboard": PredictFunc(func(x *dataset.Matrix) []int {
			var nodes []int
			for _, at := range dense(x) {
				nodes = append(nodes, 1+(int(math.Floor(at[0]))+int(math.Floor(at[1])))&1)
			}
			return nodes
		}),
	} {
		r, err := p.regions(t.Context(), m, newNodeColors(d.Taxonomy))
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for _, part := range r.parts {
			total += part.area()
			if leaf := d.Taxonomy.LeafIndex(part.node); name == "rings" && leaf < 3 {
				if want := math.Pi * float64(2*leaf+1); math.Abs(part.area()-want) > 0.01*want {
					t.Errorf("ring %d has an area of %v, want %v", leaf, part.area(), want)
				}
			}
		}
		if math.Abs(total-whole) > 1e-9*whole {
			t.Errorf("%s: the regions have an area of %v of %v", name, total, whole)
		}
	}
}

func TestRegionTitles(t *testing.T) {
	d := nine(t)
	f, err := CompareRegions(t.Context(), d, Contender{"sectors", sectors(d)}, Contender{"rings", rings(d)})
	if err != nil {
		t.Fatal(err)
	}
	if f.Title.Text != "sectors\naccuracy 1" || !strings.HasPrefix(f.Beside[0].Title.Text, "rings\naccuracy 0.") || !strings.HasPrefix(f.String(), "sectors: accuracy 1 (") {
		t.Errorf("titles %q, %q", f.Title.Text, f.Beside[0].Title.Text)
	}
	// A constant column is given to the model as it is; one instance and labels of inner nodes can
	// be drawn.
	one := d.Subset([]int{0}).WithConstant(2)
	one.Labels = [][]int{{0, 1}}
	seen := false
	f, err = DecisionRegions(t.Context(), PredictFunc(func(x *dataset.Matrix) []int {
		for i := range x.Rows {
			_, values := x.Row(i)
			seen = seen || values[len(values)-1] == 2
			if values[len(values)-1] != 2 {
				t.Fatalf("row %d ends with %v", i, values)
			}
		}
		return make([]int, x.Rows)
	}), one)
	if err != nil || !seen || f.PNG() == nil || f.Title.Text != "Decision regions" {
		t.Errorf("error %v", err)
	}
}

// Where many regions meet, their borders go straight to one place.
func TestRegionsMeet(t *testing.T) {
	d := nine(t)
	plane, err := newPlane(d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := plane.regions(t.Context(), sectors(d), newNodeColors(d.Taxonomy))
	if err != nil {
		t.Fatal(err)
	}
	near := 0
	for _, l := range slices.Concat(r.borders[:]...) {
		from, to := l[0], l[1]
		length := math.Hypot(to[0]-from[0], to[1]-from[1])
		if math.Min(math.Hypot(from[0], from[1]), math.Hypot(to[0], to[1])) > 0.3 {
			continue
		}
		near++
		if off := math.Abs(from[0]*to[1]-from[1]*to[0]) / length; off > 0.01 {
			t.Errorf("the border from %.3f to %.3f passes zero at a distance of %.3f", from, to, off)
		}
	}
	if near < 9 {
		t.Errorf("%d pieces of nine borders are near zero", near)
	}
	for _, part := range r.parts {
		for _, loop := range part.loops {
			for _, at := range loop {
				for k := range 2 {
					if at[k] < r.low[k]-1e-9 || at[k] > r.high[k]+1e-9 {
						t.Fatalf("the region of node %d reaches %v, beyond the plane", part.node, at)
					}
				}
			}
		}
	}
}

// A point is drawn over a dark disc, so that it shows on the region of its own colour.
func TestRegionsRims(t *testing.T) {
	d := nine(t)
	f, err := DecisionRegions(t.Context(), sectors(d), d)
	if err != nil {
		t.Fatal(err)
	}
	var r recorder.Canvas
	f.Draw(draw.NewCanvas(&r, f.Width, f.Height))
	var last color.Color
	rims := 0
	for _, action := range r.Actions {
		if a, ok := action.(*recorder.SetColor); ok {
			if c := newNodeColors(d.Taxonomy); last == inkOnColor && a.Color == color.Color(c.strong(d.Labels[0][0])) {
				rims++
			}
			last = a.Color
		}
	}
	if rims != 9 { // eight points and the legend
		t.Errorf("%d points of the first class have rims, want 9", rims)
	}
	if web := spec(t, f); !strings.Contains(web, `"stroke":{"value":"`+hex(inkOnColor)+`"}`) {
		t.Error("points have no rim in the interactive form")
	}
}

func TestRegionsRefused(t *testing.T) {
	d := nine(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	narrow, err := d.Columns([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	varying := *d
	varying.X = &dataset.Matrix{Rows: 2, Cols: 3, Indptr: []int{0, 1, 2}, Indices: []int32{2, 0}, Values: []float32{1, 1}}
	varying.Labels = d.Labels[:2]
	unlimited := varying
	unlimited.X = &dataset.Matrix{Rows: 2, Cols: 2, Indptr: []int{0, 1, 2}, Indices: []int32{1, 0}, Values: []float32{float32(math.Inf(1)), 1}}
	predict := func(f func(n int) []int) Predictor {
		return PredictFunc(func(x *dataset.Matrix) []int { return f(x.Rows) })
	}
	for name, c := range map[string]struct {
		ctx   context.Context
		model Predictor
		data  *dataset.Dataset
		words string
	}{
		"no data":          {t.Context(), rings(d), nil, "at least one"},
		"no instance":      {t.Context(), rings(d), d.Subset(nil), "at least one"},
		"no model":         {t.Context(), nil, d, "train it first"},
		"one column":       {t.Context(), rings(d), narrow, "1 columns"},
		"a third that is":  {t.Context(), rings(d), &varying, "column 2 is 1 for instance 0 and 0 for instance 1"},
		"infinite":         {t.Context(), rings(d), &unlimited, "column 1 of instance 0 is +Inf"},
		"cancelled":        {ended, rings(d), d, "context canceled"},
		"too few":          {t.Context(), predict(func(n int) []int { return []int{0} }), d, "predicts 1 nodes for"},
		"another taxonomy": {t.Context(), predict(func(n int) []int { return append(make([]int, n-1), 99) }), d, "predicts node 99"},
		"another matrix":   {t.Context(), choosy{}, d, "not these"},
	} {
		if _, err := DecisionRegions(c.ctx, c.model, c.data); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := CompareRegions(t.Context(), d, make([]Contender, 13)...); err == nil || !strings.Contains(err.Error(), "1 to 12") {
		t.Errorf("13 models: %v", err)
	}
}

type choosy struct{ Predictor }

func (choosy) Check(*dataset.Matrix) error { return errors.New("not these") }

// A model that changes its mind everywhere is drawn coarser, and within a bounded time and size.
func TestRegionsOfNoise(t *testing.T) {
	d := nine(t)
	r := rand.New(rand.NewPCG(3, 4))
	f, err := DecisionRegions(t.Context(), PredictFunc(func(x *dataset.Matrix) []int {
		nodes := make([]int, x.Rows)
		for i := range nodes {
			nodes[i] = r.IntN(d.Taxonomy.Len())
		}
		return nodes
	}), d)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.SVG()); n > 3<<20 {
		t.Errorf("an SVG of %d bytes", n)
	}
}

// Parts of the taxonomy have hues of their own, and leaves within a part shades of it.
func TestNodeColors(t *testing.T) {
	c := newNodeColors(paths(t, 3, 4))
	if c.group[0] == c.group[c.t.Len()-1] {
		t.Error("two parts are one")
	}
	seen := make(map[string]int)
	for _, leaf := range c.t.Leaves() {
		key := fmt.Sprint(c.region(leaf), c.strong(leaf))
		if other, there := seen[key]; there {
			t.Errorf("leaves %d and %d have the same colours", leaf, other)
		}
		seen[key] = leaf
	}
	// A flat taxonomy of more classes than hues still tells them apart.
	var names []string
	var edges [][2]int
	for i := range 13 {
		names = append(names, fmt.Sprint(i))
		if i > 0 {
			edges = append(edges, [2]int{0, i})
		}
	}
	flat, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	c, seen = newNodeColors(flat), make(map[string]int)
	for _, leaf := range flat.Leaves() {
		seen[fmt.Sprint(c.region(leaf))]++
	}
	if len(seen) != 12 {
		t.Errorf("12 classes have %d colours", len(seen))
	}
}
