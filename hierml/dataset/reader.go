package dataset

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// SyntaxError says at which file, line and column a file is not what it should be.
type SyntaxError = taxonomy.SyntaxError

// maxLine bounds the memory a line of a file can take: bytes.
const maxLine = 64 << 20

// lineReader gives the lines of a file that may be compressed, and places errors in it.
type lineReader struct {
	scanner *bufio.Scanner
	name    string
	line    int // of the line last read, from 1
	in      *countingReader
	size    int64 // of the file, compressed or not; 0 if unknown
}

// countingReader counts what was read, in bytes.
type countingReader struct {
	io.Reader
	count int64
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.count += int64(n)
	return n, err
}

// sizeOf returns the number of bytes that r has from where it stands, or 0 if it does not tell.
func sizeOf(r io.Reader) int64 {
	switch r := r.(type) {
	case contextReader:
		return sizeOf(r.Reader)
	case interface{ Len() int }:
		return int64(r.Len())
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		at, err := r.Seek(0, io.SeekCurrent)
		if err != nil {
			return 0
		}
		return max(info.Size()-at, 0)
	}
	return 0
}

// newLineReader reads r, through gzip if that is what it begins with. The name stands for the file in errors.
func newLineReader(r io.Reader, name string) (*lineReader, error) {
	counted := &countingReader{Reader: r}
	in := bufio.NewReaderSize(counted, 1<<16)
	head, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var plain io.Reader = in
	if len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		if plain, err = gzip.NewReader(in); err != nil {
			return nil, fmt.Errorf("%s: not a gzip file though it begins like one: %w", name, err)
		}
	}
	l := &lineReader{scanner: bufio.NewScanner(plain), name: name, in: counted, size: sizeOf(r)}
	l.scanner.Buffer(make([]byte, 1<<18), maxLine)
	return l, nil
}

// next returns the next line, without its end, or io.EOF. The line is valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	l.line++
	if l.scanner.Scan() {
		line := l.scanner.Bytes()
		if l.line == 1 && len(line) >= 3 && line[0] == 0xef && line[1] == 0xbb && line[2] == 0xbf {
			line = line[3:] // byte order mark
		}
		return line, nil
	}
	switch err := l.scanner.Err(); {
	case err == nil:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &SyntaxError{File: l.name, Line: l.line, Msg: fmt.Sprintf("the line is longer than %d bytes", maxLine)}
	default:
		return nil, fmt.Errorf("%s:%d: %w", l.name, l.line, err)
	}
}

// fraction returns about how much of the file was read, or 0 if that is unknown. It is somewhat ahead of
// the line last read.
func (l *lineReader) fraction() float64 {
	if l.size == 0 {
		return 0
	}
	return min(float64(l.in.count)/float64(l.size), 1)
}

// errorf returns an error at the column, from 1, of the line last read.
func (l *lineReader) errorf(column int, format string, args ...any) error {
	return &SyntaxError{File: l.name, Line: l.line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// quote returns the text for an error message, cut to a readable length.
func quote(text string) string {
	const most = 40
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
