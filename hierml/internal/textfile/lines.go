package textfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine bounds the memory a line of a file can take: bytes.
const MaxLine = 64 << 20

// Lines gives the lines of a file.
type Lines struct {
	*File
	in     *bufio.Reader
	long   []byte // a line that is longer than the buffer of in
	number int
}

// NewLines returns the lines of the text that r has. See Open.
func NewLines(r io.Reader, name string, fail Fail) (*Lines, error) {
	f, err := Open(r, name, fail)
	if err != nil {
		return nil, err
	}
	return &Lines{File: f, in: bufio.NewReaderSize(f, 1<<18)}, nil
}

// Next returns the next line, without its end, or io.EOF. The line is valid until the next call. A
// line that the file's source broke off is not returned; the error is.
func (l *Lines) Next() ([]byte, error) {
	l.number++
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			l.long = append(l.long, line...)
			if len(l.long) > MaxLine {
				return nil, l.Errorf(0, "the line is longer than %d bytes; check that this is a text file with line ends", MaxLine)
			}
			line, err = l.in.ReadSlice('\n')
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	switch {
	case err == nil:
		line = line[:len(line)-1]
	case !errors.Is(err, io.EOF):
		return nil, l.Place(l.number, err)
	case len(line) == 0:
		return nil, io.EOF
	}
	return bytes.TrimSuffix(line, []byte{'\r'}), nil
}

// Line returns the number of the line last read, from 1.
func (l *Lines) Line() int { return l.number }

// Errorf returns an error at the column, from 1, of the line last read; 0 is the whole line.
func (l *Lines) Errorf(column int, format string, args ...any) error {
	return l.fail(l.name, l.number, column, fmt.Sprintf(format, args...), nil)
}
