package taxonomy

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// Tokens of DOT that are not the byte they consist of.
const (
	dotID    = 256 + iota // a name, number, quoted string or HTML string
	dotArrow              // ->
)

// dotToken is a token of DOT: an id, an arrow, one of {}[]=;,: or end.
type dotToken struct {
	kind   int
	text   string // of an id, without quotes
	quoted bool   // so that it is no keyword
	html   bool
	at     place
}

// keyword reports whether the token is the keyword, ignoring case.
func (t dotToken) keyword(word string) bool {
	return t.kind == dotID && !t.quoted && strings.EqualFold(t.text, word)
}

func (t dotToken) String() string {
	switch t.kind {
	case end:
		return "end of the file"
	case dotID:
		return textfile.Quote(t.text)
	case dotArrow:
		return `"->"`
	}
	return fmt.Sprintf("%q", rune(t.kind))
}

// dotScanner returns the tokens of a text in DOT.
type dotScanner struct {
	*scanner
	ahead dotToken
}

// advance reads the next token into ahead. Strings that are joined by + are one.
func (s *dotScanner) advance() error {
	t, err := s.read()
	if err != nil {
		return err
	}
	s.ahead = t
	if t.kind != dotID || !t.quoted || t.html {
		return nil
	}
	for {
		if err := s.comments(); err != nil || s.peek() != '+' {
			return err
		}
		s.next()
		if err := s.comments(); err != nil {
			return err
		}
		at := s.here()
		if s.peek() != '"' {
			return s.unexpected("a string in quotes after '+'")
		}
		if err := s.quotation(at); err != nil {
			return err
		}
		if len(s.ahead.text)+len(s.token) > longestToken {
			return s.errorf(at, "a string longer than %d bytes", longestToken)
		}
		s.ahead.text += string(s.token)
	}
}

// read returns the next token, without what is joined to it.
func (s *dotScanner) read() (dotToken, error) {
	if err := s.comments(); err != nil {
		return dotToken{}, err
	}
	t := dotToken{kind: s.peek(), at: s.here()}
	switch c := t.kind; {
	case c == end:
		return t, s.failed()
	case strings.IndexByte("{}[]=;,:", byte(c)) >= 0:
		s.next()
		return t, nil
	case c == '"':
		t.kind, t.quoted = dotID, true
		err := s.quotation(t.at)
		t.text = string(s.token)
		return t, err
	case c == '<':
		t.kind, t.quoted, t.html = dotID, true, true
		err := s.html(t.at)
		t.text = string(s.token)
		return t, err
	case c == '-':
		return s.minus(t)
	case isAlphanumeric(c) || c >= utf8.RuneSelf || c == '.':
		err := s.word(func(c int) bool { return isAlphanumeric(c) || c >= utf8.RuneSelf || c == '.' })
		t.kind, t.text = dotID, string(s.token)
		return t, err
	default:
		return t, s.unexpected("a node, an edge or an attribute; put names other than words and numbers into quotes")
	}
}

// minus reads an arrow or a negative number.
func (s *dotScanner) minus(t dotToken) (dotToken, error) {
	s.next()
	switch c := s.peek(); {
	case c == '>':
		s.next()
		t.kind = dotArrow
		return t, nil
	case c == '-':
		return t, s.errorf(t.at, "an undirected edge, --; a taxonomy needs ->")
	case c == '.' || c >= '0' && c <= '9':
		err := s.word(func(c int) bool { return c == '.' || c >= '0' && c <= '9' })
		t.kind, t.text = dotID, "-"+string(s.token)
		return t, err
	}
	return t, s.unexpected("'>' after '-'; put names with a hyphen into quotes")
}

// quotation reads a string in double quotes into token. A backslash stands for itself but before a
// quote and at the end of a line.
func (s *dotScanner) quotation(at place) error {
	s.token = s.token[:0]
	s.next()
	for {
		c := s.next()
		switch c {
		case end:
			return s.errorf(at, "the quote is not closed")
		case '"':
			return nil
		case '\\':
			switch s.peek() {
			case '"':
				c = s.next()
			case '\\':
				if err := s.keep(s.next(), at); err != nil {
					return err
				}
			case '\n':
				s.next()
				continue
			}
		}
		if err := s.keep(c, at); err != nil {
			return err
		}
	}
}

// html reads a string in angle brackets, which may be nested, into token.
func (s *dotScanner) html(at place) error {
	s.token = s.token[:0]
	s.next()
	for depth := 1; ; {
		c := s.next()
		switch c {
		case end:
			return s.errorf(at, "the string in angle brackets is not closed")
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return nil
			}
		}
		if err := s.keep(c, at); err != nil {
			return err
		}
	}
}

// comments skips white space, comments, and lines for a preprocessor.
func (s *dotScanner) comments() error {
	for {
		s.space()
		at := s.here()
		switch {
		case s.peek() == '#' && at.column == 1:
			s.restOfLine()
		case s.peek() == '/':
			s.next()
			switch s.peek() {
			case '/':
				s.restOfLine()
			case '*':
				s.next()
				for before := 0; ; {
					c := s.next()
					if c == end {
						return s.errorf(at, "the comment is not closed; expected */")
					}
					if before == '*' && c == '/' {
						break
					}
					before = c
				}
			default:
				return s.errorf(at, "unexpected '/'; put names with a slash into quotes")
			}
		default:
			return nil
		}
	}
}

func (s *dotScanner) restOfLine() {
	for c := s.next(); c != end && c != '\n'; c = s.next() {
	}
}
