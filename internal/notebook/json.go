package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A node is a JSON value with its position in the file.
type node struct {
	offset int
	parent *node  // nil of the root
	name   string // its name in an object
	index  int    // its index in a list
	// value is nil, a bool, a json.Number or a string. A list has items instead, and an object
	// fields.
	value  any
	items  []*node
	fields map[string]*node
}

// path returns the path of the node, such as cells[3].source. Only messages need it: a name may be
// long, and contain a long list.
func (n *node) path() string {
	switch {
	case n.parent == nil:
		return ""
	case n.parent.items != nil:
		return fmt.Sprintf("%s[%d]", n.parent.path(), n.index)
	}
	return strings.TrimPrefix(n.parent.path()+"."+n.name, ".")
}

// A tree reads a JSON text into nodes.
type tree struct {
	file string
	text []byte
	dec  *json.Decoder
}

// parse reads a JSON text, which is one value.
func parse(file string, text []byte) (*tree, *node, error) {
	t := &tree{file: file, text: text}
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return nil, nil, t.fail(0, "", "the file is empty; a notebook is a JSON object")
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return nil, nil, t.fail(0, "", "the file begins with a byte order mark. Save it as UTF-8 without one")
	}
	// The token decoder locates errors less precisely.
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		var syntax *json.SyntaxError
		if !errors.As(err, &syntax) {
			return nil, nil, t.fail(0, "", err.Error())
		}
		msg, offset := syntax.Error(), int(syntax.Offset)
		if msg != "unexpected end of JSON input" {
			offset-- // the offset of the unexpected byte
		}
		if bytes.Contains(text, []byte("\n<<<<<<< ")) {
			msg += "; the file has conflict markers of a merge"
		}
		return nil, nil, t.fail(max(0, offset), "", "this is not JSON: "+msg)
	}
	t.dec = json.NewDecoder(bytes.NewReader(text))
	t.dec.UseNumber()
	root, err := t.read(nil, "", 0)
	if err != nil {
		return nil, nil, t.fail(int(t.dec.InputOffset()), "", err.Error())
	}
	return t, root, nil
}

// fail makes an error for a place in the file.
func (t *tree) fail(offset int, path, msg string) *FormatError {
	before := t.text[:min(offset, len(t.text))]
	return &FormatError{
		File:   t.file,
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: len(before) - bytes.LastIndexByte(before, '\n'),
		Path:   path,
		Msg:    msg,
	}
}

func (t *tree) read(parent *node, name string, index int) (*node, error) {
	start := int(t.dec.InputOffset())
	start += len(t.text[start:]) - len(bytes.TrimLeft(t.text[start:], " \t\r\n,:"))
	token, err := t.dec.Token()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	n := &node{offset: start, parent: parent, name: name, index: index, value: token}
	switch token {
	case json.Delim('['):
		n.items = []*node{}
		for t.dec.More() {
			item, err := t.read(n, "", len(n.items))
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
	case json.Delim('{'):
		n.fields = map[string]*node{}
		for t.dec.More() {
			key, err := t.dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ := key.(string) // the text is valid
			field, err := t.read(n, name, 0)
			if err != nil {
				return nil, err
			}
			n.fields[name] = field
		}
	default:
		return n, nil
	}
	_, err = t.dec.Token() // the closing bracket
	return n, err
}

// plain returns the value in the form of encoding/json, with numbers as json.Number.
func (n *node) plain() any {
	switch {
	case n.items != nil:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.plain()
		}
		return list
	case n.fields != nil:
		return n.object()
	}
	return n.value
}

// object returns the plain values of the fields, except those named.
func (n *node) object(except ...string) map[string]any {
	m := make(map[string]any, len(n.fields))
	for name, field := range n.fields {
		m[name] = field.plain()
	}
	for _, name := range except {
		delete(m, name)
	}
	return m
}

// kind names the kind of the value.
func (n *node) kind() string {
	switch {
	case n.items != nil:
		return "a list"
	case n.fields != nil:
		return "an object"
	}
	switch n.value.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	return "a number"
}

// Indented formats data as indented JSON, or on one line if indenting would make it more than ten
// times as long, since deep nesting is indented a lot.
func Indented(data any) (string, error) {
	plain, err := json.Marshal(data)
	if err != nil {
		return "", err
	}
	depth, length, quoted := 0, len(plain), false
	for i := 0; i < len(plain); i++ {
		switch c := plain[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			length += 2 * depth
		case c == ']' || c == '}':
			depth--
			length += 2 * depth
		case c == ',':
			length += 2 * depth
		}
	}
	if length > 10*len(plain) {
		return string(plain), nil
	}
	var b bytes.Buffer
	err = json.Indent(&b, plain, "", "  ")
	return b.String(), err
}
