package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	plugin "github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// A double is an executor that interprets what is lowered, and only notes what it should load and
// run of compiled cells.
type double struct {
	program.Executor
	born func() program.Executor
	// ran are the compiled programs, in words.
	ran  []string
	cell int // the last compiled one
	// left is why a variable is not carried over, by its name in its unit.
	left map[string]string
	// part is why a part of one is not.
	part map[string]string
	// fails is the result of the next compiled program.
	fails error
	died  int
	// computed is how long the next programs compute in interpreted code.
	computed []time.Duration
}

func (d *double) Run(ctx context.Context, p *program.Program, out program.Output) (*program.Bundle, error) {
	if p.Compiled == nil {
		bundle, err := d.Executor.Run(ctx, p, out)
		if p.Interpreted != nil && len(d.computed) > 0 {
			p.Interpreted(d.computed[0])
			d.computed = d.computed[1:]
		}
		return bundle, err
	}
	d.cell = p.Cell
	_, err := d.load(p.Compiled.Units, p.Compiled.Run != "")
	var failure *program.RuntimeError
	if (err == nil || errors.As(err, &failure)) && p.Declared != nil && p.Compiled.Run != "" {
		p.Declared()
	}
	return nil, err
}

func (d *double) Reached(ctx context.Context, cell int, out program.Output) (int, error) {
	if cell == d.cell {
		return 1, nil
	}
	return d.Executor.Reached(ctx, cell, out)
}

func (d *double) Look(_ context.Context, _ int, looks []program.Look, _ program.Output) ([]string, error) {
	return seen(looks), nil
}

func (d *double) Adopt(_ context.Context, a *program.Adoption, _ program.Output) (program.LeftBehind, error) {
	return d.load(a.Units, false)
}

// load notes what is loaded, and whether it is run.
func (d *double) load(u program.Units, runs bool) (program.LeftBehind, error) {
	var moved []string
	left := program.LeftBehind{Whole: map[string]string{}, InPart: map[string]string{}}
	for _, m := range u.Moved {
		moved = append(moved, m.Name)
		if why, ok := d.left[m.Name]; ok {
			left.Whole[m.Key()] = why
		}
		if why, ok := d.part[m.Name]; ok {
			left.InPart[m.Key()] = why
		}
	}
	slices.Sort(moved)
	d.ran = append(d.ran, fmt.Sprintf("%s moved %v run %v", u.Plugin, moved, runs))
	err := d.fails
	d.fails = nil
	return left, err
}

func (d *double) Restart() (int, error) {
	d.died++
	d.Executor = d.born()
	return d.died, nil
}

// A scribe is a compiler that keeps the text.
type scribe struct {
	slow   string
	built  []string // the sources of a plugin
	fails  error
	closed bool
}

func (s *scribe) Build(ctx context.Context, units []plugin.Unit) (string, error) {
	if s.fails != nil {
		return "", s.fails
	}
	text := ""
	for _, u := range units {
		text += u.Source
	}
	s.built = append(s.built, text)
	return fmt.Sprint("plugin", len(s.built)), nil
}

// Slow says what cells lack, if anything.
func (s *scribe) Slow() string { return s.slow }

func (s *scribe) Close() error {
	s.closed = true
	return nil
}

// A stage is a session whose compiled cells are only written.
type stage struct {
	*notebook
	double *double
	scribe *scribe
	opened int
	cannot error
}

func newStage(t *testing.T, mode program.Mode, set ...func(*engine.Config)) *stage {
	s := &stage{notebook: &notebook{t: t}, scribe: &scribe{}}
	s.double = &double{born: func() program.Executor { return newExecutor(t, s.notebook) }}
	s.double.Executor = s.double.born()
	config := engine.Config{
		Executor: s.double, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded, Mode: mode,
		Compiler: func(_ context.Context, progress func(string)) (program.Compiler, error) {
			s.opened++
			if s.cannot != nil {
				return nil, s.cannot
			}
			progress("the compiler")
			progress("the packages")
			return s.scribe, nil
		},
	}
	for _, f := range set {
		f(&config)
	}
	s.engine = engine.New(config)
	return s
}

const progressNotes = "note: cells are compiled for the first time; what that needs is made once, in a minute or two\n  the compiler\n"

