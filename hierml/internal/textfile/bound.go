package textfile

import (
	"fmt"
	"io"
)

// Packed data may become MaxRatio bytes for each that is stored, beside the MaxUnpacked that any
// may become. Text becomes three to fifty for each. Data that become more were made to fill the
// reader's memory. These are variables for tests alone, which lower them.
var (
	MaxRatio    int64 = 1000
	MaxUnpacked int64 = 1 << 30
)

// Bound counts the bytes that are unpacked of one file, in all its parts together, and bounds them.
type Bound struct {
	// Packing is the name of the compression, or of the archive.
	Packing string
	// Stored returns how many bytes of the file the parts were made of.
	Stored func() int64

	unpacked int64
}

// Reader returns the content of a part of the file. Its error is a *DamagedError when the parts
// have become too large.
func (b *Bound) Reader(r io.Reader) io.Reader { return boundedReader{r, b} }

type boundedReader struct {
	io.Reader
	*Bound
}

func (r boundedReader) Read(p []byte) (int, error) {
	if err := r.exceeded(); err != nil {
		return 0, err
	}
	n, err := r.Reader.Read(p)
	r.unpacked += int64(n)
	if exceeded := r.exceeded(); exceeded != nil {
		return 0, exceeded
	}
	return n, err
}

func (b *Bound) exceeded() error {
	stored := b.Stored()
	if b.unpacked <= MaxUnpacked+MaxRatio*stored {
		return nil
	}
	return &DamagedError{Packing: b.Packing, Err: &growthError{stored, b.unpacked}}
}

// growthError says that a file becomes too large.
type growthError struct{ stored, unpacked int64 }

func (e *growthError) Error() string {
	return fmt.Sprintf("are %d bytes and unpack to more than %d", e.stored, e.unpacked)
}
