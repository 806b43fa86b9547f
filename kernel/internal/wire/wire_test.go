package wire_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
	"github.com/hierml/notebook/kernel/internal/wire/zmq"
)

// open opens a server that is closed with the test.
func open(t *testing.T, info wiretest.Info) *wire.Server {
	t.Helper()
	connection, err := wire.ReadConnectionFile(info.File(t))
	if err != nil {
		t.Fatal(err)
	}
	server, err := zmq.Listen(connection, wire.Config{})
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, server)
	return server
}

func closeAtEnd(t *testing.T, server *wire.Server) {
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
}

// over runs a test over transports. dial connects one more client.
func over(t *testing.T, transports []string, test func(t *testing.T, server *wire.Server, dial func() *wiretest.Client)) {
	sockets := map[string]func(testing.TB) wiretest.Info{"tcp": wiretest.TCP, "ipc": wiretest.IPC}
	for _, name := range transports {
		t.Run(name, func(t *testing.T) {
			if listening := sockets[name]; listening != nil {
				info := listening(t)
				test(t, open(t, info), func() *wiretest.Client { return wiretest.Dial(t, info) })
				return
			}
			hub := wiretest.NewHub()
			server, err := hub.Transport.Listen(wire.Config{})
			if err != nil {
				t.Fatal(err)
			}
			closeAtEnd(t, server)
			test(t, server, func() *wiretest.Client { return hub.Dial(t) })
		})
	}
}

var all = []string{"tcp", "ipc", "inproc"}

func receive(t *testing.T, server *wire.Server, channel wire.Channel) *wire.Request {
	t.Helper()
	r, err := server.Receive(channel)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReplyGoesBackWhereTheRequestCameFrom(t *testing.T) {
	over(t, all, func(t *testing.T, server *wire.Server, dial func() *wiretest.Client) {
		a, b := dial(), dial()
		for _, channel := range []wire.Channel{wire.Shell, wire.Control} {
			fromA := a.Send(string(channel), "kernel_info_request", nil)
			ra := receive(t, server, channel)
			fromB := b.Send(string(channel), "kernel_info_request", nil)
			rb := receive(t, server, channel)
			for _, r := range []*wire.Request{rb, ra} {
				if err := r.Reply(wire.OK{Status: "ok"}); err != nil {
					t.Fatal(err)
				}
			}
			for id, c := range map[string]*wiretest.Client{fromA: a, fromB: b} {
				m := c.Recv(string(channel))
				if m.ParentID() != id || m.Type() != "kernel_info_reply" {
					t.Errorf("%s answers %s", m.Type(), m.ParentID())
				}
				if m.Header["session"] == c.Session || m.Header["version"] != wire.Version {
					t.Errorf("header %v", m.Header)
				}
			}
		}
	})
}

func TestEnvelopeAndBuffers(t *testing.T) {
	over(t, all, func(t *testing.T, server *wire.Server, dial func() *wiretest.Client) {
		c := dial()
		_, frames := c.Build("comm_msg", nil, nil)
		frames = append([][]byte{[]byte("extra"), {}, []byte("more")}, frames...)
		c.SendFrames("shell", append(frames, []byte("buffer"), nil, []byte("last")))
		r := receive(t, server, wire.Shell)
		if got := fmt.Sprintf("%q", r.Buffers); got != `["buffer" "" "last"]` {
			t.Errorf("buffers %s", got)
		}
		if err := r.Reply(nil); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%q", c.Recv("shell").Identities); got != `["extra" "" "more"]` {
			t.Errorf("envelope %s", got)
		}
	})
}

// Whatever is no rightly signed message is dropped, and the next one served.
func TestWrongMessagesAreDropped(t *testing.T) {
	info := wiretest.TCP(t)
	server := open(t, info)
	c := wiretest.Dial(t, info)
	valid := func() [][]byte {
		_, frames := c.Build("kernel_info_request", nil, nil)
		return frames
	}
	change := func(i int, to string) [][]byte {
		frames := valid()
		frames[i] = []byte(to)
		return frames
	}
	replayed := valid()
	tests := map[string][][]byte{
		"replay":            replayed,
		"empty signature":   change(1, ""),
		"wrong signature":   change(1, strings.Repeat("0", 64)),
		"upper case":        change(1, strings.ToUpper(string(valid()[1]))),
		"other content":     change(5, `{"a":1}`),
		"no delimiter":      valid()[1:],
		"delimiter twice":   append([][]byte{[]byte("<IDS|MSG>")}, valid()...),
		"one empty frame":   {{}},
		"delimiter alone":   valid()[:1],
		"without content":   valid()[:5],
		"signature alone":   valid()[:2],
		"binary rubbish":    {{0, 1, 2, 255}, {}, {254}},
		"one megabyte of [": change(2, strings.Repeat("[", 1<<20)),
	}
	c.SendFrames("shell", replayed)
	receive(t, server, wire.Shell)
	dropped := int64(0)
	for name, frames := range tests {
		for _, channel := range []wire.Channel{wire.Shell, wire.Control} {
			c.SendFrames(string(channel), frames)
			id := c.Send(string(channel), "kernel_info_request", nil)
			if r := receive(t, server, channel); r.Header.ID != id {
				t.Errorf("%s on %s: received %s", name, channel, r.Header.Type)
			}
			if dropped++; server.Dropped() != dropped {
				t.Errorf("%s on %s: %d messages dropped, want %d", name, channel, server.Dropped(), dropped)
			}
		}
	}
}

