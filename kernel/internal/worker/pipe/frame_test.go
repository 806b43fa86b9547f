package pipe

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

func TestFramesCross(t *testing.T) {
	bundle := &program.Bundle{
		Data: map[string]any{
			"text/plain": "é\xff", "text/html": "", "image/png": []byte("\x89PNG\x00"), "image/jpeg": []byte{},
			"application/json": map[string]any{"a": 1.5, "b": []any{"<", nil}}, "application/x": nil,
		},
		Metadata: map[string]any{"image/png": map[string]any{"width": 3.0}},
	}
	packed, err := PackBundle(bundle)
	if err != nil {
		t.Fatal(err)
	}
	message := &program.CommMessage{Kind: "msg", ID: "i", Data: []byte(`{"a":1}`), Buffers: [][]byte{[]byte("first"), {}, {0, 255}}}
	comm := PackComm(message)
	var in Buffer
	for cell, m := range []Message{
		&Display{Bundle: packed, ID: "x", Update: true},
		&comm,
		&Stream{Name: "stdout", Text: Blob{Data: []byte("a\xff")}},
		&Forget{},
	} {
		data, err := Encode(&Frame{cell + 3, m})
		if err != nil {
			t.Fatal(err)
		}
		in.Add(data)
		if f, err := Read(bytes.NewReader(data)); err != nil || f.Cell != cell+3 {
			t.Errorf("%v, %v", f, err)
		}
	}
	var got []Message
	for cell := range 4 {
		f, err := in.Next()
		if err != nil || f == nil || f.Cell != cell+3 {
			t.Fatal(f, err)
		}
		got = append(got, f.Message)
	}
	if f, err := in.Next(); f != nil || err != nil || in != nil {
		t.Errorf("after the last: %v, %v, %d bytes", f, err, len(in))
	}
	bundle.Data["text/plain"] = "é\uFFFD" // JSON has Unicode only
	if shown := got[0].(*Display); !reflect.DeepEqual(shown.Bundle.Unpack(), bundle) || shown.ID != "x" || !shown.Update {
		t.Errorf("got  %#v\nwant %#v", shown.Bundle.Unpack(), bundle)
	}
	if m := got[1].(*Comm).Unpack(); fmt.Sprintf("%q", m) != fmt.Sprintf("%q", message) {
		t.Errorf("got  %q\nwant %q", m, message)
	}
	if string(got[2].(*Stream).Text.Data) != "a\xff" {
		t.Errorf("got %v", got[2])
	}
}

// TestKinds holds that each type of message crosses as itself.
func TestKinds(t *testing.T) {
	for _, kind := range kinds {
		m, ok := reflect.New(kind).Interface().(Message)
		if !ok {
			t.Errorf("%v is no message", kind)
			continue
		}
		data, err := Encode(&Frame{7, m})
		if err != nil {
			t.Errorf("%v: %v", kind, err)
			continue
		}
		f, err := Read(bytes.NewReader(data))
		if err != nil || f.Cell != 7 || reflect.TypeOf(f.Message).Elem() != kind {
			t.Errorf("%v: %v, %v", kind, f, err)
		}
	}
}

func TestGarbage(t *testing.T) {
	// body is a frame with a message like m, of this text and rest.
	body := func(m Message, text, rest string) string {
		head := []byte{byte(slices.Index(kinds, reflect.TypeOf(m).Elem()))}
		head = binary.BigEndian.AppendUint64(head, 1)
		head = binary.BigEndian.AppendUint32(head, uint32(len(text)))
		return frameOf(string(head) + text + rest)
	}
	for _, s := range []string{
		"\xff\xff\xff\xff",
		frameOf(""),
		frameOf("\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x09{}"),
		frameOf("\xfe\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02{}"),
		body(&Forget{}, `{`, ""),
		body(&Stream{}, `{"Text":3}`, "ab"),
		body(&Stream{}, `{"Text":-1}`, "ab"),
		body(&Stream{}, `{"Text":"a"}`, ""),
		body(&Comm{}, `{"Buffers":[1,2]}`, "ab"),
		body(&Display{}, `{"Bundle":{"data":{"a":{"bytes":1}}}}`, ""),
	} {
		in := Buffer(s)
		if f, err := in.Next(); err == nil || !strings.Contains(err.Error(), "garbage") {
			t.Errorf("%q: %v, %v", s, f, err)
		}
	}
	for _, s := range []string{
		body(&Display{}, `{}`, ""),
		body(&Comm{}, `{}`, ""),
		body(&Page{}, `{"Bundle":{"data":{"a":null}}}`, ""),
		body(&Forget{}, `{"Nonsense":1}`, ""),
	} {
		in := Buffer(s)
		f, err := in.Next()
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if page, ok := f.Message.(*Page); ok && page.Bundle.Unpack() == nil {
			t.Errorf("%q: no bundle", s)
		}
	}
}

func frameOf(body string) string { return string([]byte{0, 0, 0, byte(len(body))}) + body }

// TestBounds announces frames that are longer than the parent takes. They are refused before they
// have arrived, and a child is told that it cannot send them.
func TestBounds(t *testing.T) {
	for i, kind := range kinds {
		text, all := maxPlain, maxPlain
		switch reflect.New(kind).Interface().(type) {
		case *Display, *Page, *Shown, *Comm:
			text, all = maxText, maxBlobs
		case *Debugged, *Event:
			text, all = maxText, maxText
		}
		for _, c := range []struct {
			text, all int
			ok        bool
		}{{text, text, true}, {text + 1, text + 1, false}, {2, all, true}, {2, all + 1, false}, {1<<32 - 1, 2, false}, {2, 1<<32 - 1, false}} {
			in := Buffer(binary.BigEndian.AppendUint32(nil, uint32(min(header+c.all, 1<<32-1))))
			in.Add(append([]byte{byte(i)}, make([]byte, 8)...))
			in.Add(binary.BigEndian.AppendUint32(nil, uint32(c.text)))
			if f, err := in.Next(); f != nil || (err == nil) != c.ok {
				t.Errorf("%v with %d bytes of text of %d: %v, %v", kind, c.text, c.all, f, err)
			}
		}
	}
	for _, m := range []Message{
		&NextInput{Source: strings.Repeat("a", maxPlain)},
		&Failed{Failure: Failure{Message: strings.Repeat("a", maxPlain)}},
		&Display{ID: strings.Repeat("a", maxText)},
		&Display{Bundle: &Bundle{Metadata: map[string]any{"a": strings.Repeat("a", maxText)}}},
		&Comm{Buffers: []Blob{{Data: make([]byte, maxBlobs/2)}, {Data: make([]byte, maxBlobs/2)}}},
	} {
		if _, err := EncodeBounded(&Frame{1, m}); !errors.Is(err, ErrTooLong) {
			t.Errorf("%T: %v", m, err)
		}
	}
}
