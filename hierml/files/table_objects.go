package files

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"
)

// jsonObjects reads objects that are rows of a table, one after the other: their values are
// strings, finite numbers, truth values, lists of strings, and null. It reads them as encoding/json
// does, in less time, and nothing else.
type jsonObjects struct {
	in    io.Reader
	list  bool // of objects
	begun bool // an object was read

	buffer  []byte // what was read and not accepted
	at      int    // in the buffer
	cut     bool   // the buffer ends within the object
	fields  []jsonScalar
	unquote []byte // for strings with escapes
}

// jsonScalar is a field of an object. Its bytes are valid until the next object is read.
type jsonScalar struct {
	name   []byte
	kind   int
	text   []byte // of a string, or a truth value
	number float64
	list   []string
}

// next reads the next object, and reports whether it could. It reads the same one again unless it
// is accepted.
func (o *jsonObjects) next() bool {
	for {
		o.at, o.cut = 0, false
		if o.object() {
			return utf8.Valid(o.buffer[:o.at])
		}
		if !o.cut || !o.more() {
			return false
		}
	}
}

// accept continues after the object read.
func (o *jsonObjects) accept() {
	o.buffer = o.buffer[o.at:]
	o.begun = true
}

// rest returns what was not accepted.
func (o *jsonObjects) rest() io.Reader { return io.MultiReader(bytes.NewReader(o.buffer), o.in) }

// more reads until there is twice as much, so that a long object is begun few times. It reports
// whether there is more.
func (o *jsonObjects) more() bool {
	const least = 1 << 16
	had := len(o.buffer)
	for len(o.buffer) <= 2*had {
		if cap(o.buffer)-len(o.buffer) < least {
			o.buffer = append(make([]byte, 0, 2*len(o.buffer)+4*least), o.buffer...)
		}
		n, err := o.in.Read(o.buffer[len(o.buffer):cap(o.buffer)])
		o.buffer = o.buffer[:len(o.buffer)+n]
		if err != nil { // the decoder that reads on gets it again
			break
		}
	}
	return len(o.buffer) > had
}

// object reads an object.
func (o *jsonObjects) object() bool {
	o.fields, o.unquote = o.fields[:0], o.unquote[:0]
	if o.list {
		before := byte('[')
		if o.begun {
			before = ','
		}
		if !o.take(before) {
			return false
		}
	}
	if !o.take('{') {
		return false
	}
	if o.take('}') {
		return true
	}
	for !o.cut {
		o.fields = append(o.fields, jsonScalar{})
		f := &o.fields[len(o.fields)-1]
		if !o.take('"') || !o.text(&f.name) || !o.take(':') || !o.value(f) {
			return false
		}
		if !o.take(',') {
			return o.take('}')
		}
	}
	return false
}

// take reads a character, with blanks before it, if it is the next.
func (o *jsonObjects) take(c byte) bool {
	o.at = jsonBlank(o.buffer, o.at)
	if o.at == len(o.buffer) {
		o.cut = true
		return false
	}
	if o.buffer[o.at] != c {
		return false
	}
	o.at++
	return true
}

// value reads the value of a field.
func (o *jsonObjects) value(f *jsonScalar) bool {
	switch {
	case o.take('"'):
		f.kind = jsonWords
		return o.text(&f.text)
	case o.cut:
		return false
	case o.take('['):
		f.kind, f.list = jsonLists, []string{}
		if o.take(']') {
			return true
		}
		for !o.cut {
			var word []byte
			if !o.take('"') || !o.text(&word) {
				return false
			}
			f.list = append(f.list, string(word))
			if !o.take(',') {
				return o.take(']')
			}
		}
		return false
	}
	for _, literal := range jsonLiterals {
		if rest := o.buffer[o.at:]; bytes.HasPrefix(rest, literal.text) {
			f.kind, f.text = literal.kind, literal.text
			o.at += len(literal.text)
			return true
		} else if len(rest) < len(literal.text) && bytes.HasPrefix(literal.text, rest) {
			o.cut = true
			return false
		}
	}
	return o.numeral(f)
}

var jsonLiterals = []struct {
	text []byte
	kind int
}{{[]byte("null"), jsonNull}, {[]byte("true"), jsonTruth}, {[]byte("false"), jsonTruth}}

// numeral reads a number.
func (o *jsonObjects) numeral(f *jsonScalar) bool {
	start := o.at
	v, end, ok := scanNumber(o.buffer, start)
	if o.cut = end >= len(o.buffer); o.cut || !ok {
		return false
	}
	// JSON numbers have no plus sign, no leading zeros, and no point without digits.
	digits := o.buffer[start:end]
	if digits[0] == '-' {
		digits = digits[1:]
	}
	point := bytes.IndexByte(digits, '.')
	if digits[0]-'0' > 9 || digits[0] == '0' && len(digits) > 1 && digits[1]-'0' <= 9 || point >= 0 && (point+1 == len(digits) || digits[point+1]-'0' > 9) {
		return false
	}
	f.kind, f.number, o.at = jsonNumbers, v, end
	return true
}

// jsonPlain are the bytes that stand for themselves in strings.
var jsonPlain = func() (plain [256]bool) {
	for c := ' '; c < 256; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// text reads a string whose first mark was read.
func (o *jsonObjects) text(to *[]byte) bool {
	start, end := o.at, o.at
	for end < len(o.buffer) && jsonPlain[o.buffer[end]] {
		end++
	}
	if end < len(o.buffer) && o.buffer[end] == '"' {
		*to, o.at = o.buffer[start:end], end+1
		return true
	}
	for end < len(o.buffer) && o.buffer[end] != '"' {
		if o.buffer[end] < ' ' {
			return false
		}
		if o.buffer[end] == '\\' {
			end++
		}
		end++
	}
	if o.cut = end >= len(o.buffer); o.cut {
		return false
	}
	o.at = end + 1
	from := len(o.unquote)
	for k := start; k < end; k++ {
		c := o.buffer[k]
		if c == '\\' {
			k++
			if c = jsonEscapes[o.buffer[k]]; c == 0 { // by its number, or no escape
				var text string
				if json.Unmarshal(o.buffer[start-1:end+1], &text) != nil {
					return false
				}
				*to = []byte(text)
				return true
			}
		}
		o.unquote = append(o.unquote, c)
	}
	*to = o.unquote[from:]
	return true
}

var jsonEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
