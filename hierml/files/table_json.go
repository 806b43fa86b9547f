package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// jsonRows reads the rows of a table from JSON objects.
type jsonRows struct {
	file    *textfile.File
	in      *boundedReader
	list    bool          // of objects, rather than one after the other
	objects jsonObjects   // reads the rows
	decoder *json.Decoder // reads on where objects cannot, and says why
	row     int           // of all rows read, from 1
	first   int           // row of those that next returned
}

func newJSONRows(file *textfile.File, list bool) *jsonRows {
	in := &boundedReader{Reader: file}
	return &jsonRows{file: file, in: in, list: list, objects: jsonObjects{in: in, list: list}}
}

// next returns the next rows, as a tableSource does.
func (j *jsonRows) next(n int) ([]rawColumn, error) {
	t := jsonTable{at: make(map[string]int)}
	j.first = j.row + 1
	for n < 0 || t.rows < n {
		j.in.left = textfile.MaxLine
		if j.decoder == nil {
			if j.objects.next() && t.add(j.objects.fields) {
				j.objects.accept()
				j.row++
				continue
			}
			if err := j.decode(); err != nil {
				return nil, j.place(err)
			}
		}
		if j.list && !j.decoder.More() {
			if _, err := j.decoder.Token(); err != nil {
				return nil, j.place(err)
			}
			break
		}
		var object json.RawMessage
		err := j.decoder.Decode(&object)
		if !j.list && errors.Is(err, io.EOF) {
			break
		}
		j.row++
		if err != nil {
			return nil, j.place(err)
		}
		if !utf8.Valid(object) {
			return nil, j.errorf(t.rows, 0, "the text is not UTF-8; convert the file")
		}
		if what := t.decode(object); what != "" {
			return nil, j.errorf(t.rows, 0, "%s", what)
		}
	}
	if t.rows == 0 {
		return nil, io.EOF
	}
	return t.columns(), nil
}

// decode makes a decoder continue. Within a list, it reads a null instead of the previous objects.
func (j *jsonRows) decode() error {
	rest, before := j.objects.rest(), j.list && j.row > 0
	if before {
		rest = io.MultiReader(strings.NewReader("[null"), rest)
	}
	j.decoder = json.NewDecoder(rest)
	if j.list {
		if _, err := j.decoder.Token(); err != nil {
			return err
		}
	}
	if before {
		return j.decoder.Decode(new(any))
	}
	return nil
}

// place returns an error of reading, at the row.
func (j *jsonRows) place(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return j.file.Errorf(max(j.row, 1), 0, "not JSON: %s; expected one object per row, one after the other or in one list", syntax.Error())
	case errors.Is(err, errLongRow):
		return j.file.Errorf(max(j.row, 1), 0, "the row is longer than %d bytes", textfile.MaxLine)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return j.file.Errorf(max(j.row, 1), 0, "the file ends within a row; it is not complete, copy it again")
	}
	return j.file.Place(max(j.row, 1), err)
}

// errorf returns an error at a row, counted from the first of the file as lines are.
func (j *jsonRows) errorf(row, column int, format string, args ...any) error {
	return j.file.Errorf(max(j.first+row, 1), column, format, args...)
}

// jsonTable collects the fields of objects by columns.
type jsonTable struct {
	rows  int
	at    map[string]int // columns by their names
	all   []jsonColumn
	found []int // columns of the fields of a row
}

// jsonColumn has the values of a column, whose kinds may differ. Those of a kind are nil, or of as
// many rows as the last that has one needs.
type jsonColumn struct {
	name    string
	last    int     // row with a value, from 1
	mixed   [4]bool // whether there are words, numbers, lists, and truth values
	words   packedWords
	numbers []float64
	sets    [][]string
}

const (
	jsonWords = iota
	jsonNumbers
	jsonLists
	jsonTruth
	jsonNull
)

// add adds the fields of an object, unless a name is given twice.
func (t *jsonTable) add(fields []jsonScalar) bool {
	t.found = t.found[:0]
	for k, f := range fields { // mostly they are those of the row before
		if k >= len(t.all) || t.all[k].name != string(f.name) {
			k = t.column(f.name)
		}
		if t.all[k].last > t.rows {
			for _, k := range t.found {
				t.all[k].last = 0
			}
			return false
		}
		t.all[k].last = t.rows + 1
		t.found = append(t.found, k)
	}
	for k, f := range fields {
		t.all[t.found[k]].set(t.rows, f.kind, f.text, f.number, f.list)
	}
	t.rows++
	return true
}

