// Package columnar reads tables from Parquet files and from Arrow files and streams, as pandas,
// polars, DuckDB and Spark write them, in chunks of rows.
//
// It decodes both formats itself, because none of the libraries in Go bounds its memory: a few
// changed bytes in a file of two kilobytes made them allocate gigabytes. Here nothing is allocated
// for a number that a file states unless the file has the bytes, decoders give one value at a time,
// and all that a file becomes is bounded as textfile bounds what it decompresses.
//
// It leaves to its callers what a column is for. Columns of structs, maps, nested lists and lists
// of floating-point numbers are named, with the reason, and not read. Files that are encrypted or
// compressed by brotli or LZO are refused, and so is Feather of version 1.
//
// It is wrong when a value differs from what pandas reads: the files of testdata, which pyarrow and
// polars wrote, have the values beside them.
package columnar

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// Kind says what the values of a column are.
type Kind int

const (
	// Text values are strings; also dates, times, time stamps and UUIDs, as text.
	Text Kind = iota
	// Number values are integers, floating-point numbers and decimal numbers.
	Number
	// Bool values are true or false.
	Bool
	// Lists values are lists of strings, integers, truth values or dates, as text.
	Lists
)

// Column describes a column of a file.
type Column struct {
	Name string
	Kind Kind
	// Type is what the file says of the values, such as "int64" or "list of string".
	Type string
	// Categorical reports that an Arrow file keeps the values as a dictionary, as it does for
	// those that pandas calls category. In Parquet nearly every column has dictionaries, which say
	// nothing about it.
	Categorical bool
	// Refused says why the column is not read: its Values are empty. It is "" for other columns.
	Refused string
}

// Values are those of a column in a chunk, in the field of its Kind, one a row.
type Values struct {
	Texts   []string   // of Text, empty where missing
	Numbers []float64  // of Number, NaN where missing
	Bools   []bool     // of Bool, false where missing
	Lists   [][]string // of Lists, nil where missing; an element that is missing is left out
	// Missing says which rows have no value, of all kinds. NaN is such a value too. It is nil if
	// every row has one.
	Missing []bool
	// Rounded counts the integers and decimal numbers of more than 53 bits, which float64 rounds.
	Rounded int
}

// Chunk is a number of consecutive rows.
type Chunk struct {
	Rows   int
	Values []Values // one a column
}

// chunkRows is the largest number of rows in a chunk.
const chunkRows = 1 << 14

// File is a file whose columns are known.
type File struct {
	columns []Column
	rows    int64
	chunks  func(ctx context.Context, budget *budget, yield func(*Chunk) bool) error
	size    int64
}

// Is reports whether a file that begins so is one that Open reads: head has its first 8 bytes, or
// all if there are fewer.
func Is(head []byte) bool {
	for _, magic := range []string{parquetMagic, parquetEncrypted, arrowMagic, featherMagic, arrowContinuation} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}

// Open reads what a Parquet file, an Arrow file or an Arrow stream of that many bytes says of its
// columns. Errors do not name the file.
func Open(r io.ReaderAt, size int64) (*File, error) {
	head := make([]byte, min(8, size))
	if err := readAt(r, head, 0); err != nil {
		return nil, err
	}
	f := &File{rows: -1, size: size}
	var err error
	switch {
	case bytes.HasPrefix(head, []byte(parquetMagic)):
		err = f.openParquet(r)
	case bytes.HasPrefix(head, []byte(parquetEncrypted)):
		err = fmt.Errorf("the file is encrypted; write it without encryption")
	case bytes.HasPrefix(head, []byte(featherMagic)):
		err = fmt.Errorf("this is Feather of version 1; write it again with DataFrame.to_feather, which writes version 2")
	case bytes.HasPrefix(head, []byte(arrowMagic)):
		err = f.openArrow(r, true)
	case bytes.HasPrefix(head, []byte(arrowContinuation)):
		err = f.openArrow(r, false)
	default:
		err = fmt.Errorf("this is neither Parquet nor Arrow: it begins with %q", head)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Columns returns the columns in the order of the file.
func (f *File) Columns() []Column { return f.columns }

// Rows returns the number of rows, or -1 if only reading them tells, as in Arrow.
func (f *File) Rows() int64 { return f.rows }

// Chunks returns the rows from the first to the last. It ends after the first error, which may be
// that of ctx. Each call reads the file again.
func (f *File) Chunks(ctx context.Context) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		b := &budget{left: textfile.MaxUnpacked + textfile.MaxRatio*f.size, stored: f.size}
		err := f.chunks(ctx, b, func(c *Chunk) bool { return yield(c, nil) })
		if err != nil {
			yield(nil, err)
		}
	}
}

// budget bounds what a file becomes: bytes.
type budget struct{ left, stored int64 }

// take takes n bytes from what the file may still become.
func (b *budget) take(n int64) error {
	if n < 0 || n > b.left {
		return fmt.Errorf("its %d bytes unpack to more than %d, as in a file made to fill memory; write it again in several files", b.stored, textfile.MaxUnpacked+textfile.MaxRatio*b.stored)
	}
	b.left -= n
	return nil
}

// damaged is an error that says that the file is not as its format requires.
func damaged(format string, values ...any) error {
	return fmt.Errorf("the file is damaged or incomplete: "+format, values...)
}

// readAt fills b with what is at an offset.
func readAt(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		return damaged("it ends where %d more bytes are expected", len(b)-n)
	}
	return err
}

// refusal names the types that are not read, and what to do.
func refusal(what string) string {
	return fmt.Sprintf("it holds %s, and only text, numbers, truth values, dates and lists of words are read; write it as one of these, or leave it out", what)
}

// clean returns text as Go has it. Bytes that are not UTF-8 are no text.
func clean(b []byte) (string, error) {
	s := string(b)
	if strings.ToValidUTF8(s, "") != s {
		return "", fmt.Errorf("a value is not UTF-8 text but begins with the bytes % x; write the column as text", b[:min(8, len(b))])
	}
	return s, nil
}
