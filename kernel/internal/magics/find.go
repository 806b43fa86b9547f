package magics

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"unicode"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// MayHold reports whether a text can have magics at all. A cell without magics needs no other
// check.
func MayHold(text string) bool {
	if !strings.ContainsAny(text, "%!?") {
		return false
	}
	if strings.Contains(text, "; %") {
		return true // a mistake that must be reported
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && (strings.IndexByte("%!?", line[0]) >= 0 || strings.Contains(line, "=!") || strings.Contains(line, "= !") || strings.HasSuffix(strings.TrimSuffix(line, ";"), "?")) {
			return true
		}
	}
	return false
}

// question matches a line that asks about a name, or about a magic.
var question = regexp.MustCompile(`^(\?{0,2})(%{0,2}[\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*)*)(\?{0,2})[ \t]*;?$`)

// asks returns the submatches of a question, or nil.
func asks(line string) []int {
	at := question.FindStringSubmatchIndex(line)
	if at == nil || at[2] == at[3] && at[6] == at[7] {
		return nil
	}
	return at
}

// A magicFinder looks for magics at the beginnings of statements.
type magicFinder struct {
	text  string
	bytes []byte // of the text
	known func(string) bool
	found []*Use
	// begun is the number of lexemes before the last top-level statement.
	begun int
	// seen counts the parts that run as Go: lexemes, and magics that the engine does not carry out
	// itself.
	seen int
}

// Find returns the magics of a cell, in order, and how much else there is. Text within strings and
// comments is not a magic, and neither is valid Go, with two exceptions: an expression at the
// beginning of a line that begins with !, and an assigned one that begins with ! and a name that is
// neither in the cell nor known.
func Find(text string, known func(string) bool) ([]*Use, int) {
	if !MayHold(text) {
		return nil, 0
	}
	f := &magicFinder{text: text, bytes: []byte(text), known: known}
	start := 0
	if m := f.whole(); m != nil {
		f.add(m)
		if m.End == len(text) {
			return f.found, f.seen
		}
		start = m.End
		if m.Name == "timeit" {
			// The rest is inside a function.
			f.scan(start, []syntax.Lexeme{{Tok: token.FUNC}, {Tok: token.LBRACE}}, []token.Token{token.LBRACE})
			return f.found, f.seen
		}
	}
	f.scan(start, nil, nil)
	return f.found, f.seen
}

func (f *magicFinder) add(m *Use) {
	m.after = f.seen
	if m.Kind == nil || !m.Kind.own {
		f.seen++
	}
	f.found = append(f.found, m)
}

// line returns the end of the line around an offset, without blanks.
func (f *magicFinder) line(at int) int {
	line, _, _ := strings.Cut(f.text[at:], "\n")
	return at + len(strings.TrimRight(line, " \t\r"))
}

// whole returns the magic that applies to the whole cell, or nil.
func (f *magicFinder) whole() *Use {
	start := len(f.text) - len(strings.TrimLeft(f.text, " \t\r\n"))
	if !strings.HasPrefix(f.text[start:], "%%") || asks(f.text[start:f.line(start)]) != nil {
		return nil
	}
	m := f.readNamed(start)
	m.Whole = true
	switch {
	case m.Kind == nil:
		m.End = len(f.text)
	case !m.Kind.Cell:
		m.complain(start, "%"+m.Name+" is a line magic: write "+m.Kind.Usage)
	case m.Name == "time", m.Name == "prof":
		if m.Argument < m.ArgumentEnd {
			m.complain(m.Argument, "the cell that %%"+m.Name+" measures begins on the next line; for a statement write %"+m.Name)
		}
	case m.Name == "timeit":
		if m.Statement < m.ArgumentEnd {
			m.complain(m.Statement, "the cell that %%timeit measures begins on the next line; for a statement write %timeit")
		}
		m.Statement, m.StatementEnd = m.End, len(f.text)
	case m.Name == "bash":
		if m.Argument < m.ArgumentEnd {
			m.complain(m.Argument, "the script begins on the next line")
		}
		m.End = len(f.text)
	case m.Kind.mime != "":
		if m.Argument < m.ArgumentEnd {
			m.complain(m.Argument, "the text that %%"+m.Name+" shows begins on the next line")
		}
		m.End = len(f.text)
	case m.Name == "writefile":
		m.End = len(f.text)
	}
	return m
}

// readNamed parses a magic with a name, up to the end of its line.
func (f *magicFinder) readNamed(start int) *Use {
	end := f.line(start)
	name := start
	for name < end && f.text[name] == '%' {
		name++
	}
	after := name
	for i, r := range f.text[name:end] {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		after = name + i + len(string(r))
	}
	m := &Use{Name: f.text[name:after], Start: start, End: end, Argument: f.skip(after, end), ArgumentEnd: end}
	m.Kind = magicNamed(m.Name)
	if m.Kind == nil {
		m.complain(start, unknown(f.text[start:after]))
		return m
	}
	if m.Name == "timeit" {
		m.Statement = f.options(m)
	}
	return m
}

