package magics

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Own are the magics of a cell that the engine carries out itself: before the Go is checked, and
// after it has run.
type Own struct {
	Before, After []*Use
}

// Capture returns the magic that captures the cell's output, or nil.
func (o Own) Capture() *Use {
	for _, m := range o.Before {
		if m.Name == "capture" {
			return m
		}
	}
	return nil
}

// Translate returns the source of a cell with its magics, and other extensions of Go (return.go,
// must.go, main.go), written as Go. It also returns the magics without Go, and the mistakes in
// magics. taken reports whether a name is defined in the session.
func Translate(cell program.Cell, taken func(string) bool) (*syntax.Lexed, Own, []syntax.Problem) {
	src := syntax.NewSource(cell)
	w := &magicWriter{src: src, source: cell.Source}
	if !cell.Plain {
		w.write(taken)
	}
	l := syntax.NewLexed(src)
	last := len(l.Items) - 1
	l.Timed = w.stopped > 0 && last >= 0 && l.Items[last].Start < w.stopped
	text := l.Text
	if !cell.Plain {
		ended(l)
	}
	withMain(l)
	if !cell.Plain {
		withMust(l, taken)
	}
	if l.Text != text {
		l = syntax.NewLexed(src)
	}
	return l, w.own, w.problems
}

// Alias returns a name for package magic that is not taken.
func Alias(taken func(string) bool) string {
	name := "magic__"
	for taken(name) {
		name += "_"
	}
	return name
}

// A magicWriter writes the Go of a cell.
type magicWriter struct {
	src      *syntax.Source // the result
	source   string         // of the cell
	own      Own
	problems []syntax.Problem
	alias    string // of package magic
	b        strings.Builder
	from     int    // offset up to which the cell is written
	stopping string // the function that ends a measurement
	stopped  int    // the end of the last call of stopping, or 0
	closing  string // ends a magic of the whole cell
}

// write writes the Go of a cell that has magics.
func (w *magicWriter) write(taken func(string) bool) {
	uses, total := Find(w.source, taken)
	if len(uses) == 0 {
		return
	}
	w.alias = Alias(func(name string) bool { return strings.Contains(w.source, name) || taken(name) })
	for _, m := range uses {
		w.copy(m.Start)
		if m.fault == "" {
			w.magic(m)
		}
		if m.Kind != nil && m.Kind.own {
			switch {
			case m.Kind.last:
				w.own.After = append(w.own.After, m)
			case m.after == 0:
				w.own.Before = append(w.own.Before, m)
			case m.after == total:
				w.own.After = append(w.own.After, m)
			default:
				m.complain(m.Start, strings.TrimSpace(w.source[m.Start:m.End])+" is between statements. Put it at the beginning or the end of the cell")
			}
		}
		if m.fault != "" {
			w.problems = append(w.problems, syntax.Problem{Source: w.src, Offset: m.faultAt, Msg: m.fault})
		}
		w.from = max(w.from, m.End)
	}
	w.finish()
}

// copy copies the cell unchanged, up to an offset.
func (w *magicWriter) copy(end int) {
	if w.from < end {
		w.src.Pieces = append(w.src.Pieces, syntax.TextPiece{At: w.b.Len(), Origin: w.from, Verbatim: true})
		w.b.WriteString(w.source[w.from:end])
		w.from = end
	}
}

// put writes Go for an offset of the cell.
func (w *magicWriter) put(origin int, text string) {
	w.src.Pieces = append(w.src.Pieces, syntax.TextPiece{At: w.b.Len(), Origin: origin, Verbatim: false})
	w.b.WriteString(text)
}

// call writes the call of a function of package magic.
func (w *magicWriter) call(m *Use, function string, args ...string) {
	w.src.Alias = w.alias
	w.put(m.Start, w.alias+"."+function+"("+strings.Join(args, ", ")+")")
}