// column returns the column of a name, which may be new.
func (t *jsonTable) column(name []byte) int {
	title := bytes.TrimSpace(name)
	k, known := t.at[string(title)]
	if !known {
		k = len(t.all)
		t.all = append(t.all, jsonColumn{name: string(title)})
		t.at[t.all[k].name] = k
	}
	return k
}

// decode adds a JSON value. It returns a description of its fault, or "".
func (t *jsonTable) decode(object json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return "a row is no JSON object; expected {\"title\": value, ...}"
	}
	for decoder.More() {
		name, err := decoder.Token()
		title, ok := name.(string)
		if err != nil || !ok {
			return "a row is no JSON object; expected {\"title\": value, ...}"
		}
		c := &t.all[t.column([]byte(title))]
		if c.last > t.rows {
			return "the field " + textfile.Quote(c.name) + " is given twice"
		}
		c.last = t.rows + 1
		var value any
		if err := decoder.Decode(&value); err != nil {
			return "the field " + textfile.Quote(c.name) + " cannot be read: " + err.Error()
		}
		if what := c.add(t.rows, value); what != "" {
			return "the field " + textfile.Quote(c.name) + " " + what
		}
	}
	t.rows++
	return ""
}

// add adds the value of a row. It returns what is wrong with it, or "".
func (c *jsonColumn) add(row int, value any) string {
	switch v := value.(type) {
	case nil:
	case string:
		c.set(row, jsonWords, []byte(v), 0, nil)
	case float64:
		c.set(row, jsonNumbers, nil, v, nil)
	case bool:
		c.set(row, jsonTruth, strconv.AppendBool(nil, v), 0, nil)
	case []any:
		words := make([]string, len(v))
		for k, of := range v {
			w, ok := of.(string)
			if !ok {
				return "is a list of values other than words; write them as texts"
			}
			words[k] = w
		}
		c.set(row, jsonLists, nil, 0, words)
	default:
		return "is a JSON object; write each of its parts as a field"
	}
	return ""
}

// set sets the value of a row, which is of a kind.
func (c *jsonColumn) set(row, kind int, text []byte, number float64, list []string) {
	if kind == jsonNull {
		return
	}
	c.mixed[kind] = true
	switch c.fill(row, kind); kind {
	case jsonNumbers:
		c.numbers = append(c.numbers, number)
	case jsonLists:
		c.sets = append(c.sets, appendEach(nil, slices.Values(list)))
	default:
		c.words.add(trimSpace(text))
	}
}

// fill adds missing values of a kind up to a row.
func (c *jsonColumn) fill(row, kind int) {
	switch kind {
	case jsonNumbers:
		for len(c.numbers) < row {
			c.numbers = append(c.numbers, math.NaN())
		}
	case jsonLists:
		c.sets = append(c.sets, make([][]string, row-len(c.sets))...)
	default:
		for c.words.n < row {
			c.words.add(nil)
		}
	}
}

// columns returns the columns, each with the values of one kind.
func (t *jsonTable) columns() []rawColumn {
	columns := make([]rawColumn, len(t.all))
	for k := range t.all {
		c, column := &t.all[k], &columns[k]
		column.name = c.name
		for kind := range c.mixed {
			if c.mixed[kind] || kind == jsonWords {
				c.fill(t.rows, kind)
			}
		}
		switch {
		case c.mixed == [4]bool{jsonLists: true}:
			column.sets = c.sets
		case c.mixed == [4]bool{jsonNumbers: true}:
			column.numbers = c.numbers
		case !c.mixed[jsonLists] && !c.mixed[jsonNumbers]:
			column.packed = &c.words
		default: // words, and what else there is as words
			column.words = c.words.unpack()
			numbers := rawWords(&rawColumn{numbers: c.numbers})
			for row := range column.words {
				switch {
				case c.sets != nil && len(c.sets[row]) > 0:
					column.words[row] = strings.Join(c.sets[row], "|")
				case c.numbers != nil && numbers[row] != "":
					column.words[row] = numbers[row]
				}
			}
		}
	}
	return columns
}

func (j *jsonRows) close() {}
