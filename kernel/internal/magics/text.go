package magics

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Own are the magics of a cell that the engine carries out itself: before the Go is checked, and
// after it has run.
type Own struct {
	Before, After []*Use
}

// Capture returns the magic that keeps what the cell shows to itself, nil if there is none.
func (o Own) Capture() *Use {
	for _, m := range o.Before {
		if m.Name == "capture" {
			return m
		}
	}
	return nil
}

// Translate returns the source of a cell with its magics written as Go, and what else cells have
// that Go has not (return.go, must.go, main.go); those that have no Go, and what is wrong with
// them. The names that mean something in the session are those for which taken returns true.
func Translate(cell program.Cell, taken func(string) bool) (*syntax.Source, Own, []syntax.Problem) {
	src := syntax.NewSource(cell)
	if cell.Plain {
		withMain(src.Translation)
		return src, Own{}, nil
	}
	defer func() {
		ended(src.Translation)
		withMain(src.Translation)
		withMust(src.Translation, taken)
	}()
	uses, total := Find(cell.Source, taken)
	if len(uses) == 0 {
		return src, Own{}, nil
	}
	var own Own
	var problems []syntax.Problem
	w := &magicWriter{source: cell.Source, translation: src.Translation}
	w.alias = Alias(func(name string) bool { return strings.Contains(cell.Source, name) || taken(name) })
	for _, m := range uses {
		w.copy(m.Start)
		if m.fault == "" {
			w.magic(m)
		}
		if m.Kind != nil && m.Kind.own {
			switch {
			case m.Kind.last:
				own.After = append(own.After, m)
			case m.after == 0:
				own.Before = append(own.Before, m)
			case m.after == total:
				own.After = append(own.After, m)
			default:
				m.complain(m.Start, strings.TrimSpace(cell.Source[m.Start:m.End])+" stands between statements; put it at the beginning or the end of the cell")
			}
		}
		if m.fault != "" {
			problems = append(problems, syntax.Problem{Source: src, Offset: m.faultAt, Msg: m.fault})
		}
		w.from = max(w.from, m.End)
	}
	w.finish()
	return src, own, problems
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
	source      string
	translation *syntax.Translation // what is written
	alias       string              // of package magic
	b           strings.Builder
	from        int    // up to which the cell is written
	stopping    string // the function that ends a measurement
	stopped     int    // where the last end of a measurement ends, 0 if there is none
	closing     string // ends what a magic of the whole cell has begun
}

// copy writes the cell as it is, up to an offset.
func (w *magicWriter) copy(end int) {
	if w.from < end {
		w.translation.Pieces = append(w.translation.Pieces, syntax.TextPiece{At: w.b.Len(), Origin: w.from, Verbatim: true})
		w.b.WriteString(w.source[w.from:end])
		w.from = end
	}
}

// put writes Go that stands for an offset of the cell.
func (w *magicWriter) put(origin int, text string) {
	w.translation.Pieces = append(w.translation.Pieces, syntax.TextPiece{At: w.b.Len(), Origin: origin, Verbatim: false})
	w.b.WriteString(text)
}

// call writes the call of a function of package magic.
func (w *magicWriter) call(m *Use, function string, args ...string) {
	w.translation.Alias = w.alias
	w.put(m.Start, w.alias+"."+function+"("+strings.Join(args, ", ")+")")
}

