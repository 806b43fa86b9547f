package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

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
	// fails is the result of the next compiled program.
	fails error
	died  int
}

func (d *double) Run(ctx context.Context, p *program.Program, out program.Output) (*program.Bundle, error) {
	if p.Compiled == nil {
		return d.Executor.Run(ctx, p, out)
	}
	d.cell = p.Cell
	err := d.load(p.Compiled.Units, p.Compiled.Run != "")
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

func (d *double) Adopt(_ context.Context, a *program.Adoption, _ program.Output) error {
	return d.load(a.Units, false)
}

// load notes what is loaded, and whether it is run.
func (d *double) load(u program.Units, runs bool) error {
	d.ran = append(d.ran, fmt.Sprintf("%s run %v", u.Plugin, runs))
	err := d.fails
	d.fails = nil
	return err
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

const waitingNote = "note: the compiler for cells is being built. This happens once and takes a minute or two. To use the interpreter\n" +
	"  instead, interrupt the cell and run %engine interpreted (on a command line: --engine interpreted)\n"

// refusedCell is one that only the interpreter refuses.
const refusedCell = "func() {\n\tfor range func(func() bool) {} {\n\t\tdefer print()\n\t}\n}()"

// toCompiled and toInterpreted are cells by which the user chooses an executor.
const (
	toCompiled    = "%engine compiled"
	toInterpreted = "%engine interpreted"
)

const refusedWhy = "the interpreter cannot run a defer inside a range over a function"

// restarted is what a session says that is restarted and loses variables.
func restarted(variables string) string {
	return "note: the session was restarted; declarations are kept, variables are lost. Run the cells that declare " + variables + " again\n"
}

// TestExecutors runs cells and looks at what the last one says, and at what of all was compiled.
func TestExecutors(t *testing.T) {
	const interpreted = "interpreted: cells are interpreted; code that the interpreter is known to run differently from Go is refused\n"
	for _, c := range []struct {
		name   string
		mode   program.Mode
		cannot error
		slow   string
		cells  []string
		notes  string
		out    string
		err    string
		ran    []string
	}{
		{name: "the first cell waits", cells: []string{"x := 1"}, notes: waitingNote, ran: []string{"plugin1 run true"}},
		{name: "all after it", cells: []string{"x := 1", "x + 1", "%engine"}, out: "auto: cells are compiled\n", ran: []string{"plugin1 run true", "plugin2 run true"}},
		{name: "nothing to run", cells: []string{"%who"}},
		{name: "asked before the first cell", cells: []string{"%engine"}, notes: waitingNote, out: "auto: cells are compiled\n"},
		{name: "without a patch", slow: "patch link/part does not fit", cells: []string{"%engine"}, out: "auto: cells are compiled; patch link/part does not fit\n"},
		{name: "without a compiler", cannot: errors.New("no linker"), cells: []string{"f := func() int { return 1 }"}, notes: "note: cells are interpreted, as they cannot be compiled: no linker\n"},
		{name: "without a compiler, asked", cannot: errors.New("no linker"), cells: []string{"1", "%engine"},
			out: "auto: cells are interpreted, and cannot be compiled: no linker; code that the interpreter is known to run differently from Go is refused\n"},
		{name: "where cells are never compiled", cannot: errors.ErrUnsupported, cells: []string{"1"}, notes: ""},
		{name: "interpreted only", mode: program.InterpretedMode, cells: []string{refusedCell}, err: refusedWhy},
		{name: "interpreted by a magic", cells: []string{toInterpreted + "\nx := 1", refusedCell}, err: refusedWhy},
		{name: "not for what is wrong", cells: []string{"return 1, 2"}, err: "too many return values"},
		{name: "compiled from the first cell on", mode: program.CompiledMode, cells: []string{"x := 1", "x"}, ran: []string{"plugin1 run true", "plugin2 run true"}},
		{name: "the user's wish", mode: program.InterpretedMode, cells: []string{toCompiled + "\n1"}, notes: waitingNote, out: "compiled: cells are compiled\n", ran: []string{"plugin1 run true"}},
		{name: "the user's wish, later", mode: program.InterpretedMode, cells: []string{"x := 1\ny := 2\nfunc f() int { return 1 }", toCompiled},
			notes: waitingNote + restarted("x, y"), out: "compiled: cells are compiled\n"},
		{name: "without variables", mode: program.InterpretedMode, cells: []string{"type T int", toCompiled}, notes: waitingNote, out: "compiled: cells are compiled\n"},
		{name: "declarations stay", mode: program.InterpretedMode, cells: []string{"func f() int { return 1 }", toCompiled, "f()"}, ran: []string{"plugin1 run false", "plugin2 run true"}},
		{name: "what is lost is used", mode: program.InterpretedMode, cells: []string{"x := 1", toCompiled, "x"}, err: "undefined: x (the variable was lost when %engine restarted the session)"},
		{name: "what is lost is used by a function", mode: program.InterpretedMode, cells: []string{"x := 1\nfunc f() int { return x }\nfunc g() int { return f() }", toCompiled, "g()"},
			err: "x: the variable was lost when %engine restarted the session", ran: []string{"plugin1 run false"}},
		{name: "what is lost is used by a method", mode: program.InterpretedMode, cells: []string{"x := 1\ntype T int\nfunc (T) String() string { x++; return \"\" }", toCompiled, "fmt.Sprint(T(1))"},
			err: "x: the variable was lost when %engine restarted the session", ran: []string{"plugin1 run false"}},
		{name: "what is lost is declared again", mode: program.InterpretedMode, cells: []string{"x := 1\nfunc f() int { return x }", toCompiled, "x := 2\nf()"}, ran: []string{"plugin1 run false", "plugin2 run true"}},
		{name: "what was shown", mode: program.InterpretedMode, cells: []string{"41", toCompiled, "Out[1]"}, err: "the value was lost when %engine restarted the session", ran: []string{"plugin1 run false"}},
		{name: "back", cells: []string{"x := 1", toInterpreted}, notes: restarted("x"), out: interpreted, ran: []string{"plugin1 run true"}},
		{name: "back, with declarations", cells: []string{"type T int\nfunc (t T) twice() T { return 2 * t }\nconst c = 3", toInterpreted, "T(c).twice()"}, ran: []string{"plugin1 run false"}},
		{name: "to what it is", cells: []string{"x := 1", toCompiled, "x"}, ran: []string{"plugin1 run true", "plugin2 run true"}},
		{name: "to auto", mode: program.InterpretedMode, cells: []string{"x := 1", "%engine auto"}, notes: waitingNote + restarted("x"), out: "auto: cells are compiled\n"},
		{name: "to auto without a compiler", mode: program.InterpretedMode, cannot: errors.New("no linker"), cells: []string{"x := 1", "%engine auto", "x"}, notes: ""},
		{name: "to compiled without a compiler", cannot: errors.New("no linker"), cells: []string{"1", toCompiled}, err: "Cell [2]: cells cannot be compiled: no linker"},
		{name: "by reset", cells: []string{"x := 1", "%reset"},
			out: "The session is new: 1 name is forgotten; its variables are gone with the process that had them.\n", ran: []string{"plugin1 run true"}},
		{name: "compiled again", cells: []string{"x := 1", "%reset", "x := 2"}, ran: []string{"plugin1 run true", "plugin2 run true"}},
		{name: "another word", cells: []string{"%engine fast"}, err: "%engine takes auto, interpreted or compiled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.mode)
			s.cannot, s.scribe.slow = c.cannot, c.slow
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
			if notes != c.notes && (c.notes != "" || c.cannot != nil && len(c.cells) != 2) {
				t.Errorf("notes %q, want %q", notes, c.notes)
			}
			if c.out != "" && out != c.out {
				t.Errorf("output %q, want %q", out, c.out)
			}
			if !slices.Equal(s.double.ran, c.ran) {
				t.Errorf("ran %q, want %q", s.double.ran, c.ran)
			}
			if err := s.engine.Close(); err != nil || s.scribe.closed != (s.opened > 0 && c.cannot == nil) {
				t.Errorf("closing: %v, the compiler is closed: %v", err, s.scribe.closed)
			}
		})
	}
}

// TestWaitingIsInterrupted interrupts the first cell while it waits for the compiler, and chooses
// the interpreter.
func TestWaitingIsInterrupted(t *testing.T) {
	waits := make(chan bool)
	s := newStage(t, program.AutoMode, func(c *engine.Config) {
		c.Compiler = func(ctx context.Context, progress func(string)) (program.Compiler, error) {
			progress("building the compiler")
			close(waits)
			<-ctx.Done()
			return nil, ctx.Err()
		}
	})
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-waits
		interrupt()
	}()
	r := &desk{}
	_, err := s.engine.Run(ctx, program.Cell{Number: 1, Source: "x := 1"}, r)
	var failed *program.Error
	if !errors.As(err, &failed) || failed.Name != "Interrupted" || r.Notes() != waitingNote {
		t.Errorf("error %v, notes %q", err, r.Notes())
	}
	if n := len(r.shown); n != 2 || r.shown[0].Data["text/plain"] != "building the compiler" || len(r.shown[1].Data) > 0 {
		t.Errorf("it shows %v", r.shown)
	}
	s.cell = 1
	if value, _, err := s.run(toInterpreted + "\n40 + 2"); err != nil || value != "42" {
		t.Errorf("%v, %v", value, err)
	}
}