// refusedCell is one that only the interpreter refuses.
const refusedCell = "func() {\n\tfor range func(func() bool) {} {\n\t\tdefer print()\n\t}\n}()"

// toCompiled is a cell by which the user chooses compiled ones.
const toCompiled = "%engine compiled"

const refusedWhy = "defer inside a range over a function"

// TestPromotion runs cells and looks at what the last one says, and at what of all was compiled.
func TestPromotion(t *testing.T) {
	for _, c := range []struct {
		name  string
		mode  program.Mode
		cells []string
		left  map[string]string
		part  map[string]string
		notes string
		out   string
		err   string
		ran   []string
	}{
		{name: "interpreted", cells: []string{"x := 1", "x + 1"}},
		{name: "the first one that is refused", cells: []string{"x := 1", refusedCell}, notes: progressNotes,
			ran: []string{"plugin1 moved [x] run false", "plugin2 moved [] run true"}},
		{name: "the first one that is not shown to be right", cells: []string{"x := 1", "f := func() int { return 1 }"},
			notes: progressNotes,
			ran:   []string{"plugin1 moved [x] run false", "plugin2 moved [] run true"}},
		{name: "all after it", cells: []string{"x := 1", refusedCell, "x + 1"},
			ran: []string{"plugin1 moved [x] run false", "plugin2 moved [] run true", "plugin3 moved [] run true"}},
		{name: "what stays behind", mode: program.InterpretedMode, cells: []string{"f := func() int { return 1 }\nx := 1", toCompiled},
			left:  map[string]string{"f": "a function value made by interpreted code"},
			notes: progressNotes + "note: f stayed behind with the interpreter: a function value made by interpreted code\n",
			ran:   []string{"plugin1 moved [f x] run false"}},
		{name: "what stays behind in part", mode: program.InterpretedMode, cells: []string{"h := []func(){func() {}}", toCompiled},
			part:  map[string]string{"h": "h[0]: a function value made by interpreted code"},
			notes: progressNotes + "note: a part of h stayed behind with the interpreter: h[0]: a function value made by interpreted code\n",
			ran:   []string{"plugin1 moved [h] run false"}},
		{name: "what stayed behind is used", mode: program.InterpretedMode, cells: []string{"f := func() int { return 1 }", toCompiled, "f()"},
			left: map[string]string{"f": "it is a function"},
			err:  "undefined: f (the variable stayed behind with the interpreter: it is a function)",
			ran:  []string{"plugin1 moved [f] run false"}},
		{name: "what stayed behind is used by a function", mode: program.InterpretedMode, cells: []string{"f := func() int { return 1 }\nfunc g() int { return f() }\nfunc h() int { return g() }", toCompiled, "h()"},
			left: map[string]string{"f": "it is a function"},
			err:  "f: the variable stayed behind with the interpreter: it is a function",
			ran:  []string{"plugin1 moved [f] run false"}},
		{name: "what stayed behind is used by a method", mode: program.InterpretedMode, cells: []string{"f := func() int { return 1 }\ntype T int\nfunc (T) String() string { f(); return \"\" }\ny := T(1)", toCompiled, "fmt.Sprint(y)"},
			left: map[string]string{"f": "it is a function"},
			err:  "f: the variable stayed behind with the interpreter: it is a function",
			ran:  []string{"plugin1 moved [f y] run false"}},
		{name: "what stayed behind is declared anew", mode: program.InterpretedMode, cells: []string{"f := func() int { return 1 }\nfunc g() int { return f() }", toCompiled, "f := func() int { return 2 }\ng()"},
			left: map[string]string{"f": "it is a function"},
			ran:  []string{"plugin1 moved [f] run false", "plugin2 moved [] run true"}},
		{name: "a value that was shown", cells: []string{"41", refusedCell, "Out[1]"},
			ran: []string{"plugin1 moved [] run false", "plugin2 moved [] run true", "plugin3 moved [] run true"}},
		{name: "interpreted only", mode: program.InterpretedMode, cells: []string{refusedCell}, err: refusedWhy},
		{name: "not for what is wrong", cells: []string{"return 1, 2"}, err: "too many return values"},
		{name: "not for what does not compile", cells: []string{"var x int = \"a\""}, err: "cannot use"},
		{name: "not for what waits", cells: []string{"func f() int { return g() }", "f()"}, err: "which no cell has declared yet"},
		{name: "compiled from the first cell on", mode: program.CompiledMode, cells: []string{"x := 1", "x"},
			ran: []string{"plugin1 moved [] run true", "plugin2 moved [] run true"}},
		{name: "the user's wish", cells: []string{"x := 1", "%engine compiled"},
			notes: progressNotes, out: "compiled: cells are compiled since Cell [2]\n", ran: []string{"plugin1 moved [x] run false"}},
		{name: "a wish and a cell", cells: []string{"%engine compiled\n1"},
			notes: progressNotes, out: "compiled: cells are compiled since Cell [1]\n", ran: []string{"plugin1 moved [] run true"}},
		{name: "shown", cells: []string{"%engine"}, out: "auto: cells are interpreted as far as the interpreter is shown to do what Go does; from the first one beyond that on they are compiled\n"},
		{name: "shown after promotion", cells: []string{refusedCell, "%engine"},
			out: "auto: cells are compiled since Cell [1], which the interpreter did not take: " + refusedWhy + "\n",
			ran: []string{"plugin1 moved [] run true"}},
		{name: "only interpreted", cells: []string{"%engine interpreted"}, out: "interpreted: cells are interpreted; what the interpreter is known to do otherwise than Go is refused\n"},
		{name: "only interpreted from now on", cells: []string{"%engine interpreted", refusedCell}, err: refusedWhy},
		{name: "back with variables", cells: []string{"x := 1", "%engine compiled", "%engine interpreted", "x"},
			ran: []string{"plugin1 moved [x] run false", "plugin2 moved [] run true"}},
		{name: "back with variables is told", cells: []string{"x := 1", "%engine compiled", "%engine interpreted"},
			out: "interpreted: cells are compiled since Cell [2]; from %reset on they are interpreted\n", ran: []string{"plugin1 moved [x] run false"}},
		{name: "back without variables", cells: []string{"%engine compiled", "%engine interpreted"},
			out: "interpreted: cells are interpreted; what the interpreter is known to do otherwise than Go is refused\n"},
		{name: "back by reset", cells: []string{"x := 1", refusedCell, "%reset"},
			out: "The session is new: 1 name is forgotten; its variables are gone with the process that had them; cells are interpreted again.\n",
			ran: []string{"plugin1 moved [x] run false", "plugin2 moved [] run true"}},
		{name: "interpreted again", cells: []string{"x := 1", refusedCell, "%reset", "y := 2", "y"},
			ran: []string{"plugin1 moved [x] run false", "plugin2 moved [] run true"}},
		{name: "compiled again", mode: program.CompiledMode, cells: []string{"x := 1", "%reset", "x := 2"},
			ran: []string{"plugin1 moved [] run true", "plugin2 moved [] run true"}},
		{name: "another word", cells: []string{"%engine fast"}, err: "%engine is auto, interpreted or compiled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.mode)
			s.double.left, s.double.part = c.left, c.part
			var out, notes string
			var err error
			for i, cell := range c.cells {
				_, out, notes, err = s.runNoting(cell)
				if err != nil && i < len(c.cells)-1 {
					t.Fatalf("%s: %v", cell, err)
				}
			}
			var e *program.Error
			switch {
			case c.err == "" && err != nil:
				t.Error(err)
			case c.err != "" && (!errors.As(err, &e) || !strings.Contains(e.Message, c.err)):
				t.Errorf("error %v, want %s", err, c.err)
			}
			if c.notes != "" && notes != c.notes {
				t.Errorf("notes %q, want %q", notes, c.notes)
			}
			if c.out != "" && out != c.out {
				t.Errorf("output %q, want %q", out, c.out)
			}
			if !slices.Equal(s.double.ran, c.ran) {
				t.Errorf("ran %q, want %q", s.double.ran, c.ran)
			}
			if err := s.engine.Close(); err != nil || s.scribe.closed != (s.opened > 0) {
				t.Errorf("closing: %v, the compiler is closed: %v", err, s.scribe.closed)
			}
		})
	}
}

