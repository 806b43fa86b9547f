package files

import (
	"errors"
	"fmt"
	"io"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// WithProgress returns a reader of r that reports the share read, from 0 to 1, with a description;
// pass a bar of nb.Bar as report. done stays 0 if the size of r is unknown; that of files is known.
// If report returns an error, reading stops with it. Any reader of a format accepts the result; a
// loop over instances can start again if it can with r.
func WithProgress(r io.Reader, report func(done float64, state string) error) io.Reader {
	return &progressReader{in: r, size: textfile.SizeOf(r), report: report}
}

type progressReader struct {
	in          io.Reader
	size, count int64
	reported    int64
	report      func(done float64, state string) error
}

// Len returns how many bytes are left, or 0 if unknown, so that readers of this reader know the
// size.
func (p *progressReader) Len() int { return int(max(p.size-p.count, 0)) }

func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	p.count += int64(n)
	const often = 1 << 20 // bytes
	if ended := errors.Is(err, io.EOF); p.count-p.reported >= often || ended && p.count > p.reported {
		p.reported = p.count
		done := 0.0
		state := fmt.Sprintf("%.1f MB", float64(p.count)/1e6)
		if p.size > 0 {
			done = min(float64(p.count)/float64(p.size), 1)
			state += fmt.Sprintf(" of %.1f MB", float64(p.size)/1e6)
		}
		if stopped := p.report(done, state); stopped != nil {
			return n, stopped
		}
	}
	return n, err
}

// Seek goes back to the start for another loop.
func (p *progressReader) Seek(offset int64, whence int) (int64, error) {
	seeker, ok := p.in.(io.Seeker)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	at, err := seeker.Seek(offset, whence)
	if err == nil && whence == io.SeekStart {
		p.count, p.reported = 0, 0
	}
	return at, err
}