func TestIOPubMergesAndKeepsOrder(t *testing.T) {
	over(t, all, func(t *testing.T, server *wire.Server, dial func() *wiretest.Client) {
		c := dial()
		parent := func(id string) wire.Parent {
			return wire.Parent{ID: id, Header: []byte(`{"msg_id":"` + id + `"}`)}
		}
		a, b := parent("a"), parent("b")
		p := server.IOPub()
		publish := func(parent wire.Parent, msgType string) {
			if err := p.Publish(parent, wire.Broadcast{Type: msgType, Content: wire.OK{Status: "ok"}}); err != nil {
				t.Fatal(err)
			}
		}
		for state, end := range map[string]string{"busy": "a busy <nil>, b stream x", "idle": "b stream x, a idle <nil>"} {
			p.Stream(a, "stdout", "1")
			p.Stream(a, "stdout", "2")
			p.Stream(b, "stdout", "x")
			p.Stream(a, "stderr", "3")
			p.Stream(a, "stdout", "")
			p.Stream(a, "stderr", "4")
			publish(a, "display_data")
			p.Stream(a, "stdout", "5")
			if err := p.Status(a, state); err != nil {
				t.Fatal(err)
			}
			var got []string
			for range 6 {
				m := c.Recv("iopub")
				got = append(got, fmt.Sprint(m.ParentID(), " ", m.Brief(), " ", m.Content["text"]))
			}
			want := "a stream 12, a stream 34, a display_data <nil>, a stream 5, " + end
			if s := strings.Join(got, ", "); s != want {
				t.Errorf("iopub: %s\nwant   %s", s, want)
			}
		}
		p.Stream(a, "stdout", strings.Repeat("世", 30_000))
		p.Stream(a, "stdout", "y")
		if m := c.Recv("iopub"); m.Content["text"] != strings.Repeat("世", 30_000) {
			t.Error("a large text was changed")
		}
		if m := c.Recv("iopub"); m.Content["text"] != "y" {
			t.Errorf("%v came", m.Content)
		}
	})
}

