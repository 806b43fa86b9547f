package files

import (
	"context"
	"errors"
	"io"

	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// SyntaxError reports a fault with its file, line and column.
type SyntaxError = taxonomy.SyntaxError

// syntaxError is the textfile.Fail of this package's readers.
func syntaxError(file string, line, column int, msg string, cause error) error {
	return &SyntaxError{File: file, Line: line, Column: column, Msg: msg, Err: cause}
}

// openLines returns the lines of r, which end with the context.
func openLines(ctx context.Context, r io.Reader, name string) (*textfile.Lines, error) {
	return textfile.NewLines(textfile.WithContext(ctx, r), name, syntaxError)
}

// eachLine calls f for every line. What f leaves out is gone; where faults are repaired, a file
// that cannot be decompressed to its end counts as ending there.
func eachLine(lines *textfile.Lines, repair *Faults, f func(line []byte) error) error {
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case isCut(err):
			return report(repair, faultCut, err)
		case err == nil:
			err = f(line)
		}
		if err != nil && !errors.Is(err, errLeftOut) {
			return err
		}
	}
}

// skipSpace returns the position of the next byte, from at, that is no blank.
func skipSpace(line []byte, at int) int {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
		at++
	}
	return at
}

// fieldEnd returns the position of the next blank, from at, or the end.
func fieldEnd(line []byte, at int) int {
	for at < len(line) && line[at] != ' ' && line[at] != '\t' && line[at] != '\r' {
		at++
	}
	return at
}

func field(line []byte, at int) []byte { return line[at:fieldEnd(line, at)] }
