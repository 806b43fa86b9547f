package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A Header identifies a message. The sender and the time do not matter here: they go back in the
// answers unchanged, as text, number or nothing.
type Header struct {
	ID         string
	Type       string
	SubshellID string
}

// UnmarshalJSON reads an object. A field that is not a string becomes its JSON text, since some
// clients use a number as identifier.
func (h *Header) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if string(fields["subshell_id"]) == "null" {
		delete(fields, "subshell_id")
	}
	for name, field := range map[string]*string{"msg_id": &h.ID, "msg_type": &h.Type, "subshell_id": &h.SubshellID} {
		switch value := fields[name]; {
		case len(value) == 0:
		case value[0] != '"':
			*field = string(value)
		default:
			if err := json.Unmarshal(value, field); err != nil {
				return err
			}
		}
	}
	return nil
}

// A Message is a received message with a verified signature. Its parts are JSON objects in valid
// UTF-8.
type Message struct {
	// Identities are the frames before the delimiter, which route the reply.
	Identities [][]byte
	Header     Header
	RawHeader  json.RawMessage // the parent header of its answers
	Parent     json.RawMessage
	Metadata   json.RawMessage
	Content    json.RawMessage
	Buffers    [][]byte
}

// Size estimates how many bytes the message takes.
func (m *Message) Size() int {
	size := len(m.RawHeader) + len(m.Parent) + len(m.Metadata) + len(m.Content)
	for _, b := range m.Buffers {
		size += len(b)
	}
	return size
}

const (
	delimiter = "<IDS|MSG>"
	maxHeader = 64 << 10 // bytes; all answers repeat a header
)

// Reasons for dropping a message.
var (
	errDelimiter = errors.New("no delimiter")
	errFrames    = errors.New("fewer than six frames from the delimiter on")
	errSignature = errors.New("wrong signature")
	errReplay    = errors.New("signature used before")
	errEncoding  = errors.New("invalid UTF-8")
)

// isSigned reports whether the sender of a message signed it with the key, given the error of
// decode. A signature that was used before may have been overheard, and does not count.
func isSigned(err error) bool {
	switch err {
	case errDelimiter, errFrames, errSignature, errReplay:
		return false
	}
	return true
}

// decode decodes the frames of a message. It verifies the signature before it parses anything.
func (s *signer) decode(frames [][]byte) (*Message, error) {
	at := -1
	for i, frame := range frames {
		if string(frame) == delimiter {
			at = i
			break
		}
	}
	if at < 0 {
		return nil, errDelimiter
	}
	parts := frames[at+1:]
	if len(parts) < 5 {
		return nil, errFrames
	}
	signature, header, parent, metadata, content := parts[0], parts[1], parts[2], parts[3], parts[4]
	if err := s.verify(signature, header, parent, metadata, content); err != nil {
		return nil, err
	}
	m := &Message{Identities: frames[:at:at], RawHeader: header, Buffers: parts[5:]}
	if len(header) > maxHeader {
		return nil, fmt.Errorf("a header of %d bytes, at most %d are allowed", len(header), maxHeader)
	}
	if !utf8.Valid(header) || !utf8.Valid(content) {
		return nil, errEncoding
	}
	if !isObject(header) {
		return nil, errors.New("the header is not a JSON object")
	}
	if err := json.Unmarshal(header, &m.Header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if m.Header.ID == "" || m.Header.Type == "" {
		return nil, errors.New("the header has no msg_id or no msg_type")
	}
	m.Parent, m.Metadata = objectOr(parent), objectOr(metadata)
	// An invalid content is left to the handler, which can report it.
	m.Content = content
	return m, nil
}

// objectOr returns data if it is a JSON object, and otherwise an empty object.
func objectOr(data []byte) json.RawMessage {
	if isObject(data) && utf8.Valid(data) && json.Valid(data) {
		return data
	}
	return json.RawMessage("{}")
}

func isObject(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && data[0] == '{'
}

// marshal encodes a part of a message.
func marshal(v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return []byte("{}"), nil
	case json.RawMessage:
		if len(v) == 0 {
			return []byte("{}"), nil
		}
		return v, nil
	case Data:
		return v.marshal()
	}
	return Encode(v)
}

// Encode encodes a value as the JSON of messages. It does not escape HTML.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// marshal encodes a value without encoding its representations again, which may be large.
func (d Data) marshal() ([]byte, error) {
	rest, err := marshal(struct {
		Metadata  map[string]any `json:"metadata"`
		Transient map[string]any `json:"transient,omitzero"`
		Count     int            `json:"execution_count,omitempty"`
	}{d.Metadata, d.Transient, d.Count})
	if err != nil {
		return nil, err
	}
	size := len(rest) + 16
	for mime, encoded := range d.Data {
		size += len(mime) + len(encoded) + 8
	}
	b := append(make([]byte, 0, size), `{"data":{`...)
	for mime, encoded := range d.Data {
		name, err := json.Marshal(mime)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), encoded...)
		b = append(b, ',')
	}
	b = append(bytes.TrimSuffix(b, []byte(",")), "},"...)
	return append(b, rest[1:]...), nil
}
