package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/notebook/compare"
)

// topics returns the topics that help explains in addition to the commands.
func topics() []*cobra.Command {
	var environment strings.Builder
	for i, v := range variables {
		if i > 0 {
			environment.WriteString("\n\n")
		}
		environment.WriteString(v[0] + " is " + v[1] + ".")
	}
	environment.WriteString("\n\nThe Go tool chain, which compiles cells, has its own variables: see `go help environment`. `hierml doctor` shows what the folders contain and whether they are usable.")
	return []*cobra.Command{
		{Use: "cells", Short: "What you can write in cells of a notebook and in scripts", Long: `A cell contains imports, declarations and statements of Go, in any order. The packages of
Go's standard library, gonum, gonum/plot and hierml need no import. Later cells can use the names that a cell
declares. If you declare a name again, the new declaration replaces the old one. hierml checks a cell before it
runs: a cell that does not compile changes nothing.

A function, method, type or constant may use names that later cells declare. A note lists the names that are
missing. Until they are declared, it is an error to use that function, method, type or constant. Statements run in order
and can only use names that already exist. Variable declarations without a statement between them form a group. Within a
group, the order does not matter: each variable is initialized after those that it needs.

The cell shows its last expression. To show nothing, end it with a semicolon. Out[N] is the value that cell N
showed, and _ is the latest one. Outside of functions, the statement "return x" ends the cell and shows x.

If a cell is a whole program, with package main and func main, main runs after all other statements. Only an
expression below func main comes later: it is evaluated and shown when main has ended. Without package main, main is
an ordinary function: it runs only if you call main().

Outside of functions, you need not assign the error that a call returns. An error that is not nil stops the cell and
is shown. This also holds for a call inside an expression. In a function, handle errors as usual in Go, or use the
predeclared function must(...), which panics if there is an error:

  docs := collection.GoDoc("")     // GoDoc also returns an error
  func read() *dataset.Corpus { return must(collection.GoDoc("")) }

Lines that begin with % are commands to the session, such as %time, %who, %mod and %engine; %help lists them. A
line that begins with ! runs a shell command. NAME? shows the declaration and the documentation of a name.

An interrupt stops the cell and keeps the variables. A script is one cell in a file. In the REPL, each input is a
cell.`},
		{Use: "display", Short: "How cells show values, pictures and controls", Long: `The value of a cell's last expression is shown in the best form that the front end supports: pictures
and tables in Jupyter, text in a terminal.

A type chooses how its values are shown by any of these methods. They need no import:

  HTML() string    Markdown() string    LaTeX() string
  SVG() string     PNG() []byte         JPEG() []byte
  MimeBundle() map[string]any           // by MIME type; takes precedence

To show a value that is not the last one, use the package nb: nb.Display, Text, HTML, Markdown, LaTeX, SVG, PNG,
JPEG, JSON, Vega, VegaLite, JavaScript and MIME. Each returns a handle; its method Update replaces the output. nb.Clear
removes the output of the cell so far.

  h := nb.Markdown("*training ...*")
  h.Update("done")

Trainings and other long calls show their progress. nb.Progress and nb.Bar do so for your own loops.

nb.Interact shows the result of a function for the values of sliders, lists and boxes, and calls it again when you
move them. nb.Slider, Dropdown, Button and others are single controls. nb.HBox and VBox arrange them. nb.Input asks for
a line of text.

  nb.Interact(func(c float64, method string) (any, error) { ... },
      nb.LogSlider(0.01, 100, 1), []string{"flat", "normalized"})

Terminals and scripts show the text form.`},
		{Use: "engine", Short: "Interpreted and compiled cells", Long: `hierml runs cells in one of two ways. In compiled sessions, the Go compiler builds each cell into the running
process in a twentieth of a second. Compiled cells are all of Go, at full speed, with packages of any module. In interpreted
sessions, a small cell starts in a millisecond, but loops run many times slower.

The first cell decides for the whole session. auto, the default, compiles if the machine can, and interprets otherwise. If the
compiler has to be built first, the first cell waits for it, a minute or two; an interrupt ends the wait. The interpreter
refuses code that it is known to run differently from Go, and names that code.

To choose auto, interpreted or compiled, use --engine of hierml run, repl, notebook run, notebook check and kernel, or %engine
in a cell. If cells have already run, %engine restarts the session: imports, types, functions and constants stay; the variables
are lost, and %engine lists them.

Compiled cells need Linux, Go, gcc and ld. The compiler for them is built once and kept in the cache. Cells are loaded from
/dev/shm or TMPDIR: one of the two must have free space and must not be mounted noexec. If both fail, cells are interpreted, and
the first one says so. hierml doctor checks all this.

An interrupt cancels nb.Context() of its cell. The end of the cell does not, so goroutines may go on using it.
context.Background() is Go's own, and an interrupt never cancels it. If you pass another context to a function of a package, the
function gets a context that an interrupt cancels as well. So do functions of yours that it calls, except from log/slog and
runtime/pprof. A call by a function value (fit := e.Fit; fit(ctx, d)), or by an interface that a cell declares, gets the context
unchanged: pass nb.Context() there.

If a cell listens for os.Interrupt, by signal.Notify or signal.NotifyContext, the first interrupt only sends it that signal, so
the code can finish by itself. A second interrupt ends the cell.

Cells run in a process of their own, which survives interrupts. If that process dies, because memory runs out or an imported module
calls os.Exit, only its variables are lost.`},
		{Use: "notebooks", Short: "Tags of cells, and notebook files", Long: `Notebooks are files of Jupyter's format 4. hierml writes them byte for byte as Jupyter does, so version
control shows only real changes.

A cell may have tags. In Jupyter, edit them in the property inspector:

  ` + notebook.RaisesException + `   the cell may fail; its error is an output, and the next cell runs
  ` + notebook.SkipExecution + `     the cell is not run and stays as it is
  ` + compare.Changes + `            notebook check does not compare the outputs of the cell
  ` + notebook.Parameters + `         the cell declares variables that notebook run -p and papermill can set

notebook run runs a notebook from top to bottom; with -o it stores the outputs. notebook check runs the notebook
and compares its outputs with the stored ones. The other commands execute nothing. notebook inspect lists what the
notebook would touch. notebook clear removes the outputs, also as a git filter. notebook export writes a Go program,
a web page or Markdown.

When a notebook runs without Jupyter, no one can answer: nb.Input ends the cell, and widgets keep their first
value.`},
		{Use: "environment", Short: "The environment variables and folders that hierml uses", Long: environment.String()},
	}
}
