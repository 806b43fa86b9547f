package files

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
)

// delimited reads rows of fields with a separator between them, below a line of titles.
type delimited struct {
	file   *textfile.File
	in     *bufio.Reader // that the reader reads, too
	reader *csv.Reader
	bound  *boundedReader
	repair *Faults
	format string // the type whose settings errors name
	titles []string
	fields [][]byte // of the row, valid until the next one is read
	valid  bool     // the fields are known to be UTF-8
	line   int      // of the row
	lines  []int    // of the rows that next returned

	simple bool  // simpleRow has read the row
	starts []int // and its fields begin there
	passed int   // lines that it has read, which the reader does not count
	last   int   // line of those that the reader counts on which its last row ends
}

// boundedReader bounds the bytes read for one row. After an error of the reader it returns only
// that error.
type boundedReader struct {
	io.Reader
	left int
	err  error
}

var errLongRow = errors.New("the row is too long")

func (r *boundedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errLongRow
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.Reader.Read(p[:min(len(p), r.left)])
	r.left -= n
	r.err = err
	return n, err
}

// delimitedReader returns what reads the fields.
func delimitedReader(r io.Reader, comma rune) *csv.Reader {
	rows := csv.NewReader(r)
	rows.ReuseRecord = true
	if comma != 0 {
		rows.Comma = comma
	}
	return rows
}

// openDelimited reads the titles.
func openDelimited(file *textfile.File, comma rune, repair *Faults, format string) (*delimited, error) {
	t := &delimited{file: file, bound: &boundedReader{Reader: file}, format: format, line: 1}
	t.in = bufio.NewReaderSize(t.bound, 1<<18)
	t.reader = delimitedReader(t.in, comma) // takes no other buffer
	switch err := t.nextRow(); {            // titles are not repaired
	case errors.Is(err, io.EOF):
		return nil, file.Errorf(1, 0, "no titles; expected a line of them, then rows")
	case err != nil:
		return nil, err
	}
	t.repair = repair
	for _, title := range t.fields {
		t.titles = append(t.titles, strings.TrimSpace(string(title)))
	}
	return t, nil
}

// nextRow reads the next row.
func (t *delimited) nextRow() error {
	t.bound.left = textfile.MaxLine
	if t.simple = t.simpleRow(); t.simple {
		return nil
	}
	row, err := t.reader.Read()
	var syntax *csv.ParseError
	if err == nil || errors.Is(err, csv.ErrFieldCount) {
		t.line, _ = t.place(0)
		last, _ := t.reader.FieldPos(len(row) - 1)
		t.last = last + strings.Count(row[len(row)-1], "\n")
	}
	switch {
	case err == nil:
		t.fields, t.valid = t.fields[:0], false
		for _, field := range row {
			t.fields = append(t.fields, []byte(field))
		}
		return nil
	case errors.Is(err, csv.ErrFieldCount):
		return t.fault(faultUnreadable, -1, "the row has %s, and there are %s%s", describe.Count(len(row), "field", "fields"), describe.Count(len(t.titles), "title", "titles"), t.leaveOut(len(row)))
	case errors.As(err, &syntax):
		t.line, t.last = syntax.StartLine+t.passed, syntax.Line
		return report(t.repair, faultUnreadable, t.file.Errorf(syntax.Line+t.passed, syntax.Column, "%v; put fields that contain quotation marks into quotation marks, and double those inside", syntax.Err))
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, errLongRow):
		return t.file.Errorf(t.line+1, 0, "the row is longer than %d bytes; look for a quotation that does not end", textfile.MaxLine)
	}
	if err = t.file.Place(t.line+1, err); isCut(err) {
		if err = report(t.repair, faultCut, err); err == nil {
			err = io.EOF
		}
	}
	return err
}

// simpleRow reads the next row if it is a whole line of the buffer with the right number of fields,
// in whose quotations no quotation marks are. It reads them as the reader does, in less time, and
// leaves all others to it.
func (t *delimited) simpleRow() bool {
	if t.titles == nil || t.reader.Comma >= utf8.RuneSelf {
		return false
	}
	text, _ := t.in.Peek(t.in.Buffered())
	end := bytes.IndexByte(text, '\n')
	if end < 0 {
		_, _ = t.in.Peek(min(len(text)+1, t.in.Size())) // reads more; the bounded reader keeps the error
		text, _ = t.in.Peek(t.in.Buffered())
		if end = bytes.IndexByte(text, '\n'); end < 0 {
			return false
		}
	}
	line, comma := text[:end], byte(t.reader.Comma)
	if end > 0 && line[end-1] == '\r' {
		line = line[:end-1]
	}
	if len(line) == 0 {
		return false
	}
	quoted := bytes.IndexByte(line, '"') >= 0
	fields, starts := t.fields[:0], t.starts[:0]
	for at, more := 0, true; more; {
		starts = append(starts, at)
		if quoted && at < len(line) && line[at] == '"' {
			length := bytes.IndexByte(line[at+1:], '"')
			if length < 0 {
				return false
			}
			fields = append(fields, line[at+1:at+1+length])
			at += length + 2
			if more = at < len(line); more && line[at] != comma {
				return false
			}
			at++
			continue
		}
		field := line[at:]
		length := bytes.IndexByte(field, comma)
		if more = length >= 0; more {
			field = field[:length]
		}
		if quoted && bytes.IndexByte(field, '"') >= 0 {
			return false
		}
		fields = append(fields, field)
		at += length + 1
	}
	t.fields, t.starts = fields, starts
	if len(fields) != len(t.titles) {
		return false
	}
	if _, err := t.in.Discard(end + 1); err != nil {
		return false
	}
	t.passed++
	t.line, t.valid = t.last+t.passed, utf8.Valid(line)
	return true
}

