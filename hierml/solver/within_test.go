package solver

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hierml/notebook/hierml/progress"
)

// bar is a watcher that keeps what a task reports.
type bar struct {
	mutex sync.Mutex
	lines []string
	done  []float64
}

func (b *bar) Begin(string) progress.Task { return b }
func (b *bar) Note(string)                {}
func (b *bar) End()                       {}
func (b *bar) Report(done float64, state func() string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.lines, b.done = append(b.lines, state()), append(b.done, done)
}

// Who watches is told within epochs, from the first on, how much of one is done.
func TestProgressWithinAnEpoch(t *testing.T) {
	for name, m := range map[string]Method{"BCFW": BCFW{}, "dual ascent": DualAscent{}} {
		b := &bar{}
		if _, err := Solve(progress.With(context.Background(), b), kept(1, 1), &Settings{MaxEpochs: 3, Gap: 1e-9}, m); err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, line := range b.lines {
			if strings.HasSuffix(line, "of epoch 1") {
				parts = append(parts, line)
			}
		}
		if len(parts) < 100 || !strings.HasPrefix(parts[0], "0 %") && !strings.HasPrefix(parts[0], "1 %") || slices.Contains(parts[:len(parts)-1], "101 % of epoch 1") {
			t.Errorf("%s: %d reports within the first epoch: %q ...", name, len(parts), parts[:min(3, len(parts))])
		}
		if !math.IsNaN(b.done[0]) || !slices.IsSorted(b.done[len(parts):]) {
			t.Errorf("%s: done %v", name, b.done)
		}
	}
}
