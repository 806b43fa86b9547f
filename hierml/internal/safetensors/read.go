package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// File is an open file whose header and check sum have been verified.
type File struct {
	Metadata map[string]string
	Tensors  map[string]Info

	data *io.SectionReader
}

// Open reads the header of a file of the given size and checks it: every tensor has the bytes that
// its shape asks for, and the tensors together cover what follows the header exactly. Nothing of
// the size that a header claims is allocated before the file is seen to be that large.
func Open(r io.ReaderAt, size int64) (*File, error) {
	var length [8]byte
	if size < int64(len(length)) {
		return nil, fmt.Errorf("safetensors: %d bytes are not a file of this format", size)
	}
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, size), length[:]); err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n < 2 || n > maxHeader || int64(n) > size-int64(len(length)) {
		return nil, fmt.Errorf("safetensors: a header of %d bytes in a file of %d; the file is damaged or of another format", n, size)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(r, int64(len(length)), int64(n)), header); err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	f := &File{data: io.NewSectionReader(r, int64(len(length))+int64(n), size-int64(len(length))-int64(n))}
	if err := f.parse(header); err != nil {
		return nil, err
	}
	if err := f.cover(); err != nil {
		return nil, err
	}
	if err := f.verify(header); err != nil {
		return nil, err
	}
	return f, nil
}

// parse reads the header. Names that occur twice are errors, which is why it goes through the
// object by hand.
func (f *File) parse(header []byte) error {
	if header[0] != '{' || !utf8.Valid(header) {
		return fmt.Errorf("safetensors: the header is not JSON; the file is damaged or of another format")
	}
	d := json.NewDecoder(bytes.NewReader(header))
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("safetensors: header: %w", err)
	}
	f.Tensors = make(map[string]Info)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("safetensors: header: %w", err)
		}
		name, ok := token.(string)
		if !ok {
			return fmt.Errorf("safetensors: header: %v is not a name", token)
		}
		if name == metadataKey {
			if f.Metadata != nil {
				return fmt.Errorf("safetensors: header: two objects %q", name)
			}
			if err := d.Decode(&f.Metadata); err != nil {
				return fmt.Errorf("safetensors: header: metadata: %w", err)
			}
			continue
		}
		var given struct {
			Type    *Type   `json:"dtype"`
			Shape   []int   `json:"shape"`
			Offsets []int64 `json:"data_offsets"`
		}
		if err := d.Decode(&given); err != nil {
			return fmt.Errorf("safetensors: header: tensor %q: %w", name, err)
		}
		if given.Type == nil || given.Shape == nil || len(given.Offsets) != 2 {
			return fmt.Errorf("safetensors: header: tensor %q needs a dtype, a shape and two data_offsets", name)
		}
		if _, ok := f.Tensors[name]; ok {
			return fmt.Errorf("safetensors: header: two tensors %q", name)
		}
		f.Tensors[name] = Info{Type: *given.Type, Shape: given.Shape, Offsets: [2]int64(given.Offsets)}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("safetensors: header: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("safetensors: more than one object in the header")
	}
	return nil
}

// cover checks that the tensors lie one after the other and fill the file.
func (f *File) cover() error {
	for name, t := range f.Tensors {
		want, err := t.bytes()
		if err != nil {
			return fmt.Errorf("safetensors: tensor %q: %w", name, err)
		}
		begin, end := t.Offsets[0], t.Offsets[1]
		if begin < 0 || end < begin || end > f.data.Size() {
			return fmt.Errorf("safetensors: tensor %q is said to be at %d to %d of %d bytes; the file is damaged or not complete", name, begin, end, f.data.Size())
		}
		if end-begin != want {
			return fmt.Errorf("safetensors: tensor %q has %d bytes; type %s and shape %v ask for %d", name, end-begin, t.Type, t.Shape, want)
		}
	}
	var at int64
	for _, name := range f.Names() {
		t := f.Tensors[name]
		if t.Offsets[0] != at {
			return fmt.Errorf("safetensors: tensor %q begins at %d, the one before it ends at %d", name, t.Offsets[0], at)
		}
		at = t.Offsets[1]
	}
	if at != f.data.Size() {
		return fmt.Errorf("safetensors: the tensors end at byte %d of %d; the file is damaged or not complete", at, f.data.Size())
	}
	return nil
}

// verify compares the check sum, where there is one.
func (f *File) verify(header []byte) error {
	given, ok := f.Metadata[checkKey]
	if !ok {
		return nil
	}
	at, ok := findCheck(header)
	if !ok || string(header[at:at+len(noCheck)]) != given {
		return fmt.Errorf("safetensors: the check sum %q is not in the form in which it is written", given)
	}
	header = slices.Clone(header)
	copy(header[at:], noCheck)
	sum := crc32.New(castagnoli)
	sum.Write(header)
	if _, err := io.Copy(sum, io.NewSectionReader(f.data, 0, f.data.Size())); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	if got := fmt.Sprintf("%08x", sum.Sum32()); got != given {
		return fmt.Errorf("safetensors: the check sum is %s, the file says %s; the file is damaged", got, given)
	}
	return nil
}

