package guard

import (
	"os"
	"syscall"
	"testing"

	"github.com/go-zeromq/zmq4"

	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

// The processes of a user who has signed nothing do not have the subscribers of another cut off.
func TestOtherUsersEvictNobody(t *testing.T) {
	config := welcoming(Limits{Strangers: 8})
	ours := userOrigin(uint32(syscall.Geteuid()))
	config.Known = func(o Origin) bool { return o == ours }
	l, socket := listen(t, config)
	const other = 54321
	var probe *peer
	wiretest.AsUser(t, other, func() { probe = subscriber(t, l, "") })
	eventually(t, l, "the origin of a peer is not its user", func() bool {
		return len(l.peers) == 1 && l.peers[firstRoute(l)] != nil && Source([]byte(firstRoute(l))) == userOrigin(other)
	})
	probe.Close()
	eventually(t, l, "the peer is still there", func() bool { return len(l.peers) == 0 })
	own := subscriber(t, l, "")
	for range 50 {
		wiretest.AsUser(t, other, func() { subscriber(t, l, "") })
	}
	publish(t, socket, "to all")
	if got := own.hear(); got[0] != "to all" {
		t.Errorf("heard %q", got)
	}
}

func firstRoute(l *Listener) string {
	for route := range l.peers {
		return route
	}
	return ""
}

// A socket of the file system admits its user alone, whatever its mode is when a peer comes.
func TestUnixAdmitsItsUserAlone(t *testing.T) {
	folder, err := os.MkdirTemp("", "guard")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := folder + "/s"
	l, _ := listenOn(t, "unix", path, Config{Type: zmq4.Router})
	for _, file := range []string{folder, path} {
		if err := os.Chmod(file, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	wiretest.AsUser(t, 54321, func() {
		if p := dial(t, l); !p.isCutOff() {
			t.Error("another user was admitted")
		}
	})
	join(t, l, "DEALER", "")
}
