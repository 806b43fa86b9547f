package textfile

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
)

// window bounds the memory that decompression takes for looking back: bytes. It is what the
// programs zstd and xz take without being asked for more.
const window = 128 << 20

// packings are the compressions that are known, with what their files begin with.
var packings = []struct {
	name, magic string
	open        func(r io.Reader) (io.Reader, error)
}{
	{"gzip", "\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"bzip2", "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"zstd", "\x28\xb5\x2f\xfd", openZstd},
	{"xz", "\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r, window) }},
}

// openZstd decompresses in the goroutine that reads, so that there is nothing to close.
func openZstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderLowmem(true))
}

// Decompress returns the content that r has, text or not, decompressed if it begins as compressed
// files do. If r is a File, it is the one that is returned: nothing is decompressed twice.
func Decompress(r io.Reader, name string, fail Fail) (*File, error) {
	if f, ok := uncovered(r).(*File); ok {
		return f, nil
	}
	f := &File{name: name, fail: fail, source: &source{Reader: r, size: SizeOf(r)}}
	f.plain = bufio.NewReaderSize(f.source, 1<<16)
	head, err := f.Peek(6)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, f.Place(1, err)
	}
	for _, p := range packings {
		if !strings.HasPrefix(string(head), p.magic) {
			continue
		}
		plain, err := p.open(f.plain)
		switch {
		case f.source.err != nil:
			return nil, f.Place(1, f.source.err)
		case err != nil:
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, f.Place(1, &DamagedError{Packing: p.name, Err: err})
		}
		bound := Bound{Packing: p.name, Stored: f.Stored}
		f.plain = bufio.NewReaderSize(&unpacker{plain: bound.Reader(plain), packing: p.name, source: f.source}, 1<<16)
		break
	}
	return f, nil
}

// unpacker reads the plain content of a compressed file. It returns io.EOF, an error of the source,
// or a *DamagedError.
type unpacker struct {
	plain   io.Reader
	packing string
	source  *source
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.plain.Read(p)
	var damaged *DamagedError
	switch {
	case err == nil || errors.Is(err, io.EOF) || errors.As(err, &damaged):
		return n, err
	case u.source.err != nil:
		return n, u.source.err
	}
	return n, &DamagedError{Packing: u.packing, Err: err}
}
