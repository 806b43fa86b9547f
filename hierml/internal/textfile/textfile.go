// Package textfile reads text files that may be compressed: by gzip, bzip2, zstd or xz, told by how
// they begin and not by their names. It places errors in them, bounds the memory a line takes, ends
// lines at LF and at CRLF, and tells how much of a file was read.
//
// It is shared by the packages whose files these are. Their errors are their own: each gives a Fail
// that makes one.
package textfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Fail makes the error for a place in a file: the line and the column, in bytes, count from 1, and
// are 0 where there is none. The cause is what the error wraps, or nil.
type Fail func(file string, line, column int, msg string, cause error) error

// File is the plain content of a file.
type File struct {
	plain  *bufio.Reader
	text   bool // Open has checked how it begins
	name   string
	fail   Fail
	source *source
}

// Open returns the text that r has, decompressed and without byte order mark. The name stands for
// the file in errors. Text in UTF-16, archives, and what else is plainly no text are refused. If r
// is a File, it is the one that is returned.
func Open(r io.Reader, name string, fail Fail) (*File, error) {
	f, err := Decompress(r, name, fail)
	if err != nil || f.text {
		return f, err
	}
	f.text = true
	head, err := f.Peek(tarMagicAt + len(tarMagic))
	if err != nil && !errors.Is(err, io.EOF) && len(head) < 4 {
		return nil, f.Place(1, err)
	}
	if msg := noText(string(head)); msg != "" {
		return nil, fail(name, 1, 0, msg, nil)
	}
	if len(head) >= 3 && string(head[:3]) == "\xef\xbb\xbf" {
		if _, err := f.plain.Discard(3); err != nil {
			return nil, f.Place(1, err)
		}
	}
	return f, nil
}

// A tar archive begins with the name of a file, and has its magic behind it.
const (
	tarMagic   = "ustar"
	tarMagicAt = 257
)

// noText says why a file that begins so is no text, and what to do about it, or "".
func noText(head string) string {
	for _, p := range refused {
		if strings.HasPrefix(head, p.magic) {
			return p.msg
		}
	}
	for _, p := range packings {
		if p.name != "bzip2" && strings.HasPrefix(head, p.magic) { // text may begin as bzip2 does
			return fmt.Sprintf("the file is compressed twice, by %s within; decompress it once", p.name)
		}
	}
	if len(head) == tarMagicAt+len(tarMagic) && strings.HasSuffix(head, tarMagic) {
		return "the file is a tar archive; unpack it and read the file that is in it"
	}
	if strings.IndexByte(head[:min(len(head), 16)], 0) >= 0 {
		return "the file is not a text file: it begins with zero bytes"
	}
	return ""
}

// refused are the beginnings of files that are no text, and what to do about them.
var refused = []struct{ magic, msg string }{
	{"\xff\xfe", "the file is UTF-16; save it as UTF-8"},
	{"\xfe\xff", "the file is UTF-16; save it as UTF-8"},
	{"PK\x03\x04", "the file is a zip archive, or a spreadsheet; unpack it and read the file that is in it, or save it as CSV"},
	{"PAR1", "the file is Parquet, which files.Table reads; or write it with DataFrame.to_csv"},
	{"ARROW1", "the file is Arrow (Feather), which files.Table reads; or write it with DataFrame.to_csv"},
	{"\x93NUMPY", "the file is an array of numpy, which files.Vectors reads"},
	{"7z\xbc\xaf", "the file is a 7z archive; unpack it and read the file that is in it"},
	{"Rar!", "the file is a RAR archive; unpack it and read the file that is in it"},
	{"\x1f\x9d", "the file is compressed by compress; unpack it, or compress it with gzip"},
}

// Read reads plain content. An error besides io.EOF is the source's own, or a *DamagedError.
func (f *File) Read(p []byte) (int, error) { return f.plain.Read(p) }

// Peek returns the next n bytes, of at most 4096, without reading them. If there are fewer, the
// error says why, as Read's does.
func (f *File) Peek(n int) ([]byte, error) { return f.plain.Peek(n) }

// Name returns the name that stands for the file in errors.
func (f *File) Name() string { return f.name }

// Stored returns how many bytes of the file were read, as it is stored. It is somewhat ahead of
// what was handed out.
func (f *File) Stored() int64 { return f.source.count }

// Fraction returns about how much of the file was read, or 0 if that is unknown. It is somewhat
// ahead of what was handed out.
func (f *File) Fraction() float64 {
	if f.source.size == 0 {
		return 0
	}
	return min(float64(f.source.count)/float64(f.source.size), 1)
}

// Errorf returns an error at a line and a column, both from 1, or 0 for none.
func (f *File) Errorf(line, column int, format string, args ...any) error {
	return f.fail(f.name, line, column, fmt.Sprintf(format, args...), nil)
}

// Place returns the error of reading the file at the line: a *DamagedError as one of the file's
// syntax, what else can happen to a source as it is, with the place.
func (f *File) Place(line int, err error) error {
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		return f.fail(f.name, line, 0, damaged.Error(), damaged)
	}
	return fmt.Errorf("%s:%d: %w", f.name, line, err)
}

// DamagedError says that a compressed file cannot be decompressed, from where it was read.
type DamagedError struct {
	Packing string // the name of the compression
	Err     error
}

func (e *DamagedError) Error() string {
	var growth *growthError
	switch {
	case errors.As(e.Err, &growth):
		return fmt.Sprintf("the file's %s data %v; if you trust it, unpack it and read the files that are in it", e.Packing, growth)
	case errors.Is(e.Err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("the file ends within its %s data; it is not complete, get it again", e.Packing)
	}
	return fmt.Sprintf("the file's %s data are damaged (%v); get it again", e.Packing, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Quote returns the text for an error message, cut to a readable length.
func Quote(text string) string {
	const most = 40
	if len(text) <= most {
		return fmt.Sprintf("%q", text)
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%q...", text[:end])
}
