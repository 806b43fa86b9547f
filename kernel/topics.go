package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/notebook/compare"
)

// topics are what help tells of beside commands.
func topics() []*cobra.Command {
	var environment strings.Builder
	for i, v := range variables {
		if i > 0 {
			environment.WriteString("\n\n")
		}
		environment.WriteString(v[0] + " is " + v[1] + ".")
	}
	environment.WriteString("\n\nThe Go tool chain, which compiles cells, heeds its own variables: see `go help environment`. `hierml doctor` says what the folders have, and whether they can be used.")
	return []*cobra.Command{
		{Use: "cells", Short: "What stands in the cells of a notebook, and in scripts", Long: `A cell has imports, declarations and statements of Go, in any order. The packages of Go's
standard library, gonum, gonum/plot and hierml need no import. What a cell declares, later cells use; a
name that is declared again is the new one from then on. A cell is checked before it runs: one that does not
compile changes nothing. Declarations may stand in any order over the cells: a function, method, type or
constant may use names that later cells declare. A note names what is missing, and using the declaration
before that is an error. Statements run one after the other, and need what they use at once. Variables that
var declares with nothing but declarations between are initialized as those of a package, each behind those
that its value needs.

The last expression of a cell is shown; a semicolon behind it keeps it to itself. A value that was shown is
Out[N], and the last one is _. At the top, return ends the cell, and shows a value that stands behind it.

A cell that is a whole program, from package main to func main, runs main behind everything else; an expression
at its end comes after main, and is shown. Without the package clause main is a function like others, which
main() calls.

At the top of a cell and in its loops and branches, an error that nobody takes stops the cell and is shown, within
expressions too. In functions it is Go's; must, which needs no declaration, panics with it there:

  docs := collection.GoDoc("")     // GoDoc returns an error, too
  func read() *dataset.Corpus { return must(collection.GoDoc("")) }

Lines that begin with % are commands to the session, such as %time, %who, %mod and %engine: %help lists them. A
line that begins with ! runs a command of the shell. NAME? shows what a name stands for, and its documentation.

An interrupt stops the cell and keeps the variables. A script is one cell in a file, and the REPL has one cell
after the other.`},
		{Use: "display", Short: "How values show themselves, and what cells can show", Long: `The value of a cell's last expression shows itself as well as the place can: pictures and tables in
Jupyter, text in a terminal.

A type decides how it is shown by having any of these methods; nothing needs to be imported for them:

  HTML() string    Markdown() string    LaTeX() string
  SVG() string     PNG() []byte         JPEG() []byte
  MimeBundle() map[string]any           // by MIME type; these win over the others

The package nb shows what is not the last value: nb.Display, Text, HTML, Markdown, LaTeX, SVG, PNG, JPEG, JSON,
Vega, VegaLite, JavaScript and MIME. Each returns a handle, whose Update replaces what was shown. nb.Clear takes away what
the cell has shown so far.

  h := nb.Markdown("*training ...*")
  h.Update("done")

Trainings, and what else lasts, show how far they are. nb.Progress and nb.Bar do so for loops of one's own.

nb.Interact calls a function again and again, with what sliders, lists and boxes say, and shows what it returns.
nb.Slider, Dropdown, Button and their like are such controls by themselves, nb.HBox and VBox put them together, and
nb.Input asks for a line.

  nb.Interact(func(c float64, method string) (any, error) { ... },
      nb.LogSlider(0.01, 100, 1), []string{"flat", "normalized"})

In a terminal, and where a script displays something, it is the text.`},
		{Use: "engine", Short: "Interpreted and compiled cells", Long: `Cells are run in one of two ways. Compiled, the Go compiler builds each cell into the running process: that
takes a twentieth of a second, and is all of Go, at Go's own speed, with packages of any module. Interpreted, a small
cell takes a millisecond, and its loops run many times slower.

The first cell decides for the whole session. auto, the default, compiles where that is possible; if the compiler has to be
made, the first cell waits for it, a minute or two, and an interrupt ends the waiting. Where nothing can be compiled, auto
interprets. The interpreter refuses by name what it is known to do otherwise than Go.

--engine of hierml run, repl, notebook run, notebook check and kernel chooses one of auto, interpreted and compiled; so does
%engine in a cell. If %engine changes the engine after cells have run, it restarts the session: imports, types, functions and
constants stay, the variables are lost, and it names them.

Compiled cells need Linux, Go, gcc and ld; the compiler for them is made once, and kept in the cache. They are loaded from /dev/shm or TMPDIR, one of which must have room and not be mounted noexec; otherwise cells are
interpreted, and the first one says so. hierml doctor says whether that works here.

context.Background() is Go's own, and an interrupt never ends it. An interrupt of its cell ends nb.Context(); the end of the cell's
statements does not, so that goroutines may use it. A call of a package that you give another context also ends when you interrupt
the cell: it gets a context that ends with both, and so do functions of yours that it calls, except from log/slog and runtime/pprof.
A call by a function value (fit := e.Fit; fit(ctx, d)), or by an interface that a cell declares, gets the context as it is: give it
nb.Context().

An interrupt is a signal to code that waits for one, by signal.Notify or signal.NotifyContext with os.Interrupt, so that it can end
by itself. A second interrupt ends the cell.

Cells run in a process of their own, which an interrupt does not end. If it ends all the same, for want of
memory or because an imported module calls os.Exit, only its variables are lost.`},
		{Use: "notebooks", Short: "Tags of cells, and files of notebooks", Long: `Notebooks are files of Jupyter's format 4. They are written as Jupyter writes them, byte for byte, so that version
control shows only what changed.

A cell may have tags, which Jupyter's property inspector edits:

  ` + notebook.RaisesException + `   the cell may fail; its error is one of its outputs, and the next cell runs
  ` + notebook.SkipExecution + `     the cell is not run, and is left as it is
  ` + compare.Changes + `            notebook check does not compare what the cell shows
  ` + notebook.Parameters + `         the cell declares variables that notebook run -p, and papermill, can set

notebook run runs a notebook from top to bottom, and with -o stores what the cells show. notebook check runs it and
compares with what is stored. Both execute the notebook. The others do not: notebook inspect lists what it would
touch, notebook clear removes what is stored, also as a filter of git, and notebook export writes a Go program, a
web page or Markdown.

While a notebook runs without Jupyter nobody can be asked: nb.Input ends the cell, and widgets show
what they show at first.`},
		{Use: "environment", Short: "The variables that hierml heeds, and its folders", Long: environment.String()},
	}
}
