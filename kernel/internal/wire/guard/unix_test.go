package guard

import (
	"net"
	"os"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"
)

func TestUnix(t *testing.T) {
	path := socketPath(t)
	l, socket := listenOn(t, "unix", path, Config{Type: zmq4.Router})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("the socket has mode %o, want 600", mode)
	}
	p := join(t, l, "DEALER", "")
	p.say("hello")
	msg, err := socket.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if err := socket.Send(msg); err != nil {
		t.Fatal(err)
	}
	if got := p.hear(); got[0] != "hello" {
		t.Errorf("heard %q", got)
	}
	if _, err := Listen("unix", path, Config{Type: zmq4.Router}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("listening on a socket in use: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the socket is still there after Close")
	}
}

func TestUnixReplacesOnlyStaleSockets(t *testing.T) {
	path := socketPath(t)
	stale, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false) // as SIGKILL leaves it
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	l, _ := listenOn(t, "unix", path, Config{Type: zmq4.Router})
	join(t, l, "DEALER", "")

	file := socketPath(t)
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen("unix", file, Config{Type: zmq4.Router}); err == nil {
		t.Error("a regular file was taken for a stale socket")
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "precious" {
		t.Errorf("the file holds %q, %v", data, err)
	}
}

func TestListenOnlyThere(t *testing.T) {
	l, _ := listen(t, Config{Type: zmq4.Router})
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.2", port)); err == nil {
		c.Close()
		t.Error("it listens on another address too")
	}
	if _, err := Listen("tcp", l.Addr().String(), Config{Type: zmq4.Router}); err == nil {
		t.Error("an address was taken twice")
	}
	if _, err := Listen("tcp", "127.0.0.1:0", Config{Type: zmq4.Pair}); err == nil {
		t.Error("a PAIR was guarded")
	}
	if _, err := Listen("udp", "127.0.0.1:0", Config{Type: zmq4.Router}); err == nil {
		t.Error("udp was guarded")
	}
}
