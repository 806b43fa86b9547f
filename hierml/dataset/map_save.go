package dataset

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"

	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/replace"
)

// SaveMap writes instances, which may come from a file that is larger than memory, into a file that
// Map opens. The columns are as many as the vocabulary has, which may be nil, or the largest needs.
// The file is complete or not there; while it is written, the folder has others, whose names end
// with ".tmp".
func SaveMap(ctx context.Context, file, name string, t *taxonomy.Taxonomy, vocabulary []string, instances iter.Seq2[Instance, error]) (err error) {
	if t == nil {
		return fmt.Errorf("dataset: %s: the taxonomy is nil; pass one that has the labels as names of its nodes", file)
	}
	w := &mapWriter{taxonomy: t}
	w.header = mapHeader{Magic: mapMagic, Cols: uint64(len(vocabulary))}
	defer func() {
		for _, part := range w.parts {
			part.Close() // it is copied, or not wanted
			os.Remove(part.Name())
		}
	}()
	whole, err := replace.Create(file)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer whole.Discard()
	w.whole = whole.File
	w.out = append(w.out, bufio.NewWriterSize(whole, 1<<18))
	for range len(w.header.parts()) - 2 {
		part, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*.tmp")
		if err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
		_ = os.Remove(part.Name()) // where an open file needs no name, a killed process leaves nothing
		w.parts = append(w.parts, part)
		w.out = append(w.out, bufio.NewWriterSize(part, 1<<18))
	}
	if err := w.write(ctx, name, vocabulary, instances); err != nil {
		return fmt.Errorf("dataset: writing %s: %w", file, err)
	}
	if err := whole.Commit(); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

// mapWriter writes the header and the first part into the file that lasts, and the other parts into
// files of their own.
type mapWriter struct {
	taxonomy *taxonomy.Taxonomy
	header   mapHeader
	whole    *os.File
	parts    []*os.File // from the second on
	out      []*bufio.Writer
	number   [8]byte
	groups   []string // as long as the last instance that has one
}

// The positions of the parts.
const (
	mapValues = iota
	mapColumns
	mapRows
	mapLabelRows
	mapLabels
)

func (w *mapWriter) write(ctx context.Context, name string, vocabulary []string, instances iter.Seq2[Instance, error]) error {
	if _, err := w.out[mapValues].Write(make([]byte, mapHeaderSize)); err != nil {
		return err
	}
	if err := w.offsets(); err != nil {
		return err
	}
	for in, err := range instances {
		const often = 1 << 10
		if err == nil && w.header.Rows%often == 0 {
			err = ctx.Err()
		}
		if err == nil {
			err = w.add(in)
		}
		if err != nil {
			return err
		}
	}
	if len(vocabulary) > 0 && uint64(len(vocabulary)) < w.header.Cols {
		return fmt.Errorf("the instances have %d columns, the vocabulary %d words", w.header.Cols, len(vocabulary))
	}
	meta, err := json.Marshal(mapMeta{Name: name, Nodes: w.taxonomy.Names(), Edges: w.taxonomy.Edges(), Labels: w.taxonomy.LabelNames(), Vocabulary: vocabulary, Groups: allGroups(w.groups, int(w.header.Rows))})
	if err != nil {
		return err
	}
	w.header.MetaLength, w.header.MetaSum = uint64(len(meta)), uint64(crc32.ChecksumIEEE(meta))
	return w.join(meta)
}

// add writes an instance.
func (w *mapWriter) add(in Instance) error {
	row := int(w.header.Rows)
	previous := int32(-1)
	for k, column := range in.Columns {
		v := in.Values[k]
		if column <= previous || math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("row %d has %v in column %d after column %d; expected finite values and ascending columns", row, v, column, previous)
		}
		previous = column
		if err := w.put32(mapColumns, uint32(column)); err != nil {
			return err
		}
		if err := w.put32(mapValues, math.Float32bits(v)); err != nil {
			return err
		}
	}
	last := -1
	for _, n := range in.Labels {
		if n <= last || n >= w.taxonomy.Len() {
			return fmt.Errorf("row %d has label %d after %d; expected nodes, 0 to %d, ascending", row, n, last, w.taxonomy.Len()-1)
		}
		last = n
		if err := w.put32(mapLabels, uint32(n)); err != nil {
			return err
		}
	}
	w.groups = appendGroup(w.groups, row, in.Group)
	w.header.Rows++
	w.header.Cols = max(w.header.Cols, uint64(int64(previous)+1))
	w.header.NonZeros += uint64(len(in.Columns))
	w.header.Labels += uint64(len(in.Labels))
	return w.offsets()
}

// offsets writes where the next row begins.
func (w *mapWriter) offsets() error {
	for part, at := range map[int]uint64{mapRows: w.header.NonZeros, mapLabelRows: w.header.Labels} {
		binary.LittleEndian.PutUint64(w.number[:], at)
		if _, err := w.out[part].Write(w.number[:]); err != nil {
			return err
		}
	}
	return nil
}

func (w *mapWriter) put32(part int, v uint32) error {
	binary.LittleEndian.PutUint32(w.number[:], v)
	_, err := w.out[part].Write(w.number[:4])
	return err
}

// join appends the other parts to the first, and writes the header before.
func (w *mapWriter) join(meta []byte) error {
	for _, out := range w.out[1:] {
		if err := out.Flush(); err != nil {
			return err
		}
	}
	whole := w.out[mapValues]
	lengths := w.header.parts()
	pad := func(length uint64) error {
		_, err := whole.Write(make([]byte, padded(length)-length))
		return err
	}
	if err := pad(lengths[mapValues]); err != nil {
		return err
	}
	for k, part := range w.parts {
		if _, err := part.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(whole, part); err != nil {
			return err
		}
		if err := pad(lengths[k+1]); err != nil {
			return err
		}
	}
	if _, err := whole.Write(meta); err != nil {
		return err
	}
	if err := pad(uint64(len(meta))); err != nil {
		return err
	}
	if err := whole.Flush(); err != nil {
		return err
	}
	var header bytes.Buffer
	if err := binary.Write(&header, binary.LittleEndian, &w.header); err != nil {
		return err
	}
	_, err := w.whole.WriteAt(header.Bytes(), 0)
	return err
}
