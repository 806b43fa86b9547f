package labelset

import (
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
				Taxonomy golden.Taxonomy
				R        []float64
				Value    float64
				Gap      float64 `json:"unique_gap"`
				LabelSet []int   `json:"label_set"`
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
			got, err := space.NewSearcher().Best(want.R)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Value-want.Value) > 1e-9 || math.Abs(got.Bound-want.Value) > 1e-9 {
				t.Errorf("value %v with bound %v, want %v", got.Value, got.Bound, want.Value)
			}
			if want.Gap > 1e-9 && !slices.Equal(got.Leaves, want.LabelSet) {
				t.Errorf("label set %v, want %v", got.Leaves, want.LabelSet)
			}
		})
	}
}
