package files

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/internal/textfile"
)

// array is an array in a file: what numpy saves, or a tensor.
type array struct {
	name    string // empty in a file of one array
	shape   []int
	kind    byte // of numpy: b, i, u, f, S, U; or B, a bfloat16
	size    int  // of an element: bytes
	order   binary.ByteOrder
	fortran bool // whether the first index is the fastest

	data   io.Reader // the elements, and nothing behind them
	stored bool      // whether the file is known to be large enough for the shape
	errorf func(format string, args ...any) error
	place  func(err error) error // of reading
}

// called returns the name for messages.
func (a *array) called() string {
	if a.name == "" {
		return "the array"
	}
	return "array " + a.name
}

// len returns the number of elements, which setShape has bounded.
func (a *array) len() int {
	n := 1
	for _, d := range a.shape {
		n *= d
	}
	return n
}

// setShape checks that the number of bytes is a number at all. Nothing is allocated for it.
func (a *array) setShape(shape []int) error {
	n := a.size
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt64/2/d {
			return a.errorf("%s is said to have the shape %s; the file is damaged", a.called(), describeShape(shape))
		}
		n *= max(d, 1)
	}
	a.shape = shape
	return nil
}

// describeShape writes a shape as Python does.
func describeShape(shape []int) string {
	var b strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&b, "%d, ", d)
	}
	if len(shape) == 1 {
		return "(" + strconv.Itoa(shape[0]) + ",)"
	}
	return "(" + strings.TrimSuffix(b.String(), ", ") + ")"
}

// setType takes the type of numpy, such as "<f8".
func (a *array) setType(descr string) error {
	const advice = `save X.astype("float32")`
	wrong := a.errorf("%s has the type %s; expected truth values, whole numbers, or floats of 16 to 64 bits. If it has other numbers, %s", a.called(), textfile.Quote(descr), advice)
	found := numpyType.FindStringSubmatch(descr)
	if found == nil {
		return wrong
	}
	a.order = binary.LittleEndian
	if found[1] == ">" {
		a.order = binary.BigEndian
	}
	a.kind = found[2][0]
	size, _ := strconv.Atoi(found[3]) // none is 0, and one of too many digits is refused below
	switch kind := a.kind; {
	case kind == '?':
		a.kind, size = 'b', 1
	case kind == 'O':
		return a.errorf("%s has Python objects, which are pickled and never read; %s", a.called(), advice)
	case kind == 'b' && size == 1:
	case (kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8):
	case kind == 'f' && (size == 2 || size == 4 || size == 8):
	case kind == 'S' && size > 0 && size <= longestName:
	case kind == 'U' && size > 0 && size <= longestName:
		size *= 4
	default:
		return wrong
	}
	a.size = size
	return nil
}

