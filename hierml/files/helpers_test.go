package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// node returns the id of a name that is there.
func node(t testing.TB, tax *taxonomy.Taxonomy, name string) int {
	t.Helper()
	n, ok := tax.Node(name)
	if !ok {
		t.Fatalf("no node %q", name)
	}
	return n
}

// wantPlace checks that the error is a *SyntaxError at the place, and says the words.
func wantPlace(t *testing.T, err error, line, column int, words string) {
	t.Helper()
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("got %v, want a *SyntaxError", err)
	}
	if syntax.Line != line || syntax.Column != column || !strings.Contains(syntax.Msg, words) {
		t.Errorf("got %v, want line %d, column %d and %q", err, line, column, words)
	}
}

// wantSame fails if the data sets have not the same instances.
func wantSame(t testing.TB, got, want *dataset.Dataset) {
	t.Helper()
	if g, w := example.Printed(got), example.Printed(want); g != w {
		t.Fatalf("got\n%swant\n%s", g, w)
	}
}

// writeWith returns what is written.
func writeWith(t testing.TB, d *dataset.Dataset, write func(context.Context, io.Writer, *dataset.Dataset) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(t.Context(), &b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wantFaults fails if the faults are not these: "2 unknown label, 1 empty label", in the order of
// their first.
func wantFaults(t testing.TB, faults *Faults, want string) {
	t.Helper()
	var got []string
	for _, f := range faults.List() {
		got = append(got, fmt.Sprint(f.Count, " ", f.Kind))
		if f.First == nil || f.First.Line < 1 || f.First.File == "" || f.Repair == "" {
			t.Errorf("%s has no place or no repair: %v", f.Kind, f.First)
		}
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("got the faults %q, want %q", strings.Join(got, ", "), want)
	}
}

var errBroken = errors.New("no space left")

// brokenWriter fails.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func nan() float64 { return math.NaN() }

// renamed returns the taxonomy with a blank in every name.
func renamed(t *taxonomy.Taxonomy) (*taxonomy.Taxonomy, error) {
	var names []string
	for _, name := range t.Names() {
		names = append(names, "a "+name)
	}
	return taxonomy.New(names, t.Edges())
}

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
		checkMatrix(t, d.X)
		var b bytes.Buffer
		if err := format(nil).Write(t.Context(), &b, d); err != nil {
			if _, named := format(nil).(tables); named {
				continue // titles that cannot be written
			}
			t.Fatalf("%v\n%s", err, example.Printed(d))
		}
		again, err := format(nil).Read(t.Context(), &b, "again", tax)
		if err != nil {
			t.Fatalf("%v\n%s", err, example.Printed(d))
		}
		wantSame(t, again, d)
	}
	if err == nil {
		if repairedErr != nil {
			t.Fatalf("only repairs find a fault: %v", repairedErr)
		}
		wantSame(t, repaired, strict)
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

// wantSyntaxError fails if the error is not a *SyntaxError with a place.
func wantSyntaxError(t testing.TB, err error) {
	t.Helper()
	var at *SyntaxError
	if !errors.As(err, &at) || at.Line < 1 || at.File == "" {
		t.Fatalf("an error without place: %v", err)
	}
}

// checkMatrix fails if the matrix is not what dataset.Matrix promises.
func checkMatrix(t testing.TB, m *dataset.Matrix) {
	t.Helper()
	if err := example.CheckMatrix(m); err != nil {
		t.Fatal(err)
	}
}
