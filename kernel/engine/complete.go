package engine

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// IsComplete tells whether the source is a whole cell: "complete",
// "incomplete" with the indentation that the next line begins with, or
// "invalid".
func (e *Engine) IsComplete(source string) (status, indent string) {
	if strings.TrimSpace(source) == "" {
		return "complete", ""
	}
	switch open := unfinished(source); {
	case open >= 0:
		return "incomplete", strings.Repeat("\t", open)
	case open == overclosed:
		return "invalid", ""
	}
	items := split(source)
	for _, it := range items {
		prefix, suffix := declarationPrefix, ""
		if it.kind == itemStatement {
			prefix, suffix = statementPrefix, "\n}"
		}
		text := prefix + source[it.start:it.end] + suffix
		_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		list, ok := err.(scanner.ErrorList)
		if !ok {
			continue
		}
		// An error behind the end of the text is one of text that is missing.
		if list[0].Pos.Offset >= len(prefix)+len(strings.TrimRight(source[it.start:it.end], " \t\r\n")) {
			return "incomplete", ""
		}
		return "invalid", ""
	}
	return "complete", ""
}

const (
	finished   = -1
	overclosed = -2
)

// unfinished returns how many brackets are open at the end of the source, if
// it ends in the middle of something: within brackets, a comment or a raw
// string, or after an operator. Otherwise it returns finished, or overclosed
// if a bracket closes what was not opened.
func unfinished(source string) int {
	file := token.NewFileSet().AddFile("", -1, len(source))
	open := false
	var s scanner.Scanner
	s.Init(file, []byte(source), func(_ token.Position, msg string) {
		if strings.Contains(msg, "not terminated") && (strings.Contains(msg, "comment") || strings.Contains(msg, "raw string")) {
			open = true
		}
	}, 0)
	depth := 0
	last := token.SEMICOLON
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if depth--; depth < 0 {
				return overclosed
			}
		case token.EOF:
			switch {
			case open, depth > 0:
				return max(depth, 0)
			case depth == 0 && continues(last):
				return 0
			}
			return finished
		}
		if tok != token.SEMICOLON || lit == ";" {
			last = tok
		} else if !continues(last) {
			last = tok
		}
	}
}

// continues reports tokens after which a statement goes on.
func continues(tok token.Token) bool {
	switch tok {
	case token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON, token.ELLIPSIS:
		return false
	}
	if tok.IsOperator() {
		return true
	}
	switch tok {
	case token.VAR, token.CONST, token.TYPE, token.FUNC, token.IMPORT, token.IF, token.FOR, token.SWITCH, token.SELECT,
		token.GO, token.DEFER, token.RANGE, token.STRUCT, token.INTERFACE, token.MAP, token.CHAN, token.CASE, token.ELSE:
		return true
	}
	return false
}