// skip returns the first offset that is not a blank.
func (f *magicFinder) skip(from, end int) int {
	for from < end && (f.text[from] == ' ' || f.text[from] == '\t') {
		from++
	}
	return from
}

// timeItOption matches an option of %timeit.
var timeItOption = regexp.MustCompile(`^-([nr])[ \t]*([0-9]{1,9})(?:[ \t]+|$)`)

// options returns the end of the options of %timeit.
func (f *magicFinder) options(m *Use) int {
	at := m.Argument
	for {
		option := timeItOption.FindString(f.text[at:m.ArgumentEnd])
		if option == "" {
			return at
		}
		at += len(option)
	}
}

// scan searches the text from an offset on, given the lexemes before it and the open brackets.
func (f *magicFinder) scan(from int, before []syntax.Lexeme, open []token.Token) {
	for from < len(f.text) {
		from, before, open = f.statements(from, before, open)
	}
}

// statements searches for the next magic, and returns the state after it.
func (f *magicFinder) statements(from int, before []syntax.Lexeme, open []token.Token) (int, []syntax.Lexeme, []token.Token) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(f.text)-from)
	s.Init(file, f.bytes[from:], func(token.Position, string) {}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(f.text), before, open
		}
		at := from + file.Offset(pos)
		if tok == token.REM && f.misplaced(before, open) && !f.first(from, at, before) {
			m := f.readNamed(at)
			m.fault = ""
			m.complain(at, "a magic must be at the beginning of a line")
			f.add(m)
			f.begun = len(before) + 1
			return m.End, append(before, syntax.Lexeme{Pos: at, Tok: token.SEMICOLON, Lit: "\n"}), open
		}
		if (tok == token.IDENT || at < len(f.text) && strings.IndexByte("%!?", f.text[at]) >= 0) && f.first(from, at, before) && f.begins(before, open) {
			if m := f.magic(at, tok, before, open); m != nil {
				f.add(m)
				f.begun = len(before) + 1
				return m.End, append(before, syntax.Lexeme{Pos: at, Tok: token.SEMICOLON, Lit: "\n"}), open
			}
		}
		if tok == token.NOT && len(open) == 0 {
			if m := f.lines(at, before); m != nil {
				f.add(m)
				f.begun = len(before) + 2
				return m.End, append(before, syntax.Lexeme{Pos: at, Tok: token.IDENT, Lit: "!"}, syntax.Lexeme{Pos: at, Tok: token.SEMICOLON, Lit: "\n"}), open
			}
		}
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if tok == token.LBRACE && !syntax.Block(before) {
				tok = token.LBRACK // of a literal
			}
			open = append(open, tok)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			open = open[:max(0, len(open)-1)]
		}
		if tok != token.SEMICOLON {
			f.seen++
		}
		before = append(before, syntax.Lexeme{Pos: at, Tok: tok, Lit: lit})
		if tok == token.SEMICOLON && len(open) == 0 && !(lit == ";" && syntax.InHeader(before, f.begun, len(before)-1)) {
			f.begun = len(before)
		}
	}
}

// misplaced reports whether a statement begins after the lexemes, so that a percent sign cannot be
// Go.
func (f *magicFinder) misplaced(before []syntax.Lexeme, open []token.Token) bool {
	return len(open) == 0 && len(before) > 0 && before[len(before)-1].Tok == token.SEMICOLON && f.begins(before, open)
}

// begins reports whether a statement begins after the lexemes.
func (f *magicFinder) begins(before []syntax.Lexeme, open []token.Token) bool {
	if len(before) == 0 {
		return true
	}
	inBlock := len(open) > 0 && open[len(open)-1] == token.LBRACE
	if len(open) > 0 && !inBlock {
		return false
	}
	switch last := before[len(before)-1]; last.Tok {
	case token.SEMICOLON:
		return last.Lit != ";" || !inBlock && f.begun == len(before)
	case token.LBRACE, token.COLON:
		return inBlock
	}
	return false
}

// first reports whether an offset after the lexemes is that of the first text on its line.
func (f *magicFinder) first(from, at int, before []syntax.Lexeme) bool {
	if len(before) > 0 {
		// Text that cannot be scanned may be longer in lexemes than in the source.
		from = min(max(from, before[len(before)-1].End(f.text)), at)
	}
	gap := f.text[from:at]
	newline := strings.LastIndexByte(gap, '\n')
	if newline < 0 && from > 0 && f.text[from-1] != '\n' {
		return false
	}
	return strings.TrimLeft(gap[newline+1:], " \t\r") == ""
}

