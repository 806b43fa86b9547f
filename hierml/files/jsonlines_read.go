package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/progress"
)

// jsonParser turns the objects of a file into documents.
type jsonParser struct {
	JSONLines
	file   *textfile.File
	next   func() error // reads the next object, or returns io.EOF
	labels *labeler

	expected     string // of the file
	object       []byte
	line, column int // where it begins
	fields       []jsonField

	documents int
	without   int      // documents that lack the field of the labels
	grouped   bool     // a document has the field of the groups
	seen      []string // fields of the first document
}

// jsonField is a field of an object.
type jsonField struct {
	name  string
	value []byte // JSON without blanks around it
	at    int    // where the value begins in the object
}

// named returns the settings with the names of the fields that are not set, but for Labels.
func (s JSONLines) named() JSONLines {
	if len(s.Text) == 0 {
		s.Text = []string{"text"}
	}
	s.ID, s.Part = orElse(s.ID, "id"), orElse(s.Part, "split")
	return s
}

// open detects whether the file is a list or has one object per line.
func (s JSONLines) open(ctx context.Context, r io.Reader, name string, l *labeler) (*jsonParser, error) {
	file, err := textfile.Open(textfile.WithContext(ctx, r), name, syntaxError)
	if err != nil {
		return nil, err
	}
	p := &jsonParser{JSONLines: s.named(), file: file, labels: l}
	l.written = pathsOf("JSONLines", s.PathSeparator)
	l.errorf = func(column int, format string, args ...any) error { return p.errorf(column-1, format, args...) }
	head, err := file.Peek(4096)
	if err != nil && len(head) == 0 && !errors.Is(err, io.EOF) && !isCut(err) {
		return nil, file.Place(1, err)
	}
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("[")) {
		p.expected = "a list of objects"
		p.next = (&jsonList{jsonParser: p, in: bufio.NewReaderSize(file, 1<<16), at: jsonPlace{1, 1}}).next
		return p, nil
	}
	p.expected = "one object per line"
	lines, err := textfile.NewLines(file, name, syntaxError)
	if err != nil {
		return nil, err
	}
	p.next = func() error {
		for {
			line, err := lines.Next()
			if isCut(err) {
				if err = report(p.Repair, faultCut, err); err == nil {
					err = io.EOF
				}
			}
			if err != nil {
				return err
			}
			if len(bytes.TrimSpace(line)) > 0 {
				p.object, p.line, p.column = line, lines.Line(), 1
				return nil
			}
		}
	}
	return p, nil
}

// end returns the error of a file without documents, or without the field of the labels that it
// should have, and notes what else was not found.
func (p *jsonParser) end(ctx context.Context) error {
	if p.documents == 0 {
		return &SyntaxError{File: p.file.Name(), Line: 1, Msg: `no documents; expected lines of {"id": ..., "labels": [...], "text": ...}`}
	}
	if p.Group != "" && !p.grouped {
		return &SyntaxError{File: p.file.Name(), Line: 1, Msg: fmt.Sprintf("no document has a field %s (found: %s). Set JSONLines{Group: \"...\"} or add the field", textfile.Quote(p.Group), describeFields(p.seen))}
	}
	if p.without == 0 {
		return nil
	}
	name := `"labels" or "label"`
	if p.Labels != "" {
		name = textfile.Quote(p.Labels)
	}
	if p.without < p.documents {
		progress.Note(ctx, fmt.Sprintf("%s: %s of %d lack the field %s and have no labels", p.file.Name(), describe.Count(p.without, "document", "documents"), p.documents, name))
		return nil
	}
	msg := fmt.Sprintf("no document has a field %s (found: %s). Set JSONLines{Labels: \"...\"} or add the field", name, describeFields(p.seen))
	if p.Labels != "" || p.labels.taxonomy == nil {
		return &SyntaxError{File: p.file.Name(), Line: 1, Msg: msg + ". To read documents without labels, leave Labels empty and pass the taxonomy of the training data"}
	}
	progress.Note(ctx, p.file.Name()+": "+msg+". The documents are read without labels.")
	return nil
}

