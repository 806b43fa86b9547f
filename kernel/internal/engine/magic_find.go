package engine

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"unicode"
)

// A magicUse is a magic in the text of a cell, as byte offsets into it.
type magicUse struct {
	kind       *magicKind // nil if there is no such magic
	name       string     // as it is written
	start, end int
	// argument is what follows the name, up to the end of the line without
	// blanks around it; of a question it is what is asked about.
	argument, argumentEnd int
	// statement is the Go behind %time and %timeit; empty if there is none.
	statement, statementEnd int
	// command says that the shell is to run what stands there instead.
	command bool
	whole   bool // the magic is about the whole cell
	detail  int  // that a question asks for
	// after is how much of the cell there was before the magic.
	after int
	// fault says what is wrong with the magic, and faultAt where.
	fault   string
	faultAt int
}

func (m *magicUse) complain(at int, msg string) {
	if m.fault == "" {
		m.fault, m.faultAt = msg, at
	}
}

// mayHoldMagics reports whether a text can have magics at all. It is all that
// they cost a cell without them.
func mayHoldMagics(text string) bool {
	if !strings.ContainsAny(text, "%!?") {
		return false
	}
	if strings.Contains(text, "; %") {
		return true // which is a mistake to be told
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && (strings.IndexByte("%!?", line[0]) >= 0 || strings.HasSuffix(strings.TrimSuffix(line, ";"), "?")) {
			return true
		}
	}
	return false
}

// question is a line that asks about a name, or about a magic.
var question = regexp.MustCompile(`^(\?{0,2})(%{0,2}[\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*)*)(\?{0,2})[ \t]*;?$`)

// asks returns the submatches of a line that is a question, nil if it is none.
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
	found []*magicUse
	// begun is how many lexemes come before the statement at the top that was
	// seen last.
	begun int
	// seen counts what the cell runs as Go: lexemes, and magics that are not
	// the engine's own.
	seen int
}

// findMagics returns the magics of a cell, in order, and how much else there
// is. Text within strings and comments is none, nor is any that can be Go,
// except for an expression at the beginning of a line that begins with !.
func findMagics(text string) ([]*magicUse, int) {
	if !mayHoldMagics(text) {
		return nil, 0
	}
	f := &magicFinder{text: text, bytes: []byte(text)}
	start := 0
	if m := f.whole(); m != nil {
		f.add(m)
		if m.end == len(text) {
			return f.found, f.seen
		}
		start = m.end
		if m.name == "timeit" {
			// What follows stands in a function.
			f.scan(start, []lexeme{{tok: token.FUNC}, {tok: token.LBRACE}}, []token.Token{token.LBRACE})
			return f.found, f.seen
		}
	}
	f.scan(start, nil, nil)
	return f.found, f.seen
}

func (f *magicFinder) add(m *magicUse) {
	m.after = f.seen
	if m.kind == nil || !m.kind.own {
		f.seen++
	}
	f.found = append(f.found, m)
}

// line returns the end of the line that an offset is in, without blanks.
func (f *magicFinder) line(at int) int {
	line, _, _ := strings.Cut(f.text[at:], "\n")
	return at + len(strings.TrimRight(line, " \t\r"))
}

// whole returns the magic that is about the whole cell, nil if there is none.
func (f *magicFinder) whole() *magicUse {
	start := len(f.text) - len(strings.TrimLeft(f.text, " \t\r\n"))
	if !strings.HasPrefix(f.text[start:], "%%") || asks(f.text[start:f.line(start)]) != nil {
		return nil
	}
	m := f.named(start)
	m.whole = true
	switch {
	case m.kind == nil:
		m.end = len(f.text)
	case !m.kind.cell:
		m.complain(start, "%"+m.name+" is the magic of a line: write "+m.kind.usage)
	case m.name == "time":
		if m.argument < m.argumentEnd {
			m.complain(m.argument, "the cell that %%time measures begins on the next line; for a statement write %time")
		}
	case m.name == "timeit":
		if m.statement < m.argumentEnd {
			m.complain(m.statement, "the cell that %%timeit measures begins on the next line; for a statement write %timeit")
		}
		m.statement, m.statementEnd = m.end, len(f.text)
	case m.name == "bash":
		if m.argument < m.argumentEnd {
			m.complain(m.argument, "the script begins on the next line")
		}
		m.end = len(f.text)
	case m.name == "writefile":
		m.end = len(f.text)
	}
	return m
}