// TestPrepared holds that sessions begin with compiled cells where a compiler is at hand, and with
// interpreted ones if it fails all the same.
func TestPrepared(t *testing.T) {
	const ran = "plugin1 moved [] run true"
	for _, c := range []struct {
		name     string
		mode     program.Mode
		prepared bool
		cannot   error
		slow     string
		cells    []string
		out      string
		ran      []string
	}{
		{name: "without a patch", prepared: true, slow: "patch link/part does not fit", cells: []string{"x := 1", "%engine"},
			out: "auto: cells are compiled since Cell [1]; patch link/part does not fit\n", ran: []string{ran}},
		{name: "prepared", prepared: true, cells: []string{"x := 1", "%engine"}, out: "auto: cells are compiled since Cell [1]\n", ran: []string{ran}},
		{name: "asked before the first cell", prepared: true, cells: []string{"%engine"}, out: "auto: cells are compiled\n"},
		{name: "not prepared", cells: []string{"x := 1"}},
		{name: "interpreted by the user's wish", mode: program.InterpretedMode, prepared: true, cells: []string{"x := 1"}},
		{name: "interpreted by a magic", prepared: true, cells: []string{"%engine interpreted\nx := 1"}},
		{name: "fails all the same", prepared: true, cannot: errors.New("no linker"), cells: []string{"f := func() int { return 1 }", "%engine"},
			out: "auto: cells are interpreted, and cannot be compiled: no linker; what the interpreter is known to do otherwise than Go is refused\n"},
		{name: "after a reset", prepared: true, cells: []string{"x := 1", "%reset", "x := 2"}, ran: []string{ran, "plugin2 moved [] run true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.mode, func(config *engine.Config) { config.Prepared = func() bool { return c.prepared } })
			s.cannot, s.scribe.slow = c.cannot, c.slow
			var out string
			for _, cell := range c.cells {
				_, text, notes, err := s.runNoting(cell)
				if err != nil || strings.Contains(notes, "from here on") {
					t.Errorf("%s: %v, notes %q", cell, err, notes)
				}
				out = text
			}
			if c.out != "" && out != c.out {
				t.Errorf("output %q, want %q", out, c.out)
			}
			if !slices.Equal(s.double.ran, c.ran) {
				t.Errorf("ran %q, want %q", s.double.ran, c.ran)
			}
		})
	}
}

