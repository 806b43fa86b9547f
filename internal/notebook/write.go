package notebook

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/internal/replace"
)

// WriteFile writes the notebook to a file. If it fails, the old file stays.
func (nb *Notebook) WriteFile(path string) error {
	return replace.With(path, nb.Write)
}

// Write writes the notebook in format 4.5, as Jupyter does: keys sorted, indented by one space,
// texts as lists of lines, a newline at the end. Cells without an ID get one.
func (nb *Notebook) Write(w io.Writer) error {
	nb.Minor = max(nb.Minor, Minor)
	nb.nameCells()
	cells := make([]any, len(nb.Cells))
	for i, c := range nb.Cells {
		cells[i] = c.encode()
	}
	root := with(nb.Extra, map[string]any{
		"nbformat":       Major,
		"nbformat_minor": nb.Minor,
		"metadata":       orEmpty(nb.Metadata),
		"cells":          cells,
	})
	e := &encoder{w: bufio.NewWriter(w)}
	e.value(root, "\n")
	if e.err != nil {
		return e.err
	}
	e.w.WriteByte('\n')
	return e.w.Flush()
}

// with merges the fields with the other fields to keep.
func with(extra, fields map[string]any) map[string]any {
	for name, value := range extra {
		if _, has := fields[name]; !has {
			fields[name] = value
		}
	}
	return fields
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func (c *Cell) encode() map[string]any {
	fields := map[string]any{
		"cell_type": c.Kind,
		"id":        c.ID,
		"metadata":  orEmpty(c.Metadata),
		"source":    splitLines(c.Source),
	}
	if c.Attachments != nil {
		files := map[string]any{}
		for name, bundle := range c.Attachments {
			data, _ := bundle.(map[string]any)
			files[name] = splitBundle(data)
		}
		fields["attachments"] = files
	}
	if c.Kind == Code {
		outputs := make([]any, len(c.Outputs))
		for i, o := range c.Outputs {
			outputs[i] = o.encode()
		}
		fields["execution_count"] = orNull(c.Count)
		fields["outputs"] = outputs
	}
	return with(c.Extra, fields)
}

func orNull(count int) any {
	if count == 0 {
		return nil
	}
	return count
}

func (o *Output) encode() map[string]any {
	fields := map[string]any{"output_type": o.Kind}
	switch o.Kind {
	case Stream:
		fields["name"] = o.Name
		fields["text"] = splitLines(o.Text)
	case Failure:
		fields["ename"] = o.ErrorName
		fields["evalue"] = o.ErrorValue
		lines := make([]any, len(o.Traceback))
		for i, line := range o.Traceback {
			lines[i] = line
		}
		fields["traceback"] = lines
	default:
		fields["data"] = splitBundle(o.Data)
		fields["metadata"] = orEmpty(o.Metadata)
		if o.Kind == Result {
			fields["execution_count"] = orNull(o.Count)
		}
	}
	return with(o.Extra, fields)
}

// splitBundle splits the texts of a bundle into lists of lines, where Jupyter does.
func splitBundle(bundle map[string]any) map[string]any {
	out := make(map[string]any, len(bundle))
	for mime, data := range bundle {
		text, ok := data.(string)
		if ok && (strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml") {
			out[mime] = splitLines(text)
			continue
		}
		out[mime] = data
	}
	return out
}

// splitLines splits a text after each line end, with the same set of line ends as Python's
// splitlines.
func splitLines(text string) []any {
	lines := []any{}
	start := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch r {
		case '\r':
			if i < len(text) && text[i] == '\n' {
				i++
			}
		case '\n', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		default:
			continue
		}
		lines = append(lines, text[start:i])
		start = i
	}
	if start < len(text) {
		lines = append(lines, text[start:])
	}
	return lines
}

// An encoder writes JSON as Python's json.dumps(indent=1, sort_keys=True, ensure_ascii=False) does.
type encoder struct {
	w   *bufio.Writer // remembers its first error until Flush
	err error
}

// value writes a value; newline is the beginning of a new line at its level.
func (e *encoder) value(v any, newline string) {
	switch v := v.(type) {
	case nil:
		e.w.WriteString("null")
	case bool:
		fmt.Fprint(e.w, v)
	case int:
		fmt.Fprint(e.w, v)
	case json.Number:
		e.w.WriteString(v.String())
	case string:
		e.string(v)
	case []any:
		if len(v) == 0 {
			e.w.WriteString("[]")
			return
		}
		for i, item := range v {
			e.before(i, '[', newline)
			e.value(item, newline+" ")
		}
		e.w.WriteString(newline + "]")
	case map[string]any:
		if len(v) == 0 {
			e.w.WriteString("{}")
			return
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for i, key := range keys {
			e.before(i, '{', newline)
			e.string(key)
			e.w.WriteString(": ")
			e.value(v[key], newline+" ")
		}
		e.w.WriteString(newline + "}")
	default:
		if e.err == nil {
			e.err = fmt.Errorf("a notebook cannot hold a value of type %T", v)
		}
	}
}

// before writes the separator before the ith item of a list or an object.
func (e *encoder) before(i int, bracket byte, newline string) {
	if i > 0 {
		bracket = ','
	}
	e.w.WriteByte(bracket)
	e.w.WriteString(newline + " ")
}

func (e *encoder) string(s string) {
	e.w.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			e.w.WriteByte('\\')
			e.w.WriteRune(r)
		case '\n':
			e.w.WriteString(`\n`)
		case '\r':
			e.w.WriteString(`\r`)
		case '\t':
			e.w.WriteString(`\t`)
		case '\b':
			e.w.WriteString(`\b`)
		case '\f':
			e.w.WriteString(`\f`)
		default:
			if r < 0x20 {
				fmt.Fprintf(e.w, `\u%04x`, r)
				continue
			}
			e.w.WriteRune(r)
		}
	}
	e.w.WriteByte('"')
}
