package engine

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// magicPath is the import path of the functions that carry out magics.
const magicPath = "github.com/hierml/notebook/stdlib/magic"

// A translation is the text of a cell with its magics written as Go.
type translation struct {
	text   string
	pieces []textPiece // in order; the first begins at 0
	// alias is what the text calls the package at magicPath: a name that the
	// cell does not have. It is empty if the text does not mention it.
	alias string
	// timed says that the last statement is the end of a measurement, so that
	// the one before it is the cell's last.
	timed bool
	// of, if not nil, is what the text was written for, where the text is taken
	// for a cell of its own.
	of *source
}

// A textPiece is a part of the text, up to the next one, that begins at an offset
// of it. A verbatim piece stands so in the cell, at origin; the others are
// written for what is there.
type textPiece struct {
	at, origin int
	verbatim   bool
}

// origin returns the offset into the cell of an offset into the text.
func (t *translation) origin(offset int) int {
	i, exact := slices.BinarySearchFunc(t.pieces, offset, func(p textPiece, at int) int { return cmp.Compare(p.at, at) })
	if !exact {
		i--
	}
	if i < 0 {
		return offset // there are no magics
	}
	p := t.pieces[i]
	if p.verbatim {
		return p.origin + offset - p.at
	}
	return p.origin
}

// A translated cell is a translation, with what the engine does itself before
// the Go is checked and after it has run.
type translated struct {
	translation
	before, after []*magicUse
}

// translate writes the magics of a cell as Go. The names that the session has
// are those for which taken returns true.
func translate(source string, taken func(string) bool) (*translated, []magicFault) {
	uses, total := findMagics(source)
	if len(uses) == 0 {
		return &translated{translation: translation{text: source}}, nil
	}
	w := &magicWriter{source: source}
	w.alias = magicAlias(func(name string) bool { return strings.Contains(source, name) || taken(name) })
	var faults []magicFault
	for _, m := range uses {
		w.copy(m.start)
		if m.fault == "" {
			w.magic(m)
		}
		if m.kind != nil && m.kind.own {
			switch {
			case m.after == 0:
				w.before = append(w.before, m)
			case m.after == total:
				w.after = append(w.after, m)
			default:
				m.complain(m.start, strings.TrimSpace(source[m.start:m.end])+" stands between statements; put it at the beginning or the end of the cell")
			}
		}
		if m.fault != "" {
			faults = append(faults, magicFault{m.faultAt, m.fault})
		}
		w.from = max(w.from, m.end)
	}
	w.copy(len(source))
	w.finish()
	w.text = w.b.String()
	if !w.mentioned {
		w.alias = ""
	}
	if w.stopped > 0 {
		w.timed = true
		for _, l := range lex(w.text[w.stopped:]) {
			w.timed = w.timed && (l.tok == token.SEMICOLON || l.tok == token.EOF)
		}
	}
	return &w.translated, faults
}

// magicProblems returns the faults as complaints about the source.
func magicProblems(src *source, faults []magicFault) []problem {
	var problems []problem
	for _, f := range faults {
		problems = append(problems, problem{source: src, offset: f.offset, msg: f.msg})
	}
	return problems
}

// magicAlias returns a name for package magic that is not taken.
func magicAlias(taken func(string) bool) string {
	name := "magic__"
	for taken(name) {
		name += "_"
	}
	return name
}

// A magicFault is what is wrong with a magic, at an offset of the cell.
type magicFault struct {
	offset int
	msg    string
}

// A magicWriter writes the Go of a cell.
type magicWriter struct {
	translated
	source    string
	b         strings.Builder
	from      int    // up to which the cell is written
	mentioned bool   // package magic is
	stopped   int    // where the last end of a measurement ends, 0 if there is none
	closing   string // ends what a magic of the whole cell has begun
}

