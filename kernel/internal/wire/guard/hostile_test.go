package guard

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/hierml/notebook/internal/testrun"
)

// header announces a long frame.
func header(flags byte, size uint64) []byte {
	b := []byte{flags | flagLong}
	for shift := 56; shift >= 0; shift -= 8 {
		b = append(b, byte(size>>shift))
	}
	return b
}

func command(body string) []byte { return appendFrame(nil, flagCommand, []byte(body)) }

// Peers that do not get through the handshake harm nobody, and all but those that may still be slow
// are cut off at once.
func TestBadHandshakes(t *testing.T) {
	with := func(parts ...any) []byte {
		var b []byte
		for _, part := range parts {
			switch part := part.(type) {
			case string:
				b = append(b, part...)
			case []byte:
				b = append(b, part...)
			}
		}
		return b
	}
	mechanism := bytes.Clone(greeting)
	copy(mechanism[12:], "PLAIN")
	old := bytes.Clone(greeting)
	old[10] = 1
	tests := []struct {
		name  string
		bytes []byte
		slow  bool // the peer may still be on its way
	}{
		{"silent", nil, true},
		{"ten bytes", greeting[:10], true},
		{"no READY", greeting, true},
		{"half a READY", with(greeting, "\x04\x20\x05READY"), true},
		{"short GET", with("GET / HTTP/1.0\r\n\r\n"), false},
		{"long GET", with("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit\r\n\r\n"), false},
		{"ZMTP 2", with(old[:12]), false},
		{"PLAIN", mechanism, false},
		{"PUSH", with(greeting, ready("PUSH", nil)), false},
		{"SUB", with(greeting, ready("SUB", nil)), false},
		{"unknown type", with(greeting, ready("FOO", nil)), false},
		{"no type", with(greeting, command("\x05READY")), false},
		{"ERROR", with(greeting, command("\x05ERROR\x00")), false},
		{"key longer than READY", with(greeting, command("\x05READY\x05Abcd")), false},
		{"READY cut off in a length", with(greeting, command("\x05READY\x03Abc\x00")), false},
		{"value longer than READY", with(greeting, command("\x05READY\x03Abc\xff\xff\xff\xffx")), false},
		{"identity of 256 bytes", with(greeting, ready("DEALER", make([]byte, 256))), false},
		{"READY of 2^63-1 bytes", with(greeting, header(flagCommand, 1<<63-1)), false},
		{"READY with more to come", with(greeting, "\x05\x00"), false},
		{"message in place of READY", with(greeting, "\x00\x00"), false},
		{"unknown flags", with(greeting, "\xf0\x00"), false},
	}
	l := echo(t, Limits{})
	witness := join(t, l, "DEALER", "witness")
	refused := int64(0)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := dial(t, l)
			p.send(test.bytes)
			works(t, l, witness)
			if !test.slow {
				refused++
				if !p.isCutOff() {
					t.Error("the peer was not cut off")
				}
			}
		})
	}
	// The slow ones are refused when they give up.
	if got := l.Stats().Refused; got < refused {
		t.Errorf("%d handshakes refused, want at least %d", got, refused)
	}
}

