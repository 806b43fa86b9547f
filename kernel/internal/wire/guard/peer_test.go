package guard

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
)

const patience = 5 * time.Second

var quiet = zmq4.WithLogger(log.New(io.Discard, "", 0))

// listen attaches a socket to a listener on the loopback device.
func listen(t *testing.T, config Config) (*Listener, zmq4.Socket) {
	t.Helper()
	return listenOn(t, "tcp", "127.0.0.1:0", config)
}

func listenOn(t *testing.T, network, address string, config Config) (*Listener, zmq4.Socket) {
	t.Helper()
	l, err := Listen(network, address, config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var socket zmq4.Socket
	if config.Type == zmq4.Pub {
		socket = zmq4.NewPub(ctx, quiet)
	} else {
		socket = zmq4.NewRouter(ctx, quiet)
	}
	if err := l.Attach(socket); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		socket.Close()
		cancel()
	})
	return l, socket
}

// signed is the last frame of a message that echo takes for a signed one.
const signed = "signed"

// echo serves an echo ROUTER with the given limits.
func echo(t *testing.T, limits Limits) *Listener {
	t.Helper()
	l, socket := listen(t, Config{Type: zmq4.Router, Limits: limits})
	go func() {
		for {
			msg, err := socket.Recv()
			if errors.Is(err, context.Canceled) {
				return
			}
			if err == nil {
				// A peer that left does not matter.
				_ = socket.Send(msg)
				l.Done(msg.Frames[0], string(msg.Frames[len(msg.Frames)-1]) == signed)
			}
		}
	}()
	return l
}

// A peer talks ZMTP byte by byte.
type peer struct {
	net.Conn
	t *testing.T
	r *bufio.Reader
}

// dial connects and says nothing.
func dial(t *testing.T, l *Listener) *peer {
	t.Helper()
	c, err := net.Dial(l.Addr().Network(), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return &peer{c, t, bufio.NewReader(c)}
}

// join connects and does the handshake.
func join(t *testing.T, l *Listener, socketType, identity string) *peer {
	t.Helper()
	p := dial(t, l)
	p.send(greeting)
	p.send(ready(socketType, []byte(identity)))
	if _, err := io.ReadFull(p.r, make([]byte, greetingSize)); err != nil {
		t.Fatalf("no greeting: %v", err)
	}
	if flags, body := p.frame(); flags != flagCommand || string(body[:6]) != "\x05READY" {
		t.Fatalf("flags %d and %q in place of READY", flags, body)
	}
	return p
}

// send writes bytes. The listener may have cut the peer off, which is seen when reading.
func (p *peer) send(b []byte) { _, _ = p.Write(b) }

// say sends a message.
func (p *peer) say(frames ...string) {
	var b []byte
	for i, f := range frames {
		var flags byte
		if i < len(frames)-1 {
			flags = flagMore
		}
		b = appendFrame(b, flags, []byte(f))
	}
	p.send(b)
}

// frame reads a frame.
func (p *peer) frame() (flags byte, body []byte) {
	p.t.Helper()
	flags, body, err := p.tryFrame()
	if err != nil {
		p.t.Fatalf("no frame: %v", err)
	}
	return flags, body
}

func (p *peer) tryFrame() (flags byte, body []byte, err error) {
	flags, size, err := readHeader(p.r)
	if err != nil {
		return 0, nil, err
	}
	body = make([]byte, size)
	_, err = io.ReadFull(p.r, body)
	return flags &^ flagLong, body, err
}

// hear reads a message.
func (p *peer) hear() []string {
	p.t.Helper()
	var frames []string
	for {
		flags, body := p.frame()
		frames = append(frames, string(body))
		if flags&flagMore == 0 {
			return frames
		}
	}
}

// isCutOff reports whether the connection ends, within patience.
func (p *peer) isCutOff() bool {
	_, err := io.Copy(io.Discard, p.r)
	var timeout net.Error
	return err == nil || !errors.As(err, &timeout) || !timeout.Timeout()
}

// works checks that a new peer and an old one are served.
func works(t *testing.T, l *Listener, old *peer) {
	t.Helper()
	for name, p := range map[string]*peer{"new": join(t, l, "DEALER", ""), "old": old} {
		p.say("", name)
		if got := p.hear(); len(got) != 2 || got[1] != name {
			t.Errorf("the %s peer said %q and heard %q", name, name, got)
		}
	}
}

func socketPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "s")
}
