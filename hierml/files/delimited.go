package files

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
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
	reader *csv.Reader
	bound  *boundedReader
	repair *Faults
	format string // the type whose settings errors name
	titles []string
	row    []string
	line   int   // of the row
	lines  []int // of the rows that next returned
}

// boundedReader bounds what is read for one row.
type boundedReader struct {
	io.Reader
	left int
}

var errLongRow = errors.New("the row is too long")

func (r *boundedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errLongRow
	}
	n, err := r.Reader.Read(p[:min(len(p), r.left)])
	r.left -= n
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
	t.reader = delimitedReader(t.bound, comma)
	switch err := t.nextRow(); { // titles are not repaired
	case errors.Is(err, io.EOF):
		return nil, file.Errorf(1, 0, "no titles; expected a line of them, then rows")
	case err != nil:
		return nil, err
	}
	t.repair = repair
	t.titles = slices.Clone(t.row)
	for i := range t.titles {
		t.titles[i] = strings.TrimSpace(t.titles[i])
	}
	return t, nil
}

// nextRow reads the next row.
func (t *delimited) nextRow() error {
	t.bound.left = textfile.MaxLine
	row, err := t.reader.Read()
	var syntax *csv.ParseError
	switch {
	case err == nil:
		t.line, _ = t.reader.FieldPos(0)
		t.row = row
		return nil
	case errors.Is(err, csv.ErrFieldCount):
		t.line, _ = t.reader.FieldPos(0)
		return t.fault(faultUnreadable, -1, "the row has %s, and there are %s%s", describe.Count(len(row), "field", "fields"), describe.Count(len(t.titles), "title", "titles"), t.leaveOut(len(row)))
	case errors.As(err, &syntax):
		t.line = syntax.StartLine
		return report(t.repair, faultUnreadable, t.file.Errorf(syntax.Line, syntax.Column, "%v; expected fields in quotation marks where they have some, which are doubled", syntax.Err))
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, errLongRow):
		return t.file.Errorf(t.line+1, 0, "the row is longer than %d bytes; does a quotation not end?", textfile.MaxLine)
	}
	if err = t.file.Place(t.line+1, err); isCut(err) {
		if err = report(t.repair, faultCut, err); err == nil {
			err = io.EOF
		}
	}
	return err
}

// leaveOut says what to do about a row with so many fields, unless rows are repaired.
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
		line, at = t.reader.FieldPos(column)
	}
	return report(t.repair, kind, t.file.Errorf(line, at, format, args...))
}

// field returns a field in UTF-8.
func (t *delimited) field(column int) (string, error) {
	text := t.row[column]
	if utf8.ValidString(text) {
		return text, nil
	}
	return strings.ToValidUTF8(text, "\ufffd"), t.fault(faultEncoding, column, "%s is not UTF-8; convert the file", textfile.Quote(text))
}

// noTitles says what to do where the first line does not look like titles: it is a comment, or a
// row.
func (t *delimited) noTitles() string {
	if strings.HasPrefix(t.titles[0], "#") || strings.HasPrefix(t.titles[0], "//") || strings.HasPrefix(t.titles[0], "%") {
		return "a comment, it seems; take it away: the first line has the titles of the columns, and tables have no comments"
	}
	for _, title := range t.titles {
		if _, err := strconv.ParseFloat(title, 64); err == nil {
			return "a row, it seems, as it has the number " + title + "; write the titles of the columns, such as labels,a,b, into a line above it"
		}
	}
	return ""
}

// next returns the next rows, as a tableSource does.
func (t *delimited) next(n int) ([]rawColumn, error) {
	rows := make([]rawColumn, len(t.titles))
	for k, title := range t.titles {
		rows[k].name = title
	}
	t.lines = t.lines[:0]
	recurring := make(map[string]string) // fields that recur share their memory
	for n < 0 || len(t.lines) < n {
		err := t.nextRow()
		if errors.Is(err, io.EOF) {
			break
		}
		for k := 0; err == nil && k < len(t.titles); k++ {
			var text string
			if text, err = t.field(k); err == nil {
				rows[k].words = append(rows[k].words, interned(recurring, strings.TrimSpace(text)))
			}
		}
		if errors.Is(err, errLeftOut) {
			for k := range rows {
				rows[k].words = rows[k].words[:len(t.lines)]
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		t.lines = append(t.lines, t.line)
	}
	if len(t.lines) == 0 {
		return nil, io.EOF
	}
	return rows, nil
}

// interned returns the word, and the same memory for it each time if it is short.
func interned(words map[string]string, word string) string {
	const short, many = 64, 1 << 16
	if len(word) > short {
		return strings.Clone(word)
	}
	if known, ok := words[word]; ok {
		return known
	}
	word = strings.Clone(word)
	if len(words) < many {
		words[word] = word
	}
	return word
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
