package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/metric"
)

// TestInterrupted interrupts a study again and again, by errors of the progress function, by
// contexts that end and by cutting the file anywhere, and compares what comes out in the end with a
// run of one go.
func TestInterrupted(t *testing.T) {
	want := everything(complete(t, study(t)))
	rng := rand.New(rand.NewPCG(1, 2))
	stop := errors.New("stop")
	for round := range 4 {
		s := study(t)
		s.Directory = filepath.Join(t.TempDir(), "made", "by the study")
		for range 1000 {
			s.Workers = 1 + rng.IntN(4)
			ctx, cancel := context.WithCancelCause(t.Context())
			calls, last := 0, 1+rng.IntN(25)
			s.Progress = func(float64, string) error {
				if calls++; calls < last {
					return nil
				}
				if round%2 == 0 {
					return stop
				}
				cancel(stop)
				return nil
			}
			r, err := s.Run(ctx)
			cancel(nil)
			if err == nil {
				break
			}
			if !errors.Is(err, stop) || !strings.Contains(err.Error(), "stopped after") && calls > 1 {
				t.Fatalf("%v", err)
			}
			if r == nil || r.Missing == 0 || !strings.Contains(r.String(), "not finished: run the study again to go on") {
				t.Fatalf("an interrupted study shows\n%v", r)
			}
			info, err := os.Stat(filepath.Join(s.Directory, cellsFile))
			if err != nil {
				t.Fatal(err)
			}
			if round%3 == 0 && info.Size() > 0 {
				cutFile(t, s.Directory, info.Size()-rng.Int64N(min(300, info.Size())))
			}
		}
		r := complete(t, s)
		r.Notes = nil // about functions that may have changed between the runs
		if got := everything(r); got != want {
			t.Fatalf("round %d: interrupted\n%s\nand in one go\n%s", round, got, want)
		}
		loaded, err := Load(s.Directory)
		if err != nil {
			t.Fatal(err)
		}
		loaded.Notes = nil
		if got := everything(loaded); got != want {
			t.Errorf("loaded\n%s\nwant\n%s", got, want)
		}
	}
}

// TestParallelIsSerial also runs the methods in another order.
func TestParallelIsSerial(t *testing.T) {
	serial := study(t)
	serial.Workers = 1
	want := complete(t, serial)
	parallel := study(t)
	parallel.Workers = 8
	if got := everything(complete(t, parallel)); got != everything(want) {
		t.Errorf("parallel\n%s\nserial\n%s", got, everything(want))
	}
	turned := study(t)
	slices.Reverse(turned.Methods)
	got := complete(t, turned)
	lines := func(r *Results) []string { return slices.Sorted(strings.Lines(r.CSV())) }
	if !slices.Equal(lines(got), lines(want)) {
		t.Errorf("methods in another order:\n%s\nwant\n%s", got.CSV(), want.CSV())
	}
	rows := func(r *Results) []string { return slices.Sorted(strings.Lines(r.Summary().CSV())) }
	if !slices.Equal(rows(got), rows(want)) {
		t.Errorf("methods in another order:\n%s\nwant\n%s", got.Summary().CSV(), want.Summary().CSV())
	}
}

