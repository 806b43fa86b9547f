package solver

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strconv"
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
		// An epoch may last for minutes: within it is told what gap the one before has come to.
		gap, second := "", 0
		for _, r := range w.Reports {
			state, rest, _ := strings.Cut(r.State, ", gap ")
			switch {
			case state == "epoch 1":
				gap, _, _ = strings.Cut(rest, ", ")
			case strings.HasSuffix(state, "% of epoch 2"):
				if second++; rest != gap {
					t.Errorf("%s: %q, where the first epoch has come to the gap %q", name, r.State, gap)
				}
			}
		}
		if gap == "" || second == 0 {
			t.Errorf("%s: the gap %q, %d reports within the second epoch", name, gap, second)
		}
		if !math.IsNaN(done[0]) || !slices.IsSorted(done[len(parts):]) {
			t.Errorf("%s: done %v", name, done)
		}
	}
}

// Who watches is told how far the certificate of a checkpoint's point is, before the first epoch,
// and that of an epoch.
func TestProgressOfCertificates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	var w *example.Watcher
	for range 2 {
		w = &example.Watcher{}
		if _, err := Solve(progress.With(t.Context(), w), kept(1, 1), &Settings{MaxEpochs: 1, Gap: 1e-9, Checkpoint: path}, nil); err != nil {
			t.Fatal(err)
		}
	}
	var states []string
	for _, r := range w.Reports {
		states = append(states, r.State)
	}
	// From the checkpoint's certificate on it is told at what gap the training stands.
	first := states[slices.Index(states, "certifying the checkpoint's point, 100 %")+1]
	_, gap, ok := strings.Cut(first, ", gap ")
	if v, err := strconv.ParseFloat(gap, 64); !ok || err != nil || !(v > 0 && v < 1) {
		t.Errorf("%q follows the certificate of the checkpoint's point", first)
	}
	at := -1
	for _, want := range []string{
		"building the weights of the checkpoint's point, 0 %", "building the weights of the checkpoint's point, 100 %",
		"certifying the checkpoint's point, 0 %", "certifying the checkpoint's point, 50 %", "certifying the checkpoint's point, 100 %",
		"1 % of epoch 1, gap " + gap, "certifying epoch 1, 50 %, gap " + gap,
	} {
		k := slices.Index(states, want)
		if k <= at {
			t.Errorf("%q is report %d, after %d", want, k, at)
		}
		at = k
	}
	if !math.IsNaN(w.Reports[0].Done) {
		t.Errorf("%v is done before the first epoch", w.Reports[0].Done)
	}
	// Tasks and orthogonal transfer have certificates of their own.
	for name, solve := range map[string]func(ctx context.Context) error{
		"tasks": func(ctx context.Context) error {
			_, err := SolveTasks(ctx, texts(t, Hinge), &Settings{MaxEpochs: 1})
			return err
		},
		"orthogonal": func(ctx context.Context) error {
			p, _ := oneTransfer(t).problem(t, false)
			_, err := SolveOrthogonal(ctx, p, &Settings{MaxEpochs: 1}, nil)
			return err
		},
	} {
		var w example.Watcher
		if err := solve(progress.With(t.Context(), &w)); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(w.Reports, func(r example.Report) bool { return strings.HasPrefix(r.State, "certifying epoch 1, ") }) {
			t.Errorf("%s: %v", name, w.Reports)
		}
	}
}