// named reads a magic with a name, up to the end of its line.
func (f *magicFinder) named(start int) *magicUse {
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
	m := &magicUse{name: f.text[name:after], start: start, end: end, argument: f.skip(after, end), argumentEnd: end}
	m.kind = magicNamed(m.name)
	if m.kind == nil {
		m.complain(start, unknownMagic(f.text[start:after]))
		return m
	}
	if m.name == "timeit" {
		m.statement = f.options(m)
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

// timeItOption is an option of %timeit.
var timeItOption = regexp.MustCompile(`^-([nr])[ \t]*([0-9]{1,9})(?:[ \t]+|$)`)

// options returns where the options of %timeit end.
func (f *magicFinder) options(m *magicUse) int {
	at := m.argument
	for {
		option := timeItOption.FindString(f.text[at:m.argumentEnd])
		if option == "" {
			return at
		}
		at += len(option)
	}
}

// scan looks at the text from an offset on, which is preceded by lexemes and
// stands in open brackets.
func (f *magicFinder) scan(from int, before []lexeme, open []token.Token) {
	for from < len(f.text) {
		from, before, open = f.statements(from, before, open)
	}
}

// statements looks for the next magic, and returns the state behind it.
func (f *magicFinder) statements(from int, before []lexeme, open []token.Token) (int, []lexeme, []token.Token) {
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
			m := f.named(at)
			m.fault = ""
			m.complain(at, "a magic stands at the beginning of a line")
			f.add(m)
			f.begun = len(before) + 1
			return m.end, append(before, lexeme{at, token.SEMICOLON, "\n"}), open
		}
		if (tok == token.IDENT || at < len(f.text) && strings.IndexByte("%!?", f.text[at]) >= 0) && f.first(from, at, before) && f.begins(before, open) {
			if m := f.magic(at, tok, before, open); m != nil {
				f.add(m)
				f.begun = len(before) + 1
				return m.end, append(before, lexeme{at, token.SEMICOLON, "\n"}), open
			}
		}
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if tok == token.LBRACE && !block(before) {
				tok = token.LBRACK // of a literal
			}
			open = append(open, tok)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			open = open[:max(0, len(open)-1)]
		}
		if tok != token.SEMICOLON {
			f.seen++
		}
		before = append(before, lexeme{at, tok, lit})
		if tok == token.SEMICOLON && len(open) == 0 && !(lit == ";" && inHeader(before, f.begun, len(before)-1)) {
			f.begun = len(before)
		}
	}
}

// misplaced reports whether what follows the lexemes begins a statement, so
// that a percent sign cannot be Go.
func (f *magicFinder) misplaced(before []lexeme, open []token.Token) bool {
	return len(open) == 0 && len(before) > 0 && before[len(before)-1].tok == token.SEMICOLON && f.begins(before, open)
}

// begins reports whether what follows the lexemes begins a statement.
func (f *magicFinder) begins(before []lexeme, open []token.Token) bool {
	if len(before) == 0 {
		return true
	}
	inBlock := len(open) > 0 && open[len(open)-1] == token.LBRACE
	if len(open) > 0 && !inBlock {
		return false
	}
	switch last := before[len(before)-1]; last.tok {
	case token.SEMICOLON:
		return last.lit != ";" || !inBlock && f.begun == len(before)
	case token.LBRACE, token.COLON:
		return inBlock
	}
	return false
}

// first reports whether an offset, behind the lexemes, is that of the first
// text on its line.
func (f *magicFinder) first(from, at int, before []lexeme) bool {
	if len(before) > 0 {
		// What cannot be scanned may be longer in words than in the text.
		from = min(max(from, before[len(before)-1].end(f.text)), at)
	}
	gap := f.text[from:at]
	newline := strings.LastIndexByte(gap, '\n')
	if newline < 0 && from > 0 && f.text[from-1] != '\n' {
		return false
	}
	return strings.TrimLeft(gap[newline+1:], " \t\r") == ""
}

