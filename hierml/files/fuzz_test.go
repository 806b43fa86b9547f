package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// instanceFormat is a format of instances.
type instanceFormat interface {
	Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Dataset, error)
	Write(ctx context.Context, w io.Writer, d *dataset.Dataset) error
}

// fuzzInstances reads the text with and without repairs. What is read without fault is read the
// same with repairs; an error has a place; and what was read and written is read again.
func fuzzInstances(t *testing.T, text []byte, format func(repair *Faults) instanceFormat, tax *taxonomy.Taxonomy) {
	strict, err := format(nil).Read(t.Context(), bytes.NewReader(text), "fuzz", tax)
	var at *SyntaxError
	if err != nil && (!errors.As(err, &at) || at.Line < 1 || strict != nil) {
		t.Fatalf("an error without place, or with a data set: %v", err)
	}
	var faults Faults
	repaired, repairedErr := format(&faults).Read(t.Context(), bytes.NewReader(text), "fuzz", tax)
	for _, d := range []*dataset.Dataset{strict, repaired} {
		if d == nil {
			continue
		}
		example.CheckMatrix(t, d.X)
		var b bytes.Buffer
		if err := format(nil).Write(t.Context(), &b, d); err != nil {
			t.Fatalf("%v\n%s", err, example.Printed(d))
		}
		again, err := format(nil).Read(t.Context(), &b, "again", tax)
		if err != nil {
			t.Fatalf("%v\n%s", err, example.Printed(d))
		}
		example.CheckSame(t, again, d)
	}
	if err == nil {
		if repairedErr != nil {
			t.Fatalf("only repairs find a fault: %v", repairedErr)
		}
		example.CheckSame(t, repaired, strict)
	}
}

// documentFormat is a format of documents.
type documentFormat interface {
	Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Corpus, error)
	Write(ctx context.Context, w io.Writer, c *dataset.Corpus) error
}

// fuzzDocuments is fuzzInstances for documents. What cannot be written need not be.
func fuzzDocuments(t *testing.T, text []byte, format func(repair *Faults) documentFormat, tax *taxonomy.Taxonomy) {
	strict, err := format(nil).Read(t.Context(), bytes.NewReader(text), "fuzz", tax)
	var at *SyntaxError
	if err != nil && (!errors.As(err, &at) || at.Line < 1 || strict != nil) {
		t.Fatalf("an error without place, or with a corpus: %v", err)
	}
	repaired, repairedErr := format(new(Faults)).Read(t.Context(), bytes.NewReader(text), "fuzz", tax)
	for _, c := range []*dataset.Corpus{strict, repaired} {
		if c == nil {
			continue
		}
		var b bytes.Buffer
		if err := format(nil).Write(t.Context(), &b, c); err != nil {
			continue
		}
		written := b.String()
		again, err := format(nil).Read(t.Context(), &b, "again", c.Taxonomy)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if documentsOf(again) != documentsOf(c) {
			t.Fatalf("got\n%swant\n%swritten\n%s", documentsOf(again), documentsOf(c), written)
		}
	}
	if err == nil {
		if repairedErr != nil {
			t.Fatalf("only repairs find a fault: %v", repairedErr)
		}
		if documentsOf(repaired) != documentsOf(strict) {
			t.Fatalf("repaired\n%sstrict\n%s", documentsOf(repaired), documentsOf(strict))
		}
	}
}
