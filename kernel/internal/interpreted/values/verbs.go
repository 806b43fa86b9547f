package values

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fmt answers some verbs without asking the operand. Where this is a carrier, verbs of our own,
// which it is asked for, stand in for them.
const (
	typeVerb    = '\uf8f0' // %T
	pointerVerb = '\uf8f1' // %p
	wrongVerb   = '\uf8f2' // %w where there is nothing to wrap
)

// Operand is an operand of a function that prints blanks between those which are not strings.
func Operand(v any) any {
	if c, ok := Carried(v); ok && c.Value != nil && reflect.TypeOf(c.Value).Kind() == reflect.String {
		return fmt.Sprint(c)
	}
	return v
}

func Operands(list []any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = Operand(v)
	}
	return out
}

// Verbs returns a format and operands that print what those given would print if the carriers among
// the operands were the values that they carry. wraps says that %w wraps an error.
func Verbs(wraps bool, format string, operands []any) (string, []any) {
	if !slices.ContainsFunc(operands, func(v any) bool { _, ok := Carried(v); return ok }) {
		return format, operands
	}
	s := formatScanner{format: format, operands: slices.Clone(operands), wraps: wraps}
	s.scan()
	return s.out.String(), s.operands
}

// A formatScanner follows the arguments through a format as fmt does.
type formatScanner struct {
	format    string
	operands  []any
	wraps     bool
	out       strings.Builder
	i         int // in format
	next      int // operand
	reordered bool
	good      bool // the index of the operand
}

func (s *formatScanner) scan() {
	for s.i < len(s.format) {
		percent := strings.IndexByte(s.format[s.i:], '%')
		if percent < 0 {
			s.out.WriteString(s.format[s.i:])
			break
		}
		start := s.i
		s.i += percent + 1
		s.good = true
		for s.i < len(s.format) && strings.IndexByte("#0+- ", s.format[s.i]) >= 0 {
			s.i++
		}
		indexed := s.index()
		if s.star() {
			indexed = false
		} else if s.digits() && indexed {
			s.good = false
		}
		if s.i+1 < len(s.format) && s.format[s.i] == '.' {
			s.i++
			if indexed {
				s.good = false
			}
			indexed = s.index()
			if s.star() {
				indexed = false
			} else {
				s.digits()
			}
		}
		if !indexed {
			s.index()
		}
		if s.i >= len(s.format) {
			s.out.WriteString(s.format[start:start+percent] + "%%!(NOVERB)")
			break
		}
		s.out.WriteString(s.format[start:s.i])
		verb, size := utf8.DecodeRuneInString(s.format[s.i:])
		s.i += size
		if verb == '%' || !s.good || s.next >= len(s.operands) {
			s.out.WriteRune(verb)
			continue
		}
		s.out.WriteRune(s.verb(verb, s.operands[s.next]))
		s.next++
	}
	s.extra()
}

// verb is the verb to print an operand with.
func (s *formatScanner) verb(verb rune, operand any) rune {
	c, ok := Carried(operand)
	if !ok {
		return verb
	}
	switch verb {
	case 'T':
		return typeVerb
	case 'p':
		return pointerVerb
	case 'w':
		if !s.wraps || !c.isError() {
			return wrongVerb
		}
	}
	return verb
}

// index reads an index of the next operand.
func (s *formatScanner) index() bool {
	if s.i >= len(s.format) || s.format[s.i] != '[' {
		return false
	}
	s.reordered = true
	end := strings.IndexByte(s.format[s.i:], ']')
	if end < 0 {
		s.good = false
		s.i++
		return false
	}
	n, err := strconv.Atoi(s.format[s.i+1 : s.i+end])
	s.i += end + 1
	if err != nil || n < 1 || n > len(s.operands) {
		s.good = false
		return err == nil
	}
	s.next = n - 1
	return true
}

// star reads a width or precision that is an operand.
func (s *formatScanner) star() bool {
	if s.i >= len(s.format) || s.format[s.i] != '*' {
		return false
	}
	s.i++
	if s.next < len(s.operands) {
		if c, ok := Carried(s.operands[s.next]); ok {
			if v := reflect.ValueOf(c.Value); v.CanInt() {
				s.operands[s.next] = int(v.Int())
			} else if v.CanUint() {
				s.operands[s.next] = int(v.Uint())
			}
		}
		s.next++
	}
	return true
}

func (s *formatScanner) digits() bool {
	start := s.i
	for s.i < len(s.format) && '0' <= s.format[s.i] && s.format[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}

// extra writes what fmt says of operands that no verb asks for.
func (s *formatScanner) extra() {
	if s.reordered || s.next >= len(s.operands) {
		return
	}
	s.out.WriteString("%%!(EXTRA ")
	for i, v := range s.operands[s.next:] {
		if i > 0 {
			s.out.WriteString(", ")
		}
		if v != nil {
			name := reflect.TypeOf(v).String()
			if c, ok := Carried(v); ok {
				name = c.Description.Name
			}
			s.out.WriteString(name + "=")
		}
		s.out.WriteString("%v")
	}
	s.out.WriteString(")")
}
