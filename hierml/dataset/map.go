package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"strconv"
	"unsafe"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Mapped is a data set whose matrix stays in a file; the system keeps only the parts in use in
// memory. Solvers train on it like on any other, and it may be larger than memory. Labels and names
// are in memory. The file must not change while it is mapped; truncating it crashes the program.
type Mapped struct {
	*Dataset
	content []byte
}

// Close releases the memory. Do not use the matrix or its parts afterwards.
func (m *Mapped) Close() error {
	content := m.content
	m.content = nil
	if content == nil {
		return nil
	}
	if err := unmapFile(content); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

// Map opens a file that SaveMap wrote. It reads and validates the whole file once. Changes of the
// matrix in memory do not reach the file.
func Map(ctx context.Context, file string) (*Mapped, error) {
	content, err := mapFile(file)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	m := &Mapped{content: content}
	m.Dataset, err = unpackMap(ctx, content)
	if err != nil {
		if closed := m.Close(); closed != nil {
			err = errors.Join(err, closed)
		}
		return nil, fmt.Errorf("dataset: %s: %w", file, err)
	}
	return m, nil
}

// mapHeader is what a file begins with, in little endian. Behind it are the values, the columns,
// the offsets of the rows, the offsets of their labels, the labels, and a mapMeta in JSON, each
// beginning at a multiple of eight.
type mapHeader struct {
	Magic                         [8]byte
	Rows, Cols, NonZeros, Labels  uint64
	MetaLength, MetaSum, Reserved uint64
}

const mapHeaderSize = 64

var mapMagic = [8]byte{'h', 'i', 'e', 'r', 'm', 'l', 'M', 1}

// mapMeta is what is read into memory.
type mapMeta struct {
	Name       string
	Nodes      []string
	Edges      [][2]int
	Labels     map[int]string `json:",omitempty"` // taxonomy.LabelNames
	Vocabulary []string
	Groups     []string `json:",omitempty"` // one a row, or none
}

// mapParts are the lengths of the parts behind the header.
func (h *mapHeader) parts() [6]uint64 {
	return [6]uint64{4 * h.NonZeros, 4 * h.NonZeros, 8 * (h.Rows + 1), 8 * (h.Rows + 1), 4 * h.Labels, h.MetaLength}
}

func padded(length uint64) uint64 { return (length + 7) / 8 * 8 }

var errNoMap = errors.New("not a file of dataset.SaveMap")

// unpackMap checks a file and returns the data set in it.
func unpackMap(ctx context.Context, content []byte) (*Dataset, error) {
	if strconv.IntSize != 64 || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, fmt.Errorf("such files need a 64-bit, little-endian machine")
	}
	var h mapHeader
	if err := binary.Read(bytes.NewReader(content), binary.LittleEndian, &h); err != nil || h.Magic != mapMagic {
		return nil, errNoMap
	}
	const most = 1 << 48 // so that no sum overflows
	if h.Rows >= most || h.NonZeros >= most || h.Labels >= most || h.MetaLength >= most || h.Cols > math.MaxInt32+1 {
		return nil, fmt.Errorf("the header is damaged; write the file again")
	}
	parts := h.parts()
	at := uint64(mapHeaderSize)
	var part [len(parts)][]byte
	for k, length := range parts {
		if at+padded(length) > uint64(len(content)) {
			return nil, fmt.Errorf("the file has %d bytes, fewer than its header says; it is not complete: write it again", len(content))
		}
		part[k] = content[at : at+length]
		at += padded(length)
	}
	if crc32.ChecksumIEEE(part[5]) != uint32(h.MetaSum) {
		return nil, fmt.Errorf("the names at the end of the file are damaged; write it again")
	}
	var meta mapMeta
	if err := json.Unmarshal(part[5], &meta); err != nil {
		return nil, fmt.Errorf("the names at the end of the file are damaged (%w); write it again", err)
	}
	t, err := taxonomy.NewWithLabels(meta.Nodes, meta.Edges, meta.Labels)
	if err != nil {
		return nil, err
	}
	x := &Matrix{
		Rows: int(h.Rows), Cols: int(h.Cols),
		Values:  castSlice[float32](part[0]),
		Indices: castSlice[int32](part[1]),
		Indptr:  castSlice[int](part[2]),
	}
	if err := checkMapped(ctx, x); err != nil {
		return nil, err
	}
	if n := len(meta.Vocabulary); n > 0 && n != x.Cols {
		return nil, fmt.Errorf("a vocabulary of %d words for %d columns; the file is damaged: write it again", n, x.Cols)
	}
	if n := len(meta.Groups); n > 0 && n != x.Rows {
		return nil, fmt.Errorf("%d groups for %d rows; the file is damaged: write it again", n, x.Rows)
	}
	x.Vocabulary = meta.Vocabulary
	labels, err := mappedLabels(ctx, t, castSlice[int](part[3]), castSlice[int32](part[4]))
	if err != nil {
		return nil, err
	}
	return &Dataset{Name: meta.Name, Taxonomy: t, X: x, Labels: labels, Vocabulary: meta.Vocabulary, Groups: meta.Groups}, nil
}

// castSlice returns the bytes, which begin at a multiple of eight, as numbers.
func castSlice[T int | int32 | float32](b []byte) []T {
	var zero T
	if len(b) == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(zero)))
}

// checkOffsets checks that the offsets divide n entries, and calls row for each row.
func checkOffsets(ctx context.Context, offsets []int, n int, row func(i, from, to int) error) error {
	if offsets[0] != 0 || offsets[len(offsets)-1] != n {
		return fmt.Errorf("the offsets of the rows are damaged; write the file again")
	}
	for i := range len(offsets) - 1 {
		const often = 1 << 14
		if i%often == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if offsets[i+1] < offsets[i] || offsets[i+1] > n {
			return fmt.Errorf("the offset of row %d is damaged; write the file again", i+1)
		}
		if err := row(i, offsets[i], offsets[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// checkMapped checks that the matrix is what Matrix promises.
func checkMapped(ctx context.Context, x *Matrix) error {
	return checkOffsets(ctx, x.Indptr, len(x.Values), func(i, from, to int) error {
		previous := int32(-1)
		for k := from; k < to; k++ {
			if j := x.Indices[k]; j <= previous || int(j) >= x.Cols {
				return fmt.Errorf("row %d has column %d after %d, of %d; the file is damaged: write it again", i, j, previous, x.Cols)
			}
			if v := float64(x.Values[k]); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d has the value %v; the file is damaged: write it again", i, v)
			}
			previous = x.Indices[k]
		}
		return nil
	})
}

// mappedLabels returns the label lists of the rows.
func mappedLabels(ctx context.Context, t *taxonomy.Taxonomy, offsets []int, nodes []int32) ([][]int, error) {
	all := make([]int, len(nodes))
	labels := make([][]int, len(offsets)-1)
	err := checkOffsets(ctx, offsets, len(nodes), func(i, from, to int) error {
		for k := from; k < to; k++ {
			n := int(nodes[k])
			if n < 0 || n >= t.Len() || k > from && n <= all[k-1] {
				return fmt.Errorf("row %d has label %d; the file is damaged: write it again", i, n)
			}
			all[k] = n
		}
		if to > from {
			labels[i] = all[from:to:to]
		}
		return nil
	})
	return labels, err
}

// statMap returns the size of a file that is to be mapped.
func statMap(file *os.File) (int, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() || info.Size() < mapHeaderSize || info.Size() > math.MaxInt/2 {
		return 0, fmt.Errorf("%s: %w", file.Name(), errNoMap)
	}
	return int(info.Size()), nil
}