// magic returns the magic at an offset, or nil.
func (f *magicFinder) magic(at int, tok token.Token, before []syntax.Lexeme, open []token.Token) *Use {
	end := f.line(at)
	var m *Use
	asked := asks(f.text[at:end])
	switch {
	case asked != nil && !tok.IsKeyword():
		m = &Use{Kind: &QuestionKind, Start: at, End: end, Argument: at + asked[4], ArgumentEnd: at + asked[5]}
		m.Detail = max(asked[3]-asked[2], asked[7]-asked[6]) - 1
	case f.text[at] == '%':
		m = f.readNamed(at)
		if strings.HasPrefix(f.text[at:], "%%") {
			m.complain(at, "%%"+m.Name+" must be on the first line of a cell")
			break
		}
		if m.Kind != nil && !m.Kind.Line {
			m.complain(at, "%"+m.Name+" is a cell magic: write "+m.Kind.Usage+" on the first line")
		}
		if m.Measures() {
			f.timed(m, before)
		}
	case f.text[at] == '!' && !f.element(at, end, before):
		m = f.command(at, before)
	default:
		return nil
	}
	if len(open) > 0 {
		m.fault = "" // replaces any other fault
		m.complain(at, strings.TrimRight(f.text[at:f.word(at)], " ")+" is inside a block; magics work only outside of blocks")
	}
	return m
}

// element reports whether a line after a bracket can be the beginning of a literal's elements.
func (f *magicFinder) element(at, end int, before []syntax.Lexeme) bool {
	if len(before) == 0 || before[len(before)-1].Tok == token.SEMICOLON {
		return false
	}
	line := f.text[at:end]
	return strings.HasSuffix(line, ",") || strings.Contains(line, "}")
}

// word returns the end of the first word of a magic.
func (f *magicFinder) word(at int) int {
	end := f.line(at)
	if blank := strings.IndexAny(f.text[at:end], " \t"); blank >= 0 {
		return at + blank
	}
	return end
}

// timed finds the statement after %time or %timeit. It may continue over several lines.
func (f *magicFinder) timed(m *Use, before []syntax.Lexeme) {
	if m.Name != "timeit" {
		m.Statement = m.Argument
	}
	m.StatementEnd = m.Statement
	switch {
	case m.Statement == m.ArgumentEnd:
		m.complain(m.Start, "a statement is missing after %"+m.Name)
		return
	case f.text[m.Statement] == '%':
		m.complain(m.Statement, "%"+m.Name+" measures Go, not another magic")
		return
	case f.text[m.Statement] == '!':
		m.Command, m.StatementEnd = true, m.End
		if f.skip(m.Statement+1, m.End) == m.End {
			m.complain(m.Statement, "a command is missing after !")
		}
		f.insert(m, f.skip(m.Statement+1, m.End), m.End, before)
		return
	}
	first := splitFirst(f.bytes[m.Statement:])
	m.End = m.Statement + first.End
	m.StatementEnd = m.End
	if first.Semicolon >= 0 {
		m.End = m.Statement + first.Semicolon + 1
	}
	if first.Kind != syntax.ItemStatement {
		m.complain(m.Statement, "%"+m.Name+" measures statements, not declarations")
	}
	switch tok := first.Lexemes[0].Tok; tok {
	case token.DEFER, token.RETURN, token.BREAK, token.CONTINUE, token.GOTO, token.FALLTHROUGH:
		m.complain(m.Statement, "there is nothing to measure in a "+tok.String()+" statement")
	}
}

// splitFirst returns the first item of a non-empty text. The text after it need not be Go.
func splitFirst(bytes []byte) syntax.Item {
	file := token.NewFileSet().AddFile("", -1, len(bytes))
	var s scanner.Scanner
	s.Init(file, bytes, func(token.Position, string) {}, 0)
	var lexemes []syntax.Lexeme
	depth := 0
	for {
		pos, tok, lit := s.Scan()
		l := syntax.Lexeme{Pos: len(bytes), Tok: tok, Lit: lit}
		if pos.IsValid() {
			l.Pos = file.Offset(pos)
		}
		lexemes = append(lexemes, l)
		last := len(lexemes) - 1
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		ends := tok == token.SEMICOLON && depth <= 0 && !(lit == ";" && syntax.InHeader(lexemes, 0, last))
		if tok != token.EOF && !ends {
			continue
		}
		it := syntax.Item{Semicolon: -1, Lexemes: lexemes}
		if last > 0 {
			it.Kind = syntax.Classify(lexemes[:last])
			it.End = min(lexemes[last-1].End(string(bytes[:l.Pos])), l.Pos)
		}
		if tok == token.SEMICOLON && lit == ";" {
			it.Semicolon = l.Pos
		}
		return it
	}
}