// TestCannotCompile looks at what is said where cells cannot be compiled, and how often.
func TestCannotCompile(t *testing.T) {
	s := newStage(t, program.AutoMode)
	s.cannot = errors.New("there is no Go tool chain on PATH")
	for i, c := range []struct {
		cell, want, not string
		opened          int
	}{
		{"f := func() int { return 1 }\nf()", "", "", 1},
		{refusedCell, refusedWhy + "\ncells cannot be compiled instead: there is no Go tool chain on PATH", "", 1},
		{refusedCell, refusedWhy, "tool chain", 1},
		{"%engine compiled", "Cell [4]: cells cannot be compiled: there is no Go tool chain on PATH", "", 2},
		{"1", "", "", 2},
	} {
		_, _, err := s.run(c.cell)
		var e *program.Error
		switch {
		case c.want == "" && err != nil:
			t.Errorf("cell %d: %v", i+1, err)
		case c.want != "" && (!errors.As(err, &e) || e.Name != "Refused" || !strings.HasSuffix(e.Message, c.want) || c.not != "" && strings.Contains(e.Message, c.not)):
			t.Errorf("cell %d: %v, want %s", i+1, err, c.want)
		}
		if s.opened != c.opened {
			t.Errorf("cell %d: asked %d times, want %d", i+1, s.opened, c.opened)
		}
	}
	if _, out, _ := s.run("%engine"); out != "auto: cells are interpreted, and cannot be compiled: there is no Go tool chain on PATH; what the interpreter is known to do otherwise than Go is refused\n" {
		t.Errorf("%%engine says %q", out)
	}
	s.cannot = nil
	if _, _, err := s.run("%engine compiled"); err != nil {
		t.Errorf("when it can be compiled: %v", err)
	}
	if s = newStage(t, program.CompiledMode); true {
		s.cannot = errors.New("no linker")
		if _, _, err := s.run("x := 1"); err == nil || !strings.Contains(err.Error(), "Cell [1]: cells cannot be compiled: no linker") {
			t.Errorf("compiled from the first cell on: %v", err)
		}
	}
}

