package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
)

// A blob is raw bytes in a frame. Its JSON is its size; the bytes follow the
// JSON of the frame.
type blob struct {
	data []byte
	size int // as far as only that is known
}

func (b blob) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, int64(len(b.data)), 10), nil
}

func (b *blob) UnmarshalJSON(text []byte) (err error) {
	b.size, err = strconv.Atoi(string(text))
	return err
}

// blobs returns the blobs of the frame, in an order that does not depend on
// which side asks.
func (f *frame) blobs() []*blob {
	var all []*blob
	if f.Bytes != nil {
		all = append(all, f.Bytes)
	}
	if f.Comm != nil {
		for i := range f.Comm.Buffers {
			all = append(all, &f.Comm.Buffers[i])
		}
	}
	if f.Bundle != nil {
		for _, mime := range slices.Sorted(maps.Keys(f.Bundle.Data)) {
			if d := f.Bundle.Data[mime]; d != nil && d.Bytes != nil {
				all = append(all, d.Bytes)
			}
		}
	}
	return all
}

// marshal returns the frame's JSON, after its length, and its blobs.
func (f *frame) marshal() ([]byte, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	blobs := f.blobs()
	size := 4 + len(text)
	for _, b := range blobs {
		size += len(b.data)
	}
	body := make([]byte, 0, size)
	body = binary.BigEndian.AppendUint32(body, uint32(len(text)))
	body = append(body, text...)
	for _, b := range blobs {
		body = append(body, b.data...)
	}
	return body, nil
}

var errGarbage = errors.New("garbage on the pipe between kernel and worker")

// unmarshal is the reverse of marshal. The blobs are parts of the body.
func (f *frame) unmarshal(body []byte) error {
	if len(body) < 4 {
		return errGarbage
	}
	n, rest := int(binary.BigEndian.Uint32(body)), body[4:]
	if n > len(rest) {
		return errGarbage
	}
	text, rest := rest[:n], rest[n:]
	if err := json.Unmarshal(text, f); err != nil {
		return err
	}
	for _, b := range f.blobs() {
		if b.size < 0 || b.size > len(rest) {
			return errGarbage
		}
		b.data, rest = rest[:b.size:b.size], rest[b.size:]
	}
	return nil
}
