package taxonomy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// bomb compresses a text of about so many bytes, which is a piece again and again, to a few.
func bomb(t *testing.T, begin, piece string, size int) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, begin); err != nil {
		t.Fatal(err)
	}
	many := strings.Repeat(piece, 1<<20/len(piece))
	for range size >> 20 {
		if _, err := io.WriteString(w, many); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// TestBombs is the finding files_bombs: small files that become large graphs end with an error that
// has a place, long before the memory is full.
func TestBombs(t *testing.T) {
	var repaired taxonomy.Faults
	for _, c := range []struct {
		name         string
		format       taxonomy.Format
		begin, piece string
		size         int
		want         string
	}{
		{"Newick", taxonomy.Newick{}, "", "(", 4 << 20, "nodes of the "},
		{"Newick without names", taxonomy.Newick{Repair: &repaired}, "(", ",", 4 << 20, "nodes of the "},
		{"JSON", taxonomy.JSON{}, "", `{"children":[`, 32 << 20, "nodes of the "},
		{"JSON without names", taxonomy.JSON{Repair: &repaired}, "[{}", ",{}", 8 << 20, "nodes of the "},
		{"JSON, skipped", taxonomy.JSON{}, `{"x":`, "[", 4 << 20, "nested brackets"},
		{"DOT", taxonomy.DOT{}, "digraph ", "{", 4 << 20, "nested subgraphs"},
		{"DOT, edges", taxonomy.DOT{}, "digraph {", "a->b;", 16 << 20, "edges of the "},
		{"OBO", taxonomy.OBO{}, "[Term]\nid: a\n", "is_a: b\n", 16 << 20, "references of the "},
		{"edges", taxonomy.Edges{}, "", "a\tb\n", 16 << 20, "edges of the "},
	} {
		_, err := c.format.Read(t.Context(), bomb(t, c.begin, c.piece, c.size), "bomb")
		var place *taxonomy.SyntaxError
		if !errors.As(err, &place) || place.File != "bomb" || place.Line == 0 || !strings.Contains(place.Msg, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestOneName has a file whose nodes all have one name, each of which is given a number: by looking
// for one from the beginning each time, that would take minutes.
func TestOneName(t *testing.T) {
	const n = 50_000
	var repaired taxonomy.Faults
	g, err := taxonomy.Newick{Repair: &repaired}.Read(t.Context(), strings.NewReader("("+strings.Repeat("a,", n)+"a)b;"), "x")
	if err != nil || g.Len() != n+2 {
		t.Fatal(g, err)
	}
	if _, ok := g.Node("a (50001)"); !ok {
		t.Error("the last has another number")
	}
}

// TestCompressedTwice reads a file by bzip2 that is compressed by gzip once more: its content is
// decompressed once, as the bounds are of one decompression.
func TestCompressedTwice(t *testing.T) {
	inner, err := base64.StdEncoding.DecodeString("QlpoOTFBWSZTWfo0m7MDDUHBgAAyEAAAECAAMM0AUqHqbYCSgsBJQW58XckU4UJD6NJuzA==") // z, a tab, b, and 200,000 empty lines
	if err != nil {
		t.Fatal(err)
	}
	if g, err := (taxonomy.Edges{}).Read(t.Context(), bytes.NewReader(inner), "once"); err != nil || g.Len() != 2 {
		t.Fatal(g, err)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(inner); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"twice", "twice.tsv", "twice.json"} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if g, err := taxonomy.Open(file); err == nil {
			t.Errorf("%s: read as %v", name, g.Names())
		}
	}
}