// TestNoPlaceForCode has no folder take compiled code, or none any more: cells are interpreted and say so
// once, unless variables are in compiled code or the user wants compiled cells.
func TestNoPlaceForCode(t *testing.T) {
	place := &plugin.PlaceError{Text: "nothing can be loaded; restart with TMPDIR set"}
	const note = "note: cells are interpreted, as they cannot be compiled: nothing can be loaded; restart with TMPDIR set\n"
	const built = "error: Cell [%d]: the cell could not be compiled: nothing can be loaded; restart with TMPDIR set"
	prepared := func(c *engine.Config) { c.Prepared = func() bool { return true } }
	closure := "f := func() int { return 1 }\nf()"
	for _, c := range []struct {
		name       string
		mode       program.Mode
		unprepared bool
		opens      bool // the place is there when the compiler is opened
		failsFrom  int  // the first cell that cannot be built; 0 for none
		cells      []string
		want       []string // what each says: its notes, its output, and its error behind "error: "
	}{
		{name: "from the start", cells: []string{"x := 40", "x + 2", closure, "%engine", refusedCell, refusedCell},
			want: []string{note, "", "", "auto: cells are interpreted, and cannot be compiled: nothing can be loaded; restart with TMPDIR set; what the interpreter is known to do otherwise than Go is refused\n",
				"error: " + refusedWhy, "error: " + refusedWhy}},
		{name: "asked first", cells: []string{"%engine", "x := 40"},
			want: []string{"auto: cells are interpreted, and cannot be compiled: nothing can be loaded; restart with TMPDIR set; what the interpreter is known to do otherwise than Go is refused\n", ""}},
		{name: "where nothing is prepared", unprepared: true, cells: []string{"x := 40", closure, "x", closure}, want: []string{"", note, "", ""}},
		{name: "found by what is refused", unprepared: true, cells: []string{refusedCell, "x := 1"},
			want: []string{"error: " + refusedWhy + "\ncells cannot be compiled instead: nothing can be loaded; restart with TMPDIR set", ""}},
		{name: "found by building", opens: true, failsFrom: 1, cells: []string{"x := 40", closure, "x + 2", refusedCell, "%reset", "x := 1"}, want: []string{note, "", "", "error: " + refusedWhy, "*", ""}},
		{name: "without variables", opens: true, failsFrom: 3, cells: []string{"_ = fmt.Sprint()", `import "strings"`, "x := strings.ToUpper(\"a\")", "x"}, want: []string{"", "", note, ""}},
		{name: "with variables", opens: true, failsFrom: 2, cells: []string{"x := 40", "y := 1", "%engine", "x + 2"},
			want: []string{"", fmt.Sprintf(built, 2), "auto: cells are compiled since Cell [1]\n", fmt.Sprintf(built, 4)}},
		{name: "the user's wish", mode: program.CompiledMode, cells: []string{"x := 40", "1", "%engine"},
			want: []string{"error: Cell [1]: cells cannot be compiled: nothing can be loaded; restart with TMPDIR set", "error: Cell [2]: cells cannot be compiled: nothing can be loaded; restart with TMPDIR set",
				"compiled: cells are refused, as they cannot be compiled: nothing can be loaded; restart with TMPDIR set\n*"}},
		{name: "the user's wish, found by building", mode: program.CompiledMode, opens: true, failsFrom: 1, cells: []string{"x := 40", "x"}, want: []string{fmt.Sprintf(built, 1), "error: *"}},
		{name: "interpreted by the user's wish", mode: program.InterpretedMode, cells: []string{"x := 40", closure}, want: []string{"", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var set []func(*engine.Config)
			if !c.unprepared {
				set = append(set, prepared)
			}
			s := newStage(t, c.mode, set...)
			if !c.opens {
				s.cannot = place
			}
			for i, cell := range c.cells {
				if i+1 == c.failsFrom {
					s.scribe.fails = place
				}
				_, out, notes, err := s.runNoting(cell)
				said := strings.TrimPrefix(notes, progressNotes) + out
				if err != nil {
					said += "error: " + err.(*program.Error).Message
				}
				want, begins := strings.CutSuffix(c.want[i], "*")
				if said != want && !(begins && strings.HasPrefix(said, want)) && !(strings.HasPrefix(want, "error: "+refusedWhy) && strings.HasSuffix(said, strings.TrimPrefix(want, "error: "))) {
					t.Errorf("cell %d says %q, want %q", i+1, said, c.want[i])
				}
			}
		})
	}
}

