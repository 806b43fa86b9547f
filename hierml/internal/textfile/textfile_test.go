package textfile

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// placed is the error that the tests' files fail with.
type placed struct {
	file         string
	line, column int
	msg          string
	cause        error
}

func (e *placed) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.file, e.line, e.column, e.msg) }
func (e *placed) Unwrap() error { return e.cause }

func fail(file string, line, column int, msg string, cause error) error {
	return &placed{file, line, column, msg, cause}
}

const text = "first\r\nsecond line\n\nlast"

// Made by the programs bzip2 and xz, of text.
const (
	bzip2Text = "QlpoOTFBWSZTWcfO0dMAAAVRgAASQAAvJZwAIAAiJoyMGUKYAA6uz6ntC7XEgBWJpPi7kinChIY+do6Y"
	xzText    = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAXZmlyc3QNCnNlY29uZCBsaW5lCgpsYXN0AJMWTMILSi3PAAEwGI4brOwftvN9AQAAAAAEWVo="
)

// packed returns the text in every compression.
func packed(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{"plain": []byte(text)}
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	if _, err := io.WriteString(g, text); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	files["gzip"] = b.Bytes()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	files["zstd"] = z.EncodeAll([]byte(text), nil)
	for name, coded := range map[string]string{"bzip2": bzip2Text, "xz": xzText} {
		if files[name], err = base64.StdEncoding.DecodeString(coded); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func readAll(r io.Reader) ([]string, error) {
	l, err := NewLines(r, "file", fail)
	if err != nil {
		return nil, err
	}
	var lines []string
	for {
		line, err := l.Next()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(line))
	}
}

func TestLines(t *testing.T) {
	for name, content := range packed(t) {
		t.Run(name, func(t *testing.T) {
			lines, err := readAll(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(lines, "|"); got != "first|second line||last" {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestLinesByteOrderMarkAndLongLines(t *testing.T) {
	long := strings.Repeat("0123456789", 100_000)
	lines, err := readAll(strings.NewReader("\ufeffa\n" + long + "\r\n" + long))
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 3 || lines[0] != "a" || lines[1] != long || lines[2] != long {
		t.Errorf("%d lines, of %d, %d, ... bytes", len(lines), len(lines[0]), len(lines[1]))
	}
}

// TestCut cuts the compressed files at every byte: all but the whole are an error with its place.
func TestCut(t *testing.T) {
	for name, content := range packed(t) {
		for n := 6; n < len(content) && name != "plain"; n++ {
			_, err := readAll(bytes.NewReader(content[:n]))
			var at *placed
			if !errors.As(err, &at) || !strings.Contains(at.msg, "get it again") || at.line < 1 {
				t.Errorf("%s cut to %d bytes: %v", name, n, err)
			}
		}
	}
}

// TestDamaged changes each byte: what comes out is the text or an error, and nothing panics.
func TestDamaged(t *testing.T) {
	for name, content := range packed(t) {
		for n := range content {
			damaged := bytes.Clone(content)
			damaged[n] ^= 0x55
			lines, err := readAll(bytes.NewReader(damaged))
			var at *placed
			if err != nil && !errors.As(err, &at) {
				t.Errorf("%s with byte %d changed: %q and %v, which has no place", name, n, lines, err)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for content, words := range map[string]string{
		"\xff\xfea\x00":    "UTF-16",
		"\xfe\xff\x00a":    "UTF-16",
		"PK\x03\x04......": "zip",
	} {
		_, err := Open(strings.NewReader(content), "file", fail)
		var at *placed
		if !errors.As(err, &at) || at.line != 1 || !strings.Contains(at.msg, words) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func TestLineTooLong(t *testing.T) {
	_, err := readAll(io.MultiReader(strings.NewReader("a\n"), endless('1')))
	var at *placed
	if !errors.As(err, &at) || at.line != 2 || !strings.Contains(at.msg, "longer than") {
		t.Errorf("got %v", err)
	}
}

// endless is a reader of one byte again and again.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// TestSourceError sees to it that the error of a source is not taken for damage of its content.
func TestSourceError(t *testing.T) {
	broken := errors.New("the disk is gone")
	for name, content := range packed(t) {
		r := io.MultiReader(bytes.NewReader(content[:len(content)-3]), errorReader{broken})
		_, err := readAll(r)
		var at *placed
		if !errors.Is(err, broken) || errors.As(err, &at) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

func TestWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l, err := NewLines(WithContext(ctx, endless('\n')), "file", fail)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for err == nil {
		_, err = l.Next()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNothingToReadFrom(t *testing.T) {
	var none context.Context
	for name, r := range map[string]io.Reader{"no reader": WithContext(t.Context(), nil), "no context": WithContext(none, strings.NewReader("a"))} {
		if _, err := Open(r, "f", fail); err == nil || !strings.Contains(err.Error(), "the context or the reader is nil") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestFraction(t *testing.T) {
	content := strings.Repeat("line\n", 200_000)
	l, err := NewLines(WithContext(t.Context(), strings.NewReader(content)), "file", fail)
	if err != nil {
		t.Fatal(err)
	}
	for range 100_000 {
		if _, err := l.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if f := l.Fraction(); f < 0.5 || f > 0.9 {
		t.Errorf("half of the file is %v", f)
	}
	pipe, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = NewLines(pipe, "pipe", fail); err != nil || l.Fraction() != 0 {
		t.Errorf("a pipe: %v", err)
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"a":                           `"a"`,
		strings.Repeat("a", 41):       `"` + strings.Repeat("a", 40) + `"...`,
		"a" + strings.Repeat("ü", 30): `"a` + strings.Repeat("ü", 19) + `"...`,
		strings.Repeat("\xbf", 50):    `"` + strings.Repeat(`\xbf`, 36) + `"...`,
	} {
		if got := Quote(text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(text))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add([]byte("BZh9"))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Add([]byte("\xfd7zXZ\x00"))
	for _, coded := range []string{bzip2Text, xzText} {
		content, err := base64.StdEncoding.DecodeString(coded)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		// A bomb is no fault, and as long as it says: a part of it is enough.
		l, err := NewLines(bytes.NewReader(content), "file", fail)
		for n := 0; err == nil && n < 1000; n++ {
			_, err = l.Next()
		}
		if err != nil && !errors.Is(err, io.EOF) && !strings.HasPrefix(err.Error(), "file:") {
			t.Errorf("an error without place: %v", err)
		}
	})
}

// TestCompressedBounds reads compressed data that are more than a thousand times what is stored
// beside a gigabyte: it ends there.
func TestCompressedBounds(t *testing.T) {
	zeros := make([]byte, 1<<20)
	var stored bytes.Buffer
	w, err := zstd.NewWriter(&stored)
	if err != nil {
		t.Fatal(err)
	}
	for range 1300 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	size := stored.Len()
	f, err := Decompress(&stored, "zeros", fail)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, f)
	if damaged := (*DamagedError)(nil); !errors.As(err, &damaged) || n < MaxUnpacked || n > MaxUnpacked+MaxRatio*int64(size) {
		t.Errorf("%d bytes, %v", n, err)
	}
}
