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
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// JSONLines reads and writes documents, one JSON object a line:
//
//	{"id": "a1", "labels": ["net/http"], "text": "...", "split": "train"}
//
// It also reads a file that is one list of such objects, in any layout: [{...}, {...}]. So it
// reads what pandas writes with to_json(orient="records"), with lines=True or without.
//
// A label is the name of a node, and ancestors of a label are implied and may be there or not.
// Empty lines are skipped, and so are other fields. Where a field is given twice, the last
// counts.
//
// The taxonomy may be nil: then it is made of the labels. Documents needs one.
type JSONLines struct {
	// Labels is the field of the labels, "labels" or else "label" if empty: a list, or one label.
	// A label is a string, whatever characters it has, or a number or a truth value as it is
	// written. An empty list, an empty string, null, or a document without the field has none:
	// Corpus.Labelled leaves such documents out. A note says how many lack the field.
	Labels string

	// Text has the fields of the text, "text" if empty; line breaks stand between them. They are
	// strings, or numbers and truth values as they are written; null is no text. Each document
	// needs a text.
	Text []string

	// ID and Part are fields of documents, "id" and "split" if empty. A document without an ID
	// has the number of its line.
	ID, Part string

	// Group is the field of the groups of documents, if not empty; see dataset.Document. A document
	// without it belongs to no other.
	Group string

	// PathSeparator stands between the levels of labels where the taxonomy is made of them, as in
	// Table. If empty, it is found out; "none" makes a flat taxonomy.
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
	return readDocuments(ctx, name, t, s.Repair, func(l *labeler) eachDocument { return s.each(ctx, r, name, l) })
}

// Documents reads one document after the other, of a file that need not fit into memory.
func (s JSONLines) Documents(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) iter.Seq2[dataset.Document, error] {
	return streamKnown(name, t, s.Repair, func(l *labeler) eachDocument { return s.each(ctx, r, name, l) })
}

func (s JSONLines) each(ctx context.Context, r io.Reader, name string, l *labeler) eachDocument {
	return func(yield func(dataset.Document) error) error {
		p, err := s.open(ctx, r, name, l)
		if err != nil {
			return err
		}
		for {
			err := p.next()
			if errors.Is(err, io.EOF) {
				return p.end(ctx)
			}
			var d dataset.Document
			if err == nil {
				d, err = p.document()
			}
			if err == nil {
				err = yield(d)
			}
			if err != nil && !errors.Is(err, errLeftOut) {
				return err
			}
		}
	}
}

// Write writes the corpus so that Read gives it again: its groups if Group names the field.
func (s JSONLines) Write(ctx context.Context, w io.Writer, c *dataset.Corpus) error {
	if c == nil || c.Taxonomy == nil {
		return fmt.Errorf("files: no corpus, or one without taxonomy; there is nothing to write")
	}
	s = s.named()
	names := []string{s.ID, orElse(s.Labels, "labels"), s.Text[0], s.Part}
	if s.Group != "" {
		names = append(names, s.Group)
	}
	if len(s.Text) > 1 {
		return fmt.Errorf("files: texts of several fields are not written; name one")
	}
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names) {
		return fmt.Errorf("files: two of the fields %q are called the same; give each a name of its own", names)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	labels := labelWriter{taxonomy: c.Taxonomy}
	for i, d := range c.Documents {
		if err := ctx.Err(); err != nil {
			return err
		}
		list := []string{}
		for _, n := range d.Labels {
			name, err := labels.name(i, n)
			if err != nil {
				return err
			}
			list = append(list, name)
		}
		fields, values := names[:3:3], []any{d.ID, list, d.Text}
		if d.Part != "" {
			fields, values = append(fields, s.Part), append(values, d.Part)
		}
		if s.Group != "" && d.Group != "" {
			fields, values = append(fields, s.Group), append(values, d.Group)
		}
		if err := writeObject(out, fields, values); err != nil {
			return fmt.Errorf("files: writing document %d: %w", i, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("files: writing: %w", err)
	}
	return nil
}

// writeObject writes a line with an object of the values, which have the names.
func writeObject(w io.Writer, names []string, values []any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	mark := byte('{')
	for i, value := range values {
		for _, part := range []any{names[i], value} {
			line.WriteByte(mark)
			if err := encoder.Encode(part); err != nil {
				return err
			}
			line.Truncate(line.Len() - 1) // a line break
			mark = ':'
		}
		mark = ','
	}
	line.WriteString("}\n")
	_, err := w.Write(line.Bytes())
	return err
}
