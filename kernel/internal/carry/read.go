package carry

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A source is the input for numbers and texts.
type source interface {
	io.Reader
	io.ByteReader
}

func number(r source) (uint64, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errBroken, err)
	}
	return n, nil
}

func text(r source) (string, error) {
	n, err := number(r)
	if err != nil {
		return "", err
	}
	b, err := read(r, n)
	return string(b), err
}

// read reads n bytes. It allocates memory as they arrive.
func read(r io.Reader, n uint64) ([]byte, error) {
	b := make([]byte, 0, min(n, pieceSize))
	for uint64(len(b)) < n {
		if len(b) == cap(b) {
			b = append(b, make([]byte, min(n-uint64(len(b)), uint64(len(b))))...)[:len(b)]
		}
		now := b[len(b):min(uint64(cap(b)), n)]
		if _, err := io.ReadFull(r, now); err != nil {
			return nil, fmt.Errorf("%w: %w", errBroken, err)
		}
		b = b[:len(b)+len(now)]
	}
	return b, nil
}

// A pieceReader reads the output of pieces, up to the empty one.
type pieceReader struct {
	r     *bufio.Reader
	left  uint64
	ended bool
}

func (p *pieceReader) next() error {
	for p.left == 0 {
		if p.ended {
			return io.EOF
		}
		n, err := number(p.r)
		if err != nil {
			return err
		}
		p.left, p.ended = n, n == 0
	}
	return nil
}

func (p *pieceReader) Read(b []byte) (int, error) {
	if err := p.next(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b[:min(uint64(len(b)), p.left)])
	p.left -= uint64(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (p *pieceReader) ReadByte() (byte, error) {
	if err := p.next(); err != nil {
		return 0, err
	}
	b, err := p.r.ReadByte()
	if err == nil {
		p.left--
	} else {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// limited reads a limited number of bytes.
type limited struct {
	r    source
	left uint64
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	n, err := l.r.Read(b[:min(uint64(len(b)), l.left)])
	l.left -= uint64(n)
	return n, err
}

func (l *limited) ReadByte() (byte, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	b, err := l.r.ReadByte()
	if err == nil {
		l.left--
	}
	return b, err
}
