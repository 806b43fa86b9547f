package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// ReadJSONLines reads documents, one JSON object a line:
//
//	{"id": "a1", "labels": ["net/http"], "text": "...", "split": "train"}
//
// labels and text have to be there; a label is the name of a node of t, and ancestors of a label are
// implied and may be there or not. id is the line number where it is missing; split is the document's
// Part. Other fields are ignored. Empty lines are skipped. The file may be compressed by gzip. A line
// has at most 64 MiB.
//
// The name stands for the file in errors, which are a *SyntaxError for a line that is not as
// described. With an error, nothing is returned.
func ReadJSONLines(r io.Reader, name string, t *taxonomy.Taxonomy) (*Corpus, error) {
	if t == nil {
		return nil, errNoTaxonomy(name)
	}
	lines, err := textfile.NewLines(r, name, syntaxError)
	if err != nil {
		return nil, err
	}
	c := &Corpus{Name: name, Taxonomy: t}
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		document, err := parseDocument(lines, line, t)
		if err != nil {
			return nil, err
		}
		c.Documents = append(c.Documents, document)
	}
	if len(c.Documents) == 0 {
		return nil, &SyntaxError{File: name, Line: 1, Msg: `no documents; expected lines of {"id": ..., "labels": [...], "text": ...}`}
	}
	return c, nil
}

// parseDocument parses one line.
func parseDocument(l *textfile.Lines, line []byte, t *taxonomy.Taxonomy) (Document, error) {
	var object struct {
		ID     string    `json:"id"`
		Labels *[]string `json:"labels"`
		Text   *string   `json:"text"`
		Split  string    `json:"split"`
	}
	for at := 0; at < len(line); {
		r, size := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && size == 1 {
			return Document{}, l.Errorf(at+1, "byte %#02x is not UTF-8", line[at])
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
			return Document{}, l.Errorf(int(wrong.Offset), "%s is a JSON %s; expected %s", what, wrong.Value, expectedJSON(wrong.Field))
		}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return Document{}, l.Errorf(int(syntax.Offset), "not JSON: %s; expected one object a line", syntax.Error())
		}
		return Document{}, l.Errorf(0, "%s", err.Error())
	}
	if object.Text == nil {
		return Document{}, l.Errorf(0, `the field "text" is missing; expected {"id": ..., "labels": [...], "text": ...}`)
	}
	if object.Labels == nil {
		return Document{}, l.Errorf(0, `the field "labels" is missing; expected {"id": ..., "labels": [...], "text": ...}`)
	}
	d := Document{ID: object.ID, Text: *object.Text, Part: object.Split}
	if d.ID == "" {
		d.ID = fmt.Sprint(l.Line())
	}
	for _, label := range *object.Labels {
		n, ok := t.Node(label)
		if !ok {
			return Document{}, l.Errorf(columnOf(line, label), "%s", unknownLabel(t, label))
		}
		if slices.Contains(d.Labels, n) {
			return Document{}, l.Errorf(columnOf(line, label), "label %s is given twice", quote(label))
		}
		d.Labels = append(d.Labels, n)
	}
	d.Labels = mostSpecific(t, d.Labels)
	return d, nil
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

// columnOf returns the column, from 1, at which the label stands in the line, or 0 where it is written
// in another way.
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
