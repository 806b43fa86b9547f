package taxonomy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// longestToken bounds the bytes of a name, a number or another token of a file that does not
// consist of lines.
const longestToken = 1 << 20

// end is what a scanner gives behind the last byte.
const end = -1

// scanner returns the bytes of a text and tracks their places. A read error ends the text; fail
// distinguishes it from other ends.
type scanner struct {
	file         *textfile.File
	buffer       []byte // what of it was read and not given out is from at
	at           int
	line, column int // of the next byte
	err          error
	token        []byte // of the last word, quotation and so on
}

func newScanner(ctx context.Context, r io.Reader, name string) (*scanner, error) {
	file, err := textfile.Open(textfile.WithContext(ctx, r), name, syntaxError)
	if err != nil {
		return nil, err
	}
	return &scanner{file: file, buffer: make([]byte, 0, 1<<16), line: 1, column: 1}, nil
}

// peek returns the next byte, or end.
func (s *scanner) peek() int {
	for s.at == len(s.buffer) {
		if s.err != nil {
			return end
		}
		var n int
		n, s.err = s.file.Read(s.buffer[:cap(s.buffer)])
		s.buffer, s.at = s.buffer[:n], 0
	}
	return int(s.buffer[s.at])
}

// next returns the next byte, or end, and goes on to the one behind it.
func (s *scanner) next() int {
	c := s.peek()
	if c == end {
		return end
	}
	s.at++
	s.column++
	if c == '\n' {
		s.line++
		s.column = 1
	}
	return c
}

// here returns the place of the next byte.
func (s *scanner) here() place { return placeAt(s.line, s.column) }

// failed returns the error of reading, if the text ends by one.
func (s *scanner) failed() error {
	if s.err == nil || errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.file.Place(s.line, s.err)
}

// errorf returns an error at the place, or that of reading if there was one.
func (s *scanner) errorf(at place, format string, args ...any) error {
	if err := s.failed(); err != nil {
		return err
	}
	return s.file.Errorf(int(at.line), int(at.column), format, args...)
}

// unexpected returns the error of an unexpected next byte.
func (s *scanner) unexpected(expected string) error {
	at := s.here()
	c := s.peek()
	if c == end {
		return s.errorf(at, "the file ends; expected %s", expected)
	}
	return s.errorf(at, "unexpected %s; expected %s", printable(c), expected)
}

// printable is a byte of a file in messages.
func printable(c int) string {
	if c >= utf8.RuneSelf {
		return fmt.Sprintf("byte 0x%02x", c)
	}
	return fmt.Sprintf("%q", rune(c))
}

// space skips white space.
func (s *scanner) space() {
	for isSpace(s.peek()) {
		s.next()
	}
}

func isSpace(c int) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

// word reads into token as long as in holds.
func (s *scanner) word(in func(c int) bool) error {
	s.token = s.token[:0]
	at := s.here()
	for c := s.peek(); c != end && in(c); c = s.peek() {
		if err := s.keep(s.next(), at); err != nil {
			return err
		}
	}
	return nil
}

// keep appends a byte to the token, which begins at the place.
func (s *scanner) keep(c int, at place) error {
	if len(s.token) == longestToken {
		return s.errorf(at, "the text that begins here is longer than %d bytes; look for a quote that is not closed", longestToken)
	}
	s.token = append(s.token, byte(c))
	return nil
}