// magic writes a magic. What stands behind it in the source is w.from.
func (w *magicWriter) magic(m *Use) {
	argument := w.source[m.Argument:m.ArgumentEnd]
	w.from = m.End
	if m.Kind == &ShellKind {
		w.shell(m, m.Argument)
		return
	}
	if m.Kind.mime != "" {
		w.call(m, "Show", strconv.Quote(m.Kind.mime), literal(w.body(m)))
		return
	}
	switch m.Kind.Name {
	case "time":
		w.time(m, "StartTimer", "StopTimer")
	case "prof":
		if m.Command {
			m.complain(m.Statement, "%prof is about Go; to measure a command write %time")
			return
		}
		w.time(m, "StartProfile", "StopProfile")
	case "timeit":
		w.timeIt(m)
	case "cd":
		w.call(m, "Chdir", strconv.Quote(Unquote(argument)))
	case "env":
		w.env(m, argument)
	case "load":
		if argument == "" {
			m.complain(m.Start, "%load needs the name of a file")
		}
		w.call(m, "Load", strconv.Quote(Unquote(argument)))
	case "bash":
		w.call(m, "Bash", literal(w.body(m)))
	case "writefile":
		function := "WriteFile"
		if rest, ok := strings.CutPrefix(argument, "-a"); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			function, argument = "AppendFile", strings.TrimSpace(rest)
		}
		if argument == "" {
			m.complain(m.Start, "%%writefile needs the name of a file")
		}
		text := w.body(m)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		w.call(m, function, strconv.Quote(Unquote(argument)), literal(text))
	case "args":
		args, complaint := words(argument)
		if complaint != "" {
			m.complain(m.Argument, complaint)
		}
		if args == nil {
			w.call(m, "Args")
			return
		}
		if args[0] == "--" {
			args = args[1:]
		}
		for i, arg := range args {
			args[i] = strconv.Quote(arg)
		}
		w.call(m, "SetArgs", args...)
	case "rm":
		if argument == "" {
			m.complain(m.Start, "%rm needs the names of what is to be forgotten")
		}
	case "run":
		if argument == "" {
			m.complain(m.Start, "%run needs the name of a file")
		}
	case "test":
		if _, complaint := TestArguments(argument); complaint != "" {
			m.complain(m.Argument, complaint)
		}
	case "goflags":
		if _, _, complaint := GoFlags(argument); complaint != "" {
			m.complain(m.Argument, complaint)
		}
	case "history":
		if _, ok := m.LastInputs(w.source); !ok {
			m.complain(m.Argument, "%history takes no argument, or -n and how many of the last inputs are listed")
		}
	case "capture":
		if argument != "" && (!token.IsIdentifier(argument) || argument == "_") {
			m.complain(m.Argument, fmt.Sprintf("%q is not the name of a variable", argument))
		}
	case "who", "reset", "help":
		if argument != "" && (m.Name != "who" || argument != "-m") {
			m.complain(m.Argument, "%"+m.Name+" takes no argument")
		}
	case "engine":
		if mode := program.AutoMode; argument != "" && mode.UnmarshalText([]byte(argument)) != nil {
			m.complain(m.Argument, "%engine is auto, interpreted or compiled")
		}
	case "strict":
		if argument != "" && argument != "on" && argument != "off" {
			m.complain(m.Argument, "%strict is on or off")
		}
	}
}

// shell writes the call that runs a command, which begins at an offset.
func (w *magicWriter) shell(m *Use, from int) {
	function := "Shell"
	if m.Lines {
		function = "Lines"
	}
	end := w.from
	w.translation.Alias = w.alias
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

// words returns the words of a text. Quotation marks hold one together.
func words(text string) (words []string, complaint string) {
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			begun, quote = true, r
		case quote == 0 && unicode.IsSpace(r):
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, "a quotation mark is not closed"
	}
	if begun {
		words = append(words, word.String())
	}
	return words, ""
}

// LastInputs returns how many of the last inputs a %history asks for, 0 for all.
func (m *Use) LastInputs(source string) (n int, ok bool) {
	argument := source[m.Argument:m.ArgumentEnd]
	if argument == "" {
		return 0, true
	}
	number, found := strings.CutPrefix(argument, "-n")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	return n, found && err == nil && n > 0
}

// body is what follows the line of a magic.
func (w *magicWriter) body(m *Use) string {
	_, body, _ := strings.Cut(w.source[m.ArgumentEnd:], "\n")
	return body
}

// stop writes the end of a measurement, which stands for where the cell is written up to.
func (w *magicWriter) stop() {
	w.put(w.from, "\n"+w.alias+"."+w.stopping+"()")
	w.stopped = w.b.Len()
}

