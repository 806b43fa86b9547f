package magics

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/hierml/notebook/kernel/internal/program"
)

// Magics are the parts of a cell that are not Go: lines that begin with a percent sign, such as
// %time f(), shell commands, such as !ls, and questions, such as name?. They are at the top level
// of a cell, at the beginning of a line. A magic with two percent signs begins a cell and applies
// to all of it.
//
// find.go finds them, and text.go writes most of them as Go before the cell is parsed, so that they
// are checked and run like user code; the functions that this Go calls are in stdlib/magic. The
// engine itself carries out magics about the session (magic_session.go), before or after the cell's
// Go.

// A Kind describes a magic.
type Kind struct {
	Name string // without the percent sign
	// Line and cell say how the magic is written.
	Line, Cell bool
	// own says that the engine carries it out, without Go; last that it does so after the cell's
	// Go, wherever the magic is.
	own, last bool
	// Files says that its argument is a file name, folders that it is a folder, and Names that it
	// consists of names declared in the session.
	Files, Folders, Names bool
	// mime is the MIME type of the rest of the cell, which is shown; empty for others.
	mime    string
	Usage   string
	doc     string
	example string
}

// Kinds are all magics, in the order in which %help lists them.
var Kinds = []Kind{
	{Name: "time", Line: true, Cell: true, Usage: "%time STATEMENT",
		doc:     "runs the statement once and prints how much time it took, by the clock and in the processors. Its declarations stay. %%time on the first line measures the cell.",
		example: "%time x := slow()"},
	{Name: "timeit", Line: true, Cell: true, Usage: "%timeit [-n LOOPS] [-r RUNS] STATEMENT",
		doc:     "runs the statement many times and prints the mean time and its variation. Its declarations are discarded. %%timeit on the first line measures the statements of the cell.",
		example: "%timeit sort.Ints(slices.Clone(xs))"},
	{Name: "prof", Line: true, Cell: true, Usage: "%prof STATEMENT",
		doc:     "runs the statement once and profiles the whole process with package pprof. It lists the functions that used the processors, with their own time and the time including their calls, and draws the calls. %%prof on the first line profiles the cell. For interpreted cells, it shows the interpreter.",
		example: "%prof model := e.Fit(nb.Context(), d)"},
	{Name: "who", Line: true, own: true, Usage: "%who [-m]",
		doc:     "lists the declarations of the session: variables with their types and values, functions, types, constants and imports. With -m it also prints how much memory the compiled code of cells uses. JupyterLab shows the variables live, in the panel of the bug icon at the right edge.",
		example: "%who"},
	{Name: "rm", Line: true, own: true, Names: true, Usage: "%rm NAME...",
		doc:     "removes declarations from the session. Functions and variables that use them keep working. A package that was hidden by a removed name is visible again.",
		example: "%rm x f"},
	{Name: "reset", Line: true, own: true, Usage: "%reset",
		doc:     "removes all declarations of the session and starts a new process for its cells. Everything that the cells started ends. The working directory is the initial one again.",
		example: "%reset"},
	{Name: "history", Line: true, own: true, Usage: "%history [-n INPUTS]",
		doc:     "lists the inputs of this session with their numbers; with -n only the last ones.",
		example: "%history -n 5"},
	{Name: "run", Line: true, own: true, Files: true, Usage: "%run FILE [ARGUMENT...]",
		doc:     "runs a script or a program of Go, or the cells of a notebook, in this session, which keeps their declarations. Cells with the tag raises-exception or skip-execution are skipped. Output and displays are shown, but not the values of last expressions. Arguments are stored in os.Args[1:], as by %args.",
		example: "%run helpers.go"},
	{Name: "args", Line: true, Usage: "%args [ARGUMENT...]",
		doc:     "lists the arguments in os.Args[1:], for the cells and for files that they run by %run, or sets them; -- alone sets none. Afterwards you can declare the flags of package flag again.",
		example: "%args -seed 7 ng15"},
	{Name: "capture", Cell: true, own: true, Usage: "%%capture [NAME]",
		doc:     "runs the rest of the cell and hides its output, displays and value. With a name, their text is stored in a string variable of that name. If the cell fails, they are shown.",
		example: "%%capture log"},
	{Name: "cd", Line: true, Folders: true, Usage: "%cd [FOLDER]",
		doc:     "changes the working directory: to FOLDER, where ~ is your home; without FOLDER to your home; with - to the previous directory.",
		example: "%cd ~/data"},
	{Name: "env", Line: true, Usage: "%env [NAME[=VALUE]]",
		doc:     "lists the environment variables of the cells, shows one, or sets one. $NAME and ${NAME} are replaced by the value of another variable, except in single quotes.",
		example: "%env OMP_NUM_THREADS=2"},
	{Name: "load", Line: true, Files: true, Usage: "%load FILE",
		doc:     "replaces the cell by the text of the file.",
		example: "%load experiment.go"},
	{Name: "writefile", Cell: true, Files: true, Usage: "%%writefile [-a] FILE",
		doc:     "writes the rest of the cell to the file; with -a it appends.",
		example: "%%writefile notes.txt"},
	{Name: "bash", Cell: true, Usage: "%%bash",
		doc:     "runs the rest of the cell with bash. An exit status other than 0 is an error.",
		example: "%%bash"},
	{Name: "html", Cell: true, mime: "text/html", Usage: "%%html",
		doc:     "shows the rest of the cell as HTML.",
		example: "%%html"},
	{Name: "markdown", Cell: true, mime: "text/markdown", Usage: "%%markdown",
		doc:     "shows the rest of the cell as formatted text.",
		example: "%%markdown"},
	{Name: "latex", Cell: true, mime: "text/latex", Usage: "%%latex",
		doc:     "shows the rest of the cell as LaTeX; put formulas between dollar signs.",
		example: "%%latex"},
	{Name: "svg", Cell: true, mime: "image/svg+xml", Usage: "%%svg",
		doc:     "shows the rest of the cell, an svg element, as a drawing.",
		example: "%%svg"},
	{Name: "javascript", Cell: true, mime: "application/javascript", Usage: "%%javascript",
		doc:     "runs the rest of the cell in the page. Some front ends do not allow it.",
		example: "%%javascript"},
	{Name: "engine", Line: true, own: true, Usage: "%engine [auto|interpreted|compiled]",
		doc:     "shows how cells are run, or changes it. compiled takes a twentieth of a second for each cell, and is all of Go at full speed. interpreted starts at once, and refuses code that it is known to run differently from Go. auto compiles if it can. The first cell decides for the session. A later change restarts the session: declarations stay, and the variables are lost.",
		example: "%engine compiled"},
	{Name: "mod", Line: true, own: true, Usage: "%mod [MODULE[@VERSION]]",
		doc:     "lists the modules of imported packages, or chooses the version of a module for the session: v1.2.3, latest, a branch or a commit. none leaves the choice to other modules. By default, a module has the version in the go.mod or go.work beside the notebook, or the latest.",
		example: "%mod golang.org/x/exp@latest"},
	{Name: "test", Line: true, own: true, last: true, Usage: "%test [NAME...] [-run REGEXP] [-bench REGEXP] [-fuzz NAME [TIME]] [-v] [-race]",
		doc:     "runs the tests, examples, seeds of fuzz tests and, with -bench, benchmarks that cells have declared, like go test. They run after the rest of the cell, in their own process, in the cells' folder. They see the latest declaration of each name. A variable has the value of its declaration; no other statement of a cell is run. NAME is the name of a test, with or without the word Test, or a regular expression for names. A subtest may follow, as in TestParse/case[01]. With -fuzz, a fuzz test gets random inputs until one fails, you interrupt it, or the time is over, such as 10s or 1000x. The failing input is shown, and stored in testdata/fuzz as by go test. -short, -count, -benchtime, -benchmem, -cpu, -failfast, -skip and -timeout are also those of go test.",
		example: "%test -run Parse -v"},
	{Name: "goflags", Line: true, own: true, Usage: "%goflags [FLAG...]",
		doc:     "lists the flags with which the go command builds tests, or sets them: -tags, -race, -gcflags, -ldflags and so on; -- alone sets none. -tags also applies to modules that cells import. The flags do not apply to cells, which become part of this program and are compiled like it.",
		example: "%goflags -tags=integration -race"},
	{Name: "strict", Line: true, own: true, Usage: "%strict [on|off]",
		doc:     "says whether an unassigned error stops the cell. With on, it does not, as in Go; with off, it does again. Functions always follow Go's rules. In a function, must(f()) panics with the error of f; must is predeclared.",
		example: "%strict on"},
	{Name: "help", Line: true, own: true, Usage: "%help",
		doc:     "lists the magics.",
		example: "%help"},
}