func TestInput(t *testing.T) {
	over(t, all, func(t *testing.T, server *wire.Server, dial func() *wiretest.Client) {
		asker, other := dial(), dial()
		id := asker.Send("shell", "execute_request", nil)
		r := receive(t, server, wire.Shell)
		answer := make(chan string)
		go func() {
			s, err := r.Input(context.Background(), "?", false)
			if err != nil {
				t.Error(err)
			}
			answer <- s
		}()
		m := asker.Recv("stdin")
		if m.ParentID() != id || m.Content["prompt"] != "?" || m.Content["password"] != false {
			t.Errorf("%s %v", m.Type(), m.Content)
		}
		other.Send("stdin", "input_reply", map[string]string{"value": "by another client"})
		asker.Send("stdin", "input_reply", map[string]any{"value": 5})
		asker.Send("stdin", "comm_msg", nil)
		asker.Send("stdin", "input_reply", map[string]string{"value": "right"})
		if got := <-answer; got != "right" {
			t.Errorf("the answer is %q", got)
		}
		if m := other.Poll("stdin", 50*time.Millisecond); m != nil {
			t.Errorf("another client was asked too: %v", m)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() {
			asker.Recv("stdin")
			cancel(errors.New("no more"))
		}()
		if _, err := r.Input(ctx, "?", false); err == nil || err.Error() != "no more" {
			t.Errorf("interrupted input: %v", err)
		}
	})
}

// A peer without the key that announces a front end's identity before that connects keeps no
// question from it, and does not answer in its place (session_stdin_identity_theft).
func TestInputWithAStolenIdentity(t *testing.T) {
	info := wiretest.TCP(t)
	server := open(t, info)
	session := "the-session"
	thief := wiretest.DialAs(t, info, session, "wrong key")
	asker := wiretest.DialAs(t, info, session, "secret")
	asker.Send("shell", "execute_request", nil)
	r := receive(t, server, wire.Shell)
	answer := make(chan string)
	ask := func() {
		s, err := r.Input(context.Background(), "?", false)
		if err != nil {
			t.Error(err)
		}
		answer <- s
	}
	go ask()
	asker.Recv("stdin")
	dropped := server.Dropped()
	thief.Send("stdin", "input_reply", map[string]string{"value": "forged"})
	testrun.Await(t, "the forged answer is dropped", func() bool { return server.Dropped() != dropped })
	asker.Send("stdin", "input_reply", map[string]string{"value": "right"})
	if got := <-answer; got != "right" {
		t.Errorf("the answer is %q", got)
	}
	// One who comes back while a question is under way hears it as well.
	asker.Close("stdin")
	go ask()
	again := wiretest.DialAs(t, info, session, "secret")
	again.Recv("stdin")
	again.Send("stdin", "input_reply", map[string]string{"value": "back again"})
	if got := <-answer; got != "back again" {
		t.Errorf("the answer is %q", got)
	}
}

// Whoever is asked and leaves does not answer, and whoever waits for his turn to ask need not.
func TestInputOfAClientThatLeaves(t *testing.T) {
	info := wiretest.TCP(t)
	server := open(t, info)
	var r *wire.Request
	answered := make(chan error, 1)
	waited := make(chan error, 1)
	t.Run("while it is there", func(t *testing.T) {
		c := wiretest.Dial(t, info)
		c.Send("shell", "execute_request", nil)
		r = receive(t, server, wire.Shell)
		go func() {
			_, err := r.Input(context.Background(), "?", false)
			answered <- err
		}()
		c.Recv("stdin")
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() {
			_, err := r.Input(ctx, "again?", false)
			waited <- err
		}()
		if m := c.Poll("stdin", 50*time.Millisecond); m != nil {
			t.Errorf("two questions at the same time: %v", m.Content)
		}
		cancel(errors.New("no more"))
		if err := <-waited; err == nil || err.Error() != "no more" {
			t.Errorf("the question that waited: %v", err)
		}
	})
	select {
	case err := <-answered:
		if !errors.Is(err, wire.ErrNoInput) {
			t.Errorf("the question to a client that left: %v", err)
		}
	case <-time.After(wiretest.Patience):
		t.Fatal("a client that left is waited for")
	}
	if _, err := r.Input(context.Background(), "?", false); !errors.Is(err, wire.ErrNoInput) {
		t.Errorf("asking a client that left: %v", err)
	}
}

func TestBroadcast(t *testing.T) {
	over(t, all, func(t *testing.T, server *wire.Server, dial func() *wiretest.Client) {
		c := dial()
		err := server.IOPub().Publish(wire.Parent{}, wire.Broadcast{
			Type:     "comm_open",
			Content:  wire.CommOpen{ID: "c", Target: "t"},
			Metadata: []byte(`{"version":"2.1.0"}`),
			Buffers:  [][]byte{{}, {0, 255}, []byte("<IDS|MSG>")},
		})
		if err != nil {
			t.Fatal(err)
		}
		m := c.Recv("iopub")
		if got := fmt.Sprint(m.Type(), " ", m.Parent, " ", m.Metadata, " ", m.Content); got != "comm_open map[] map[version:2.1.0] map[comm_id:c data:map[] target_name:t]" {
			t.Errorf("received %s", got)
		}
		if got := fmt.Sprintf("%q", m.Buffers); got != `["" "\x00\xff" "<IDS|MSG>"]` {
			t.Errorf("buffers %s", got)
		}
	})
}

// A subscriber gets everything that was published before the server closed.
func TestCloseDelivers(t *testing.T) {
	over(t, []string{"tcp", "inproc"}, func(t *testing.T, server *wire.Server, dial func() *wiretest.Client) {
		c := dial()
		parent := wire.Parent{ID: "a", Header: []byte(`{"msg_id":"a"}`)}
		const n = 500
		for i := range n {
			content := wire.ExecuteInput{Code: strings.Repeat("x", 10_000), Count: i}
			if err := server.IOPub().Publish(parent, wire.Broadcast{Type: "display_data", Content: content}); err != nil {
				t.Fatal(err)
			}
		}
		server.IOPub().Stream(parent, "stdout", "last")
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if m := c.Recv("iopub"); m.Content["execution_count"] != float64(i) {
				t.Fatalf("message %d is %v", i, m.Content["execution_count"])
			}
		}
		if m := c.Recv("iopub"); m.Content["text"] != "last" {
			t.Errorf("the last message is %v", m.Content)
		}
		if err := server.IOPub().Publish(parent, wire.Broadcast{Type: "status"}); !errors.Is(err, wire.ErrClosed) {
			t.Errorf("publishing after Close: %v", err)
		}
		if _, err := server.Receive(wire.Shell); !errors.Is(err, wire.ErrClosed) {
			t.Errorf("receiving after Close: %v", err)
		}
	})
}

