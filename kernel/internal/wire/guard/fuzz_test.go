package guard

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"testing"

	"github.com/go-zeromq/zmq4"
)

// FuzzInbound gives a listener's peer any bytes after its handshake. Whatever zmq4 gets to see of
// them has to be whole frames within the limits.
func FuzzInbound(f *testing.F) {
	// What follows a message of a stranger is looked at as well.
	f.Add(true, bytes.Repeat(appendFrame(nil, 0, []byte("message")), 3))
	f.Add(true, appendFrame(appendFrame(nil, flagMore, []byte("a")), 0, bytes.Repeat([]byte("b"), 300)))
	f.Add(true, appendFrame(command("\x04PING\x00\x0a"), 0, nil))
	f.Add(true, header(0, 1<<63-1))
	f.Add(false, appendFrame(nil, 0, []byte("\x01topic")))
	f.Add(false, command("\x09SUBSCRIBEtopic"))
	f.Add(false, bytes.Repeat(appendFrame(nil, 0, []byte("\x01")), 2))
	f.Fuzz(func(t *testing.T, router bool, data []byte) {
		config := Config{Type: zmq4.Router, Limits: Limits{Message: 1000, Frames: 10}}
		if !router {
			config.Type = zmq4.Pub
			config.Subscribed = func(topic []byte, _ Origin) [][]byte { return [][]byte{topic} }
		}
		l := &Listener{config: config, limits: config.Limits.withDefaults()}
		l.init()
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		c := newConn(l, &source{Conn: near}, bufio.NewReader(bytes.NewReader(data)), "DEALER", newRoute(1, "", nil))
		l.peers[string(c.route)] = c
		l.strangers.number++
		c.in.ready = nil // the replayed handshake
		var seen []byte
		for {
			part := make([]byte, 512)
			n, err := c.Read(part)
			seen = append(seen, part[:n]...)
			if err != nil {
				break
			}
			l.Done(c.route, false)
		}
		c.close(errLeft)
		l.Done(c.route, false)
		if s := l.strangers; s.number != 0 || s.received != 0 || len(s.unjudged) != 0 {
			t.Fatalf("the books say %+v after the end", s)
		}
		r := bufio.NewReader(bytes.NewReader(seen))
		size, frames := uint64(0), 0
		for {
			flags, n, err := readHeader(r)
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatalf("zmq4 sees %q: %v", seen, err)
			}
			if flags&flagCommand != 0 {
				t.Fatalf("zmq4 sees a command in %q", seen)
			}
			if _, err := io.CopyN(io.Discard, r, int64(n)); err != nil {
				t.Fatalf("zmq4 sees %q: %v", seen, err)
			}
			size += n
			if frames++; size > 1000 || frames > 10 {
				t.Fatalf("zmq4 sees %d frames with %d bytes", frames, size)
			}
			if flags&flagMore == 0 {
				size, frames = 0, 0
			}
		}
	})
}

// FuzzReady takes any READY command apart.
func FuzzReady(f *testing.F) {
	for _, socketType := range []string{"DEALER", "SUB", ""} {
		frame := ready(socketType, []byte("identity"))
		f.Add(frame[2:])
	}
	f.Add([]byte("\x05READY\x05Abcd"))
	f.Add([]byte("\x05READY\x03Abc\x00"))
	f.Add([]byte("\x05READY\x0bSocket-Type\xff\xff\xff\xffx"))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, identity, err := parseReady(body)
		if err == nil && len(identity) > maxIdentity {
			t.Fatalf("an identity of %d bytes", len(identity))
		}
	})
}

// FuzzAssembler cuts what zmq4 writes at any two places.
func FuzzAssembler(f *testing.F) {
	f.Add([]byte("a"), []byte("b"), 64, 100)
	f.Add([]byte{}, bytes.Repeat([]byte("x"), 300), 1, 70)
	f.Add(bytes.Repeat([]byte("x"), keepFrom), []byte{}, 66, 98)
	f.Fuzz(func(t *testing.T, first, second []byte, i, j int) {
		message := appendFrame(appendFrame(nil, flagMore, first), 0, second)
		written := append(append(bytes.Clone(greeting), ready("ROUTER", nil)...), message...)
		cut := func(n int) int { return int(uint(n) % uint(len(written)+1)) }
		i, j = min(cut(i), cut(j)), max(cut(i), cut(j))
		var a assembler
		var got [][]byte
		for _, part := range [][]byte{written[:i], written[i:j], written[j:]} {
			for len(part) > 0 {
				var pieces [][]byte
				pieces, part = a.add(part)
				got = append(got, pieces...)
			}
		}
		if joined := bytes.Join(got, nil); !bytes.Equal(joined, message) {
			t.Fatalf("assembled %q, want %q", joined, message)
		}
	})
}