// The types of numpy, and the entries of a header, which is a dictionary of Python.
var (
	numpyType    = regexp.MustCompile(`^([<>|=]?)([A-Za-z?])([0-9]*)$`)
	numpyDescr   = regexp.MustCompile(`['"]descr['"]\s*:\s*(['"]([^'"]*)['"]|\[)`)
	numpyFortran = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	numpyShape   = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([0-9L, ]*)\)`)
)

const numpyMagic = "\x93NUMPY"

// readHeader reads what stands before the elements in a file of numpy, of versions 1 to 3.
func (a *array) readHeader() error {
	var head [len(numpyMagic) + 2]byte
	if err := a.full(head[:]); err != nil {
		return err
	}
	if string(head[:len(numpyMagic)]) != numpyMagic {
		return a.errorf("%s is not a numpy array; expected a file that numpy.save writes", a.called())
	}
	length := make([]byte, 2)
	switch version := head[len(numpyMagic)]; version {
	case 1:
	case 2, 3:
		length = make([]byte, 4)
	default:
		return a.errorf("%s is of version %d of numpy's format; expected 1 to 3", a.called(), version)
	}
	if err := a.full(length); err != nil {
		return err
	}
	n := 0
	for i, b := range length {
		n |= int(b) << (8 * i)
	}
	const most = 1 << 16
	if n > most {
		return a.errorf("%s has a header of %d bytes; the file is damaged", a.called(), n)
	}
	header := make([]byte, n)
	if err := a.full(header); err != nil {
		return err
	}
	descr, fortran, shape := numpyDescr.FindSubmatch(header), numpyFortran.FindSubmatch(header), numpyShape.FindSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return a.errorf("%s has a header without descr, fortran_order or shape; the file is damaged", a.called())
	}
	if descr[2] == nil {
		return a.errorf("%s has fields of several types; save its numbers as a matrix", a.called())
	}
	if err := a.setType(string(descr[2])); err != nil {
		return err
	}
	a.fortran = string(fortran[1]) == "True"
	var sizes []int
	for size := range strings.SplitSeq(string(shape[1]), ",") {
		if size = strings.TrimSuffix(strings.TrimSpace(size), "L"); size == "" {
			continue
		}
		d, err := strconv.Atoi(size)
		if err != nil {
			return a.errorf("%s has a shape of %q; the file is damaged", a.called(), shape[1])
		}
		sizes = append(sizes, d)
	}
	return a.setShape(sizes)
}

// full fills the buffer from the reader.
func (a *array) full(buffer []byte) error {
	_, err := io.ReadFull(a.data, buffer)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return a.errorf("the file ends in the header of %s; it is not complete, copy it again", a.called())
	}
	if err != nil {
		return a.place(err)
	}
	return nil
}

// elements calls do for the bytes of each element, in their order, and checks that the array ends
// with the last.
func (a *array) elements(do func(element []byte) error) error {
	n := a.len()
	buffer := make([]byte, a.size*min(n, 1+(1<<16)/a.size))
	for at := 0; at < n; {
		part := buffer[:min(len(buffer), (n-at)*a.size)]
		got, err := io.ReadFull(a.data, part)
		for k := a.size; k <= got; k += a.size {
			if err := do(part[k-a.size : k]); err != nil {
				return err
			}
		}
		at += got / a.size
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return a.errorf("%s ends after %d of the %d elements of its shape %s; the file is not complete, copy it again", a.called(), at, n, describeShape(a.shape))
		}
		if err != nil {
			return a.place(err)
		}
	}
	switch more, err := io.ReadFull(a.data, make([]byte, 1)); {
	case more > 0:
		return a.errorf("there are bytes after the last element of %s; the file is damaged, or several arrays were saved into it", a.called())
	case err != nil && !errors.Is(err, io.EOF):
		return a.place(err)
	}
	return nil
}

// number returns the value of an element that is a number.
func (a *array) number(element []byte) float64 {
	switch a.kind {
	case 'f':
		switch a.size {
		case 2:
			return float64(safetensors.FromHalf(a.order.Uint16(element)))
		case 4:
			return float64(math.Float32frombits(a.order.Uint32(element)))
		}
		return math.Float64frombits(a.order.Uint64(element))
	case 'B':
		return float64(math.Float32frombits(uint32(a.order.Uint16(element)) << 16))
	case 'i':
		return float64(a.integer(element))
	}
	return float64(uint64(a.integer(element)))
}

// integer returns the bits of a whole number, with the sign of one that has a sign.
func (a *array) integer(element []byte) int64 {
	var bits uint64
	switch a.size {
	case 1:
		bits = uint64(element[0])
	case 2:
		bits = uint64(a.order.Uint16(element))
	case 4:
		bits = uint64(a.order.Uint32(element))
	default:
		bits = a.order.Uint64(element)
	}
	if unused := 64 - 8*a.size; a.kind == 'i' {
		return int64(bits) << unused >> unused
	}
	return int64(bits)
}

// isNumbers reports whether the elements are numbers or truth values.
func (a *array) isNumbers() bool { return a.kind != 'S' && a.kind != 'U' }

// label returns the name of a class that an element has: a string, or a whole number.
func (a *array) label(element []byte) (string, error) {
	switch a.kind {
	case 'S':
		return strings.TrimRight(string(element), "\x00"), nil
	case 'U':
		var b strings.Builder
		for ; len(element) > 0; element = element[4:] {
			b.WriteRune(rune(min(a.order.Uint32(element), math.MaxInt32))) // none that is no rune
		}
		return strings.TrimRight(b.String(), "\x00"), nil
	case 'i':
		return strconv.FormatInt(a.integer(element), 10), nil
	case 'u':
		return strconv.FormatUint(uint64(a.integer(element)), 10), nil
	case 'b':
		return map[bool]string{false: "False", true: "True"}[element[0] != 0], nil
	}
	v := a.number(element)
	if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		return "", a.errorf("%s has the label %v; labels must be strings or whole numbers", a.called(), v)
	}
	return strconv.FormatFloat(v, 'f', 0, 64), nil
}

// numpyArchive returns the arrays of what numpy.savez writes, by their names in their order.
func (v *vectorFile) numpyArchive(at io.ReaderAt, size int64) error {
	archive, err := zip.NewReader(at, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return v.errorf("the archive is damaged or not complete (%v); get it again", err)
	}
	entries := make(map[string]*zip.File)
	for _, entry := range archive.File {
		name, ok := strings.CutSuffix(entry.Name, ".npy")
		if !ok {
			continue
		}
		if entries[name] != nil {
			return v.errorf("two arrays are called %q; the file is damaged", name)
		}
		entries[name] = entry
		v.names = append(v.names, name)
	}
	if len(entries) == 0 {
		return v.errorf("the zip archive has no array; expected a file that numpy.savez or scipy.sparse.save_npz writes")
	}
	v.open = func(name string) (*array, func() error, error) {
		content, err := entries[name].Open()
		if err != nil {
			return nil, nil, v.errorf("array %s is damaged in the archive (%v); get it again", name, err)
		}
		a := v.array(name, v.bound.Reader(content))
		if err := a.readHeader(); err != nil {
			return nil, nil, errors.Join(err, content.Close())
		}
		return a, content.Close, nil
	}
	return nil
}

// tensors returns the arrays of a file of safetensors.
func (v *vectorFile) tensors(at io.ReaderAt, size int64) error {
	f, err := safetensors.Open(at, size)
	if err != nil {
		return v.errorf("%v", err)
	}
	v.names = f.Names()
	v.open = func(name string) (*array, func() error, error) {
		t := f.Tensors[name]
		a := v.array(name, f.Bytes(name))
		a.order, a.stored, a.size = binary.LittleEndian, true, t.Type.Size()
		a.kind = map[byte]byte{'F': 'f', 'I': 'i', 'U': 'u'}[t.Type[0]]
		switch t.Type {
		case safetensors.BF16:
			a.kind = 'B'
		case safetensors.Bool:
			a.kind = 'b'
		}
		return a, func() error { return nil }, a.setShape(t.Shape)
	}
	return nil
}