// Peers that misbehave after the handshake harm nobody.
func TestBadPeers(t *testing.T) {
	limits := Limits{Message: 1 << 20, Frames: 100}
	tests := []struct {
		name   string
		bytes  []byte
		cutOff bool
	}{
		{"frame of 2^63-1 bytes", header(0, 1<<63-1), true},
		{"frame of 2^64-1 bytes", header(0, 1<<64-1), true},
		{"frame of 2^46 bytes", header(0, 1<<46), true},
		{"frame above the limit", header(0, 1<<20+1), true},
		{"message above the limit", append(appendFrame(nil, flagMore, make([]byte, 1<<19)), header(0, 1<<19+1)...), true},
		{"too many frames", bytes.Repeat([]byte{flagMore, 0}, 101), true},
		{"unknown flags", []byte{8, 0}, true},
		{"command with more to come", []byte{flagCommand | flagMore, 0}, true},
		{"huge command", header(flagCommand, 1<<40), true},
		{"half a frame", header(0, 1000), false},
		{"half a message", []byte{flagMore, 3, 'a', 'b', 'c', flagLong, 0}, false},
		{"empty messages", bytes.Repeat([]byte{0, 0}, 1000), false},
		{"unknown commands", bytes.Repeat(command("\x03FOObar"), 1000), false},
		{"empty commands", bytes.Repeat(command(""), 10), false},
		{"PING without a time to live", command("\x04PING"), false},
		{"subscription to a ROUTER", command("\x09SUBSCRIBEx"), false},
	}
	l := echo(t, limits)
	witness := join(t, l, "DEALER", "witness")
	broken := int64(0)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := join(t, l, "DEALER", "")
			p.send(test.bytes)
			works(t, l, witness)
			if test.cutOff {
				broken++
				if !p.isCutOff() {
					t.Error("the peer was not cut off")
				}
			}
		})
	}
	if got := l.Stats().Broken; got != broken {
		t.Errorf("%d peers cut off, want %d", got, broken)
	}
}

func TestHandshakeHasADeadline(t *testing.T) {
	l := echo(t, Limits{Handshake: 50 * time.Millisecond})
	p := dial(t, l)
	p.send(greeting)
	if !p.isCutOff() {
		t.Error("a peer without READY was not cut off")
	}
	slow := join(t, l, "DEALER", "")
	time.Sleep(100 * time.Millisecond) // until the deadline has passed, which is meant
	slow.say("", "the deadline is over with the handshake")
	slow.hear()
}

func TestUnhandshakenPeersAreBounded(t *testing.T) {
	l := echo(t, Limits{Pending: 8})
	var silent []*peer
	for range 40 {
		silent = append(silent, dial(t, l))
	}
	works(t, l, join(t, l, "DEALER", ""))
	for i, p := range silent[:30] {
		if !p.isCutOff() {
			t.Fatalf("silent peer %d of 40 was not evicted", i)
		}
	}
}

func TestPingIsAnswered(t *testing.T) {
	l := echo(t, Limits{})
	p := join(t, l, "DEALER", "")
	p.send(command("\x04PING\x00\x0aabc"))
	if flags, body := p.frame(); flags != flagCommand || string(body) != "\x04PONGabc" {
		t.Errorf("PING was answered by flags %d, %q", flags, body)
	}
	p.say("", "nothing else came of it")
	if got := p.hear(); len(got) != 2 {
		t.Errorf("heard %q", got)
	}
}

// A peer that asks and never reads is cut off when its queue is full, and nobody waits for it
// meanwhile.
func TestRouterCutsOffWhoDoesNotRead(t *testing.T) {
	l := echo(t, Limits{Queue: 1 << 20})
	witness := join(t, l, "DEALER", "")
	p := join(t, l, "DEALER", "")
	if err := p.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	message := appendFrame([]byte{flagMore, 0}, 0, make([]byte, 60_000))
	var err error
	for range 2000 {
		if _, err = p.Write(message); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("120 MB that nobody reads were taken")
	}
	works(t, l, witness)
	if got := l.Stats().Stalled; got != 1 {
		t.Errorf("%d peers cut off, want 1", got)
	}
	testrun.Await(t, "no bytes are booked", func() bool { return l.queued.Load() == 0 })
}

func TestLargeFramesPass(t *testing.T) {
	l := echo(t, Limits{})
	p := join(t, l, "DEALER", "")
	for _, size := range []int{0, 1, 255, 256, keepFrom, chunkSize, chunkSize + 1, 5_000_000} {
		body := strings.Repeat("x", size)
		go p.say("a", body, "", "z")
		if got := p.hear(); len(got) != 4 || got[1] != body || got[3] != "z" {
			t.Errorf("a message with %d bytes came back as %d frames", size, len(got))
		}
	}
}

