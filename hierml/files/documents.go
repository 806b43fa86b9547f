package files

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// eachDocument calls yield for every document of a source, and ends with its error.
type eachDocument func(yield func(dataset.Document) error) error

// readCorpus builds a corpus of all documents. The labeler finds their labels.
func readCorpus(ctx context.Context, name string, l *labeler, each eachDocument) (*dataset.Corpus, error) {
	c := &dataset.Corpus{Name: name}
	if err := each(func(d dataset.Document) error {
		c.Documents = append(c.Documents, d)
		return nil
	}); err != nil {
		return nil, err
	}
	if len(c.Documents) == 0 {
		return nil, &SyntaxError{File: name, Line: 1, Msg: "no documents, or none with a label; check that this is the right file"}
	}
	t, nodesOf, err := l.grown(name)
	if err != nil {
		return nil, err
	}
	c.Taxonomy = t
	l.note(ctx, name)
	for i := range c.Documents {
		if d := &c.Documents[i]; nodesOf != nil && len(d.Labels) > 0 {
			d.Labels = nodesOf(d.Labels)
		}
	}
	return c, nil
}

// readDocuments builds a corpus of the documents. The labeler finds their labels. The taxonomy may
// be nil: then it is made from the labels.
func readDocuments(ctx context.Context, name string, t *taxonomy.Taxonomy, repair *Faults, documents func(l *labeler) eachDocument) (*dataset.Corpus, error) {
	l := &labeler{taxonomy: t, repair: repair}
	return readCorpus(ctx, name, l, documents(l))
}

// streamKnown yields the documents one after the other. Their labels must be nodes of the taxonomy.
func streamKnown(name string, t *taxonomy.Taxonomy, repair *Faults, documents func(l *labeler) eachDocument) iter.Seq2[dataset.Document, error] {
	return streamDocuments(func(yield func(dataset.Document) error) error {
		if t == nil {
			return errNoTaxonomy(name)
		}
		return documents(&labeler{taxonomy: t, repair: repair})(yield)
	})
}

var errStopped = errors.New("the loop has ended")

// streamDocuments yields the documents one after the other.
func streamDocuments(each eachDocument) iter.Seq2[dataset.Document, error] {
	return func(yield func(dataset.Document, error) bool) {
		err := each(func(d dataset.Document) error {
			if !yield(d, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(dataset.Document{}, err)
		}
	}
}

// decodeText returns the text of a file in UTF-8, or in Latin-1 if that is said.
func decodeText(content []byte, latin1 bool, repair *Faults, errorf func(line, column int, format string, args ...any) error) (string, error) {
	if latin1 {
		var b strings.Builder
		b.Grow(len(content))
		for _, c := range content {
			b.WriteRune(rune(c))
		}
		return b.String(), nil
	}
	text := strings.TrimPrefix(string(content), "\ufeff")
	if utf8.ValidString(text) {
		return text, nil
	}
	line, column := 1, 1
	for at := 0; ; {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			err := errorf(line, column, "byte %#02x is not UTF-8; convert the text to UTF-8 if it has another encoding, such as Latin-1", text[at])
			return strings.ToValidUTF8(text, "\ufffd"), report(repair, faultEncoding, err)
		}
		if column += size; r == '\n' {
			line, column = line+1, 1
		}
		at += size
	}
}

// readMember reads a file of an archive, of 64 MiB at most.
func readMember(r io.Reader, errorf func(line, column int, format string, args ...any) error) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, textfile.MaxLine+1))
	if err == nil && len(content) > textfile.MaxLine {
		return nil, errorf(1, 0, "the file has more than %d bytes; it is not a single document", textfile.MaxLine)
	}
	return content, err
}