// TestRunCell runs every cell again alone, with and without the directory.
func TestRunCell(t *testing.T) {
	s := study(t)
	s.Directory = t.TempDir()
	r := complete(t, s)
	alone := study(t)
	for i, c := range r.all() {
		from := s
		if i%2 == 0 {
			from = alone
		}
		again, err := from.RunCell(t.Context(), c.Key[:10])
		if err != nil {
			t.Fatal(err)
		}
		a, b := *c, *again
		a.Seconds, b.Seconds = 0, 0
		if !reflect.DeepEqual(a, b) {
			t.Errorf("again\n%+v\nwant\n%+v", b, a)
		}
	}
	for key, want := range map[string]string{"": `no cell with the key ""`, "zz": `no cell with the key "zz"`} {
		if _, err := s.RunCell(t.Context(), key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// TestChangedStudies changes a study between runs in one directory, and counts the trainings.
func TestChangedStudies(t *testing.T) {
	d := linearTree(t, 60)
	base := func() *Study {
		return &Study{
			Data:      []Data{{Set: d}},
			Methods:   []Method{{Name: "a", Estimator: Centroids{}}, {Name: "b", Estimator: Centroids{Noise: 2}, Grid: Grid{"Noise": {1, 2}}}},
			Split:     Split{HeldOut: 0.5},
			Repeats:   3,
			Seed:      1,
			Measures:  []string{"accuracy"},
			Directory: t.TempDir(),
		}
	}
	for _, test := range []struct {
		name   string
		change func(*Study)
		runs   int64 // trainings after it
		unused int
	}{
		{"nothing", func(*Study) {}, 0, 0},
		{"names", func(s *Study) { s.Name = "x"; s.Methods[0].Name = "c" }, 0, 0},
		{"measures", func(s *Study) { s.Measures = []string{"tree loss", "seconds"} }, 0, 0},
		{"workers", func(s *Study) { s.Workers = 3 }, 0, 0},
		{"order", func(s *Study) { slices.Reverse(s.Methods) }, 0, 0},
		{"one repeat more", func(s *Study) { s.Repeats = 4 }, 3, 0},
		{"one repeat less", func(s *Study) { s.Repeats = 2 }, 0, 3},
		{"a further point", func(s *Study) { s.Methods[1].Grid["Noise"] = []any{1, 2, 3} }, 3, 0},
		{"another way to write a point", func(s *Study) { s.Methods[1].Grid["Noise"] = []any{1.0, float32(2)} }, 0, 0},
		{"an estimator", func(s *Study) { s.Methods[0].Estimator = Centroids{Noise: 1e-9} }, 3, 3},
		{"a version", func(s *Study) { s.Methods[0].Version = "2" }, 3, 3},
		{"the seed", func(s *Study) { s.Seed = 2 }, 9, 9},
		{"the split", func(s *Study) { s.Split.HeldOut = 0.4 }, 9, 9},
		{"an inner split", func(s *Study) { s.Inner.Folds = 2 }, 3*4 + 3, 6},
		{"the data", func(s *Study) {
			c := *d
			c.X = d.X.Subset(sequence(0, d.Len()))
			c.X.Values[17] += 1e-3
			s.Data[0].Set = &c
		}, 9, 9},
	} {
		s := base()
		complete(t, s)
		test.change(s)
		before := fits.Load()
		r := complete(t, s)
		if got := fits.Load() - before; got != test.runs {
			t.Errorf("%s: %d trainings, want %d", test.name, got, test.runs)
		}
		note := strings.Join(r.Notes, "\n")
		if want := fmt.Sprintf("%s in the directory belong to an earlier version", plural(test.unused, "cell")); strings.Contains(note, want) != (test.unused > 0) {
			t.Errorf("%s: notes %q", test.name, note)
		}
		fresh := *s
		fresh.Directory = ""
		if got, want := r.CSV(), complete(t, &fresh).CSV(); !slices.Contains(r.Measures, seconds) && got != want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, want)
		}
	}
}

func TestTwoRunners(t *testing.T) {
	s := study(t)
	s.Directory = t.TempDir()
	other := *s
	var busy *BusyError
	s.Progress = func(float64, string) error {
		if _, err := other.Run(t.Context()); !errors.As(err, &busy) || busy.Directory != s.Directory {
			return fmt.Errorf("the second run: %w", err)
		}
		return nil
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	complete(t, &other)
}

func TestDamagedDirectory(t *testing.T) {
	s := study(t)
	s.Directory = t.TempDir()
	want := everything(complete(t, s))
	file := filepath.Join(s.Directory, cellsFile)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(content), '\n') + 1
	for _, test := range []struct{ content, want string }{
		{string(content) + `{"Key": "ab`, ""},
		{string(content) + "\x00\x00\x00", ""},
		{string(content[:first]) + "{}\n" + string(content[first:]), cellsFile + ":2 is not a finished cell: it has no Key; delete the line"},
		{string(content[:first]) + "\x00\n" + string(content[first:]), cellsFile + ":2 is not a finished cell: invalid character"},
	} {
		if err := os.WriteFile(file, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		before := fits.Load()
		r, err := s.Run(t.Context())
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Notes = nil
		if got := everything(r); got != want || fits.Load() != before {
			t.Errorf("%d trainings, and\n%s\nwant\n%s", fits.Load()-before, got, want)
		}
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not the directory of a study") {
		t.Error(err)
	}
}

// TestTimeIsSaidOnce looks at what is reported after a minute and a half: a function of the user's
// is told the time, and who watches work that nobody asked about says it himself.
func TestTimeIsSaidOnce(t *testing.T) {
	for _, test := range []struct {
		own  func(float64, string) error
		want string
	}{
		{func(float64, string) error { return nil }, "1 of 3 cells, 1m30s, about 20s left"},
		{nil, "1 of 3 cells"},
	} {
		s := &Study{Data: []Data{{Set: linearTree(t, 20)}}, Methods: []Method{{Estimator: Centroids{}}}, Repeats: 3, Workers: 1, Progress: test.own}
		c, err := s.checked()
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(p, &store{cells: make(map[string]*Cell)})
		r.timing.end(p.cells[0])
		r.count(p.cells[0], &Cell{Seconds: 10})
		r.started = time.Now().Add(-90 * time.Second)
		r.progress = func(_ float64, state string) error {
			if state != test.want {
				t.Errorf("%q, want %q", state, test.want)
			}
			return nil
		}
		if err := r.report(); err != nil {
			t.Error(err)
		}
	}
}

// TestFailures looks at what is said of cells that fail, and runs them again.
func TestFailures(t *testing.T) {
	s := study(t)
	s.Directory = t.TempDir()
	text := complete(t, s).String()
	for _, want := range []string{
		"\nbroken on one; broken on drawn: 8 of 8 cells failed: neither a model nor an error was returned by Fit\n",
		"frail on one; frail on drawn: 16 of 24 cells for the choice of a point failed, the first with: Fail=panic: panic: runtime error: index out of range [5] with length 0; a point",
		"0, 4 failed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "no test of broken") {
		t.Errorf("it is said twice that there is nothing to test in\n%s", text)
	}
	s.Inner = Split{}
	text = complete(t, s).String()
	for _, want := range []string{
		"frail on one; frail on drawn: 8 of 8 cells failed: panic: runtime error: index out of range [5] with length 0",
		"frail on one; frail on drawn: 8 of 8 cells failed: no convergence",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	before := fits.Load()
	complete(t, s)
	if n := fits.Load() - before; n != 0 {
		t.Errorf("%d cells ran again, though they were not to", n)
	}
	s.Retry = true
	complete(t, s)
	if n := fits.Load() - before; n != 2*4*3 {
		t.Errorf("%d cells ran again, want those 24 that failed", n)
	}
}

// TestInterruptedCellsAreNone ends a study while a cell trains.
func TestInterruptedCellsAreNone(t *testing.T) {
	s := &Study{Data: []Data{{Set: linearTree(t, 40)}}, Methods: []Method{{Estimator: Centroids{Fail: "wait"}}}, Directory: t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	s.Progress = func(float64, string) error { cancel(); return nil }
	r, err := s.Run(ctx)
	if !errors.Is(err, context.Canceled) || r.Missing != 1 || len(r.Cells) != 0 {
		t.Errorf("%v\n%v", r, err)
	}
}

// TestFaultyData runs a study with data that cannot be drawn, or divided.
func TestFaultyData(t *testing.T) {
	d := linearTree(t, 40)
	for _, test := range []struct {
		data Data
		want string
	}{
		{Data{Generate: func(_ context.Context, seed uint64) (*dataset.Dataset, error) { return nil, errors.New("no data") }}, "no data"},
		{Data{Generate: func(_ context.Context, seed uint64) (*dataset.Dataset, error) { return nil, nil }}, "the generator returned no data"},
		{Data{Generate: func(_ context.Context, seed uint64) (*dataset.Dataset, error) { panic("oh") }}, "panic: oh"},
		{Data{Set: d, Prepare: func(*dataset.Dataset) (func(*dataset.Dataset) (*dataset.Dataset, error), error) { panic("ah") }}, "panic: ah"},
	} {
		s := &Study{Data: []Data{test.data}, Methods: []Method{{Estimator: Centroids{}}}, Split: Split{Folds: 3}}
		if text := complete(t, s).String(); !strings.Contains(text, test.want) || !strings.Contains(text, "0, 3 failed") {
			t.Errorf("%q is not in\n%s", test.want, text)
		}
	}
	for _, data := range []Data{{Set: &dataset.Dataset{}}, {Set: d, Collection: &dataset.Collection{}}, {}, {Generator: 3}, {Set: d, Text: features.Text{Bits: 4}}} {
		if r, err := (&Study{Data: []Data{data}, Methods: []Method{{Estimator: Centroids{}}}}).Run(t.Context()); err == nil {
			t.Errorf("%+v:\n%v", data, r)
		}
	}
}

// TestChoice checks the choice of points by hand: the inner cells train and test on rows of the
// outer training part alone, the chosen point is that with the best mean, and its cell is that of a
// study in which there is no other.
func TestChoice(t *testing.T) {
	d := linearTree(t, 90)
	for i := range d.Len() { // A feature says which row it is.
		d.X.Values[d.X.Indptr[i]] = float32(i + 1)
	}
	rowsOf := func(d *dataset.Dataset) map[int]bool {
		rows := make(map[int]bool)
		for i := range d.Len() {
			rows[int(d.X.Values[d.X.Indptr[i]])] = true
		}
		return rows
	}
	s := &Study{
		Data:    []Data{{Name: "d", Set: d}},
		Methods: []Method{{Name: "m", Estimator: Centroids{}, Grid: Grid{"Noise": {0, 300, 3000, 30000}}}},
		Split:   Split{HeldOut: 0.3}, Inner: Split{Folds: 3}, Repeats: 5, Seed: 5, Select: "tree loss", Measures: []string{"accuracy", "tree loss"},
	}
	r := complete(t, s)
	plain := *s
	plain.Inner = Split{}
	every := complete(t, &plain)

	c, err := s.checked()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.Data[0].open(t.Context(), c.dataFolder(), 0)
	if err != nil {
		t.Fatal(err)
	}
	parts := newParts(p, p.cells)
	chosen := make(map[string]bool)
	for _, cell := range r.Cells {
		outer, err := parts.divide(in, place{repeat: cell.Repeat})
		if err != nil {
			t.Fatal(err)
		}
		train, test := rowsOf(d.Subset(outer.Train)), rowsOf(d.Subset(outer.Test))
		tested := make(map[int]int)
		best, least := "", math.Inf(1)
		for _, value := range []int{0, 300, 3000, 30000} {
			point := fmt.Sprintf("Noise=%d", value)
			var losses []float64
			for fold := 1; fold <= 3; fold++ {
				by, err := parts.divide(in, place{repeat: cell.Repeat, inner: fold})
				if err != nil {
					t.Fatal(err)
				}
				a, b := d.Divide(by)
				for row := range rowsOf(a) {
					if !train[row] || test[row] {
						t.Fatalf("row %d is not of the outer training part", row)
					}
				}
				for row := range rowsOf(b) {
					if !train[row] || test[row] {
						t.Fatalf("row %d is not of the outer training part", row)
					}
					tested[row]++
				}
				i := slices.IndexFunc(r.Inner, func(c *Cell) bool { return c.Repeat == cell.Repeat && c.Inner == fold && c.Point == point })
				if i < 0 {
					t.Fatalf("no inner cell for %s, fold %d", point, fold)
				}
				model, err := Centroids{Noise: float64(value), Seed: r.Inner[i].Seed}.Fit(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				report, err := metric.Evaluate(model, b)
				if err != nil {
					t.Fatal(err)
				}
				if got := r.Inner[i].Values["tree loss"]; got != report.TreeLoss {
					t.Errorf("inner cell %+v has a tree loss of %v, want %v", r.Inner[i], got, report.TreeLoss)
				}
				losses = append(losses, report.TreeLoss)
			}
			if mean := (losses[0] + losses[1] + losses[2]) / 3; mean < least {
				best, least = point, mean
			}
		}
		for row := range train {
			if tested[row] != 4 {
				t.Errorf("row %d was tested on %d times, want once for each of the 4 points", row, tested[row])
			}
		}
		chosen[best] = true
		if cell.Point != best || !cell.Chosen {
			t.Errorf("repeat %d: %s was chosen, want %s", cell.Repeat, cell.Point, best)
		}
		i := slices.IndexFunc(every.Cells, func(c *Cell) bool { return c.Repeat == cell.Repeat && c.Point == best })
		if other := every.Cells[i]; other.Seed != cell.Seed || !reflect.DeepEqual(other.Values, cell.Values) {
			t.Errorf("repeat %d: the cell of the chosen point is %+v, want %+v", cell.Repeat, cell, other)
		}
	}
	if len(chosen) < 2 {
		t.Errorf("only %v were ever chosen; the test says little", chosen)
	}
}
