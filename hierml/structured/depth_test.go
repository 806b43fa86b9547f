package structured_test

import (
	"math"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestGoldenAttributes(t *testing.T) {
	cases, err := golden.Read("attributes_losses")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy   golden.Taxonomy
				Attributes map[string][][]float64
				Alpha      []float64
				DepthConst []float64 `json:"depth_const"`
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			constructors := map[string]func() (*structured.Attributes, error){
				"indicator":         func() (*structured.Attributes, error) { return structured.Ancestors(g), nil },
				"flat":              func() (*structured.Attributes, error) { return structured.Flat(g), nil },
				"sqrt_alpha":        func() (*structured.Attributes, error) { return structured.SqrtAlpha(g, want.Alpha) },
				"depth_const":       func() (*structured.Attributes, error) { return structured.ByDepth(g, want.DepthConst) },
				"inv_sqrt_maxdepth": func() (*structured.Attributes, error) { return structured.InvSqrtMaxDepth(g) },
				"inv_sqrt_depth":    func() (*structured.Attributes, error) { return structured.InvSqrtDepth(g) },
			}
			if len(want.Attributes) < 4 {
				t.Errorf("only %d attributes in the case", len(want.Attributes))
			}
			for name, rows := range want.Attributes {
				constructor, known := constructors[name]
				if !known {
					t.Errorf("%s: no such attributes", name)
					continue
				}
				a, err := constructor()
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				for y, row := range rows {
					got := make([]float64, g.Len())
					nodes, values := a.Leaf(y)
					for k, n := range nodes {
						got[n] = values[k]
					}
					for n, v := range row {
						if math.Abs(got[n]-v) > 1e-12 {
							t.Errorf("%s: leaf %d has %v at node %d, want %v", name, g.Leaves()[y], got[n], n, v)
						}
					}
				}
			}
		})
	}
}

func TestAttributesRefuse(t *testing.T) {
	g := example.Tree(2, 2)
	alone, err := taxonomy.New([]string{"a", "b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, constructor := range map[string]func() (*structured.Attributes, error){
		"too few values":   func() (*structured.Attributes, error) { return structured.Given(g, make([]float64, 6)) },
		"not a number":     func() (*structured.Attributes, error) { return structured.ByDepth(g, []float64{1, math.NaN(), 1}) },
		"too few depths":   func() (*structured.Attributes, error) { return structured.ByDepth(g, []float64{1, 1}) },
		"roots, maxdepth":  func() (*structured.Attributes, error) { return structured.InvSqrtMaxDepth(alone) },
		"a root, by depth": func() (*structured.Attributes, error) { return structured.InvSqrtDepth(alone) },
	} {
		if _, err := constructor(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