// magic returns the magic that begins at an offset, nil if there is none.
func (f *magicFinder) magic(at int, tok token.Token, before []lexeme, open []token.Token) *magicUse {
	end := f.line(at)
	var m *magicUse
	asked := asks(f.text[at:end])
	switch {
	case asked != nil && !tok.IsKeyword():
		m = &magicUse{kind: &questionKind, start: at, end: end, argument: at + asked[4], argumentEnd: at + asked[5]}
		m.detail = max(asked[3]-asked[2], asked[7]-asked[6]) - 1
	case f.text[at] == '%':
		m = f.named(at)
		if strings.HasPrefix(f.text[at:], "%%") {
			m.complain(at, "%%"+m.name+" begins a cell: it stands on the first line")
			break
		}
		if m.kind != nil && !m.kind.line {
			m.complain(at, "%"+m.name+" is the magic of a cell: write "+m.kind.usage+" on the first line")
		}
		if m.name == "time" || m.name == "timeit" {
			f.timed(m)
		}
	case f.text[at] == '!' && !f.element(at, end, before):
		for strings.HasSuffix(f.text[at:end], "\\") {
			newline := strings.IndexByte(f.text[end:], '\n')
			if newline < 0 {
				break
			}
			end = f.line(end + newline + 1)
		}
		m = &magicUse{kind: &shellKind, start: at, end: end, argument: f.skip(at+1, end), argumentEnd: end}
		if m.argument == end {
			m.complain(at, "a command is missing behind !")
		}
	default:
		return nil
	}
	if len(open) > 0 {
		m.fault = "" // whatever else is wrong
		m.complain(at, strings.TrimRight(f.text[at:f.word(at)], " ")+" stands in a block; magics work only at the top of a cell")
	}
	return m
}

// element reports whether a line that begins behind a bracket can be the
// beginning of a literal's elements.
func (f *magicFinder) element(at, end int, before []lexeme) bool {
	if len(before) == 0 || before[len(before)-1].tok == token.SEMICOLON {
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

// timed finds the statement behind %time or %timeit. It may go on for several
// lines.
func (f *magicFinder) timed(m *magicUse) {
	if m.name == "time" {
		m.statement = m.argument
	}
	m.statementEnd = m.statement
	switch {
	case m.statement == m.argumentEnd:
		m.complain(m.start, "a statement is missing behind %"+m.name)
		return
	case f.text[m.statement] == '%':
		m.complain(m.statement, "%"+m.name+" measures Go, not another magic")
		return
	case f.text[m.statement] == '!':
		m.command, m.statementEnd = true, m.end
		if f.skip(m.statement+1, m.end) == m.end {
			m.complain(m.statement, "a command is missing behind !")
		}
		return
	}
	first := splitFirst(f.bytes[m.statement:])
	m.end = m.statement + first.end
	m.statementEnd = m.end
	if first.semicolon >= 0 {
		m.end = m.statement + first.semicolon + 1
	}
	if first.kind != itemStatement {
		m.complain(m.statement, "%"+m.name+" measures statements, not declarations")
	}
	switch tok := lex(f.text[m.statement:m.statementEnd])[0].tok; tok {
	case token.DEFER, token.RETURN, token.BREAK, token.CONTINUE, token.GOTO, token.FALLTHROUGH:
		m.complain(m.statement, "there is nothing to measure in a "+tok.String()+" statement")
	}
}

// splitFirst returns the first item of a text, which is not empty. What comes
// behind it need not be Go.
func splitFirst(bytes []byte) item {
	file := token.NewFileSet().AddFile("", -1, len(bytes))
	var s scanner.Scanner
	s.Init(file, bytes, func(token.Position, string) {}, 0)
	var lexemes []lexeme
	depth := 0
	for {
		pos, tok, lit := s.Scan()
		l := lexeme{len(bytes), tok, lit}
		if pos.IsValid() {
			l.pos = file.Offset(pos)
		}
		lexemes = append(lexemes, l)
		last := len(lexemes) - 1
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		ends := tok == token.SEMICOLON && depth <= 0 && !(lit == ";" && inHeader(lexemes, 0, last))
		if tok != token.EOF && !ends {
			continue
		}
		it := item{semicolon: -1}
		if last > 0 {
			it.kind = classify(lexemes[:last])
			// Only the end of the last lexeme needs the text.
			it.end = min(lexemes[last-1].end(""), l.pos)
		}
		if tok == token.SEMICOLON && lit == ";" {
			it.semicolon = l.pos
		}
		return it
	}
}
