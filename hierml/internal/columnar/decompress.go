package columnar

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// codec is a compression of Parquet's pages, by its number there, or one of Arrow's buffers.
type codec int64

const (
	plain codec = iota
	snappyBlock
	gzipped
	lzo
	brotli
	hadoopLZ4
	zstandard
	rawLZ4
	framedLZ4
)

// ratio is the most that a codec makes of a byte. A file that states more is damaged, so that
// nothing is allocated for it.
var ratio = map[codec]int64{snappyBlock: 64, gzipped: 1040, hadoopLZ4: 255, zstandard: 1 << 16, rawLZ4: 255, framedLZ4: 256}

// decompress returns the size bytes that src was made of.
func (c codec) decompress(src []byte, size int64, b *budget) ([]byte, error) {
	if c == plain {
		return src, nil
	}
	most, known := ratio[c]
	if !known {
		name := map[codec]string{lzo: "LZO", brotli: "brotli"}[c]
		return nil, fmt.Errorf("it is compressed by %s (codec %d); write it with compression=\"zstd\" or \"snappy\"", name, c)
	}
	if size < 0 || size > 1024+most*int64(len(src)) {
		return nil, damaged("%d bytes cannot have been made of %d", len(src), size)
	}
	if err := b.take(size); err != nil {
		return nil, err
	}
	var dst []byte
	var err error
	switch c {
	case snappyBlock:
		var n int
		if n, err = snappy.DecodedLen(src); err == nil && int64(n) == size {
			dst, err = snappy.Decode(nil, src)
		}
	case rawLZ4:
		dst, err = lz4Block(nil, src, int(size))
	case hadoopLZ4:
		dst, err = hadoop(src, int(size))
	case framedLZ4:
		dst, err = lz4Frame(src, int(size))
	case gzipped:
		var r io.Reader
		if r, err = gzip.NewReader(bytes.NewReader(src)); err == nil {
			dst, err = readSize(r, size)
		}
	case zstandard:
		var r *zstd.Decoder
		if r, err = zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<27), zstd.WithDecoderLowmem(true)); err == nil {
			dst, err = readSize(r, size)
			r.Close()
		}
	}
	if err == nil && int64(len(dst)) != size {
		err = fmt.Errorf("there are %d bytes in place of %d", len(dst), size)
	}
	if err != nil {
		return nil, damaged("decompressing %d bytes: %w", len(src), err)
	}
	return dst, nil
}

// readSize reads up to size+1 bytes. Its memory grows with what there is.
func readSize(r io.Reader, size int64) ([]byte, error) {
	var dst bytes.Buffer
	_, err := dst.ReadFrom(io.LimitReader(r, size+1))
	return dst.Bytes(), err
}

// hadoop decompresses what older writers call LZ4: blocks, each after two sizes of 4 bytes, or a
// single block without.
func hadoop(src []byte, size int) ([]byte, error) {
	var dst []byte
	for rest := src; ; {
		if len(rest) == 0 {
			return dst, nil
		}
		if len(rest) < 8 {
			break
		}
		whole, stored := binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:])
		rest = rest[8:]
		if int64(stored) > int64(len(rest)) || int64(whole) > int64(size-len(dst)) {
			break
		}
		next, err := lz4Block(dst, rest[:stored], len(dst)+int(whole))
		if err != nil || len(next) != len(dst)+int(whole) {
			break
		}
		dst, rest = next, rest[stored:]
	}
	return lz4Block(nil, src, size)
}
