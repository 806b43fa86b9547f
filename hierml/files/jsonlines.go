package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// JSONLines reads and writes documents, one JSON object a line:
//
//	{"id": "a1", "labels": ["net/http"], "text": "...", "split": "train"}
//
// labels and text have to be there; a label is the name of a node, and ancestors of a label are
// implied and may be there or not. id is the line number where it is missing; split is the
// document's Part. Other fields are ignored. Empty lines are skipped.
//
// The taxonomy may be nil: then it is made of the labels, which is a flat one unless they have a
// PathSeparator. Documents needs one.
type JSONLines struct {
	// PathSeparator divides labels into the nodes of their paths where the taxonomy is made of
	// them, "/" if empty.
	PathSeparator string

	// Repair asks for repairs, which are counted there. Without it, the first fault is an error.
	Repair *Faults
}

// ReadJSONLines reads a file as the zero JSONLines does.
func ReadJSONLines(r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return JSONLines{}.Read(context.Background(), r, name, t)
}

// Read reads all documents.
func (s JSONLines) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	l := &labeler{taxonomy: t, format: "JSONLines", repair: s.Repair}
	c, err := readCorpus(name, l, s.each(ctx, r, name, l))
	if err == nil {
		l.note(ctx, name)
	}
	return c, err
}

// Documents reads one document after the other, of a file that need not fit into memory.
func (s JSONLines) Documents(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) iter.Seq2[dataset.Document, error] {
	return streamKnown(name, t, s.Repair, func(l *labeler) eachDocument { return s.each(ctx, r, name, l) })
}

func (s JSONLines) each(ctx context.Context, r io.Reader, name string, l *labeler) eachDocument {
	return func(yield func(dataset.Document) error) error {
		lines, err := openLines(ctx, r, name)
		if err != nil {
			return err
		}
		l.errorf = lines.Errorf
		p := &jsonParser{lines: lines, labels: l, separator: orElse(s.PathSeparator, "/")}
		any := false
		if err := eachLine(lines, s.Repair, func(line []byte) error {
			if len(bytes.TrimSpace(line)) == 0 {
				return nil
			}
			d, err := p.document(line)
			if err != nil {
				return err
			}
			any = true
			return yield(d)
		}); err != nil {
			return err
		}
		if !any {
			return &SyntaxError{File: name, Line: 1, Msg: `no documents; expected lines of {"id": ..., "labels": [...], "text": ...}`}
		}
		return nil
	}
}

// Write writes the corpus so that Read gives it again.
func (s JSONLines) Write(ctx context.Context, w io.Writer, c *dataset.Corpus) error {
	if c == nil || c.Taxonomy == nil {
		return fmt.Errorf("files: no corpus, or one without taxonomy; there is nothing to write")
	}
	out := bufio.NewWriterSize(w, 1<<16)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	labels := labelWriter{taxonomy: c.Taxonomy}
	for i, d := range c.Documents {
		if err := ctx.Err(); err != nil {
			return err
		}
		object := struct {
			ID     string   `json:"id"`
			Labels []string `json:"labels"`
			Text   string   `json:"text"`
			Split  string   `json:"split,omitempty"`
		}{d.ID, []string{}, d.Text, d.Part}
		for _, n := range d.Labels {
			name, err := labels.name(i, n)
			if err != nil {
				return err
			}
			object.Labels = append(object.Labels, name)
		}
		if err := encoder.Encode(object); err != nil {
			return fmt.Errorf("files: writing document %d: %w", i, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("files: writing: %w", err)
	}
	return nil
}

// jsonParser parses lines.
type jsonParser struct {
	lines     *textfile.Lines
	labels    *labeler
	separator string // of paths
}

func (p *jsonParser) fault(kind faultKind, column int, format string, args ...any) error {
	return report(p.labels.repair, kind, p.lines.Errorf(column, format, args...))
}

// document parses one line.
func (p *jsonParser) document(line []byte) (dataset.Document, error) {
	var object struct {
		ID     string    `json:"id"`
		Labels *[]string `json:"labels"`
		Text   *string   `json:"text"`
		Split  string    `json:"split"`
	}
	for at := 0; at < len(line); {
		r, size := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && size == 1 {
			if err := p.fault(faultEncoding, at+1, "byte %#02x is not UTF-8", line[at]); err != nil {
				return dataset.Document{}, err
			}
			break // json replaces them
		}
		at += size
	}
	if err := json.Unmarshal(line, &object); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			what := "the line"
			if wrong.Field != "" {
				what = fmt.Sprintf("field %q", wrong.Field)
			}
			return dataset.Document{}, p.fault(faultUnreadable, int(wrong.Offset), "%s is a JSON %s; expected %s", what, wrong.Value, expectedJSON(wrong.Field))
		}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return dataset.Document{}, p.fault(faultUnreadable, int(syntax.Offset), "not JSON: %s; expected one object a line", syntax.Error())
		}
		return dataset.Document{}, p.fault(faultUnreadable, 0, "%s", err.Error())
	}
	if object.Text == nil {
		return dataset.Document{}, p.fault(faultUnreadable, 0, `the field "text" is missing; expected {"id": ..., "labels": [...], "text": ...}`)
	}
	if object.Labels == nil {
		return dataset.Document{}, p.fault(faultUnreadable, 0, `the field "labels" is missing; expected {"id": ..., "labels": [...], "text": ...}`)
	}
	d := dataset.Document{ID: object.ID, Text: *object.Text, Part: object.Split}
	if d.ID == "" {
		d.ID = fmt.Sprint(p.lines.Line())
	}
	var nodes []int
	for _, label := range *object.Labels {
		var err error
		if nodes, err = p.labels.add(nodes, label, p.separator, columnOf(line, label)); err != nil {
			return dataset.Document{}, err
		}
	}
	if p.labels.repair != nil && strings.TrimSpace(d.Text) == "" {
		if err := p.fault(faultEmptyText, 0, "the document has no text"); err != nil {
			return dataset.Document{}, err
		}
	}
	var err error
	d.Labels, err = p.labels.finish(nodes, len(*object.Labels) > 0)
	return d, err
}

// expectedJSON says what a field has to be.
func expectedJSON(field string) string {
	switch field {
	case "":
		return "an object"
	case "labels":
		return "a list of strings"
	default:
		return "a string"
	}
}

// columnOf returns the column, from 1, at which the label stands in the line, or 0 where it is
// written in another way.
func columnOf(line []byte, label string) int {
	quoted, err := json.Marshal(label)
	start := bytes.Index(line, []byte(`"labels"`))
	if err != nil || start < 0 {
		return 0
	}
	at := bytes.Index(line[start:], quoted)
	if at < 0 {
		return 0
	}
	return start + at + 1
}
