package notebook

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// ReadFile reads a notebook from a file. An error in its content is a *FormatError.
func ReadFile(path string) (*Notebook, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decode(path, text)
}

// Read reads a notebook. The name is that of the file in errors.
func Read(r io.Reader, name string) (*Notebook, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return decode(name, text)
}

// decode stops at the first error and panics with a *FormatError, since the format has many places
// for errors.
func decode(name string, text []byte) (nb *Notebook, err error) {
	t, root, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *FormatError:
			nb, err = nil, r
		default:
			panic(r)
		}
	}()
	return decoder{t}.notebook(root), nil
}

type decoder struct{ *tree }

// stop ends the decoding.
func (d decoder) stop(n *node, format string, args ...any) {
	panic(d.fail(n.offset, n.path(), fmt.Sprintf(format, args...)))
}

func (d decoder) notebook(root *node) *Notebook {
	if root.fields == nil {
		d.stop(root, "a notebook is a JSON object; this is %s", root.kind())
	}
	if _, ok := root.fields["nbformat"]; !ok {
		d.stop(root, `not a notebook: the field "nbformat" is missing`)
	}
	switch major := d.integer(root, "nbformat"); {
	case major < Major:
		d.stop(root.fields["nbformat"], "format %d is too old. Convert the file with `jupyter nbconvert --to notebook --inplace FILE`", major)
	case major > Major:
		d.stop(root.fields["nbformat"], "format %d is newer than 4, which is supported. Save the file in format 4", major)
	}
	nb := &Notebook{
		Minor:    d.integer(root, "nbformat_minor"),
		Metadata: d.metadata(root, "metadata"),
		Extra:    root.object("nbformat", "nbformat_minor", "metadata", "cells"),
	}
	ids := map[string]*node{}
	for _, n := range d.list(root, "cells") {
		c := d.cell(n, nb.Minor)
		if first, taken := ids[c.ID]; taken && c.ID != "" {
			d.stop(n.fields["id"], "the id %q is also that of %s", c.ID, first.path())
		}
		ids[c.ID] = n
		nb.Cells = append(nb.Cells, c)
	}
	return nb
}

func (d decoder) cell(n *node, minor int) *Cell {
	c := &Cell{
		Kind:     d.oneOf(n, "cell_type", Code, Markdown, Raw),
		Source:   d.text(n, "source"),
		Metadata: d.metadata(n, "metadata"),
		Extra:    n.object("cell_type", "source", "metadata", "id", "attachments", "execution_count", "outputs"),
	}
	if id := n.fields["id"]; id != nil || minor >= 5 {
		c.ID = d.word(n, "id")
		if !validID(c.ID) {
			d.stop(id, "the id %q is not one to 64 letters, digits, - and _", c.ID)
		}
	}
	if a := n.fields["attachments"]; a != nil {
		c.Attachments = map[string]any{}
		for name, file := range d.object(a).fields {
			c.Attachments[name] = d.bundle(file)
		}
	}
	if c.Kind != Code {
		return c
	}
	c.Count = d.count(n)
	for _, o := range d.list(n, "outputs") {
		c.Outputs = append(c.Outputs, d.output(o))
	}
	return c
}

func (d decoder) output(n *node) *Output {
	o := &Output{Kind: d.oneOf(n, "output_type", Stream, Display, Result, Failure)}
	switch o.Kind {
	case Stream:
		o.Name = d.oneOf(n, "name", "stdout", "stderr")
		o.Text = d.text(n, "text")
		o.Extra = n.object("output_type", "name", "text")
	case Failure:
		o.ErrorName, o.ErrorValue = d.word(n, "ename"), d.word(n, "evalue")
		o.Traceback = []string{}
		for _, line := range d.list(n, "traceback") {
			s, ok := line.value.(string)
			if !ok {
				d.stop(line, "a line of a traceback is a string; this is %s", line.kind())
			}
			o.Traceback = append(o.Traceback, s)
		}
		o.Extra = n.object("output_type", "ename", "evalue", "traceback")
	default:
		o.Data = d.bundle(d.need(n, "data"))
		o.Metadata = d.metadata(n, "metadata")
		if o.Kind == Result {
			o.Count = d.count(n)
		}
		o.Extra = n.object("output_type", "data", "metadata", "execution_count")
	}
	return o
}

// bundle returns a MIME bundle, with lists of lines joined.
func (d decoder) bundle(n *node) map[string]any {
	data := make(map[string]any, len(n.fields))
	for mime, value := range d.object(n).fields {
		if value.items != nil && !isJSON(mime) {
			data[mime] = d.lines(value)
			continue
		}
		data[mime] = value.plain()
	}
	return data
}

// isJSON reports whether data of the type are JSON rather than text.
func isJSON(mime string) bool {
	return mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

func (d decoder) object(n *node) *node {
	if n.fields == nil {
		d.stop(n, "expected an object; this is %s", n.kind())
	}
	return n
}

// need returns a field of an object.
func (d decoder) need(n *node, name string) *node {
	f, ok := d.object(n).fields[name]
	if !ok {
		d.stop(n, "the field %q is missing", name)
	}
	return f
}

func (d decoder) list(n *node, name string) []*node {
	f := d.need(n, name)
	if f.items == nil {
		d.stop(f, "expected a list; this is %s", f.kind())
	}
	return f.items
}

func (d decoder) metadata(n *node, name string) map[string]any {
	return d.object(d.need(n, name)).object()
}

func (d decoder) word(n *node, name string) string {
	f := d.need(n, name)
	s, ok := f.value.(string)
	if !ok {
		d.stop(f, "expected a string; this is %s", f.kind())
	}
	return s
}

func (d decoder) oneOf(n *node, name string, allowed ...string) string {
	s := d.word(n, name)
	for _, a := range allowed {
		if s == a {
			return s
		}
	}
	d.stop(n.fields[name], "%q is not one of %s", s, strings.Join(allowed, ", "))
	return ""
}

// text returns a text that is a string or a list of lines.
func (d decoder) text(n *node, name string) string {
	f := d.need(n, name)
	if s, ok := f.value.(string); ok {
		return s
	}
	if f.items == nil {
		d.stop(f, "expected a text, as a string or a list of lines; this is %s", f.kind())
	}
	return d.lines(f)
}

func (d decoder) lines(n *node) string {
	var b strings.Builder
	for _, line := range n.items {
		s, ok := line.value.(string)
		if !ok {
			d.stop(line, "a line of text is a string; this is %s", line.kind())
		}
		b.WriteString(s)
	}
	return b.String()
}

func (d decoder) integer(n *node, name string) int {
	f := d.need(n, name)
	if number, ok := f.value.(json.Number); ok {
		if i, err := number.Int64(); err == nil && i >= 0 && i < 1<<31 {
			return int(i)
		}
	}
	d.stop(f, "expected a whole number that is not negative")
	return 0
}

// count returns an execution count, 0 for null.
func (d decoder) count(n *node) int {
	if f := d.need(n, "execution_count"); f.kind() == "null" {
		return 0
	}
	return d.integer(n, "execution_count")
}

func validID(id string) bool {
	for _, r := range id {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_') {
			return false
		}
	}
	return len(id) >= 1 && len(id) <= 64
}
