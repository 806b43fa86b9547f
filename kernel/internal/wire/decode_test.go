package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func testSigner(t testing.TB) *signer {
	t.Helper()
	s, err := newSigner("hmac-sha256", "secret")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// signed returns the frames of a message with these parts.
func signed(s *signer, header, parent, metadata, content string) [][]byte {
	parts := [][]byte{[]byte(header), []byte(parent), []byte(metadata), []byte(content)}
	return append([][]byte{[]byte("id"), []byte(delimiter), s.sign(parts[0], parts[1], parts[2], parts[3])}, parts...)
}

// A message that is signed may still be wrong.
func TestDecodeSigned(t *testing.T) {
	good := `{"msg_id":"m%d","msg_type":"t"}`
	tests := []struct{ header, parent, metadata, content, want string }{
		{good, `{}`, `{}`, `{}`, ""},
		{good, `nonsense`, `[]`, `null`, ""},
		{` {"msg_id":"m%d","msg_type":"t","subshell_id":null}`, `{}`, `{}`, `{}`, ""},
		{`{not json`, `{}`, `{}`, `{}`, "header"},
		{`[1,2]`, `{}`, `{}`, `{}`, "header"},
		{`null`, `{}`, `{}`, `{}`, "header"},
		{`{}`, `{}`, `{}`, `{}`, "header"},
		{``, `{}`, `{}`, `{}`, "header"},
		{`{"msg_id":"m%d"}`, `{}`, `{}`, `{}`, "msg_type"},
		{`{"msg_id":""}`, `{}`, `{}`, `{}`, "msg_id"},
		{"{\"msg_id\":\"\xff\",\"msg_type\":\"t\"}", `{}`, `{}`, `{}`, "UTF-8"},
		{good, `{}`, `{}`, "{\"code\":\"\xff\"}", "UTF-8"},
		{`{"msg_id":"` + strings.Repeat("m", maxHeader) + `","msg_type":"t"}`, `{}`, `{}`, `{}`, "bytes"},
		{strings.Repeat("[", 1_000_000), `{}`, `{}`, `{}`, "bytes"},
		{`{"msg_id":` + strings.Repeat("[", 20_000), `{}`, `{}`, `{}`, "header"},
	}
	s := testSigner(t)
	for i, test := range tests {
		header := test.header
		if strings.Contains(header, "%d") {
			header = fmt.Sprintf(header, i)
		}
		m, err := s.decode(signed(s, header, test.parent, test.metadata, test.content))
		switch {
		case test.want == "":
			if err != nil {
				t.Errorf("%.60s: %v", header, err)
			} else if !json.Valid(m.Parent) || !json.Valid(m.Metadata) {
				t.Errorf("%.60s: parent %s, metadata %s", header, m.Parent, m.Metadata)
			}
		case err == nil || !strings.Contains(err.Error(), test.want):
			t.Errorf("%.60s: error %v, want one about %s", header, err, test.want)
		}
	}
}

// Fields of a header that are of no account here, or of another type than usual, do not keep a
// request from its answer (wire_tolerant_header).
func TestDecodeOddHeaders(t *testing.T) {
	s := testSigner(t)
	for i, test := range []struct {
		header string
		want   Header
	}{
		{`{"msg_id":"a","msg_type":"t","date":1700000000.5,"username":7,"version":5.3,"session":null}`, Header{ID: "a", Type: "t"}},
		{`{"msg_id":"b","msg_type":"t","date":null,"username":["x"],"version":{},"session":false}`, Header{ID: "b", Type: "t"}},
		{`{"msg_type":"t","msg_id":12,"subshell_id":null}`, Header{ID: "12", Type: "t"}},
		{`{"msg_type":7,"msg_id":null,"subshell_id":"s"}`, Header{ID: "null", Type: "7", SubshellID: "s"}},
		{`{"msg_type":"\u0074","msg_id":{"a": 1},"subshell_id":5}`, Header{ID: `{"a": 1}`, Type: "t", SubshellID: "5"}},
		{`{"msg_id":"first","msg_id":"last","MSG_ID":"other","msg_type":"t"}`, Header{ID: "last", Type: "t"}},
	} {
		m, err := s.decode(signed(s, test.header, `{}`, `{}`, fmt.Sprintf(`{"n":%d}`, i)))
		if err != nil || m.Header != test.want || string(m.RawHeader) != test.header {
			t.Errorf("%s: %+v, %v", test.header, m, err)
		}
	}
}

func TestReplaysAreBounded(t *testing.T) {
	var r replays
	name := func(i int) []byte { return fmt.Appendf(nil, "%064x", i) }
	for i := range maxReplays + 10 {
		if !r.add(name(i)) {
			t.Fatalf("signature %d is taken for a replay", i)
		}
	}
	if r.add(name(10)) || r.add(name(maxReplays)) {
		t.Error("a replay is not recognised")
	}
	if len(r.known) != maxReplays || len(r.ring) != maxReplays {
		t.Errorf("%d signatures in a ring of %d are remembered", len(r.known), len(r.ring))
	}
	if !r.add(name(0)) {
		t.Error("the oldest signature is not forgotten")
	}
}

func TestUnsigned(t *testing.T) {
	s, err := newSigner("hmac-sha256", "")
	if err != nil {
		t.Fatal(err)
	}
	frames := signed(s, `{"msg_id":"m","msg_type":"t"}`, `{}`, `{}`, `{}`)
	for range 2 {
		if _, err := s.decode(frames); err != nil {
			t.Errorf("without a key: %v", err)
		}
	}
}

func TestDefaults(t *testing.T) {
	five := 5
	tests := []struct {
		content string
		into    any
		want    any
	}{
		{`{}`, new(ExecuteRequest), &ExecuteRequest{StoreHistory: true, AllowStdin: true, StopOnError: true}},
		{`{"code":"x","silent":null,"store_history":null}`, new(ExecuteRequest), &ExecuteRequest{Code: "x", StoreHistory: true, AllowStdin: true, StopOnError: true}},
		{`{"silent":true,"store_history":true}`, new(ExecuteRequest), &ExecuteRequest{Silent: true, AllowStdin: true, StopOnError: true}},
		{`{"store_history":false,"allow_stdin":false,"stop_on_error":false,"user_expressions":{"a":"b"}}`, new(ExecuteRequest), &ExecuteRequest{UserExpressions: map[string]string{"a": "b"}}},
		{`{"code":"x"}`, new(CompleteRequest), &CompleteRequest{Code: "x"}},
		{`{"cursor_pos":5}`, new(InspectRequest), &InspectRequest{Cursor: &five}},
		{`{"hist_access_type":"tail"}`, new(HistoryRequest), &HistoryRequest{Access: "tail"}},
		{`{"unknown":1}`, new(ShutdownRequest), new(ShutdownRequest)},
		{`{"comm_id":"c","data":{"a": [1]}}`, new(CommMessage), &CommMessage{ID: "c", Data: JSONObject(`{"a": [1]}`)}},
		{`{"comm_id":"c","data":null}`, new(CommOpen), &CommOpen{ID: "c"}},
	}
	for _, test := range tests {
		r := Request{Message: Message{Content: []byte(test.content)}}
		if err := r.Decode(test.into); err != nil {
			t.Errorf("%s: %v", test.content, err)
		}
		if !reflect.DeepEqual(test.into, test.want) {
			t.Errorf("%s: %+v, want %+v", test.content, test.into, test.want)
		}
	}
	for _, content := range []string{``, `[]`, `7`, `null`, `{"code":7}`, `{"silent":"yes"}`, `{"user_expressions":[]}`, `{"code":"x"`} {
		r := Request{Message: Message{Content: []byte(content), Header: Header{Type: "execute_request"}}}
		if err := r.Decode(new(ExecuteRequest)); err == nil || !strings.Contains(err.Error(), "execute_request") {
			t.Errorf("%s: error %v", content, err)
		}
	}
}

// Data is encoded as encoding/json would, only faster.
func TestDataIsEncodedRight(t *testing.T) {
	for _, data := range []Data{
		{Data: map[string]json.RawMessage{}, Metadata: map[string]any{}},
		{Data: map[string]json.RawMessage{"text/plain": []byte(`"<a>"`)}, Metadata: map[string]any{"a": 1}, Count: 3},
		{Data: map[string]json.RawMessage{"a/b": []byte(`{"x":[1]}`), "c/\"d": []byte(`null`)}, Metadata: map[string]any{}, Transient: map[string]any{}},
	} {
		fast, err := marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(fast, &a) != nil || json.Unmarshal(plain, &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("encoded as %s, want %s", fast, plain)
		}
	}
}

// FuzzDecode gives the decoder any frames, separated by line feeds; with sign set, the parts behind
// the signature are signed.
func FuzzDecode(f *testing.F) {
	s := testSigner(f)
	f.Add(bytes.Join(signed(s, `{"msg_id":"m","msg_type":"t"}`, `{}`, `{}`, `{}`), []byte("\n")), false)
	f.Add([]byte("id\n<IDS|MSG>\n0\n{\"msg_id\":\"m\",\"msg_type\":\"t\"}\n{}\n{}\n{}\nbuffer"), true)
	f.Add([]byte("<IDS|MSG>\n\n[1]\n\n\n"), true)
	f.Add([]byte("<IDS|MSG>\n<IDS|MSG>"), false)
	f.Add([]byte(""), true)
	f.Fuzz(func(t *testing.T, data []byte, sign bool) {
		s := testSigner(t)
		frames := bytes.Split(data, []byte("\n"))
		if sign {
			for i, frame := range frames {
				if string(frame) == delimiter && len(frames) > i+5 {
					frames[i+1] = s.sign(frames[i+2], frames[i+3], frames[i+4], frames[i+5])
					break
				}
			}
		}
		m, err := s.decode(frames)
		if err != nil {
			return
		}
		if m.Header.ID == "" || m.Header.Type == "" || !utf8.Valid(m.RawHeader) || !json.Valid(m.RawHeader) {
			t.Fatalf("header %q was accepted", m.RawHeader)
		}
		if !json.Valid(m.Parent) || !json.Valid(m.Metadata) {
			t.Fatalf("parent %q, metadata %q", m.Parent, m.Metadata)
		}
		if _, err := s.decode(frames); err != errReplay {
			t.Fatalf("a replay gives %v", err)
		}
	})
}

// FuzzContents reads any content as every kind of request.
func FuzzContents(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `null`, `{"code":"x","silent":true}`, `{"cursor_pos":-1}`, `{"user_expressions":{"a":1}}`, `{"stop":null,"n":1e9}`,
		`{"comm_id":"c","target_name":"t","data":{"a":[1]}}`, `{"comm_id":"c","data":null}`, `{"data":[]}`, `{"comm_id":1,"data":"x"}`,
		`{"subshell_id":"s"}`, `{"subshell_id":null}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		r := Request{Message: Message{Content: content}}
		for _, into := range []any{new(ExecuteRequest), new(CompleteRequest), new(InspectRequest), new(IsCompleteRequest),
			new(HistoryRequest), new(CommInfoRequest), new(CommOpen), new(CommMessage), new(DeleteSubshellRequest), new(ShutdownRequest), new(InputReply)} {
			if err := r.Decode(into); err != nil {
				continue
			}
			if e, ok := into.(*ExecuteRequest); ok && e.Silent && e.StoreHistory {
				t.Fatalf("%s: silent and stored", content)
			}
			if m, ok := into.(*CommMessage); ok {
				// It is passed on, so it has to be an object still.
				var data map[string]any
				again, err := marshal(m)
				if err != nil || json.Unmarshal(again, &struct{ Data any }{&data}) != nil || data == nil {
					t.Fatalf("%s is passed on as %s (%v)", content, again, err)
				}
			}
		}
	})
}
