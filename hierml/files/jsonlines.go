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

// JSONLines reads and writes documents, one JSON object per line:
//
//	{"id": "a1", "labels": ["net/http"], "text": "...", "split": "train"}
//
// It also reads a file with one list of such objects, in any layout: [{...}, {...}]. So it reads
// the output of pandas' to_json(orient="records"), with or without lines=True.
//
// A label is the name of a node; its ancestors are implied and may be listed or not. Empty lines
// and other fields are skipped. If a field occurs twice, the last one counts.
//
// The taxonomy may be nil: then it is made from the labels. Documents needs one.
type JSONLines struct {
	// Labels is the field of the labels: a list, or one label. The default is "labels", otherwise
	// "label". A label is a string with any characters, or a number or boolean as written. An empty
	// list, an empty string, null, or a missing field means no labels: Corpus.Labelled removes such
	// documents. A note says how many lack the field.
	Labels string

	// Text has the fields of the text, which are joined by line breaks. The default is "text".
	// Values are strings, or numbers and booleans as written; null is not a text. Each document
	// needs a text.
	Text []string

	// ID and Part are the fields of a document's id and part. The default is "id" and "split". The
	// ID of a document without one is its line number.
	ID, Part string

	// Group is the field of the groups of documents, if not empty; see dataset.Document. A document
	// without it forms its own group.
	Group string

	// PathSeparator separates the levels of labels if the taxonomy is made from them, as in Table.
	// If empty, it is detected; "none" makes a flat taxonomy.
	PathSeparator string

	// Repair, if not nil, repairs faults and counts the repairs. If nil, the first fault is an
	// error.
	Repair *Faults
}

// ReadJSONLines reads a file with the zero value of JSONLines.
func ReadJSONLines(r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return JSONLines{}.Read(context.Background(), r, name, t)
}

// Read reads all documents.
func (s JSONLines) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Corpus, error) {
	return readDocuments(ctx, name, t, s.Repair, func(l *labeler) eachDocument { return s.each(ctx, r, name, l) })
}

// Documents yields one document after the other, from a file that need not fit into memory.
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

// Write writes the corpus so that Read returns the same, with its groups if Group is set.
func (s JSONLines) Write(ctx context.Context, w io.Writer, c *dataset.Corpus) error {
	if c == nil || c.Taxonomy == nil {
		return fmt.Errorf("files: the corpus is nil or has no taxonomy; there is nothing to write")
	}
	s = s.named()
	names := []string{s.ID, orElse(s.Labels, "labels"), s.Text[0], s.Part}
	if s.Group != "" {
		names = append(names, s.Group)
	}
	if len(s.Text) > 1 {
		return fmt.Errorf("files: texts of several fields cannot be written; name one field")
	}
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names) {
		return fmt.Errorf("files: two of the fields %q have the same name; rename one of them", names)
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
