package progress

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// notes is a watcher that notes what it is told.
type notes struct{ lines []string }

func (n *notes) Begin(what string) Task { return noted{n, what} }

func (n *notes) Note(text string) { n.lines = append(n.lines, "note: "+text) }

type noted struct {
	*notes
	what string
}

func (n noted) Report(done float64, state func() string) {
	n.lines = append(n.lines, fmt.Sprint(n.what, " ", done, " ", state()))
}

func (n noted) Expect(left time.Duration) {
	n.lines = append(n.lines, fmt.Sprint(n.what, " lasts ", left))
}

func (n noted) End() { n.lines = append(n.lines, n.what+" ended") }

func TestTheWholeIsShownAndNotItsParts(t *testing.T) {
	n := &notes{}
	ctx, whole := Begin(With(t.Context(), n), "study")
	inner, part := Begin(ctx, "training")
	if part != nil || inner != ctx {
		t.Error("work within work is shown")
	}
	part.Report(1, nil)
	part.End()
	part.Expect(time.Second)
	whole.Expect(time.Minute)
	whole.Report(0.5, func() string { return "half" })
	whole.End()
	if got, want := strings.Join(n.lines, "|"), "study lasts 1m0s|study 0.5 half|study ended"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFollow(t *testing.T) {
	n := &notes{}
	watched := With(t.Context(), n)
	ctx, report, end := Follow(watched, "download", nil)
	if err := report(math.NaN(), "waiting"); err != nil {
		t.Error(err)
	}
	end()
	if got, want := strings.Join(n.lines, "|"), "download NaN waiting|download ended"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, w := Begin(ctx, "part"); w != nil {
		t.Error("a part of followed work is shown")
	}
	// Who has a function of her own is told alone.
	told := ""
	ctx, report, end = Follow(watched, "download", func(_ float64, state string) error { told = state; return nil })
	if err := report(1, "all"); err != nil || told != "all" {
		t.Errorf("got %v, told %q", err, told)
	}
	end()
	if _, w := Begin(ctx, "part"); w != nil || len(n.lines) != 2 {
		t.Error("the watcher is told, too")
	}
	if _, report, end := Follow(t.Context(), "download", nil); report != nil || end == nil {
		t.Error("nobody watches, and there is somebody to tell")
	}
}

func TestNobodyWatches(t *testing.T) {
	ctx, w := Begin(t.Context(), "training")
	if ctx != t.Context() || w != nil || Silent(ctx) != ctx {
		t.Error("there is work where nobody watches")
	}
	watched := With(ctx, &notes{})
	if _, w := Begin(Silent(watched), "training"); w != nil {
		t.Error("a silent context is watched")
	}
	if _, w := Begin(watched, "training"); w == nil {
		t.Error("a watcher is not told")
	}
}

func BenchmarkNobodyWatches(b *testing.B) {
	ctx := context.WithValue(b.Context(), key{}, nil)
	b.ReportAllocs()
	for b.Loop() {
		_, w := Begin(ctx, "training")
		w.Report(0.5, func() string { return fmt.Sprint(b.N) })
		w.End()
	}
}

// TestNotesOfTheWhole has notes of parts, which nobody is told, and of the last one, whose outcome
// is that of the whole.
func TestNotesOfTheWhole(t *testing.T) {
	n := &notes{}
	Note(t.Context(), "nobody")
	whole := With(t.Context(), n)
	ctx, work := Begin(whole, "search")
	Note(ctx, "part")
	last := WithNotesFrom(ctx, whole)
	if _, w := Begin(last, "training"); w != nil {
		t.Error("the progress of a part is shown")
	}
	Note(last, "last")
	work.End()
	Note(whole, "whole")
	if got, want := strings.Join(n.lines, "|"), "note: last|search ended|note: whole"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := WithNotesFrom(ctx, t.Context()); got != ctx {
		t.Error("a watcher of nobody")
	}
}