// TestCannotCompile looks at what is said where cells cannot be compiled, and how often.
func TestCannotCompile(t *testing.T) {
	const note = "note: cells are interpreted, as they cannot be compiled: there is no Go tool chain on PATH\n"
	s := newStage(t, program.AutoMode)
	s.cannot = errors.New("there is no Go tool chain on PATH")
	for i, c := range []struct {
		cell, notes, err string
		opened           int
	}{
		{"f := func() int { return 1 }\nf()", note, "", 1},
		{refusedCell, "", refusedWhy, 1},
		{toCompiled, "", "Cell [3]: cells cannot be compiled: there is no Go tool chain on PATH", 2},
		{"1", "", "", 2},
		{"%reset", "", "", 2},
		{"1", "", "", 3},
	} {
		_, _, notes, err := s.runNoting(c.cell)
		var e *program.Error
		switch {
		case c.err == "" && err != nil:
			t.Errorf("cell %d: %v", i+1, err)
		case c.err != "" && (!errors.As(err, &e) || e.Name != "Refused" || !strings.HasSuffix(e.Message, c.err)):
			t.Errorf("cell %d: %v, want %s", i+1, err, c.err)
		}
		if notes != c.notes {
			t.Errorf("cell %d: notes %q, want %q", i+1, notes, c.notes)
		}
		if s.opened != c.opened {
			t.Errorf("cell %d: asked %d times, want %d", i+1, s.opened, c.opened)
		}
	}
	s.cannot = nil
	if _, _, err := s.run(toCompiled); err != nil {
		t.Errorf("when it can be compiled: %v", err)
	}
	if s = newStage(t, program.CompiledMode); true {
		s.cannot = errors.New("no linker")
		if _, _, err := s.run("x := 1"); err == nil || !strings.Contains(err.Error(), "Cell [1]: cells cannot be compiled: no linker") {
			t.Errorf("compiled from the first cell on: %v", err)
		}
	}
}

