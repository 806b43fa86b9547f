package taxonomy

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// jsonToken is a token of JSON: one of {}[]:, or a string ('"'), a number ('0'), a word ('a': true,
// false or null), or end.
type jsonToken struct {
	kind int
	text string // of a string, without quotes and escapes, a number or a word
	at   place
}

func (t jsonToken) String() string {
	switch t.kind {
	case end:
		return "end of the file"
	case '"':
		return "the string " + textfile.Quote(t.text)
	case '0':
		return "the number " + t.text
	case 'a':
		return t.text
	}
	return fmt.Sprintf("%q", rune(t.kind))
}

// jsonScanner returns the tokens of a JSON text.
type jsonScanner struct {
	*scanner
}

// token returns the next token.
func (s jsonScanner) read() (jsonToken, error) {
	s.space()
	t := jsonToken{kind: s.peek(), at: s.here()}
	switch c := t.kind; {
	case c == end:
		return t, s.failed()
	case c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',':
		s.next()
		return t, nil
	case c == '"':
		return s.text(t)
	case c == '-' || c >= '0' && c <= '9':
		if err := s.word(func(c int) bool { return c == '+' || c == '-' || c == '.' || isAlphanumeric(c) }); err != nil {
			return t, err
		}
		t.kind, t.text = '0', string(s.token)
		if !json.Valid(s.token) {
			return t, s.errorf(t.at, "%s is not a JSON number", textfile.Quote(t.text))
		}
		return t, nil
	case isAlphanumeric(c):
		if err := s.word(isAlphanumeric); err != nil {
			return t, err
		}
		t.kind, t.text = 'a', string(s.token)
		if t.text != "true" && t.text != "false" && t.text != "null" {
			return t, s.errorf(t.at, "%s is not a JSON value; put strings into quotes", textfile.Quote(t.text))
		}
		return t, nil
	default:
		return t, s.unexpected("a JSON value")
	}
}

// text reads a string.
func (s jsonScanner) text(t jsonToken) (jsonToken, error) {
	plain := true
	s.token = append(s.token[:0], byte(s.next()))
	for {
		at := s.here()
		c := s.next()
		switch {
		case c == end:
			return t, s.errorf(t.at, "the string is not closed")
		case c < ' ':
			return t, s.errorf(at, "a control character, 0x%02x, in a string; expected an escape such as \\n", c)
		}
		if err := s.keep(c, t.at); err != nil {
			return t, err
		}
		if c == '"' {
			break
		}
		plain = plain && c != '\\'
		if c == '\\' {
			if c := s.next(); c != end {
				if err := s.keep(c, t.at); err != nil {
					return t, err
				}
			}
		}
	}
	if t.text = string(s.token[1 : len(s.token)-1]); plain {
		return t, nil
	}
	if !utf8.Valid(s.token) {
		return t, s.errorf(t.at, "the string %s is not UTF-8; convert the file to UTF-8", textfile.Quote(t.text))
	}
	if err := json.Unmarshal(s.token, &t.text); err != nil {
		return t, s.errorf(t.at, "the string %s has an escape that JSON does not have", textfile.Quote(t.text))
	}
	return t, nil
}

func isAlphanumeric(c int) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// unexpectedToken returns the error of an unexpected token.
func (s jsonScanner) unexpectedToken(t jsonToken, expected string) error {
	return s.errorf(t.at, "unexpected %v; expected %s", t, expected)
}

// expect reads a token that must be of the kind.
func (s jsonScanner) expect(kind int, expected string) (jsonToken, error) {
	t, err := s.read()
	if err == nil && t.kind != kind {
		err = s.unexpectedToken(t, expected)
	}
	return t, err
}

// deepestValue bounds the nesting of a value that is skipped.
const deepestValue = 1 << 20

// skip reads the rest of any value that begins with the token.
func (s jsonScanner) skip(t jsonToken) error {
	var open []byte // what closes
	for {
		switch t.kind {
		case '{', '[':
			if len(open) == deepestValue {
				return s.errorf(t.at, "a value with more than %d nested brackets", deepestValue)
			}
			open = append(open, byte(t.kind)+2) // the bracket that closes it
		case '}', ']':
			if len(open) == 0 || int(open[len(open)-1]) != t.kind {
				return s.unexpectedToken(t, "a value")
			}
			open = open[:len(open)-1]
		case end:
			return s.unexpectedToken(t, "the rest of a value")
		}
		if len(open) == 0 {
			if t.kind == ',' || t.kind == ':' {
				return s.unexpectedToken(t, "a value")
			}
			return nil
		}
		var err error
		if t, err = s.read(); err != nil {
			return err
		}
	}
}
