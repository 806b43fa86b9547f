package taxonomy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/internal/replace"
)

// Format reads and writes one kind of file: Edges, Paths, Newick, OBO, JSON, DOT and RCV1.
type Format interface {
	// Read reads a taxonomy. The file may be compressed by gzip, bzip2, zstd or xz, and may begin
	// with a byte order mark. name is the file name in errors. A fault of the file is a
	// *SyntaxError. Read stops with the context's error when ctx is cancelled.
	Read(ctx context.Context, r io.Reader, name string) (*Taxonomy, error)

	// Write writes the taxonomy so that Read returns the same nodes and edges by name, perhaps in
	// another order. It returns an error for anything that the format cannot represent, such as a
	// name with a line break in a file of lines; the output is then invalid.
	Write(w io.Writer, t *Taxonomy) error
}

// Open is OpenContext without a context.
func Open(file string) (*Taxonomy, error) { return OpenContext(context.Background(), file) }

// OpenContext reads the taxonomy in the file, in the format given by its extension:
//
//	.tsv .csv .edges      Edges, separated by tabs or, in .csv, commas
//	.paths                Paths
//	.nwk .newick .tre     Newick
//	.obo                  OBO
//	.json                 JSON
//	.dot .gv              DOT
//
// before an optional .gz, .bz2, .zst or .xz. For other files the beginning of the contents decides;
// numbers in two columns are Edges with blanks between them, as in the files cat_hier of LSHTC, and
// lines that begin with "parent:" are RCV1.
func OpenContext(ctx context.Context, file string) (*Taxonomy, error) {
	return open(ctx, file, nil)
}

// OpenAs is OpenContext with a given format and its settings.
func OpenAs(ctx context.Context, file string, f Format) (*Taxonomy, error) {
	if f == nil {
		return nil, fmt.Errorf("taxonomy: no format to open %s in is given; Open detects it", file)
	}
	return open(ctx, file, f)
}

func open(ctx context.Context, name string, f Format) (*Taxonomy, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("taxonomy: %w", err)
	}
	t, err := readOpen(ctx, file, f)
	if closed := file.Close(); err == nil && closed != nil {
		return nil, fmt.Errorf("taxonomy: %w", closed)
	}
	return t, err
}

func readOpen(ctx context.Context, file *os.File, f Format) (*Taxonomy, error) {
	if f == nil {
		f = byExtension(file.Name())
	}
	if f != nil {
		return f.Read(ctx, file, file.Name())
	}
	text, err := textfile.Open(textfile.WithContext(ctx, file), file.Name(), syntaxError)
	if err != nil {
		return nil, err
	}
	head, err := text.Peek(1 << 12)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, text.Place(1, err)
	}
	return byContent(head).Read(ctx, text, file.Name())
}

// byExtension returns the format that the file's name tells, or nil.
func byExtension(file string) Format {
	file = strings.ToLower(file)
	for _, packed := range []string{".gz", ".bz2", ".zst", ".xz"} {
		file = strings.TrimSuffix(file, packed)
	}
	switch filepath.Ext(file) {
	case ".tsv", ".edges":
		return Edges{}
	case ".csv":
		return Edges{Separator: ","}
	case ".paths":
		return Paths{}
	case ".nwk", ".newick", ".tre":
		return Newick{}
	case ".obo":
		return OBO{}
	case ".json":
		return JSON{}
	case ".dot", ".gv":
		return DOT{}
	}
	return nil
}

// byContent returns the format of a file that begins with head.
func byContent(head []byte) Format {
	text := bytes.TrimSpace(head)
	word := string(bytes.ToLower(text[:min(len(text), 16)]))
	for _, f := range []struct {
		begins string
		format Format
	}{
		{"{", JSON{}}, {"[", JSON{}}, {"(", Newick{}}, {"digraph", DOT{}}, {"strict", DOT{}}, {"graph", DOT{}},
		{"//", DOT{}}, {"/*", DOT{}}, {"format-version:", OBO{}}, {"parent:", RCV1{}}, {"parent:", RCV1{}},
	} {
		if strings.HasPrefix(word, f.begins) {
			return f.format
		}
	}
	if bytes.HasPrefix(text, []byte("[Term]")) || bytes.Contains(text, []byte("\n[Term]")) {
		return OBO{}
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.IndexByte(line, '\t') >= 0 {
		return Edges{}
	}
	if fields := bytes.Fields(line); len(fields) > 1 && !bytes.ContainsFunc(line, notNumeric) {
		return Edges{Separator: " ", Chains: true}
	}
	if bytes.IndexByte(line, '/') > 0 {
		return Paths{}
	}
	return Edges{}
}

func notNumeric(r rune) bool { return (r < '0' || r > '9') && r != ' ' && r != '\r' }

// Save writes the taxonomy to the file, in the format given by its extension (see OpenContext), or
// Edges for other extensions. It replaces an older file only when the new one is complete.
func Save(file string, t *Taxonomy) error {
	f := byExtension(file)
	if f == nil {
		f = Edges{}
	}
	return SaveAs(file, t, f)
}

// SaveAs is Save with a given format.
func SaveAs(name string, t *Taxonomy, f Format) error {
	if t == nil || f == nil {
		return fmt.Errorf("taxonomy: the taxonomy or the format to write to %s is nil", name)
	}
	switch filepath.Ext(strings.ToLower(name)) {
	case ".gz", ".bz2", ".zst", ".xz":
		return fmt.Errorf("taxonomy: %s would not be compressed; leave the last extension out", name)
	}
	file, err := replace.Create(name)
	if err != nil {
		return fmt.Errorf("taxonomy: %w", err)
	}
	defer file.Discard()
	if err := f.Write(file, t); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return fmt.Errorf("taxonomy: %w", err)
	}
	return nil
}

// syntaxError makes the errors of textfile ours.
func syntaxError(file string, line, column int, msg string, cause error) error {
	return &SyntaxError{File: file, Line: line, Column: column, Msg: msg, Err: cause}
}

// write calls each with a buffered writer for w, and says in errors what is written.
func write(w io.Writer, what string, each func(out *bufio.Writer) error) error {
	out := bufio.NewWriterSize(w, 1<<16)
	err := each(out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("taxonomy: writing %s: %w", what, err)
	}
	return nil
}

// textual returns an error for no taxonomy, and for names that no text file can hold.
func textual(t *Taxonomy) error {
	if t == nil {
		return fmt.Errorf("there is no taxonomy to write")
	}
	for v, name := range t.names {
		if !utf8.ValidString(name) || strings.IndexByte(name, 0) >= 0 {
			return fmt.Errorf("the name of node %d, %s, is not text in UTF-8; rename it", v, textfile.Quote(name))
		}
	}
	return nil
}
