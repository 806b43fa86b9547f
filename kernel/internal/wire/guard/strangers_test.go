package guard

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"

	"github.com/hierml/notebook/internal/testrun"
)

// eventually waits for a condition on the listener, which is locked for it.
func eventually(t *testing.T, l *Listener, what string, holds func() bool) {
	t.Helper()
	testrun.Await(t, what, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return holds()
	})
}

// However many peers come that sign nothing, a front end gets in and stays (wire_many_peers, 234
// idle peers).
func TestStrangersAreBounded(t *testing.T) {
	const most = 8
	l := echo(t, Limits{Strangers: most})
	old := join(t, l, "DEALER", "")
	old.say("", signed)
	old.hear()
	for range 10 * most {
		join(t, l, "DEALER", "")
	}
	eventually(t, l, "not all have come", func() bool { return l.evicted.Load() == 9*most })
	works(t, l, old)
	eventually(t, l, "not all are gone that made room", func() bool { return l.evicted.Load() == 9*most+1 })
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.peers) != most+1 || l.strangers.number != most {
		t.Errorf("%d peers are left, %d of them strangers; want %d and %d", len(l.peers), l.strangers.number, most+1, most)
	}
}

// Peers that sign nothing do not fill the memory with messages that they do not finish
// (wire_unauthenticated_memory).
func TestUnfinishedMessagesAreBounded(t *testing.T) {
	const most = 2 << 20
	l := echo(t, Limits{Unsigned: 1 << 20, Received: most})
	old := join(t, l, "DEALER", "")
	old.say("", signed)
	old.hear()
	half := append(appendFrame(nil, flagMore, nil), header(0, 1<<20-1)...)
	half = append(half, make([]byte, 900<<10)...)
	for range 20 {
		p := join(t, l, "DEALER", "")
		go p.send(half)
	}
	eventually(t, l, "not one was cut off", func() bool { return l.evicted.Load()+l.broken.Load() > 0 || len(l.peers) < 21 })
	works(t, l, old)
	large := strings.Repeat("x", 5<<20)
	go old.say("", large)
	if got := old.hear(); got[1] != large {
		t.Error("a message of one who has signed was changed")
	}
	p := join(t, l, "DEALER", "")
	p.send(header(0, 1<<20+1))
	if !p.isCutOff() {
		t.Error("a stranger may send a message above the limit")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.strangers.received > most {
		t.Errorf("%d bytes are being received, at most %d may be", l.strangers.received, most)
	}
}

// Until somebody has looked at a stranger's message, its next one is not read, and what it costs is
// on the books, even when the stranger has left.
func TestStrangersSayOneMessageAtATime(t *testing.T) {
	l, socket := listen(t, Config{Type: zmq4.Router})
	p := join(t, l, "DEALER", "")
	body := strings.Repeat("x", 1<<20)
	p.say(body)
	msg, err := socket.Recv()
	if err != nil {
		t.Fatal(err)
	}
	p.say("second")
	booked := func() bool { return l.strangers.received > 1<<20 && l.strangers.received < 1<<20+2*perMessage }
	eventually(t, l, "the message is not on the books", booked)
	l.Done(msg.Frames[0], false)
	if msg, err = socket.Recv(); err != nil || string(msg.Frames[1]) != "second" {
		t.Fatalf("%q, %v", msg.Frames, err)
	}
	eventually(t, l, "the second message is not on the books", func() bool { return len(l.strangers.unjudged) == 1 })
	l.mu.Lock()
	l.cutOff(l.peers[string(msg.Frames[0])])
	received := l.strangers.received
	l.mu.Unlock()
	if received <= perMessage {
		t.Errorf("a message of %d bytes is left on the books when its peer is gone", received)
	}
	l.Done(msg.Frames[0], true)
	eventually(t, l, "something is still on the books", func() bool {
		return l.strangers.received == 0 && l.strangers.number == 0 && len(l.strangers.unjudged) == 0
	})
}

// What waits to be looked at is waited for where it leaves no room, and the largest message that is
// not finished goes first.
func TestRoomForMessages(t *testing.T) {
	l, socket := listen(t, Config{Type: zmq4.Router, Limits: Limits{Unsigned: 1 << 20, Received: 1 << 20}})
	body := strings.Repeat("x", 700<<10)
	var peers [4]*peer
	for i := range peers {
		peers[i] = join(t, l, "DEALER", "")
	}
	first, unfinished, second, third := peers[0], peers[1], peers[2], peers[3]
	first.say(body)
	msg, err := socket.Recv()
	if err != nil {
		t.Fatal(err)
	}
	unfinished.send(append(header(0, 300<<10), body[:100<<10]...))
	eventually(t, l, "nothing is unfinished", func() bool { return l.strangers.received > 800<<10 })
	second.say(body[:200<<10])
	if !unfinished.isCutOff() {
		t.Error("an unfinished message is kept")
	}
	if msg, err := socket.Recv(); err != nil || string(msg.Frames[1]) != body[:200<<10] {
		t.Errorf("%d frames came, %v", len(msg.Frames), err)
	}
	go third.say(body)
	l.Done(msg.Frames[0], false)
	if msg, err := socket.Recv(); err != nil || string(msg.Frames[1]) != body {
		t.Errorf("%d frames came, %v", len(msg.Frames), err)
	}
}

// TestWhoMakesRoom looks at the order in which strangers go.
func TestWhoMakesRoom(t *testing.T) {
	ours, theirs := userOrigin(1000), userOrigin(2000)
	l := &Listener{config: Config{Known: func(o Origin) bool { return o == ours }}}
	inOrder := []*conn{
		{route: newRoute(6, "", nil)},
		{route: newRoute(7, theirs, nil)},
		{route: newRoute(2, theirs, []byte("id")), unfinished: 1},
		{route: newRoute(3, theirs, nil), spoke: true},
		{route: newRoute(5, ours, nil)},
		{route: newRoute(1, ours, nil), spoke: true},
	}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if got := l.goesBefore(a, b); got != (i < j) {
				t.Errorf("%d goes before %d: %v", i, j, got)
			}
		}
	}
}

func TestOriginOfRoute(t *testing.T) {
	for _, origin := range []Origin{"", userOrigin(0), userOrigin(1 << 31)} {
		for _, identity := range []string{"", "id", strings.Repeat("x", maxIdentity)} {
			route := newRoute(1<<40, origin, []byte(identity))
			if Source(route) != origin || string(Identity(route)) != identity {
				t.Errorf("%q and %q became %q and %q", origin, identity, Source(route), Identity(route))
			}
		}
	}
	if Source([]byte("short")) != "" || Identity([]byte("short")) != nil {
		t.Error("a route that is none has an origin or an identity")
	}
	if bytes.Compare(newRoute(255, "", nil), newRoute(256, userOrigin(0), nil)) >= 0 {
		t.Error("routes do not order by age")
	}
}
