package chart

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
)

// cornered has sectors that keep a margin of 1 in the distance from zero: what is nearer is within
// it.
type cornered struct {
	Predictor
	excess func(x *dataset.Matrix) ([]float64, error)
	sums   []float64
	wrong  error
}

func (c *cornered) MarginExcess(x *dataset.Matrix) ([]float64, error) { return c.excess(x) }
func (c *cornered) DualSums() ([]float64, error)                      { return c.sums, c.wrong }

func newCornered(d *dataset.Dataset) *cornered {
	c := &cornered{Predictor: sectors(d), sums: make([]float64, d.Len())}
	c.excess = func(x *dataset.Matrix) ([]float64, error) {
		var e []float64
		for _, at := range dense(x) {
			e = append(e, math.Hypot(at[0], at[1])-1)
		}
		return e, nil
	}
	return c
}

// TestMargins measures what is within margins: a circle.
func TestMargins(t *testing.T) {
	d := nine(t)
	m := newCornered(d)
	m.sums[3], m.sums[7] = 0.5, 2
	f, err := Margins(t.Context(), m, d)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Margins: 2 of 72 are support vectors"; f.Title.Text != want {
		t.Errorf("the title is %q, want %q", f.Title.Text, want)
	}
	plane, err := newPlane(d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := plane.regions(t.Context(), m, newNodeColors(d.Taxonomy))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.addMargins(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	below, beyond := 0.0, 0.0
	for _, part := range r.parts {
		if part.within {
			below += part.area()
		} else {
			beyond += part.area()
		}
	}
	all := (r.high[0] - r.low[0]) * (r.high[1] - r.low[1])
	if math.Abs(all-beyond-math.Pi) > 0.03 || math.Abs(below-all) > 1e-6*all {
		t.Errorf("an area of %v is drawn and %v of it beyond the margins, want all but %v of %v", below, beyond, math.Pi, all)
	}
	if n := len(r.borders[ofMargin]); n == 0 {
		t.Error("no line shows the margins")
	}
	for _, line := range r.borders[ofMargin] {
		for _, at := range line {
			if h := math.Hypot(at[0], at[1]); h < 0.98 {
				t.Fatalf("a line around what is beyond the margins is at %v, %v from zero", at, h)
			}
		}
	}
}

func TestMarginsRefused(t *testing.T) {
	d := nine(t)
	failing := errors.New("no problem known")
	beyond := PredictFunc(func(x *dataset.Matrix) []int {
		nodes := make([]int, x.Rows)
		for i := range nodes {
			nodes[i] = d.Taxonomy.Len()
		}
		return nodes
	})
	says := func(e []float64, err error) func(*dataset.Matrix) ([]float64, error) {
		return func(*dataset.Matrix) ([]float64, error) { return e, err }
	}
	for words, change := range map[string]func(m *cornered){
		"vectors: no problem known": func(m *cornered) { m.wrong = failing },
		"trained on 5 instances":    func(m *cornered) { m.sums = m.sums[:5] },
		"has nodes 0..12":           func(m *cornered) { m.Predictor = beyond },
		"the margins of 1 rows":     func(m *cornered) { m.excess = says(make([]float64, 1), nil) },
		"margins: no problem known": func(m *cornered) { m.excess = says(nil, failing) },
	} {
		m := newCornered(d)
		change(m)
		if _, err := Margins(t.Context(), m, d); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("the error is %v, want one with %q", err, words)
		}
	}
	if _, err := Margins(t.Context(), nil, d); err == nil {
		t.Error("the margins of no model")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Margins(ctx, newCornered(d), d); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