// time writes %time, and what else stands around a statement: the call of a function before, and of
// one behind.
func (w *magicWriter) time(m *Use, start, stop string) {
	w.stopping = stop
	if m.Whole {
		w.call(m, start)
		w.closing = stop
		return
	}
	if !m.Command {
		w.statements(m)
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
	body := w.statements(m)
	if m.fault != "" {
		return
	}
	n := w.alias + "n"
	w.translation.Alias = w.alias
	w.put(m.Start, fmt.Sprintf("%s.TimeIt(%d, %d, func(%s int) { for range %s { ", w.alias, loops, runs, n, n))
	if m.Whole {
		if last := len(body) - 1; last >= 0 && isValue(body[last]) {
			w.from = m.Statement
			w.copy(m.Statement + int(body[last].Pos()) - 1 - syntax.PrefixLength)
			w.put(w.from, "_ = ")
		}
		w.closing = use(body) + "}})"
		return
	}
	if len(body) == 1 && isValue(body[0]) {
		w.b.WriteString("_ = ")
	}
	w.from = m.Statement
	w.copy(m.StatementEnd)
	w.put(m.StatementEnd, "; "+use(body)+"}})")
	w.from = m.End
	if m.End > m.StatementEnd {
		w.b.WriteString(";")
	}
}

// statements parses what a magic measures, and complains of what is no list of statements: the Go
// that is written around it would make that hard to understand.
func (w *magicWriter) statements(m *Use) []ast.Stmt {
	list, at, complaint := syntax.Statements(w.source[m.Statement:m.StatementEnd])
	if at >= 0 {
		m.complain(m.Statement+at, cmp.Or(complaint, "%"+m.Name+" measures statements; what else there is stands in another cell"))
	}
	return list
}

// use uses the variables that statements declare, which in a function would have to be used.
func use(statements []ast.Stmt) string {
	var names []string
	for _, s := range statements {
		for _, id := range syntax.DeclaredBy(s) {
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

// isValue reports an expression that is no statement.
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

// valueBuiltins are the names of functions and types of the language whose calls are no statements.
var valueBuiltins = []string{"append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real",
	"bool", "byte", "rune", "string", "error", "any", "complex64", "complex128", "float32", "float64", "uintptr",
	"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"}

func (w *magicWriter) env(m *Use, argument string) {
	name, value, set := strings.Cut(argument, "=")
	if !set {
		if i := strings.IndexAny(argument, " \t"); i >= 0 {
			name, value, set = argument[:i], argument[i:], true
		}
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	function := "Setenv"
	if strings.Contains(value, "$") && value[0] != '\'' {
		function = "ExpandEnv"
	}
	switch {
	case set && (name == "" || strings.ContainsAny(name, " \t\x00")):
		m.complain(m.Argument, fmt.Sprintf("%q is not the name of an environment variable", name))
	case set:
		w.call(m, function, strconv.Quote(name), strconv.Quote(Unquote(value)))
	case argument == "":
		w.call(m, "Environ")
	default:
		w.call(m, "Getenv", strconv.Quote(name))
	}
}

// finish writes what is left of the cell, and ends what a magic of the whole cell has begun.
func (w *magicWriter) finish() {
	end := len(w.source)
	if w.closing != "" {
		end = len(strings.TrimRight(w.source, " \t\r\n"))
	}
	w.copy(end)
	// On a line of its own: the cell may end with a comment.
	switch w.closing {
	case "":
	case "StopTimer", "StopProfile":
		w.stopping = w.closing
		w.stop()
	default:
		w.put(w.from, "\n"+w.closing)
	}
	t := w.translation
	t.Text = w.b.String()
	t.Timed = w.stopped > 0 && syntax.IsEmpty(t.Text[w.stopped:])
}

// FileAndArguments cuts the argument of a %run into the name of the file and what follows it, each
// as it is written.
func FileAndArguments(argument string) (file, arguments string) {
	quote := rune(0)
	for i, r := range argument {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == ' ' || r == '\t':
			return argument[:i], strings.TrimSpace(argument[i:])
		}
	}
	return argument, ""
}

// Unquote removes the quotes around a name.
func Unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// literal writes a text as Go, over several lines if it has them.
func literal(text string) string {
	if strconv.CanBackquote(strings.ReplaceAll(text, "\n", "")) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// A Use is a magic in the text of a cell, as byte offsets into it.
type Use struct {
	Kind       *Kind  // nil if there is no such magic
	Name       string // as it is written
	Start, End int
	// Argument is what follows the name, up to the end of the line without blanks around it; of a
	// question it is what is asked about.
	Argument, ArgumentEnd int
	// Statement is the Go behind %time and %timeit; empty if there is none.
	Statement, StatementEnd int
	// Command says that the shell is to run what stands there instead.
	Command bool
	// Lines says that the lines of the command's output are assigned to what stands before.
	Lines   bool
	Whole   bool // the magic is about the whole cell
	Detail  int  // that a question asks for
	inserts []insert
	// after is how much of the cell there was before the magic.
	after int
	// fault says what is wrong with the magic, and faultAt where.
	fault   string
	faultAt int
}

// Measures reports a magic that stands before the statement which it is about.
func (m *Use) Measures() bool { return m.Name == "time" || m.Name == "timeit" || m.Name == "prof" }

func (m *Use) complain(at int, msg string) {
	if m.fault == "" {
		m.fault, m.faultAt = msg, at
	}
}