// Two magics have no name. They are listed with the others.
var (
	ShellKind = Kind{Usage: "!COMMAND or LINES := !COMMAND",
		doc:     "runs a shell command, up to the end of the line, and shows its output, or assigns the lines to a []string. An exit status other than 0 is an error. {EXPRESSION} inserts the value of a Go expression that begins with a known name. The value is quoted for the shell; a slice gives a word for each element. To keep braces, write {{EXPRESSION}}. To begin a line of Go with !, put it in parentheses.",
		example: "files := !ls {folder}"}
	QuestionKind = Kind{Usage: "NAME? or NAME??", own: true,
		doc:     "shows the declaration and the documentation of a name. Two question marks also show the source, if a cell has declared the name.",
		example: "strings.Cut?"}
)

// magicNamed returns the magic with a name, or nil.
func magicNamed(name string) *Kind {
	for i := range Kinds {
		if Kinds[i].Name == name {
			return &Kinds[i]
		}
	}
	return nil
}

// sign is the notation of the magic with a name.
func (k *Kind) sign() string {
	if k.Line {
		return "%" + k.Name
	}
	return "%%" + k.Name
}

// Describe describes the magic with a name, which includes its percent signs, or says that there is
// none.
func Describe(written string) (*program.Bundle, string) {
	k := magicNamed(strings.TrimLeft(written, "%"))
	if k == nil {
		return nil, unknown(written)
	}
	return &program.Bundle{Data: map[string]any{
		"text/plain":    k.Usage + "\n\n" + k.sign() + " " + k.doc + "\n\nExample: " + k.example + "\n",
		"text/markdown": Fenced(k.Usage) + "\n\n`" + k.sign() + "` " + k.doc + "\n\nExample:\n\n" + Fenced(k.example) + "\n",
	}}, ""
}

