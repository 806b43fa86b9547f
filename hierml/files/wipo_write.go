package files

import (
	"bufio"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
)

// Write writes the corpus as one file of records. The first label is the main symbol, the others
// are further ones; the texts are in <txt>, and are read again without blanks around them; parts
// are not written. Labels that are no symbols, and characters that XML cannot have, are errors.
func (s WIPO) Write(ctx context.Context, w io.Writer, c *dataset.Corpus) error {
	if c == nil || c.Taxonomy == nil {
		return fmt.Errorf("files: the corpus is nil or has no taxonomy; there is nothing to write")
	}
	out := bufio.NewWriterSize(w, 1<<16)
	labels := labelWriter{taxonomy: c.Taxonomy}
	_, err := io.WriteString(out, xml.Header+"<records>\n")
	for i, d := range c.Documents {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = writePatent(out, &labels, i, d)
		}
		if err != nil {
			return fmt.Errorf("files: writing document %d: %w", i, err)
		}
	}
	if _, err = io.WriteString(out, "</records>\n"); err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("files: writing patents: %w", err)
	}
	return nil
}

// The elements of a file that is written.
type (
	patent struct {
		XMLName struct{}      `xml:"record"`
		Number  string        `xml:"pn,attr"`
		Classes patentClasses `xml:"ipcs"`
		Text    string        `xml:"txts>txt"`
	}
	patentClasses struct {
		Main    string        `xml:"mc,attr"`
		Further []patentClass `xml:"ipc"`
	}
	patentClass struct {
		Symbol string `xml:"ic,attr"`
	}
)

func writePatent(out *bufio.Writer, labels *labelWriter, row int, d dataset.Document) error {
	if len(d.Labels) == 0 {
		return fmt.Errorf("it has no label; a patent needs at least one")
	}
	for _, text := range []string{d.ID, d.Text} {
		for at, r := range text {
			if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0xfffe || r == 0xffff {
				return fmt.Errorf("XML cannot have the character %q, at byte %d of %s", r, at, textfile.Quote(text))
			}
		}
	}
	p := patent{Number: d.ID, Text: d.Text}
	for k, n := range d.Labels {
		name, err := labels.name(row, n)
		if err != nil {
			return err
		}
		code, err := symbolCode(name)
		if err != nil {
			return err
		}
		if k == 0 {
			p.Classes.Main = code
		} else {
			p.Classes.Further = append(p.Classes.Further, patentClass{code})
		}
	}
	encoded, err := xml.Marshal(p)
	if err != nil {
		return err
	}
	_, err = out.Write(append(encoded, '\n'))
	return err
}
