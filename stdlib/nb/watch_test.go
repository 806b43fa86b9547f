package nb

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/stdlib/display"
)

func impatient(t *testing.T) {
	old := patience
	patience = 0
	t.Cleanup(func() { patience = old })
}

func TestLongWorkShowsABarAndLeavesNothing(t *testing.T) {
	impatient(t)
	n := open(t)
	for _, what := range []string{"training", "study"} {
		_, w := progress.Begin(Context(), what)
		w.Report(0.5, func() string { return "half" })
		w.End()
		w.Report(1, func() string { return "late" })
	}
	if len(n.data) != 4 || len(n.data[1]) != 0 || len(n.data[3]) != 0 {
		t.Fatalf("shown %q", n.shown)
	}
	for i, want := range map[int]string{0: "false training [████████████············] half, 0s", 2: "true study [████████████············] half, 0s"} {
		if !strings.HasPrefix(n.shown[i], want) {
			t.Errorf("got %q, want %q", n.shown[i], want)
		}
	}
	// The second bar took the place of the first.
	for _, id := range n.ids {
		if id != n.ids[0] {
			t.Errorf("shown as %q", n.ids)
		}
	}
	// The next cell has places of its own.
	n.ctx = context.WithValue(n.ctx, &patience, 1)
	_, w := progress.Begin(Context(), "next")
	w.Report(0, func() string { return "" })
	w.End()
	if n.ids[4] == n.ids[0] || !strings.HasPrefix(n.shown[4], "false ") {
		t.Errorf("shown as %q, %q", n.ids, n.shown)
	}
}

func TestShortWorkShowsNothing(t *testing.T) {
	n := open(t)
	set := &solver.Settings{}
	ctx, end := set.Watch(Context())
	if set.Progress == nil {
		t.Fatal("a cell does not watch")
	}
	for i := range 1000 {
		if err := set.Progress(solver.Progress{Epoch: i + 1, Gap: 0.5}); err != nil {
			t.Fatal(err)
		}
	}
	inner := &solver.Settings{}
	if _, end := inner.Watch(ctx); inner.Progress != nil {
		end()
		t.Error("a training within another is watched")
	}
	end()
	if len(n.shown) != 0 {
		t.Errorf("shown %q", n.shown)
	}
}

func TestBarOfSolver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		impatient(t)
		n := open(t)
		set := &solver.Settings{Gap: 0.01}
		_, end := set.Watch(Context())
		for i, gap := range []float64{1, 0.8, 0.6, 0.3, 0.1, 0.04, 0.01} {
			if err := set.Progress(solver.Progress{Epoch: i + 1, Gap: gap, Seconds: float64(i+1) / 2}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * drawInterval)
		}
		end()
		if got := strings.Join(n.shown, "\n"); !strings.Contains(got, "training [████████████············] epoch 5, gap 0.1, 2 epochs/s, ") || // too few to know the end
			strings.Count(got, " left") != 1 ||
			!strings.Contains(got, "about 1 s left\n") || !strings.Contains(got, "training [████████████████████████] epoch 7, gap 0.01") {
			t.Errorf("got\n%s", got)
		}
	})
}

func TestProgressOfHerOwnIsTheOnly(t *testing.T) {
	impatient(t)
	n := open(t)
	told := 0
	set := &solver.Settings{Progress: func(solver.Progress) error { told++; return nil }}
	ctx, end := set.Watch(Context())
	defer end()
	if err := set.Progress(solver.Progress{}); err != nil {
		t.Fatal(err)
	}
	if _, w := progress.Begin(ctx, "part"); w != nil || told != 1 || len(n.shown) != 0 {
		t.Errorf("shown %q", n.shown)
	}
}

func TestBarInATerminalIsRemoved(t *testing.T) {
	impatient(t)
	var out bytes.Buffer
	w := &watched{what: "training", host: terminalOf(t), stderr: &out}
	w.Report(1, func() string { return "done" })
	w.End()
	if got := out.String(); !strings.HasPrefix(got, "\r\x1b[Ktraining [████████████████████████] done") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("got %q", got)
	}
}

// terminalOf returns a host that cannot replace what it has shown.
func terminalOf(t *testing.T) terminalHost {
	return terminalHost{notebook: &notebook{ctx: t.Context()}}
}

type terminalHost struct{ *notebook }

func (terminalHost) Updates() bool { return false }

func TestNobodyWatchesWhereOutputIsNoTerminal(t *testing.T) {
	if _, w := progress.Begin(Context(), "training"); w != nil && !stderrIsTerminal() {
		t.Error("a bar would be drawn into a file")
	}
}

// TestNotesGoToStandardError has a note where no bar has a place.
func TestNotesGoToStandardError(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	old := os.Stderr
	os.Stderr = file
	progress.Note(Context(), "flat SVM: a gap of 0.5")
	os.Stderr = old
	if got, err := os.ReadFile(file.Name()); err != nil || string(got) != "flat SVM: a gap of 0.5\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestBarsAreTransient(t *testing.T) {
	impatient(t)
	n := open(t)
	_, w := progress.Begin(Context(), "training")
	w.Report(0, func() string { return "" })
	w.End()
	for i, metadata := range n.metadata {
		if metadata[display.Transient] != true {
			t.Errorf("display %d has the metadata %v", i, metadata)
		}
	}
}

func BenchmarkContext(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = Context()
	}
}

// BenchmarkReport is what an epoch costs before a bar is shown.
func BenchmarkReport(b *testing.B) {
	set := &solver.Settings{}
	_, end := set.Watch(progress.With(b.Context(), watcher{bars: true}))
	defer end()
	b.ReportAllocs()
	for b.Loop() {
		if err := set.Progress(solver.Progress{Epoch: 1, Gap: 0.5}); err != nil {
			b.Fatal(err)
		}
		patience = time.Hour
	}
}

// Of work that tells when its end is expected that is shown, rounded, and else what the part that
// is done lets expect.
func TestExpectedEnd(t *testing.T) {
	impatient(t)
	for _, c := range []struct {
		left time.Duration
		want string
	}{
		{4*time.Minute + 10*time.Second, ", about 4 min left"}, {89500 * time.Millisecond, ", about 90 s left"}, {5 * time.Hour, ", about 5 h left"},
		{30 * time.Hour, ", about 30 h left"}, {0, ""}, {-1, ""},
	} {
		n := open(t)
		_, w := progress.Begin(Context(), "training")
		w.Expect(c.left)
		w.Report(0.5, func() string { return "half" })
		w.End()
		if has := strings.Contains(n.shown[0], "left"); !strings.Contains(n.shown[0], c.want) || has != (c.want != "") {
			t.Errorf("%v: %q, want %q", c.left, n.shown[0], c.want)
		}
	}
}
