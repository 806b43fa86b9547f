package files

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// jsonRows reads the rows of a table from JSON objects.
type jsonRows struct {
	file    *textfile.File
	decoder *json.Decoder
	list    bool // of objects, rather than one after the other
	begun   bool
	row     int // of all rows read, from 1
	first   int // row of those that next returned
	in      *boundedReader
}

func newJSONRows(file *textfile.File, list bool) *jsonRows {
	in := &boundedReader{Reader: file}
	return &jsonRows{file: file, decoder: json.NewDecoder(in), list: list, in: in}
}

// next returns the next rows, as a tableSource does.
func (j *jsonRows) next(n int) ([]rawColumn, error) {
	if j.in.left = textfile.MaxLine; j.list && !j.begun {
		if _, err := j.decoder.Token(); err != nil {
			return nil, j.place(err)
		}
		j.begun = true
	}
	t := jsonTable{at: make(map[string]int)}
	j.first = j.row + 1
	for n < 0 || t.rows < n {
		j.in.left = textfile.MaxLine
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
		if what := t.add(object); what != "" {
			return nil, j.errorf(t.rows, 0, "%s", what)
		}
	}
	if t.rows == 0 {
		return nil, io.EOF
	}
	return t.columns(), nil
}

// place returns an error of reading, at the row.
func (j *jsonRows) place(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return j.file.Errorf(max(j.row, 1), 0, "not JSON: %s; expected one object a row, one after the other or in one list", syntax.Error())
	case errors.Is(err, errLongRow):
		return j.file.Errorf(max(j.row, 1), 0, "the row is longer than %d bytes", textfile.MaxLine)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return j.file.Errorf(max(j.row, 1), 0, "the file ends within a row; is it whole?")
	}
	return j.file.Place(max(j.row, 1), err)
}

// errorf returns an error at a row, counted from the first of the file as lines are.
func (j *jsonRows) errorf(row, column int, format string, args ...any) error {
	return j.file.Errorf(max(j.first+row, 1), column, format, args...)
}

// jsonTable collects the fields of objects by columns.
type jsonTable struct {
	rows int
	at   map[string]int // columns by their names
	all  []jsonColumn
}

// jsonColumn has the values of a column, whose kinds may differ.
type jsonColumn struct {
	rawColumn
	mixed [4]bool // whether there are words, numbers, lists, and truth values
}

const (
	jsonWords = iota
	jsonNumbers
	jsonLists
	jsonTruth
)

// add adds an object. It returns what is wrong with it, or "".
func (t *jsonTable) add(object json.RawMessage) string {
	decoder := json.NewDecoder(strings.NewReader(string(object)))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return "a row is no JSON object; expected {\"title\": value, ...}"
	}
	seen := make(map[string]bool)
	for decoder.More() {
		name, err := decoder.Token()
		title, ok := name.(string)
		if err != nil || !ok {
			return "a row is no JSON object; expected {\"title\": value, ...}"
		}
		if title = strings.TrimSpace(title); seen[title] {
			return "the field " + textfile.Quote(title) + " is given twice"
		}
		seen[title] = true
		k, known := t.at[title]
		if !known {
			k = len(t.all)
			t.at[title] = k
			t.all = append(t.all, jsonColumn{rawColumn: rawColumn{name: title}})
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return "the field " + textfile.Quote(title) + " cannot be read: " + err.Error()
		}
		if what := t.all[k].add(t.rows, value); what != "" {
			return "the field " + textfile.Quote(title) + " " + what
		}
	}
	t.rows++
	return ""
}

// add adds the value of a row. It returns what is wrong with it, or "".
func (c *jsonColumn) add(row int, value any) string {
	c.fill(row)
	word, number := "", math.NaN()
	var set []string
	switch v := value.(type) {
	case nil:
	case string:
		word = strings.TrimSpace(v)
		c.mixed[jsonWords] = true
	case float64:
		number = v
		c.mixed[jsonNumbers] = true
	case bool:
		if word = "false"; v {
			word = "true"
		}
		c.mixed[jsonTruth] = true
	case []any:
		c.mixed[jsonLists] = true
		words := make([]string, len(v))
		for k, of := range v {
			w, ok := of.(string)
			if !ok {
				return "is a list of something else than words; write them as texts"
			}
			words[k] = w
		}
		set = eachOnce(slices.Values(words))
	default:
		return "is a JSON object; write its parts as fields of their own"
	}
	c.words, c.numbers, c.sets = append(c.words, word), append(c.numbers, number), append(c.sets, set)
	return ""
}

// fill adds missing values up to a row.
func (c *jsonColumn) fill(row int) {
	for len(c.words) < row {
		c.words, c.numbers, c.sets = append(c.words, ""), append(c.numbers, math.NaN()), append(c.sets, nil)
	}
}

// columns returns the columns, each with the values of one kind.
func (t *jsonTable) columns() []rawColumn {
	columns := make([]rawColumn, len(t.all))
	for k := range t.all {
		c := &t.all[k]
		c.fill(t.rows)
		columns[k].name = c.name
		switch {
		case c.mixed == [4]bool{jsonLists: true}:
			columns[k].sets = c.sets
		case c.mixed == [4]bool{jsonNumbers: true}:
			columns[k].numbers = c.numbers
		default: // words, and what else there is as words
			columns[k].words = c.words
			numbers := rawWords(&rawColumn{numbers: c.numbers})
			for row := range c.words {
				switch {
				case len(c.sets[row]) > 0:
					columns[k].words[row] = strings.Join(c.sets[row], "|")
				case numbers[row] != "":
					columns[k].words[row] = numbers[row]
				}
			}
		}
	}
	return columns
}

func (j *jsonRows) close() {}