// Names returns the names of the tensors, in the order of their bytes.
func (f *File) Names() []string {
	names := make([]string, 0, len(f.Tensors))
	for name := range f.Tensors {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		s, t := f.Tensors[a].Offsets, f.Tensors[b].Offsets
		return cmp.Or(slices.Compare(s[:], t[:]), strings.Compare(a, b))
	})
	return names
}

// Bytes returns the bytes of a tensor that the file has, which are little-endian.
func (f *File) Bytes(name string) io.Reader {
	t := f.Tensors[name]
	return io.NewSectionReader(f.data, t.Offsets[0], t.Offsets[1]-t.Offsets[0])
}

// info returns the description of a tensor.
func (f *File) info(name string) (Info, error) {
	t, ok := f.Tensors[name]
	if !ok {
		return Info{}, fmt.Errorf("safetensors: no tensor %q", name)
	}
	return t, nil
}

// Read returns the values of a tensor whose elements are of type T.
func Read[T Value](f *File, name string) ([]T, error) {
	t, err := f.info(name)
	if err != nil {
		return nil, err
	}
	if want := typeOf[T](); t.Type != want {
		return nil, fmt.Errorf("safetensors: tensor %q is of type %s; expected %s", name, t.Type, want)
	}
	values := make([]T, t.Len())
	return values, f.each(t, name, func(at int, bytes []byte) error {
		_, err := binary.Decode(bytes, binary.LittleEndian, values[at:at+len(bytes)/t.Type.Size()])
		return err
	})
}

// Indices returns the values of a tensor of whole numbers of any type; none is negative or above
// most, which fits an I.
func Indices[I int | int32](f *File, name string, most int) ([]I, error) {
	t, err := f.info(name)
	if err != nil {
		return nil, err
	}
	size := t.Type.Size()
	decode := map[Type]func([]byte) uint64{
		U8:  func(b []byte) uint64 { return uint64(b[0]) },
		U16: func(b []byte) uint64 { return uint64(binary.LittleEndian.Uint16(b)) },
		U32: func(b []byte) uint64 { return uint64(binary.LittleEndian.Uint32(b)) },
		U64: binary.LittleEndian.Uint64,
		I32: func(b []byte) uint64 { return uint64(int32(binary.LittleEndian.Uint32(b))) },
		I64: binary.LittleEndian.Uint64,
	}[t.Type]
	if decode == nil {
		return nil, fmt.Errorf("safetensors: tensor %q is of type %s; expected whole numbers", name, t.Type)
	}
	values := make([]I, t.Len())
	return values, f.each(t, name, func(at int, bytes []byte) error {
		for ; len(bytes) > 0; at, bytes = at+1, bytes[size:] {
			v := decode(bytes)
			if v > uint64(most) {
				return fmt.Errorf("value %d is %d; expected 0 to %d", at, int64(v), most)
			}
			values[at] = I(v)
		}
		return nil
	})
}

// Floats calls do for the values of a tensor of type F16, F32 or F64, in parts and in their order,
// with the position of the first. All are finite; the slice is valid during the call.
func (f *File) Floats(name string, do func(at int, values []float64)) error {
	t, err := f.info(name)
	if err != nil {
		return err
	}
	var values []float64
	return f.each(t, name, func(at int, bytes []byte) error {
		values = values[:0]
		switch t.Type {
		case F16:
			for ; len(bytes) > 0; bytes = bytes[2:] {
				values = append(values, float64(FromHalf(binary.LittleEndian.Uint16(bytes))))
			}
		case F32:
			for ; len(bytes) > 0; bytes = bytes[4:] {
				values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(bytes))))
			}
		case F64:
			for ; len(bytes) > 0; bytes = bytes[8:] {
				values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(bytes)))
			}
		default:
			return fmt.Errorf("it is of type %s; expected F16, F32 or F64", t.Type)
		}
		for k, v := range values {
			if v-v != 0 {
				return fmt.Errorf("value %d is %v; values must be finite", at+k, v)
			}
		}
		do(at, values)
		return nil
	})
}

// each calls do for the bytes of a tensor, in parts of whole elements, with the position of the
// first element.
func (f *File) each(t Info, name string, do func(at int, bytes []byte) error) error {
	size := t.Type.Size()
	if size == 0 {
		return fmt.Errorf("safetensors: tensor %q is of type %s", name, t.Type)
	}
	buffer := make([]byte, min(int64(chunk*size), t.Offsets[1]-t.Offsets[0]))
	at := 0
	for from := t.Offsets[0]; from < t.Offsets[1]; from += int64(len(buffer)) {
		buffer = buffer[:min(int64(len(buffer)), t.Offsets[1]-from)]
		if _, err := io.ReadFull(io.NewSectionReader(f.data, from, int64(len(buffer))), buffer); err != nil {
			return fmt.Errorf("safetensors: tensor %q: %w", name, err)
		}
		if err := do(at, buffer); err != nil {
			return fmt.Errorf("safetensors: tensor %q: %w", name, err)
		}
		at += len(buffer) / size
	}
	return nil
}
