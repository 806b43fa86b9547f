package dataset

import (
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// SyntaxError says at which file, line and column a file is not what it should be.
type SyntaxError = taxonomy.SyntaxError

// syntaxError is the textfile.Fail of this package's readers.
func syntaxError(file string, line, column int, msg string, _ error) error {
	return &SyntaxError{File: file, Line: line, Column: column, Msg: msg}
}

// quote returns the text for an error message, cut to a readable length.
func quote(text string) string { return textfile.Quote(text) }
