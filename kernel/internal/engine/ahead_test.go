package engine_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestAheadFails holds that a panic of a cell which was compiled ahead has a column.
func TestAheadFails(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	cells := []string{"x := 1", "panic(\"no\")"}
	for i, source := range cells {
		_, err := n.engine.Run(t.Context(), program.Cell{Number: i + 1, Source: source, Next: func() []string { return cells[i+1:] }}, &enginetest.Recorder{})
		if err != nil && !strings.Contains(strings.Join(traceback(err), "\n"), "Cell [2]:1:1") {
			t.Errorf("%s", strings.Join(traceback(err), "\n"))
		}
	}
}

// TestAhead runs cells that say what waits behind them: plugins are built once for several cells,
// and for what became of them otherwise.
func TestAhead(t *testing.T) {
	cells := []string{
		"type point struct{ x, y int }\nfunc (p point) norm() int { return p.x + p.y }",
		"p := point{1, 2}",
		"p.norm()",
		"_ * 2",
		"func double(n int) int { return 2 * n }",
		"double(p.x)",
		"p.norm()", // as the third, and not compiled again
	}
	for _, test := range []struct {
		name string
		// other replaces a cell that was announced, fails the program of one.
		other  map[int]string
		fails  int
		builds []string
	}{
		{name: "as announced", fails: -1, builds: []string{"0 1 2 3 4 5"}},
		{name: "another cell", other: map[int]string{2: "p.x"}, fails: -1, builds: []string{"0 1 2 3 4 5", "2 3 4 5 6"}},
		{name: "a failed cell", fails: 3, builds: []string{"0 1 2 3 4 5"}},
		{name: "a magic ends what is known", other: map[int]string{3: "%engine"}, fails: -1, builds: []string{"0 1 2", "4 5"}},
		{name: "so does what does not compile", other: map[int]string{3: "p +"}, fails: -1, builds: []string{"0 1 2", "4 5"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, program.CompiledMode)
			for i, source := range cells {
				next := func() []string {
					waiting := append([]string(nil), cells[i+1:]...)
					for at, other := range test.other {
						if at > i && !strings.HasPrefix(test.name, "another") {
							waiting[at-i-1] = other
						}
					}
					return waiting
				}
				if other, ok := test.other[i]; ok {
					source = other
				}
				if i == test.fails {
					s.double.fails = &program.RuntimeError{Name: "panic", Message: "no"}
				}
				_, err := s.engine.Run(t.Context(), program.Cell{Number: i + 1, Source: source, Next: next}, &enginetest.Recorder{})
				if err != nil && i != test.fails && source != "p +" {
					t.Fatalf("cell %d: %v", i, err)
				}
			}
			var builds []string
			for _, text := range s.scribe.built {
				var numbers []string
				for i := range cells {
					if strings.Contains(text, "// Cell ["+string(rune('1'+i))+"]\n") {
						numbers = append(numbers, string(rune('0'+i)))
					}
				}
				builds = append(builds, strings.Join(numbers, " "))
			}
			if got, want := strings.Join(builds, "; "), strings.Join(test.builds, "; "); got != want {
				t.Errorf("built %s, want %s", got, want)
			}
		})
	}
}

// TestAheadIsNotQuoted fails in a cell whose number others had that were compiled ahead: the error
// quotes the cell that failed.
func TestAheadIsNotQuoted(t *testing.T) {
	const last = 10
	s := newStage(t, program.CompiledMode)
	for i := 1; i <= last; i++ {
		next := func() (waiting []string) {
			for k := i + 1; k <= last; k++ {
				waiting = append(waiting, fmt.Sprintf("ahead%dOf%d := 1", k, i))
			}
			return waiting
		}
		if i == last {
			s.double.fails = &program.RuntimeError{Name: "panic", Message: "no", Frames: []program.Frame{{Cell: last, Line: 1, Column: 1}}}
		}
		_, err := s.engine.Run(t.Context(), program.Cell{Number: i, Source: fmt.Sprintf("ran%d := 1", i), Next: next}, &enginetest.Recorder{})
		switch {
		case i < last && err != nil:
			t.Fatal(err)
		case i == last && (err == nil || !strings.Contains(strings.Join(traceback(err), "\n"), "ran10 := 1")):
			t.Errorf("%q", traceback(err))
		}
	}
}

// TestAheadOfFailures compiles what waited behind a cell whose process died, or that was not
// loaded: with paths that the compiler has not seen.
func TestAheadOfFailures(t *testing.T) {
	cells := []string{"x := 1", "y := 2", "z := 3", "4"}
	for name, failure := range map[string]error{
		"death": &program.DeathError{Cause: "stack overflow", Process: 1}, "not loaded": errors.New("no room"),
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, program.CompiledMode)
			for i, source := range cells {
				if i == 1 {
					s.double.fails = failure
				}
				_, err := s.engine.Run(t.Context(), program.Cell{Number: i + 1, Source: source, Next: func() []string { return cells[i+1:] }}, &enginetest.Recorder{})
				if (err != nil) != (i == 1) {
					t.Errorf("cell %d: %v", i, err)
				}
			}
			builtOnce(t, s.scribe.built, len(cells))
		})
	}
}

// TestAheadOfChangedCells announces other cells than come, more than once: no path is built twice,
// of whichever announcement its unit was.
func TestAheadOfChangedCells(t *testing.T) {
	begin := []announced{
		{"x := 1", []string{"fmt.Print(x)", "fmt.Print(x)", "y := 2", "z := 3"}}, // the second has no unit
		{"fmt.Print(x)", nil},
	}
	for name, cells := range map[string][]announced{
		"fewer":  {{"fmt.Print(x + 1)", []string{"%engine"}}, {"y := 7", nil}, {"z := 3", nil}},
		"others": {{"fmt.Print(x + 1)", []string{"fmt.Print(x)", "w := 3"}}, {"y := 2", nil}, {"w := 3", nil}},
		"taken":  {{"fmt.Print(x + 1)", []string{"y := 7", "w := 3"}}, {"y := 7", nil}, {"w := 3", nil}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, program.CompiledMode)
			for i, c := range append(begin[:2:2], cells...) {
				if _, err := s.engine.Run(t.Context(), program.Cell{Number: i + 1, Source: c.source, Next: func() []string { return c.next }}, &enginetest.Recorder{}); err != nil {
					t.Errorf("cell %d: %v", i+1, err)
				}
			}
			builtOnce(t, s.scribe.built, 5)
		})
	}
}

// An announced is a cell with those that wait behind it.
type announced struct {
	source string
	next   []string
}

// builtOnce holds that at least that many paths are built, each once.
func builtOnce(t *testing.T, built []string, least int) {
	t.Helper()
	seen := map[string]bool{}
	for _, path := range regexp.MustCompile(`Register(Run)?\("cell/\d+"`).FindAllString(strings.Join(built, "\n"), -1) {
		if seen[path] {
			t.Errorf("%s) is built twice", path)
		}
		seen[path] = true
	}
	if len(seen) < least {
		t.Errorf("built %v", seen)
	}
}
