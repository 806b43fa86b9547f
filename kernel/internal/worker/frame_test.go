package worker

import (
	"bytes"
	"fmt"
	"reflect"
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
	packed, err := packBundle(bundle)
	if err != nil {
		t.Fatal(err)
	}
	message := &program.CommMessage{Kind: "msg", ID: "i", Data: []byte(`{"a":1}`), Buffers: [][]byte{[]byte("first"), {}, {0, 255}}}
	var in frameBuffer
	for _, f := range []*frame{
		{Kind: frameDisplay, Cell: 3, Bundle: packed, ID: "x", Update: true},
		{Kind: frameComm, Cell: 4, Comm: packMessage(message)},
		{Kind: frameStream, Cell: 5, Name: "stdout", Bytes: &blob{data: []byte("a\xff")}},
		{Kind: frameForget, Cell: 6},
	} {
		data, err := encodeFrame(f)
		if err != nil {
			t.Fatal(err)
		}
		in.write(data)
		if f, err := readFrame(bytes.NewReader(data)); err != nil || f.Cell == 0 {
			t.Errorf("%v, %v", f, err)
		}
	}
	var got []*frame
	for range 4 {
		f, err := in.next()
		if err != nil || f == nil {
			t.Fatal(f, err)
		}
		got = append(got, f)
	}
	if f, err := in.next(); f != nil || err != nil || in != nil {
		t.Errorf("after the last: %v, %v, %d bytes", f, err, len(in))
	}
	bundle.Data["text/plain"] = "é\uFFFD" // JSON has Unicode only
	if shown := got[0].Bundle.unpack(); !reflect.DeepEqual(shown, bundle) {
		t.Errorf("got  %#v\nwant %#v", shown, bundle)
	}
	if m := got[1].Comm.unpack(); fmt.Sprintf("%q", m) != fmt.Sprintf("%q", message) {
		t.Errorf("got  %q\nwant %q", m, message)
	}
	if string(got[2].Bytes.data) != "a\xff" || got[3].Cell != 6 {
		t.Errorf("got %v, %v", got[2], got[3])
	}
}

func TestGarbageBetweenParentAndChild(t *testing.T) {
	body := func(text, rest string) string {
		n := len(text)
		return frameOf(string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + text + rest)
	}
	for _, s := range []string{
		"\xff\xff\xff\xff",
		frameOf(""),
		frameOf("\x00\x00\x00\x09{}"),
		body(`{`, ""),
		body(`{"bytes":3}`, "ab"),
		body(`{"bytes":-1}`, "ab"),
		body(`{"bytes":"a"}`, ""),
		body(`{"comm":{"buffers":[1,2]}}`, "ab"),
		body(`{"bundle":{"data":{"a":{"bytes":1}}}}`, ""),
	} {
		in := frameBuffer(s)
		if f, err := in.next(); err == nil || !strings.Contains(err.Error(), "garbage") {
			t.Errorf("%q: %v, %v", s, f, err)
		}
	}
	for _, s := range []string{
		body(`{"kind":"display"}`, ""),
		body(`{"kind":"comm"}`, ""),
		body(`{"kind":"stream"}`, ""),
		body(`{"kind":"done","failure":{}}`, ""),
		body(`{"kind":"page","bundle":{"data":{"a":null}}}`, ""),
		body(`{"kind":"nonsense"}`, ""),
	} {
		in := frameBuffer(s)
		f, err := in.next()
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		j := newJob(t.Context(), &frame{Kind: frameRun, Program: script()}, &recorder{})
		_, _ = j.result(f)
		switch f.Kind {
		case framePage:
			f.show(j.out)
		case frameComm:
			new(pump).comm(j, f)
		}
	}
}

func frameOf(body string) string { return string([]byte{0, 0, 0, byte(len(body))}) + body }