// place returns line and column of a field of the row.
func (t *delimited) place(column int) (line, at int) {
	if t.simple {
		return t.line, t.starts[column] + 1
	}
	line, at = t.reader.FieldPos(column)
	return line + t.passed, at
}

// leaveOut returns advice for a row with the given number of fields, unless rows are repaired.
func (t *delimited) leaveOut(fields int) string {
	out := "leave such rows out and count them: " + t.format + "{Repair: &files.Faults{}}"
	switch {
	case t.repair != nil:
		return ""
	case fields < len(t.titles):
		return "; give it one for each title, or " + out
	}
	separator := "a comma"
	if c := t.reader.Comma; c != ',' {
		separator = fmt.Sprintf("%q", c)
	}
	return "; put text that has " + separator + " into quotation marks, or " + out
}

// fault reports a fault of a field of the row, or of the row for -1.
func (t *delimited) fault(kind faultKind, column int, format string, args ...any) error {
	line, at := t.line, 0
	if column >= 0 {
		line, at = t.place(column)
	}
	return report(t.repair, kind, t.file.Errorf(line, at, format, args...))
}

// field returns a field in UTF-8, valid until the next row is read.
func (t *delimited) field(column int) ([]byte, error) {
	text := t.fields[column]
	if t.valid || utf8.Valid(text) {
		return text, nil
	}
	return bytes.ToValidUTF8(text, []byte("\ufffd")), t.fault(faultEncoding, column, "%s is not UTF-8; convert the file", textfile.Quote(string(text)))
}

// noTitles returns advice if the first line does not look like titles but like a comment or a row.
func (t *delimited) noTitles() string {
	if strings.HasPrefix(t.titles[0], "#") || strings.HasPrefix(t.titles[0], "//") || strings.HasPrefix(t.titles[0], "%") {
		return "probably a comment; remove it: the first line has the titles of the columns, and tables have no comments"
	}
	for _, title := range t.titles {
		if _, err := strconv.ParseFloat(title, 64); err == nil {
			return "probably a row, because it has the number " + title + "; add a line above it with the titles of the columns, such as labels,a,b"
		}
	}
	return ""
}

// next returns the next rows, as a tableSource does.
func (t *delimited) next(n int) ([]rawColumn, error) {
	rows := make([]rawColumn, len(t.titles))
	for k, title := range t.titles {
		rows[k] = rawColumn{name: title, packed: new(packedWords)}
	}
	t.lines = t.lines[:0]
	for n < 0 || len(t.lines) < n {
		err := t.nextRow()
		if errors.Is(err, io.EOF) {
			break
		}
		for k := 0; err == nil && !t.valid && k < len(t.fields); k++ {
			t.fields[k], err = t.field(k)
		}
		if errors.Is(err, errLeftOut) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for k, field := range t.fields {
			rows[k].packed.add(trimSpace(field))
		}
		t.lines = append(t.lines, t.line)
	}
	if len(t.lines) == 0 {
		return nil, io.EOF
	}
	return rows, nil
}

// trimSpace is bytes.TrimSpace, in less time for words without blanks around them.
func trimSpace(word []byte) []byte {
	if len(word) == 0 {
		return word
	}
	if first, last := word[0], word[len(word)-1]; first > ' ' && first < utf8.RuneSelf && last > ' ' && last < utf8.RuneSelf {
		return word
	}
	return bytes.TrimSpace(word)
}

// errorf returns an error at the line of a row, and at that of the titles for -1.
func (t *delimited) errorf(row, column int, format string, args ...any) error {
	line := 1
	if row >= 0 && row < len(t.lines) {
		line = t.lines[row]
	}
	return t.file.Errorf(line, column, format, args...)
}

func (t *delimited) close() {}

// foundTitles lists the existing titles when one is missing.
func foundTitles(titles []string) string {
	return "(found: " + textfile.Quote(strings.Join(titles, ", ")) + ")"
}

// nearestTitle returns the title that another one is likely to stand for, or nothing: it differs
// in case only, or one has the other within.
func nearestTitle(titles []string, title string) string {
	lower := strings.ToLower(strings.TrimSuffix(title, "s"))
	within := ""
	for _, other := range titles {
		switch l := strings.ToLower(other); {
		case strings.EqualFold(title, other):
			return other
		case !plainTitle(other):
		case within == "" && len(l) > 2 && len(lower) > 2 && (strings.Contains(l, lower) || strings.Contains(lower, l)):
			within = other
		}
	}
	return within
}

// plainTitle reports whether a title can be repeated in a message: it is in one line, and short.
func plainTitle(title string) bool {
	return title != "" && len(title) <= 60 && !strings.ContainsFunc(title, unicode.IsControl)
}
