package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
)

// Tensor is a tensor to be written.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int
	// Write writes the bytes of all elements. It is called twice and writes the same each time.
	Write func(w io.Writer) error
}

// chunk is the number of elements converted at a time.
const chunk = 1 << 13

// New returns a tensor of the given values.
func New[T Value](name string, values []T, shape ...int) Tensor {
	return Tensor{Name: name, Type: typeOf[T](), Shape: shape, Write: func(w io.Writer) error {
		var buffer []byte
		for part := range slices.Chunk(values, chunk) {
			var err error
			if buffer, err = binary.Append(buffer[:0], binary.LittleEndian, part); err != nil {
				return err
			}
			if _, err = w.Write(buffer); err != nil {
				return err
			}
		}
		return nil
	}}
}

// Floats returns a tensor of values that come in parts, in their order, stored as F16, F32 or F64,
// rounded to the nearest. Writing one that is not finite then, which File.Floats would refuse, is
// an error.
func Floats(name string, t Type, parts func(yield func([]float64) bool), shape ...int) Tensor {
	return Tensor{Name: name, Type: t, Shape: shape, Write: func(w io.Writer) error {
		var buffer []byte
		at := 0
		for values := range parts {
			for part := range slices.Chunk(values, chunk) {
				buffer = buffer[:0]
				for k, v := range part {
					stored := v
					switch t {
					case F16:
						half := ToHalf(float32(v))
						buffer, stored = binary.LittleEndian.AppendUint16(buffer, half), float64(FromHalf(half))
					case F32:
						buffer, stored = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(float32(v))), float64(float32(v))
					default:
						buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(v))
					}
					if stored-stored != 0 {
						return fmt.Errorf("value %d is %v, which is %v as %s; values must be finite", at+k, v, stored, t)
					}
				}
				at += len(part)
				if _, err := w.Write(buffer); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

// Write writes a file of the tensors and the metadata, to which it adds the check sum. Tensors are
// laid out by the size of their elements, the largest first, so that all are aligned.
func Write(w io.Writer, metadata map[string]string, tensors []Tensor) error {
	tensors = slices.Clone(tensors)
	slices.SortStableFunc(tensors, func(a, b Tensor) int {
		if d := b.Type.Size() - a.Type.Size(); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	header, err := header(metadata, tensors)
	if err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	sum.Write(header)
	for _, t := range tensors {
		if err := t.write(sum); err != nil {
			return err
		}
	}
	at, ok := findCheck(header)
	if !ok {
		return fmt.Errorf("safetensors: the header has no place for the check sum")
	}
	copy(header[at:], fmt.Sprintf("%08x", sum.Sum32()))
	if err := binary.Write(w, binary.LittleEndian, uint64(len(header))); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	for _, t := range tensors {
		if err := t.write(w); err != nil {
			return err
		}
	}
	return nil
}

// header returns the JSON of the header with zeros for the check sum, padded to a multiple of eight
// bytes.
func header(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	extended := map[string]string{checkKey: noCheck}
	for k, v := range metadata {
		if k == checkKey {
			return nil, fmt.Errorf("safetensors: the metadata %q are written by this package", checkKey)
		}
		extended[k] = v
	}
	var text bytes.Buffer
	field := func(name string, value any) error {
		if text.Len() > 0 {
			text.WriteByte(',')
		}
		for k, v := range []any{name, value} {
			b, err := json.Marshal(v)
			if err != nil {
				return fmt.Errorf("safetensors: %w", err)
			}
			if k > 0 {
				text.WriteByte(':')
			}
			text.Write(b)
		}
		return nil
	}
	if err := field(metadataKey, extended); err != nil {
		return nil, err
	}
	var offset int64
	names := map[string]bool{metadataKey: true}
	for _, t := range tensors {
		if names[t.Name] {
			return nil, fmt.Errorf("safetensors: two tensors, or a tensor and the metadata, are called %q", t.Name)
		}
		names[t.Name] = true
		info := Info{Type: t.Type, Shape: t.Shape}
		if info.Shape == nil {
			info.Shape = []int{}
		}
		size, err := info.bytes()
		if err != nil {
			return nil, fmt.Errorf("safetensors: tensor %q: %w", t.Name, err)
		}
		info.Offsets = [2]int64{offset, offset + size}
		offset += size
		if err := field(t.Name, info); err != nil {
			return nil, err
		}
	}
	b := append([]byte{'{'}, text.Bytes()...)
	b = append(b, '}')
	for len(b)%8 != 0 {
		b = append(b, ' ')
	}
	if len(b) > maxHeader {
		return nil, fmt.Errorf("safetensors: the header has %d bytes; the format allows %d", len(b), maxHeader)
	}
	return b, nil
}

// write writes the bytes of the tensor and checks their number.
func (t Tensor) write(w io.Writer) error {
	want, err := Info{Type: t.Type, Shape: t.Shape}.bytes()
	if err != nil {
		return fmt.Errorf("safetensors: tensor %q: %w", t.Name, err)
	}
	counted := &counter{w: w}
	if err := t.Write(counted); err != nil {
		return fmt.Errorf("safetensors: tensor %q: %w", t.Name, err)
	}
	if counted.n != want {
		return fmt.Errorf("safetensors: tensor %q has %d bytes of values; its shape %v asks for %d", t.Name, counted.n, t.Shape, want)
	}
	return nil
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// findCheck returns where the digits of the check sum begin in the header. No text within a string
// looks like it, because quotes are escaped there.
func findCheck(header []byte) (int, bool) {
	key := []byte(`"` + checkKey + `":"`)
	at := bytes.Index(header, key)
	if at < 0 || at+len(key)+len(noCheck) > len(header) {
		return 0, false
	}
	return at + len(key), true
}