// instead says what replaces magics of other kernels.
var instead = map[string]string{
	"hist": "%history", "whos": "%who", "lsmagic": "%help", "magic": "%help", "quickref": "%help", "set_env": "%env", "reset_selective": "%rm", "xdel": "%rm",
	"prun": "%prof", "lprun": "%prof", "sh": "%%bash", "script": "%%bash", "system": "!COMMAND", "sx": "!COMMAND", "pycat": "!cat FILE", "pinfo": "NAME?", "file": "%%writefile",
	"matplotlib": "nothing, as charts show themselves", "autoreload": "nothing, as a cell that runs again replaces its declarations", "load_ext": "nothing, as all magics are loaded",
	"pip": "an import of the package by its path, and %mod for its version", "conda": "an import of the package by its path, and %mod for its version",
	"": "nothing, as statements of a cell run without it", "main": "nothing, as statements of a cell run without it, and %args sets os.Args",
	"python": "!python3 FILE", "python3": "!python3 FILE",
}

// shellCommands are the commands for which IPython has magics.
var shellCommands = []string{"pwd", "ls", "ll", "cat", "cp", "mv", "rm", "mkdir", "rmdir", "less", "more", "man", "head", "tail", "echo", "git", "wget", "curl"}

// unknown words the complaint about an unknown magic.
func unknown(written string) string {
	name := strings.TrimLeft(written, "%")
	if slices.Contains(shellCommands, name) {
		return "there is no magic " + written + "; !" + name + " runs the command (%help lists the magics)"
	}
	if other := instead[name]; other != "" {
		return "there is no magic " + written + "; in its place there is " + other + " (%help lists the magics)"
	}
	best, least := "", len(name)/2+1 // with more changes it is another word
	for _, k := range Kinds {
		if len(name) > 2*len(k.Name) {
			continue // the name need not be compared, which takes long if it is
		}
		if d := levenshtein.ComputeDistance(name, k.Name); d < least {
			best, least = k.sign(), d
			if k.Cell && strings.HasPrefix(written, "%%") {
				best = "%%" + k.Name
			}
		}
	}
	msg := "there is no magic " + written
	if best != "" {
		msg += "; the nearest is " + best
	}
	return msg + " (%help lists them)"
}
