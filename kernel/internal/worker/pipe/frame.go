package pipe

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
)

// A Frame is one message between parent and child.
type Frame struct {
	Cell    int // 0 for none
	Message Message
}

// Bounds of the frames that the parent reads, in bytes. Cell code can write to the pipe, too. A
// frame takes memory in the parent: its JSON many times its length.
const (
	maxPlain = 4 << 20   // a message without output
	maxText  = 64 << 20  // the JSON of a message with output, or of the debugger
	maxBlobs = 256 << 20 // a message with its blobs
)

// header is the size of a frame's header after its length: the kind of the message, the cell, and
// the length of the JSON.
const header = 1 + 8 + 4

// ErrTooLong is wrapped by the error for a message that exceeds the bounds.
var ErrTooLong = errors.New("too long for the kernel")

var errGarbage = errors.New("garbage on the pipe between kernel and worker")

// A Blob is raw bytes in a message. Its JSON is its size; the bytes follow the JSON of the frame.
type Blob struct {
	Data []byte
	size int // while only that is known
}

// MarshalJSON implements json.Marshaler.
func (b Blob) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, int64(len(b.Data)), 10), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *Blob) UnmarshalJSON(text []byte) (err error) {
	b.size, err = strconv.Atoi(string(text))
	return err
}

// Encode returns the frame in its encoding on the pipe.
func Encode(f *Frame) ([]byte, error) {
	kind := slices.Index(kinds, reflect.TypeOf(f.Message).Elem())
	text, err := json.Marshal(f.Message)
	if err != nil {
		return nil, err
	}
	blobs := f.Message.blobs()
	size := header + len(text)
	for _, b := range blobs {
		size += len(b.Data)
	}
	if size > math.MaxUint32 {
		return nil, fmt.Errorf("a frame of %d bytes is too long", size)
	}
	data := binary.BigEndian.AppendUint32(make([]byte, 0, 4+size), uint32(size))
	data = append(data, byte(kind))
	data = binary.BigEndian.AppendUint64(data, uint64(f.Cell))
	data = binary.BigEndian.AppendUint32(data, uint32(len(text)))
	data = append(data, text...)
	for _, b := range blobs {
		data = append(data, b.Data...)
	}
	return data, nil
}

// EncodeBounded is Encode for messages of the child. If the parent would refuse the message, the
// error wraps ErrTooLong.
func EncodeBounded(f *Frame) ([]byte, error) {
	data, err := Encode(f)
	if err == nil {
		err = bounded(data)
	}
	return data, err
}

// bounded returns an error if the header of a frame announces more than the bounds.
func bounded(data []byte) error {
	if len(data) < 4+header || int(data[4]) >= len(kinds) {
		return nil
	}
	all, text := int(binary.BigEndian.Uint32(data))-header, int(binary.BigEndian.Uint32(data[4+1+8:]))
	textLimit, limit := maxPlain, maxPlain
	switch kinds[data[4]] {
	case reflect.TypeFor[Display](), reflect.TypeFor[Page](), reflect.TypeFor[Shown](), reflect.TypeFor[Comm]():
		textLimit, limit = maxText, maxBlobs
	case reflect.TypeFor[Debugged](), reflect.TypeFor[Event](): // their JSON is passed on unchanged
		textLimit, limit = maxText, maxText
	}
	switch {
	case text > textLimit:
		return fmt.Errorf("%w: its text has %d bytes; at most %d are allowed", ErrTooLong, text, textLimit)
	case all > limit:
		return fmt.Errorf("%w: it has %d bytes; at most %d are allowed", ErrTooLong, all, limit)
	}
	return nil
}

// decode is the reverse of Encode, without the length. The blobs are slices of the body.
func decode(body []byte) (*Frame, error) {
	if len(body) < header || int(body[0]) >= len(kinds) {
		return nil, errGarbage
	}
	message, ok := reflect.New(kinds[body[0]]).Interface().(Message)
	if !ok {
		return nil, errGarbage
	}
	f := &Frame{Cell: int(binary.BigEndian.Uint64(body[1:])), Message: message}
	n, rest := int(binary.BigEndian.Uint32(body[1+8:])), body[header:]
	if n > len(rest) {
		return nil, errGarbage
	}
	text, rest := rest[:n], rest[n:]
	if err := json.Unmarshal(text, message); err != nil {
		return nil, err
	}
	for _, b := range message.blobs() {
		if b.size < 0 || b.size > len(rest) {
			return nil, errGarbage
		}
		b.Data, rest = rest[:b.size:b.size], rest[b.size:]
	}
	return f, nil
}

// Read reads a frame from a trusted source.
func Read(r io.Reader) (*Frame, error) {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(n[:]))
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	return decode(body)
}

// A Buffer collects bytes until they are a frame.
type Buffer []byte

// Add adds bytes.
func (b *Buffer) Add(p []byte) { *b = append(*b, p...) }

// Next returns the next whole frame, or nil if it is not complete.
func (b *Buffer) Next() (*Frame, error) {
	if len(*b) < 4 {
		return nil, nil
	}
	n := binary.BigEndian.Uint32(*b)
	end := 4 + int(n)
	if n > maxBlobs+header {
		return nil, errGarbage
	}
	if err := bounded(*b); err != nil {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	if len(*b) < end {
		return nil, nil
	}
	f, err := decode((*b)[4:end:end])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	*b = (*b)[end:]
	if len(*b) == 0 {
		*b = nil
	}
	return f, nil
}