// copy writes the cell as it is, up to an offset.
func (w *magicWriter) copy(end int) {
	if w.from < end {
		w.pieces = append(w.pieces, textPiece{w.b.Len(), w.from, true})
		w.b.WriteString(w.source[w.from:end])
		w.from = end
	}
}

// put writes Go that stands for an offset of the cell.
func (w *magicWriter) put(origin int, text string) {
	w.pieces = append(w.pieces, textPiece{w.b.Len(), origin, false})
	w.b.WriteString(text)
}

// call writes the call of a function of package magic.
func (w *magicWriter) call(m *magicUse, function string, args ...string) {
	w.mentioned = true
	w.put(m.start, w.alias+"."+function+"("+strings.Join(args, ", ")+")")
}

// magic writes a magic. What stands behind it in the source is w.from.
func (w *magicWriter) magic(m *magicUse) {
	argument := w.source[m.argument:m.argumentEnd]
	w.from = m.end
	if m.kind == &shellKind {
		w.call(m, "Shell", strconv.Quote(argument))
		return
	}
	switch m.kind.name {
	case "time":
		w.time(m)
	case "timeit":
		w.timeIt(m)
	case "cd":
		w.call(m, "Chdir", strconv.Quote(unquote(argument)))
	case "env":
		w.env(m, argument)
	case "load":
		if argument == "" {
			m.complain(m.start, "%load needs the name of a file")
		}
		w.call(m, "Load", strconv.Quote(unquote(argument)))
	case "bash":
		w.call(m, "Bash", literal(w.body(m)))
	case "writefile":
		function := "WriteFile"
		if rest, ok := strings.CutPrefix(argument, "-a"); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			function, argument = "AppendFile", strings.TrimSpace(rest)
		}
		if argument == "" {
			m.complain(m.start, "%%writefile needs the name of a file")
		}
		text := w.body(m)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		w.call(m, function, strconv.Quote(unquote(argument)), literal(text))
	case "who", "reset", "help":
		if argument != "" && (m.name != "who" || argument != "-m") {
			m.complain(m.argument, "%"+m.name+" takes no argument")
		}
	case "engine":
		if mode := AutoMode; argument != "" && mode.UnmarshalText([]byte(argument)) != nil {
			m.complain(m.argument, "%engine is auto, interpreted or compiled")
		}
	case "strict":
		if argument != "" && argument != "on" && argument != "off" {
			m.complain(m.argument, "%strict is on or off")
		}
	}
}

// body is what follows the line of a magic.
func (w *magicWriter) body(m *magicUse) string {
	_, body, _ := strings.Cut(w.source[m.argumentEnd:], "\n")
	return body
}

// stop writes the end of a measurement.
func (w *magicWriter) stop(origin int) {
	w.put(origin, "\n"+w.alias+".StopTimer()")
	w.stopped = w.b.Len()
}

func (w *magicWriter) time(m *magicUse) {
	if m.whole {
		w.call(m, "StartTimer")
		w.closing = "StopTimer"
		return
	}
	if !m.command {
		w.statements(m)
	}
	if m.fault != "" {
		return
	}
	w.call(m, "StartTimer")
	w.b.WriteString("; ")
	w.from = m.statement
	if m.command {
		w.call(m, "Shell", strconv.Quote(strings.TrimSpace(w.source[m.statement+1:m.statementEnd])))
	} else {
		w.copy(m.end)
	}
	w.stop(m.statementEnd)
	if m.end > m.statementEnd {
		w.b.WriteString(";")
	}
}