// magic writes a magic. The source after it begins at w.from.
func (w *magicWriter) magic(m *Use) {
	w.from = m.End
	if m.Kind == &ShellKind {
		w.shell(m, m.Argument)
		return
	}
	if m.Kind.mime != "" {
		w.call(m, "Show", strconv.Quote(m.Kind.mime), literal(w.body(m)))
		return
	}
	if at, complaint := m.read(w.source); complaint != "" {
		m.complain(at, complaint)
	}
	switch m.Kind.Name {
	case "time":
		w.time(m, "StartTimer", "StopTimer")
	case "prof":
		if m.Command {
			m.complain(m.Statement, "%prof measures Go. To measure a command, write %time")
			return
		}
		w.time(m, "StartProfile", "StopProfile")
	case "timeit":
		w.timeIt(m)
	case "bash":
		w.call(m, "Bash", literal(w.body(m)))
	case "writefile":
		text := w.body(m)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		w.call(m, m.function, strconv.Quote(m.words[0]), literal(text))
	default:
		if m.function == "" {
			break // the engine carries it out
		}
		args := make([]string, len(m.words))
		for i, word := range m.words {
			args[i] = strconv.Quote(word)
		}
		w.call(m, m.function, args...)
	}
}

// shell writes the call that runs a command, given the command's offset.
func (w *magicWriter) shell(m *Use, from int) {
	function := "Shell"
	if m.Lines {
		function = "Lines"
	}
	end := w.from
	w.src.Alias = w.alias
	w.put(m.Start, w.alias+"."+function+"(")
	part := func(to int, behind string) {
		w.put(from, strconv.Quote(w.source[from:to])+behind)
	}
	for _, p := range m.inserts {
		if p.plain {
			part(p.start, " + "+strconv.Quote(w.source[p.start+1:p.end-1])+" + ")
			from = p.end
			continue
		}
		quote := ""
		if p.quote != 0 {
			quote = string(p.quote)
		}
		part(p.start, " + "+w.alias+".Insert("+strconv.Quote(quote)+", ")
		w.from = p.from
		w.copy(p.to)
		w.put(p.to, ") + ")
		from = p.end
	}
	part(len(strings.TrimRight(w.source[:m.ArgumentEnd], " \t\r\n")), ")")
	w.from = end
}

// body returns the text after the line of a magic.
func (w *magicWriter) body(m *Use) string {
	_, body, _ := strings.Cut(w.source[m.ArgumentEnd:], "\n")
	return body
}

// stop writes the end of a measurement at the current offset.
func (w *magicWriter) stop() {
	w.put(w.from, "\n"+w.alias+"."+w.stopping+"()")
	w.stopped = w.b.Len()
}

// time writes %time and similar magics: a call of a function before a statement, and another after
// it.
func (w *magicWriter) time(m *Use, start, stop string) {
	w.stopping = stop
	if m.Whole {
		w.call(m, start)
		w.closing = stop
		return
	}
	if m.fault != "" {
		return
	}
	w.call(m, start)
	w.b.WriteString("; ")
	if m.Command {
		w.shell(m, m.Statement+1+len(w.source[m.Statement+1:m.StatementEnd])-len(strings.TrimLeft(w.source[m.Statement+1:m.StatementEnd], " \t")))
		w.from = m.StatementEnd
	} else {
		w.from = m.Statement
		w.copy(m.End)
	}
	w.stop()
	if m.End > m.StatementEnd {
		w.b.WriteString(";")
	}
}

// timeIt writes %timeit.
func (w *magicWriter) timeIt(m *Use) {
	if m.Command {
		m.complain(m.Statement, "%timeit measures Go; to measure a command write %time")
		return
	}
	loops, runs := 0, 0
	for at := m.Argument; at < m.ArgumentEnd; {
		option := timeItOption.FindStringSubmatch(w.source[at:m.ArgumentEnd])
		if option == nil {
			break
		}
		number, _ := strconv.Atoi(option[2]) // it consists of digits
		if option[1] == "n" {
			loops = number
		} else {
			runs = number
		}
		at += len(option[0])
	}
	if m.fault != "" {
		return
	}
	n := w.alias + "n"
	w.src.Alias = w.alias
	w.put(m.Start, fmt.Sprintf("%s.TimeIt(%d, %d, func(%s int) { for range %s { ", w.alias, loops, runs, n, n))
	if m.Whole {
		if last := len(m.body) - 1; last >= 0 && isValue(m.body[last]) {
			w.from = m.Statement
			w.copy(m.Statement + int(m.body[last].Pos()) - 1 - syntax.PrefixLength)
			w.put(w.from, "_ = ")
		}
		w.closing = use(m.body) + "}})"
		return
	}
	if len(m.body) == 1 && isValue(m.body[0]) {
		w.b.WriteString("_ = ")
	}
	w.from = m.Statement
	w.copy(m.StatementEnd)
	w.put(m.StatementEnd, "; "+use(m.body)+"}})")
	w.from = m.End
	if m.End > m.StatementEnd {
		w.b.WriteString(";")
	}
}