// TestNoPlaceForCode has no folder take compiled code, or none any more: cells are interpreted and
// say so once, unless variables are in compiled code or the user wants compiled cells.
func TestNoPlaceForCode(t *testing.T) {
	place := &plugin.PlaceError{Text: "nothing can be loaded; restart hierml with TMPDIR set"}
	const note = "note: cells are interpreted, as they cannot be compiled: nothing can be loaded; restart hierml with TMPDIR set\n"
	const built = "error: Cell [%d]: the cell could not be compiled: nothing can be loaded; restart hierml with TMPDIR set"
	closure := "f := func() int { return 1 }\nf()"
	for _, c := range []struct {
		name      string
		mode      program.Mode
		opens     bool // the place is there when the compiler is opened
		failsFrom int  // the first cell that cannot be built; 0 for none
		cells     []string
		want      []string // what each says: its notes, its output, and its error behind "error: "
	}{
		{name: "from the start", cells: []string{"x := 40", "x + 2", closure, "%engine", refusedCell, refusedCell},
			want: []string{note, "", "", "auto: cells are interpreted, and cannot be compiled: nothing can be loaded; restart hierml with TMPDIR set; code that the interpreter is known to run differently from Go is refused\n",
				"error: " + refusedWhy, "error: " + refusedWhy}},
		{name: "asked first", cells: []string{"%engine", "x := 40"},
			want: []string{"auto: cells are interpreted, and cannot be compiled: nothing can be loaded; restart hierml with TMPDIR set; code that the interpreter is known to run differently from Go is refused\n", ""}},
		{name: "found by building", opens: true, failsFrom: 1, cells: []string{"x := 40", closure, "x + 2", refusedCell, "%reset", "x := 1"}, want: []string{note, "", "", "error: " + refusedWhy, "*", ""}},
		{name: "without variables", opens: true, failsFrom: 3, cells: []string{"_ = fmt.Sprint()", `import "strings"`, "x := strings.ToUpper(\"a\")", "x"}, want: []string{"", "", note, ""}},
		{name: "with variables", opens: true, failsFrom: 2, cells: []string{"x := 40", "y := 1", "%engine", "x + 2"},
			want: []string{"", fmt.Sprintf(built, 2), "auto: cells are compiled\n", fmt.Sprintf(built, 4)}},
		{name: "the user's wish", mode: program.CompiledMode, cells: []string{"x := 40", "1", "%engine"},
			want: []string{"error: Cell [1]: cells cannot be compiled: nothing can be loaded; restart hierml with TMPDIR set", "error: Cell [2]: cells cannot be compiled: nothing can be loaded; restart hierml with TMPDIR set",
				"compiled: cells are refused, as they cannot be compiled: nothing can be loaded; restart hierml with TMPDIR set\n*"}},
		{name: "the user's wish, found by building", mode: program.CompiledMode, opens: true, failsFrom: 1, cells: []string{"x := 40", "x"}, want: []string{fmt.Sprintf(built, 1), "error: *"}},
		{name: "interpreted by the user's wish", mode: program.InterpretedMode, cells: []string{"x := 40", closure}, want: []string{"", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.mode)
			if !c.opens {
				s.cannot = place
			}
			for i, cell := range c.cells {
				if i+1 == c.failsFrom {
					s.scribe.fails = place
				}
				_, out, notes, err := s.runNoting(cell)
				said := strings.TrimPrefix(notes, waitingNote) + out
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
			ran: []string{"plugin2 run true"}},
		{name: "the process dies", run: &program.DeathError{Cause: "stack overflow", Process: 1}, cell: "y := 1", err: "WorkerDied", after: "x", afterE: "undefined: x (the variable was lost when the worker process died: stack overflow)",
			ran: []string{"plugin2 run true", "plugin3 run false"}},
		{name: "functions after the death", run: &program.DeathError{Cause: "stack overflow", Process: 1}, cell: "y := 1", err: "WorkerDied", after: "g()",
			ran: []string{"plugin2 run true", "plugin3 run false", "plugin4 run true"}},
		{name: "functions of lost variables", run: &program.DeathError{Cause: "stack overflow", Process: 1}, cell: "y := 1", err: "WorkerDied", after: "f()", afterE: "x: the variable was lost when the worker process died",
			ran: []string{"plugin2 run true", "plugin3 run false"}},
		{name: "lost variables declared anew", run: &program.DeathError{Cause: "stack overflow", Process: 1}, cell: "y := 1", err: "WorkerDied", after: "x := 3\nf()",
			ran: []string{"plugin2 run true", "plugin3 run false", "plugin4 run true"}},
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
