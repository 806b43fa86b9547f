package textfile

import (
	"context"
	"errors"
	"io"
	"os"
)

// source is the reader a file comes from. It counts what was read, in bytes, and keeps an error of
// its own apart from those of decompression.
type source struct {
	io.Reader
	count int64
	size  int64 // of the file as it is stored; 0 if unknown
	err   error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.count += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// WithContext returns a reader that ends with its context.
func WithContext(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if r.ctx == nil || r.Reader == nil {
		return 0, errors.New("the context or the reader is nil")
	}
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// uncovered returns the reader that ends with a context, and others as they are.
func uncovered(r io.Reader) io.Reader {
	for {
		covered, ok := r.(contextReader)
		if !ok {
			return r
		}
		r = covered.Reader
	}
}

// SizeOf returns the number of bytes that r has from where it stands, or 0 if it does not tell.
func SizeOf(r io.Reader) int64 {
	switch r := uncovered(r).(type) {
	case interface{ Len() int }:
		return int64(r.Len())
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		at, err := r.Seek(0, io.SeekCurrent)
		if err != nil {
			return 0
		}
		return max(info.Size()-at, 0)
	}
	return 0
}