func (w *magicWriter) timeIt(m *magicUse) {
	if m.command {
		m.complain(m.statement, "%timeit measures Go; to measure a command write %time")
		return
	}
	loops, runs := 0, 0
	for at := m.argument; at < m.argumentEnd; {
		option := timeItOption.FindStringSubmatch(w.source[at:m.argumentEnd])
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
	w.mentioned = true
	w.put(m.start, fmt.Sprintf("%s.TimeIt(%d, %d, func(%s int) { for range %s { ", w.alias, loops, runs, n, n))
	if m.whole {
		if last := len(body) - 1; last >= 0 && isValue(body[last]) {
			w.from = m.statement
			w.copy(m.statement + int(body[last].Pos()) - 1 - prefixLength)
			w.put(w.from, "_ = ")
		}
		w.closing = use(body) + "}})"
		return
	}
	if len(body) == 1 && isValue(body[0]) {
		w.b.WriteString("_ = ")
	}
	w.from = m.statement
	w.copy(m.statementEnd)
	w.put(m.statementEnd, "; "+use(body)+"}})")
	w.from = m.end
	if m.end > m.statementEnd {
		w.b.WriteString(";")
	}
}

// statements parses what a magic measures, and complains of what is no list
// of statements: the Go that is written around it would make that hard to
// understand.
func (w *magicWriter) statements(m *magicUse) []ast.Stmt {
	text := w.source[m.statement:m.statementEnd]
	if n := nest(text); n.unopened >= 0 {
		m.complain(m.statement+n.unopened, "syntax error: unexpected "+n.closes)
		return nil
	}
	for _, it := range split(text) {
		switch it.kind {
		case itemFunc, itemImport, itemPackage:
			m.complain(m.statement+it.start, "%"+m.name+" measures statements; what else there is stands in another cell")
			return nil
		}
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", statementPrefix+text+"\n}", parser.SkipObjectResolution|parser.AllErrors)
	if list, ok := err.(scanner.ErrorList); ok {
		m.complain(m.statement+clamp(list[0].Pos.Offset-prefixLength, text), syntaxWording(list[0].Msg))
		return nil
	}
	return f.Decls[0].(*ast.FuncDecl).Body.List
}

// use uses the variables that statements declare, which in a function would
// have to be used.
func use(statements []ast.Stmt) string {
	var names []string
	for _, s := range statements {
		for _, id := range declaredBy(s) {
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

// valueBuiltins are the names of functions and types of the language whose
// calls are no statements.
var valueBuiltins = []string{"append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real",
	"bool", "byte", "rune", "string", "error", "any", "complex64", "complex128", "float32", "float64", "uintptr",
	"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"}

func (w *magicWriter) env(m *magicUse, argument string) {
	name, value, set := strings.Cut(argument, "=")
	if !set {
		if i := strings.IndexAny(argument, " \t"); i >= 0 {
			name, value, set = argument[:i], argument[i:], true
		}
	}
	name, value = strings.TrimSpace(name), unquote(strings.TrimSpace(value))
	switch {
	case set && (name == "" || strings.ContainsAny(name, " \t\x00")):
		m.complain(m.argument, fmt.Sprintf("%q is not the name of an environment variable", name))
	case set:
		w.call(m, "Setenv", strconv.Quote(name), strconv.Quote(value))
	case argument == "":
		w.call(m, "Environ")
	default:
		w.call(m, "Getenv", strconv.Quote(name))
	}
}

// finish ends what a magic of the whole cell has begun.
func (w *magicWriter) finish() {
	if w.closing == "" {
		return
	}
	// On a line of its own: the cell may end with a comment.
	end := len(strings.TrimRight(w.source, " \t\r\n"))
	if w.closing == "StopTimer" {
		w.stop(end)
		return
	}
	w.put(end, "\n"+w.closing)
}

// unquote removes the quotes around a name.
func unquote(s string) string {
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

// withoutMagics returns the cell with blanks in place of all that is not Go,
// so that every offset and line stays what it was.
func withoutMagics(source string) string {
	uses, _ := findMagics(source)
	if len(uses) == 0 {
		return source
	}
	out := []byte(source)
	for _, m := range uses {
		from, to := m.statement, m.statementEnd
		if m.kind == &questionKind {
			from, to = m.argument, m.argumentEnd
		}
		if m.command {
			from, to = m.start, m.start
		}
		for i := m.start; i < m.end; i++ {
			if (i < from || i >= to) && out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return string(out)
}