// describeFields returns the names of fields for a message.
func describeFields(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return textfile.Quote(strings.Join(names, ", "))
}

// errorf returns the error at a byte of the object, from 0, or of the whole for -1.
func (p *jsonParser) errorf(at int, format string, args ...any) error {
	if at < 0 {
		return p.file.Errorf(p.line, 0, format, args...)
	}
	before := p.object[:min(at, len(p.object))]
	line, column := p.line, p.column+at
	if last := bytes.LastIndexByte(before, '\n'); last >= 0 {
		line += bytes.Count(before, []byte{'\n'})
		column = at - last
	}
	return p.file.Errorf(line, column, format, args...)
}

func (p *jsonParser) fault(kind faultKind, at int, format string, args ...any) error {
	return report(p.Repair, kind, p.errorf(at, format, args...))
}

// document makes a document of the object.
func (p *jsonParser) document() (dataset.Document, error) {
	d := dataset.Document{}
	if err := p.split(); err != nil {
		return d, err
	}
	if p.seen == nil {
		for _, f := range p.fields {
			p.seen = append(p.seen, f.name)
		}
	}
	var err error
	if d.ID, _, err = p.text(p.find(p.ID)); err != nil {
		return d, err
	}
	if d.ID == "" {
		d.ID = fmt.Sprint(p.line)
	}
	if d.Part, _, err = p.text(p.find(p.Part)); err != nil {
		return d, err
	}
	if p.Group != "" {
		group := p.find(p.Group)
		p.grouped = p.grouped || group != nil
		if d.Group, _, err = p.text(group); err != nil {
			return d, err
		}
	}
	if d.Text, err = p.texts(); err != nil {
		return d, err
	}
	p.documents++
	labels := p.find(orElse(p.Labels, "labels"))
	if labels == nil && p.Labels == "" {
		labels = p.find("label")
	}
	if labels == nil {
		p.without++
	}
	d.Labels, err = p.nodes(labels)
	return d, err
}

