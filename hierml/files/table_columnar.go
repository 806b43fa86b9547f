package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/hierml/notebook/hierml/internal/columnar"
	"github.com/hierml/notebook/hierml/internal/textfile"
)

// columnarRows reads the rows of a Parquet or an Arrow file.
type columnarRows struct {
	file    *columnar.File
	name    string
	pull    func() (*columnar.Chunk, error, bool)
	stop    func()
	rest    []rawColumn // of the chunk that was read last, what next has not returned
	first   int         // row of the file that next returned first, from 1
	rows    int         // that next returned
	rounded map[string]int
}

// openColumnar returns the file of r if it is a Parquet or an Arrow file, otherwise its contents as
// text. A source that is not a file on disk, or is compressed, is read into memory.
func openColumnar(ctx context.Context, r io.Reader, name string) (*columnarRows, *textfile.File, error) {
	var at io.ReaderAt
	var size int64
	if file, ok := r.(*os.File); ok {
		head := make([]byte, 8)
		if n, err := file.ReadAt(head, 0); (err == nil || errors.Is(err, io.EOF)) && columnar.Is(head[:n]) {
			at, size = file, textfile.SizeOf(file)
		}
	}
	if at == nil {
		text, err := textfile.Decompress(textfile.WithContext(ctx, r), name, syntaxError)
		if err != nil {
			return nil, nil, err
		}
		head, err := text.Peek(8)
		if err != nil && !errors.Is(err, io.EOF) && !isCut(err) {
			return nil, nil, text.Place(1, err)
		}
		if !columnar.Is(head) {
			text, err = textfile.Open(text, name, syntaxError)
			return nil, text, err
		}
		content, err := io.ReadAll(text)
		if err != nil {
			return nil, nil, text.Place(1, err)
		}
		at, size = bytes.NewReader(content), int64(len(content))
	}
	file, err := columnar.Open(at, size)
	if err != nil {
		return nil, nil, syntaxError(name, 1, 0, err.Error(), err)
	}
	next, stop := iter.Pull2(file.Chunks(ctx))
	return &columnarRows{file: file, name: name, pull: next, stop: stop, first: 1, rounded: make(map[string]int)}, nil, nil
}

// next returns the next rows, as a tableSource does.
func (c *columnarRows) next(n int) ([]rawColumn, error) {
	columns := c.rest
	c.rest = nil
	if columns == nil {
		columns = make([]rawColumn, 0, len(c.file.Columns()))
		for _, of := range c.file.Columns() {
			columns = append(columns, rawColumn{name: of.Name, refused: of.Refused})
		}
	}
	c.first += c.rows
	c.rows = 0
	for k := range columns {
		c.rows = max(c.rows, columns[k].len())
	}
	for n < 0 || c.rows < n {
		chunk, err, more := c.pull()
		if !more {
			break
		}
		if err != nil {
			return nil, syntaxError(c.name, c.first+c.rows+1, 0, err.Error(), err)
		}
		for k, of := range c.file.Columns() {
			if of.Refused != "" {
				continue
			}
			columns[k].add(of, &chunk.Values[k])
			c.rounded[columns[k].name] += chunk.Values[k].Rounded
		}
		c.rows += chunk.Rows
	}
	if c.rows == 0 {
		return nil, io.EOF
	}
	if n >= 0 && c.rows > n {
		c.rest = make([]rawColumn, len(columns))
		for k := range columns {
			c.rest[k] = columns[k].cut(n)
		}
		c.rows = n
	}
	return columns, nil
}

// add adds the values of a chunk.
func (r *rawColumn) add(of columnar.Column, v *columnar.Values) {
	switch of.Kind {
	case columnar.Number:
		r.numbers = append(r.numbers, v.Numbers...)
	case columnar.Lists:
		r.sets = append(r.sets, v.Lists...)
	case columnar.Bool:
		for i, b := range v.Bools {
			word := "false"
			if v.Missing != nil && v.Missing[i] {
				word = ""
			} else if b {
				word = "true"
			}
			r.words = append(r.words, word)
		}
	default:
		for _, text := range v.Texts {
			r.words = append(r.words, strings.TrimSpace(text))
		}
	}
}

// cut cuts the column at a row, and returns the rows behind it.
func (r *rawColumn) cut(row int) rawColumn {
	rest := *r
	switch {
	case r.numbers != nil:
		r.numbers, rest.numbers = r.numbers[:row:row], r.numbers[row:]
	case r.sets != nil:
		r.sets, rest.sets = r.sets[:row:row], r.sets[row:]
	case r.words != nil:
		r.words, rest.words = r.words[:row:row], r.words[row:]
	}
	return rest
}

// errorf returns an error at a row, counted from 1 without titles.
func (c *columnarRows) errorf(row, column int, format string, args ...any) error {
	return syntaxError(c.name, max(c.first+row, 1), column, fmt.Sprintf(format, args...), nil)
}

func (c *columnarRows) close() { c.stop() }
