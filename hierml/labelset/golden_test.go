package labelset

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/golden"
)

func TestGolden(t *testing.T) {
	cases, err := golden.Read("inference")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy      golden.Taxonomy
				R             []float64
				Value         float64
				Gap           float64 `json:"unique_gap"`
				LabelSet      []int   `json:"label_set"`
				Relaxed       float64 `json:"lp_value"`
				Integral      bool    `json:"lp_integral"`
				PossiblyEmpty float64 `json:"lp_value_without_last_constraint"`
				Empty         float64 `json:"ip_value_allowing_empty"`
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			space, err := New(g)
			if err != nil {
				t.Fatal(err)
			}
			for _, space := range []*Space{space, bounding(space)} {
				got, err := space.NewSearcher().Best(want.R)
				if err != nil {
					t.Fatal(err)
				}
				if !near(got.Value, want.Value) || !near(got.Bound, want.Value) || !near(max(0, got.Value), want.Empty) {
					t.Errorf("value %v with bound %v, want %v", got.Value, got.Bound, want.Value)
				}
				if want.Gap > 1e-9 && !slices.Equal(got.Leaves, want.LabelSet) {
					t.Errorf("label set %v, want %v", got.Leaves, want.LabelSet)
				}
			}
			relaxed, err := space.Relax(context.Background(), want.R)
			if err != nil {
				t.Fatal(err)
			}
			if !near(relaxed.Value, want.Relaxed) || !near(relaxed.Bound, want.Relaxed) || relaxed.Integral != want.Integral {
				t.Errorf("relaxed: value %v with bound %v, integral %v; want %v, %v", relaxed.Value, relaxed.Bound, relaxed.Integral, want.Relaxed, want.Integral)
			}
			relaxed, err = space.graph.program(false).solve(context.Background(), want.R)
			if err != nil {
				t.Fatal(err)
			}
			if !near(relaxed.Value, want.PossiblyEmpty) {
				t.Errorf("relaxed without the last constraint: value %v, want %v", relaxed.Value, want.PossiblyEmpty)
			}
		})
	}
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-8*max(1, math.Abs(want)) }