// texts returns the text of the fields that have it.
func (p *jsonParser) texts() (string, error) {
	var parts []string
	for _, name := range p.Text {
		f := p.find(name)
		if f == nil {
			return "", p.fault(faultUnreadable, -1, "the field %s is missing; the fields are %s. Name the fields of the text, as in JSONLines{Text: []string{%q}}",
				textfile.Quote(name), describeFields(p.names()), p.example())
		}
		part, ok, err := p.text(f)
		if err != nil {
			return "", err
		}
		if ok {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "", p.fault(faultUnreadable, p.find(p.Text[0]).at, "the text is null; leave such documents out and count them: JSONLines{Repair: &files.Faults{}}")
	}
	text := strings.Join(parts, "\n")
	if p.Repair != nil && strings.TrimSpace(text) == "" {
		return text, p.fault(faultEmptyText, -1, "the document has no text")
	}
	return text, nil
}

func (p *jsonParser) names() []string {
	var names []string
	for _, f := range p.fields {
		names = append(names, f.name)
	}
	return names
}

// example returns the name of the field that looks most like a text: the longest string.
func (p *jsonParser) example() string {
	name, length := "…", 0
	for _, f := range p.fields {
		if f.value[0] == '"' && len(f.value) > length && plainTitle(f.name) && f.name != p.Labels && f.name != "label" {
			name, length = f.name, len(f.value)
		}
	}
	return name
}

// find returns the field of the name, the last of several, or nil.
func (p *jsonParser) find(name string) *jsonField {
	for i := len(p.fields) - 1; i >= 0; i-- {
		if p.fields[i].name == name {
			return &p.fields[i]
		}
	}
	return nil
}

// text returns the string of a field; it is not ok where it is null, or f is nil.
func (p *jsonParser) text(f *jsonField) (text string, ok bool, err error) {
	if f == nil || f.value[0] == 'n' {
		return "", false, nil
	}
	text, ok = jsonText(f.value)
	if !ok {
		return "", false, p.fault(faultUnreadable, f.at, "the field %s is a JSON %s; expected a string%s", textfile.Quote(f.name), jsonKind(f.value), pandasHint(f.value))
	}
	return text, true, nil
}

// nodes returns the labels of a field, which may be nil.
func (p *jsonParser) nodes(f *jsonField) ([]int, error) {
	if f == nil || f.value[0] == 'n' || string(f.value) == `""` {
		return p.labels.finish(nil, false)
	}
	var nodes []int
	given := false
	add := func(value []byte, at int) error {
		label, ok := jsonText(value)
		if !ok {
			return p.fault(faultUnreadable, at, "the field %s has a label that is a JSON %s; expected a string, a number, or a list of them%s", textfile.Quote(f.name), jsonKind(value), pandasHint(value))
		}
		given = true
		var err error
		nodes, err = p.labels.add(nodes, label, at+1)
		return err
	}
	if f.value[0] != '[' {
		if err := add(f.value, f.at); err != nil {
			return nil, err
		}
		return p.labels.finish(nodes, given)
	}
	for at := jsonBlank(f.value, 1); f.value[at] != ']'; {
		end := jsonValue(f.value, at)
		if err := add(f.value[at:end], f.at+at); err != nil {
			return nil, err
		}
		if at = jsonBlank(f.value, end); f.value[at] == ',' {
			at = jsonBlank(f.value, at+1)
		}
	}
	return p.labels.finish(nodes, given)
}

// split finds the fields of the object.
func (p *jsonParser) split() error {
	for at, valid := 0, utf8.Valid(p.object); at < len(p.object) && !valid; {
		r, size := utf8.DecodeRune(p.object[at:])
		if r == utf8.RuneError && size == 1 {
			if err := p.fault(faultEncoding, at, "byte %#02x is not UTF-8", p.object[at]); err != nil {
				return err
			}
			break // json replaces them
		}
		at += size
	}
	if !json.Valid(p.object) {
		err := json.Unmarshal(p.object, new(any))
		at := -1
		if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
			at = int(syntax.Offset) - 1
		}
		return p.fault(faultUnreadable, at, "not JSON: %v; expected %s", err, p.expected)
	}
	at := jsonBlank(p.object, 0)
	if p.object[at] != '{' {
		return p.fault(faultUnreadable, at, "the document is a JSON %s; expected an object", jsonKind(p.object[at:]))
	}
	p.fields = p.fields[:0]
	for at = jsonBlank(p.object, at+1); p.object[at] != '}'; {
		end := jsonValue(p.object, at)
		name, _ := jsonText(p.object[at:end])
		at = jsonBlank(p.object, jsonBlank(p.object, end)+1) // behind the colon
		end = jsonValue(p.object, at)
		p.fields = append(p.fields, jsonField{name: name, value: p.object[at:end], at: at})
		if at = jsonBlank(p.object, end); p.object[at] == ',' {
			at = jsonBlank(p.object, at+1)
		}
	}
	return nil
}

// jsonBlank returns the position of the next byte, from at, that is no blank of JSON.
func jsonBlank(text []byte, at int) int {
	for at < len(text) && text[at] <= ' ' && strings.IndexByte(" \t\r\n", text[at]) >= 0 {
		at++
	}
	return at
}

