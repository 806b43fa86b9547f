// Package script runs a Go file like a cell of a notebook: statements, declarations and imports in
// any order, and packages without imports. A plain Go program also works.
//
// An [Evaluator] runs the Go code.
package script

import (
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
)

// An Evaluator runs Go. *engine.Engine is one.
type Evaluator interface {
	// Run runs a cell. Its output goes to out before Run returns; the bundle is the value of its
	// last expression, or nil. Run interrupts the cell when ctx is done.
	Run(ctx context.Context, cell program.Cell, out program.Output) (*program.Bundle, error)
}

// A Script is a file of Go. Its text has the lines and columns of the file.
type Script struct {
	name    string
	file    string // with its path; empty for none
	source  string
	program bool
}

// Program reports whether the script is a plain program.
func (s *Script) Program() bool { return s.program }

// ReadFrom reads a script that is not in a file.
func ReadFrom(r io.Reader, name string) (*Script, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return New(name, string(text))
}

// Read reads a script from a file.
func Read(path string) (*Script, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	s, err := New(path, string(text))
	if err != nil {
		return nil, err
	}
	s.file = file
	return s, nil
}

// New returns the script with the text. The name is that of the file in errors. The text may begin
// with a #! line. If it begins with "package main" it is a program: its function main is called
// after everything else. For another package the error is a *program.Error.
func New(name, text string) (*Script, error) {
	s := &Script{name: name, source: strings.TrimPrefix(text, "\xef\xbb\xbf")}
	if strings.HasPrefix(s.source, "#!") {
		s.source = "//" + s.source[2:]
	}
	l := lex(s.source)
	if len(l) < 2 || l[0].tok != token.PACKAGE || l[1].tok != token.IDENT {
		return s, nil
	}
	if l[1].lit != "main" {
		line := strings.Count(s.source[:l[1].offset], "\n") + 1
		column := l[1].offset - strings.LastIndexByte(s.source[:l[1].offset], '\n')
		msg := fmt.Sprintf("%s:%d:%d: package %s is not a program; a script is package main, or has no package clause", name, line, column, l[1].lit)
		return nil, &program.Error{Name: "CompileError", Message: msg, Traceback: []string{msg}}
	}
	if !declaresMain(l) {
		msg := name + ": function main is undeclared in package main; declare it, or leave out the package clause"
		return nil, &program.Error{Name: "CompileError", Message: msg, Traceback: []string{msg}}
	}
	s.program = true
	return s, nil
}

// Cell returns the script as a cell, without a number.
func (s *Script) Cell() program.Cell {
	return program.Cell{Name: s.name, File: s.file, Source: s.source, Plain: s.program}
}

// Run runs the script. If the script fails, the error is a *program.Error; if it ended with
// os.Exit, [ExitStatus] returns the status.
func (s *Script) Run(ctx context.Context, evaluator Evaluator, out program.Output) error {
	// A script shows what it prints, but not the value of its last expression.
	cell := s.Cell()
	cell.Number = 1
	_, err := evaluator.Run(ctx, cell, out)
	return err
}

// ExitStatus returns the exit status if an error says that the script has ended with os.Exit,
// called by the script itself or by something like flag.Parse.
func ExitStatus(err error) (status int, ok bool) {
	var exit *program.ExitError
	if !errors.As(err, &exit) {
		return 0, false
	}
	return exit.Status, true
}

type lexeme struct {
	offset int
	tok    token.Token
	lit    string
}

// lex splits a text into lexemes, without comments. The engine reports text that cannot be scanned.
func lex(text string) []lexeme {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	var out []lexeme
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		out = append(out, lexeme{file.Offset(pos), tok, lit})
	}
}

// declaresMain reports whether there is a function main among the declarations.
func declaresMain(l []lexeme) bool {
	depth := 0
	for i := range l {
		switch l[i].tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.FUNC:
			if depth == 0 && i+1 < len(l) && l[i+1].tok == token.IDENT && l[i+1].lit == "main" {
				return true
			}
		}
	}
	return false
}