// TestCompiledFails looks at sessions after failures of compiled cells.
func TestCompiledFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		build  error
		run    error
		cell   string
		err    string
		after  string // a cell
		afterE string
		ran    []string
	}{
		{name: "the compiler complains", build: errors.New("exit status 2:\n/cell/2/Cell [2]:2:5: stack frame too large\n"), cell: "y := 1\nx = 2", after: "y", afterE: "undefined: y",
			err: "Cell [2]:2:5: stack frame too large"},
		{name: "the linker complains", build: errors.New("no space left"), cell: "y := 1", err: "Cell [2]: the cell could not be compiled: no space left", after: "y", afterE: "undefined: y"},
		{name: "a panic", run: &program.RuntimeError{Name: "panic", Message: "no"}, cell: "y := 1\nz := 2", err: "panic: no", after: "z", afterE: "undefined: z",
			ran: []string{"plugin2 moved [] run true"}},
		{name: "the process dies", run: &program.DeathError{Cause: "stack overflow", Process: 1}, cell: "y := 1", err: "WorkerDied", after: "x", afterE: "undefined: x (the variable was lost when the worker process died: stack overflow)",
			ran: []string{"plugin2 moved [] run true", "plugin3 moved [] run false"}},
		{name: "functions after the death", run: &program.DeathError{Cause: "stack overflow", Process: 1}, cell: "y := 1", err: "WorkerDied", after: "g()",
			ran: []string{"plugin2 moved [] run true", "plugin3 moved [] run false", "plugin4 moved [] run true"}},
		{name: "functions of lost variables", run: &program.DeathError{Cause: "stack overflow", Process: 1}, cell: "y := 1", err: "WorkerDied", after: "f()", afterE: "x: the variable was lost when the worker process died",
			ran: []string{"plugin2 moved [] run true", "plugin3 moved [] run false"}},
		{name: "lost variables declared anew", run: &program.DeathError{Cause: "stack overflow", Process: 1}, cell: "y := 1", err: "WorkerDied", after: "x := 3\nf()",
			ran: []string{"plugin2 moved [] run true", "plugin3 moved [] run false", "plugin4 moved [] run true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, program.CompiledMode)
			if _, _, err := s.run("x := 1\nfunc f() int { return x }\nfunc g() int { return 1 }"); err != nil {
				t.Fatal(err)
			}
			s.double.ran = nil
			s.double.fails, s.scribe.fails = c.run, c.build
			_, _, err := s.run(c.cell)
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %s", err, c.err)
			}
			s.scribe.fails = nil
			_, _, err = s.run(c.after)
			if (err == nil) != (c.afterE == "") || err != nil && !strings.Contains(err.Error(), c.afterE) {
				t.Errorf("%s: error %v, want %s", c.after, err, c.afterE)
			}
			if !slices.Equal(s.double.ran, c.ran) {
				t.Errorf("ran %q, want %q", s.double.ran, c.ran)
			}
		})
	}
}

// TestAdvice looks at what cells say that compute in the interpreter.
func TestAdvice(t *testing.T) {
	const advice = "note: this cell computed for 3.4 s in the interpreter; compiled, loops run 30 to 100 times as fast: %engine compiled\n"
	long, short := 3400*time.Millisecond, 1900*time.Millisecond
	for _, c := range []struct {
		name     string
		mode     program.Mode
		computed []time.Duration
		cannot   bool
		want     string
	}{
		{"short", program.AutoMode, []time.Duration{short}, false, ""},
		{"long", program.AutoMode, []time.Duration{long}, false, advice},
		{"once", program.AutoMode, []time.Duration{long, long}, false, advice},
		{"long after short", program.AutoMode, []time.Duration{short, long}, false, advice},
		{"chosen", program.InterpretedMode, []time.Duration{long}, false, ""},
		{"not possible", program.AutoMode, []time.Duration{long}, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.mode)
			if c.cannot {
				s.cannot = errors.New("no linker")
				if _, _, err := s.run(refusedCell); err == nil {
					t.Error("it was not refused")
				}
			}
			s.double.computed = c.computed
			all := ""
			for range c.computed {
				_, _, notes, err := s.runNoting("1")
				if err != nil {
					t.Fatal(err)
				}
				all += notes
			}
			if all != c.want {
				t.Errorf("they say %q, want %q", all, c.want)
			}
		})
	}
}