// jsonValue returns the end of the value that begins at the position of valid JSON.
func jsonValue(text []byte, at int) int {
	for depth := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			for at++; ; at++ {
				at += bytes.IndexByte(text[at:], '"')
				before := len(bytes.TrimRight(text[:at], `\`))
				if (at-before)%2 == 0 {
					break // no backslash stands for the mark
				}
			}
			if depth == 0 {
				return at + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return at // behind a word or a number
			}
			if depth == 0 {
				return at + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return at
			}
		}
	}
	return at
}

// jsonText returns a string, or the text of a number or a truth value.
func jsonText(value []byte) (string, bool) {
	switch value[0] {
	case '{', '[', 'n':
		return "", false
	case '"':
		if inner := value[1 : len(value)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
			return string(inner), true
		}
		var text string
		err := json.Unmarshal(value, &text)
		return text, err == nil
	}
	return string(value), true
}

// jsonKind says what a value is.
func jsonKind(value []byte) string {
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "list"
	case '"':
		return "string"
	case 'n':
		return "null"
	case 't', 'f':
		return "truth value"
	}
	return "number"
}

// pandasHint returns advice for an object that pandas writes instead of a column.
func pandasHint(value []byte) string {
	if value[0] != '{' {
		return ""
	}
	return `; in pandas, use to_json(orient="records", lines=True)`
}

// jsonPlace is a line and a column, from 1.
type jsonPlace struct{ line, column int }

// jsonList reads a list of objects one after the other.
type jsonList struct {
	*jsonParser
	in     *bufio.Reader
	at     jsonPlace // of the next byte
	inside bool      // behind the first bracket
	some   bool      // behind an object
	buffer []byte
}

var errListEnds = errors.New("the list ends")

// next reads the next object with any fields.
func (l *jsonList) next() error {
	c, err := l.skip()
	if err == nil && !l.inside { // the bracket that open has seen
		l.inside = true
		c, err = l.skip()
	}
	if err == nil && l.some && c == ',' {
		if c, err = l.skip(); err == nil && c == ']' {
			return l.wrong("there is a comma before the end of the list")
		}
	} else if err == nil && l.some && c != ']' {
		return l.wrong("%q follows an object of the list; expected a comma or the end", c)
	}
	if err == nil && c == ']' {
		if c, err = l.skip(); err == nil {
			return l.wrong("%q follows the list of the documents", c)
		}
		if errors.Is(err, errListEnds) {
			return io.EOF
		}
	}
	if err == nil && c != '{' {
		return l.wrong("the list has an entry that is not an object; expected [{...}, {...}]")
	}
	if err == nil {
		err = l.read()
	}
	if errors.Is(err, errListEnds) {
		return l.wrong("the file ends within the list of the documents; it is not complete, copy it again")
	}
	if isCut(err) {
		if err = report(l.Repair, faultCut, err); err == nil {
			err = io.EOF
		}
	}
	l.some = true
	return err
}

// wrong returns an error at the byte read last.
func (l *jsonList) wrong(format string, args ...any) error {
	return l.file.Errorf(l.at.line, max(l.at.column-1, 1), format, args...)
}

// byte reads a byte.
func (l *jsonList) byte() (byte, error) {
	c, err := l.in.ReadByte()
	switch {
	case errors.Is(err, io.EOF):
		return 0, errListEnds
	case err != nil:
		return 0, l.file.Place(l.at.line, err)
	case c == '\n':
		l.at = jsonPlace{l.at.line + 1, 1}
	default:
		l.at.column++
	}
	return c, nil
}

// skip reads the next byte that is no blank.
func (l *jsonList) skip() (byte, error) {
	for {
		c, err := l.byte()
		if err != nil || jsonBlank([]byte{c}, 0) == 0 {
			return c, err
		}
	}
}

// read reads an object up to its brace, behind the first one.
func (l *jsonList) read() error {
	l.line, l.column = l.at.line, l.at.column-1
	l.buffer = append(l.buffer[:0], '{')
	depth, quoted := 1, false
	for depth > 0 {
		c, err := l.byte()
		if err != nil {
			return err
		}
		if l.buffer = append(l.buffer, c); len(l.buffer) > textfile.MaxLine {
			return l.file.Errorf(l.line, l.column, "the object has more than %d bytes; check that this is a list of documents", textfile.MaxLine)
		}
		switch {
		case quoted && c == '\\':
			if c, err = l.byte(); err != nil {
				return err
			}
			l.buffer = append(l.buffer, c)
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	l.object = l.buffer
	return nil
}
