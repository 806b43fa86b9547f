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
		doc:     "runs the statement once and prints the time that it took, by the clock and in the processors. It declares what it declares without. %%time on the first line measures the cell.",
		example: "%time x := slow()"},
	{Name: "timeit", Line: true, Cell: true, Usage: "%timeit [-n LOOPS] [-r RUNS] STATEMENT",
		doc:     "runs the statement many times and prints the mean time that it takes, and how much that varies. What it declares is gone afterwards. %%timeit on the first line measures the statements of the cell.",
		example: "%timeit sort.Ints(slices.Clone(xs))"},
	{Name: "prof", Line: true, Cell: true, Usage: "%prof STATEMENT",
		doc:     "runs the statement once and lists the functions that the processors were in, as a profile of package pprof tells of the whole process, with what each took by itself and with what it calls, and draws the calls. %%prof on the first line is about the cell. Of interpreted cells it shows the interpreter.",
		example: "%prof model := e.Fit(nb.Context(), d)"},
	{Name: "who", Line: true, own: true, Usage: "%who [-m]",
		doc:     "lists what the session has declared: variables with their types and values, functions, types, constants and imports; with -m how much memory the compiled code of cells has. JupyterLab shows the variables as they change, in the panel of the bug at its right edge.",
		example: "%who"},
	{Name: "rm", Line: true, own: true, Names: true, Usage: "%rm NAME...",
		doc:     "forgets declarations of the session. Functions and variables that use them keep what they have; a package that a name has hidden can be reached again.",
		example: "%rm x f"},
	{Name: "reset", Line: true, own: true, Usage: "%reset",
		doc:     "forgets all that the session has declared and starts a new process for its cells. What they have started ends, and the working directory is what it was at first.",
		example: "%reset"},
	{Name: "history", Line: true, own: true, Usage: "%history [-n INPUTS]",
		doc:     "lists the inputs of this session with their numbers, with -n the last of them.",
		example: "%history -n 5"},
	{Name: "run", Line: true, own: true, Files: true, Usage: "%run FILE [ARGUMENT...]",
		doc:     "runs a script or a program of Go, or the cells of a notebook but for those with the tags raises-exception and skip-execution, in this session, which then has what they declare. What they print and display is shown, and not the values of their last expressions. With arguments, these are in os.Args[1:] from then on, as %args sets them.",
		example: "%run helpers.go"},
	{Name: "args", Line: true, Usage: "%args [ARGUMENT...]",
		doc:     "lists the arguments that the cells, and what they run by %run, find in os.Args[1:], or sets them; -- alone stands for none. Flags of package flag can be declared anew afterwards.",
		example: "%args -seed 7 ng15"},
	{Name: "capture", Cell: true, own: true, Usage: "%%capture [NAME]",
		doc:     "runs the rest of the cell and shows nothing of what it writes and displays, nor its value. With a name they are the text of a string variable of that name. If the cell fails, they are shown.",
		example: "%%capture log"},
	{Name: "cd", Line: true, Folders: true, Usage: "%cd [FOLDER]",
		doc:     "changes the working directory: to the folder, with ~ for the user's home, to that one without a folder, and with - to the one before.",
		example: "%cd ~/data"},
	{Name: "env", Line: true, Usage: "%env [NAME[=VALUE]]",
		doc:     "lists the environment variables of the cells, shows one, or sets one. $NAME and ${NAME} stand for the value of another that is set, but in single quotes.",
		example: "%env OMP_NUM_THREADS=2"},
	{Name: "load", Line: true, Files: true, Usage: "%load FILE",
		doc:     "puts the text of the file in place of the cell.",
		example: "%load experiment.go"},
	{Name: "writefile", Cell: true, Files: true, Usage: "%%writefile [-a] FILE",
		doc:     "writes the rest of the cell into the file, with -a at its end.",
		example: "%%writefile notes.txt"},
	{Name: "bash", Cell: true, Usage: "%%bash",
		doc:     "runs the rest of the cell with bash. A status other than 0 at its end is an error.",
		example: "%%bash"},
	{Name: "html", Cell: true, mime: "text/html", Usage: "%%html",
		doc:     "shows the rest of the cell as a piece of a web page.",
		example: "%%html"},
	{Name: "markdown", Cell: true, mime: "text/markdown", Usage: "%%markdown",
		doc:     "shows the rest of the cell as formatted text.",
		example: "%%markdown"},
	{Name: "latex", Cell: true, mime: "text/latex", Usage: "%%latex",
		doc:     "shows the rest of the cell as LaTeX; formulas stand between dollar signs.",
		example: "%%latex"},
	{Name: "svg", Cell: true, mime: "image/svg+xml", Usage: "%%svg",
		doc:     "shows the rest of the cell, an svg element, as a drawing.",
		example: "%%svg"},
	{Name: "javascript", Cell: true, mime: "application/javascript", Usage: "%%javascript",
		doc:     "runs the rest of the cell in the page. Not every front end allows it.",
		example: "%%javascript"},
	{Name: "engine", Line: true, own: true, Usage: "%engine [auto|interpreted|compiled]",
		doc:     "says how cells are run, or chooses it: compiled, which takes a twentieth of a second a cell, and is all of Go at its own speed; interpreted, which takes no time to begin, and refuses what it is known to do otherwise than Go; or auto, which compiles where it can. The first cell decides for the session. A change later restarts it: declarations stay, and the variables are lost.",
		example: "%engine compiled"},
	{Name: "mod", Line: true, own: true, Usage: "%mod [MODULE[@VERSION]]",
		doc:     "lists the modules that cells have imported packages of, or has the session take a module in a version from now on: v1.2.3, latest, a branch or a commit, or none for what others require. Otherwise a module has the version that the go.mod or go.work beside the notebook says, or the latest.",
		example: "%mod golang.org/x/exp@latest"},
	{Name: "test", Line: true, own: true, last: true, Usage: "%test [NAME...] [-run REGEXP] [-bench REGEXP] [-fuzz NAME [TIME]] [-v] [-race]",
		doc:     "runs the tests, examples, seeds of fuzz tests and, with -bench, benchmarks that cells have declared, as go test does: when the rest of its cell has run, in a process of their own, in the cells' folder. They see the newest declaration of each name; a variable has the value that its declaration gives it, and no other statement of a cell is run. A name is that of a test, with or without the word Test before it, or an expression for names, and may go on with a subtest or an expression: TestParse/case[01]. With -fuzz a fuzz test gets random inputs until one fails, the time is over, such as 10s or 1000x, or an interrupt comes; the input that fails is shown, and kept in testdata/fuzz as go test does. -short, -count, -benchtime, -benchmem, -cpu, -failfast, -skip and -timeout are those of go test, too.",
		example: "%test -run Parse -v"},
	{Name: "goflags", Line: true, own: true, Usage: "%goflags [FLAG...]",
		doc:     "lists the flags with which the go command builds tests, or sets them: -tags, -race, -gcflags, -ldflags and their like; -- alone stands for none. Of modules that cells import it heeds -tags. Cells themselves are compiled as this program was, which they become a part of.",
		example: "%goflags -tags=integration -race"},
	{Name: "strict", Line: true, own: true, Usage: "%strict [on|off]",
		doc:     "says whether an error which a statement of a cell does not look at stops the cell, or, with on, turns that off, and with off on again. In functions errors are what they are in Go; must(f()), which needs no declaration, panics with that of f there.",
		example: "%strict on"},
	{Name: "help", Line: true, own: true, Usage: "%help",
		doc:     "lists the magics.",
		example: "%help"},
}

// Two magics have no name. They are listed with the others.
var (
	ShellKind = Kind{Usage: "!COMMAND or LINES := !COMMAND",
		doc:     "runs a command with the shell, up to the end of the line, and shows what it writes, or has the lines of it as a []string. A status other than 0 is an error. {EXPRESSION} puts in the value of Go that begins with a known name, quoted so that the shell takes it as it is: a slice as a word for each element. {{EXPRESSION}} leaves it in braces. Go that begins with ! is written in parentheses.",
		example: "files := !ls {folder}"}
	QuestionKind = Kind{Usage: "NAME? or NAME??", own: true,
		doc:     "shows the declaration and the documentation of what a name stands for; with two question marks its source, too, where a cell has declared it.",
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
	"matplotlib": "nothing, as charts show themselves", "autoreload": "nothing, as cells that are run again declare anew", "load_ext": "nothing, as all magics are there",
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
