package solver

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
)

// Who watches is told within epochs, from the first on, how much of one is done.
func TestProgressWithinAnEpoch(t *testing.T) {
	for name, m := range map[string]Method{"BCFW": BCFW{}, "dual ascent": DualAscent{}} {
		w := &example.Watcher{}
		if _, err := Solve(progress.With(context.Background(), w), kept(1, 1), &Settings{MaxEpochs: 3, Gap: 1e-9}, m); err != nil {
			t.Fatal(err)
		}
		var parts []string
		var done []float64
		for _, r := range w.Reports {
			done = append(done, r.Done)
			if strings.HasSuffix(r.State, "of epoch 1") {
				parts = append(parts, r.State)
			}
		}
		if len(parts) < 100 || !strings.HasPrefix(parts[0], "0 %") && !strings.HasPrefix(parts[0], "1 %") || slices.Contains(parts[:len(parts)-1], "101 % of epoch 1") {
			t.Errorf("%s: %d reports within the first epoch: %q ...", name, len(parts), parts[:min(3, len(parts))])
		}
		if !math.IsNaN(done[0]) || !slices.IsSorted(done[len(parts):]) {
			t.Errorf("%s: done %v", name, done)
		}
	}
}