// The log says it when messages are not signed, once.
func TestEmptyKeyIsToldOf(t *testing.T) {
	for key, want := range map[string]int{"": 1, "secret": 0} {
		info := wiretest.TCP(t)
		info["key"] = key
		connection, err := wire.ReadConnectionFile(info.File(t))
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		server, err := zmq.Listen(connection, wire.Config{Log: slog.New(slog.NewTextHandler(&said, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if got := strings.Count(said.String(), "not signed"); got != want {
			t.Errorf("with the key %q the log says %q", key, said.String())
		}
	}
}

// When Drain returns, the caller of Receive is done with all that had arrived.
func TestDrain(t *testing.T) {
	over(t, []string{"ipc", "inproc"}, func(t *testing.T, server *wire.Server, dial func() *wiretest.Client) {
		c := dial()
		c.Send("shell", "kernel_info_request", nil)
		receive(t, server, wire.Shell)
		var done atomic.Int64
		go func() {
			for {
				if _, err := server.Receive(wire.Shell); err != nil {
					return
				}
				done.Add(1)
			}
		}()
		const n = 200
		for i := range n {
			_, frames := c.Build("execute_request", nil, nil)
			if i%3 == 0 {
				frames[1] = []byte("wrong") // is dropped, and counts
			}
			c.SendFrames("shell", frames)
		}
		if err := server.Drain(t.Context(), wire.Shell); err != nil {
			t.Fatal(err)
		}
		if got := done.Load() + server.Dropped(); got != n {
			t.Errorf("%d of %d messages were looked at", got, n)
		}
	})
}

func TestListenTwice(t *testing.T) {
	info := wiretest.TCP(t)
	open(t, info)
	connection, err := wire.ReadConnectionFile(info.File(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zmq.Listen(connection, wire.Config{}); err == nil || !strings.Contains(err.Error(), "shell channel") {
		t.Errorf("listening on ports in use: %v", err)
	}
}

func TestConnectionFile(t *testing.T) {
	tests := []struct {
		name   string
		change map[string]any
		want   string // part of the error
	}{
		{"good", nil, ""},
		{"defaults", map[string]any{"transport": "", "signature_scheme": "", "key": ""}, ""},
		// wire_empty_key_public
		{"no key for others", map[string]any{"key": "", "ip": "0.0.0.0"}, "Set a key"},
		{"no key for all", map[string]any{"key": "", "ip": "*"}, "Set a key"},
		{"no key for a network", map[string]any{"key": "", "ip": "192.0.2.1"}, "192.0.2.1"},
		{"no key for all of IPv6", map[string]any{"key": "", "ip": "::"}, "Set a key"},
		{"no key for a name", map[string]any{"key": "", "ip": "example.org"}, "Set a key"},
		{"no key for a name like an address", map[string]any{"key": nil, "ip": "127.0.0.1.example.org"}, "Set a key"},
		{"no key for this machine", map[string]any{"key": "", "ip": "::1"}, ""},
		{"no key by name", map[string]any{"key": "", "ip": "localhost"}, ""},
		{"no key for a file", map[string]any{"key": "", "ip": "/tmp/s", "transport": "ipc"}, ""},
		{"a key for others", map[string]any{"ip": "0.0.0.0"}, ""},
		{"sha512", map[string]any{"signature_scheme": "hmac-sha512"}, ""},
		{"transport", map[string]any{"transport": "udp"}, "transport"},
		{"address", map[string]any{"ip": ""}, "ip"},
		{"scheme", map[string]any{"signature_scheme": "rot13"}, "signature_scheme"},
		{"no port", map[string]any{"hb_port": 0}, "hb_port"},
		{"big port", map[string]any{"shell_port": 70000}, "shell_port"},
		{"type", map[string]any{"stdin_port": "x"}, "stdin_port"},
		{"curve", map[string]any{"curve_publickey": "k", "curve_secretkey": "k"}, "CurveZMQ"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			info := wiretest.TCP(t)
			for key, value := range test.change {
				info[key] = value
			}
			_, err := wire.ReadConnectionFile(info.File(t))
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error %v, want one about %s", err, test.want)
			}
		})
	}
	if _, err := wire.ReadConnectionFile(t.TempDir() + "/none"); err == nil {
		t.Error("a missing file was read")
	}
}