// Peers that come and go leave nothing behind, also those that leave in the midst of a message.
func TestPeersAreForgotten(t *testing.T) {
	l := echo(t, Limits{})
	before := runtime.NumGoroutine()
	for i := range 100 {
		p := join(t, l, "DEALER", "same")
		p.say("", "x")
		p.hear()
		if i%2 == 0 {
			p.send(append(appendFrame(nil, flagMore, []byte("a")), header(0, 1000)...))
		}
		p.Close()
	}
	testrun.Await(t, "no peers, routes and goroutines are left", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.peers) == 0 && len(l.identities) == 0 && runtime.NumGoroutine() <= before
	})
}

// What is sent to a peer before zmq4 knows it is lost, so there is no route yet.
func TestRouteOnceKnown(t *testing.T) {
	l, err := Listen("tcp", "127.0.0.1:0", Config{Type: zmq4.Router})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	id := []byte("id")
	join(t, l, "DEALER", string(id))
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	read := make([]byte, len(greeting)+len(ready("DEALER", c.(*conn).route)))
	if _, err := io.ReadFull(c, read); err != nil {
		t.Fatal(err)
	}
	origin := Source(c.(*conn).route)
	if routes := l.Routes(id, origin); len(routes) > 0 {
		t.Errorf("routes %q while zmq4 is at its handshake", routes)
	}
	go c.Read(read) // ends when the listener is closed
	testrun.Await(t, "a route leads to the peer that zmq4 reads from", func() bool { return len(l.Routes(id, origin)) > 0 })
}

// Peers that announce the same identity do not hear each other's answers.
func TestSameIdentity(t *testing.T) {
	l := echo(t, Limits{})
	first := join(t, l, "DEALER", "id")
	first.say("", "admitted?") // a peer may think so before it is
	first.hear()
	second := join(t, l, "DEALER", "id")
	second.say("", "to the second")
	second.hear()
	first.say("", "to the first")
	if got := first.hear(); got[1] != "to the first" {
		t.Errorf("the first heard %q", got)
	}
	l.mu.Lock()
	origin := Source(l.identities["id"][0].route)
	l.mu.Unlock()
	routes := l.Routes([]byte("id"), origin)
	if len(routes) != 2 || string(Identity(routes[0])) != "id" || string(Identity(routes[1])) != "id" {
		t.Errorf("the routes to two peers are %q", routes)
	}
	first.Close()
	testrun.Await(t, "no route leads to the peer that left", func() bool { return len(l.Routes([]byte("id"), origin)) == 1 })
	if rest := l.Routes([]byte("id"), origin); len(rest) != 1 || string(rest[0]) != string(routes[1]) {
		t.Errorf("the route to the second peer became %q", rest)
	}
	if len(l.Routes([]byte("nobody"), origin))+len(l.Routes(nil, origin))+len(l.Routes([]byte("id"), userOrigin(4242))) > 0 {
		t.Error("there is a route to nobody")
	}
}

func TestShutdownDeliversWhatIsQueued(t *testing.T) {
	l, socket := listen(t, Config{Type: "ROUTER"})
	p := join(t, l, "DEALER", "")
	p.say("", "hello")
	msg, err := socket.Recv()
	if err != nil {
		t.Fatal(err)
	}
	const n = 2000
	for range n {
		if err := socket.Send(msg); err != nil {
			t.Fatal(err)
		}
	}
	// Unread input must not turn the end into a reset.
	p.say("", strings.Repeat("unread", 10_000))
	go func() {
		if err := l.Shutdown(time.Now().Add(patience)); err != nil {
			t.Error(err)
		}
	}()
	for i := range n {
		if got := p.hear(); got[1] != "hello" {
			t.Fatalf("message %d is %q", i, got)
		}
	}
	if rest, err := io.ReadAll(p.r); err != nil || len(rest) > 0 {
		t.Errorf("afterwards %q, %v", rest, err)
	}
}