// use writes assignments that use the variables of statements, since unused variables are errors in
// a function.
func use(statements []ast.Stmt) string {
	var names []string
	for _, s := range statements {
		for _, id := range syntax.VariablesOf(s) {
			if id.Name != "_" && !slices.Contains(names, id.Name) {
				names = append(names, id.Name)
			}
		}
	}
	if names == nil {
		return ""
	}
	return strings.Repeat("_, ", len(names)-1) + "_ = " + strings.Join(names, ", ")
}

// isValue reports whether an expression is not a statement.
func isValue(s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	switch e := ast.Unparen(e.X).(type) {
	case *ast.CallExpr:
		switch f := ast.Unparen(e.Fun).(type) {
		case *ast.Ident:
			return slices.Contains(valueBuiltins, f.Name)
		case *ast.ArrayType, *ast.MapType, *ast.FuncType, *ast.InterfaceType, *ast.StructType, *ast.ChanType:
			return true
		}
		return false
	case *ast.UnaryExpr:
		return e.Op != token.ARROW
	}
	return true
}

// valueBuiltins are the names of predeclared functions and types whose calls are not statements.
var valueBuiltins = []string{"append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real",
	"bool", "byte", "rune", "string", "error", "any", "complex64", "complex128", "float32", "float64", "uintptr",
	"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"}

// finish writes the rest of the cell, and ends a magic of the whole cell.
func (w *magicWriter) finish() {
	end := len(w.source)
	if w.closing != "" {
		end = len(strings.TrimRight(w.source, " \t\r\n"))
	}
	w.copy(end)
	// Use a new line: the cell may end with a comment.
	switch w.closing {
	case "":
	case "StopTimer", "StopProfile":
		w.stopping = w.closing
		w.stop()
	default:
		w.put(w.from, "\n"+w.closing)
	}
	w.src.Text = w.b.String()
}

// literal writes a text as a Go literal, over several lines if it has them.
func literal(text string) string {
	if strconv.CanBackquote(strings.ReplaceAll(text, "\n", "")) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// A Use is a magic in the text of a cell, as byte offsets into it.
type Use struct {
	Kind       *Kind  // nil if there is no such magic
	Name       string // as written
	Start, End int
	// Argument is the text after the name, up to the end of the line without surrounding blanks;
	// for a question it is the name that is asked about.
	Argument, ArgumentEnd int
	// Statement is the Go after %time and %timeit; empty if there is none.
	Statement, StatementEnd int
	// Command says that a shell command replaces the statement.
	Command bool
	// Lines says that the lines of the command's output are assigned to the variables before it.
	Lines  bool
	Whole  bool // the magic applies to the whole cell
	Detail int  // of a question
	// function is the function of package magic that carries out the magic, and words are its
	// arguments.
	function string
	words    []string
	// body are the measured statements.
	body []ast.Stmt
	// Test is the request of %test. Flags are those of %goflags; Unset says that it removes all.
	// Last is how many inputs %history lists, 0 for all, and Files are the possible files of %run,
	// of which the first existing one counts.
	Test    TestRun
	Flags   []string
	Unset   bool
	Last    int
	Files   []File
	inserts []insert
	// after is the amount of code before the magic in the cell.
	after int
	// fault is a mistake in the magic, and faultAt its place.
	fault   string
	faultAt int
}

// Measures reports whether a magic comes before the statement that it applies to.
func (m *Use) Measures() bool { return m.Name == "time" || m.Name == "timeit" || m.Name == "prof" }

func (m *Use) complain(at int, msg string) {
	if m.fault == "" {
		m.fault, m.faultAt = msg, at
	}
}
