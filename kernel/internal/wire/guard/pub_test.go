package guard

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
)

func publish(t *testing.T, socket zmq4.Socket, frames ...string) {
	t.Helper()
	var msg zmq4.Msg
	for _, f := range frames {
		msg.Frames = append(msg.Frames, []byte(f))
	}
	if err := socket.Send(msg); err != nil {
		t.Fatal(err)
	}
}

// subscriber joins and waits until zmq4 knows of its subscription.
func subscriber(t *testing.T, l *Listener, topic string) *peer {
	t.Helper()
	p := join(t, l, "SUB", "")
	p.say("\x01" + topic)
	if got := p.hear(); got[0] != "welcome" || got[1] != topic {
		t.Fatalf("the first message is %q", got)
	}
	return p
}

func welcoming(limits Limits) Config {
	return Config{Type: zmq4.Pub, Limits: limits, Subscribed: func(topic []byte, _ Origin) [][]byte {
		return [][]byte{[]byte("welcome"), topic}
	}}
}

func TestTopics(t *testing.T) {
	l, socket := listen(t, welcoming(Limits{}))
	all, a := subscriber(t, l, ""), subscriber(t, l, "a")
	publish(t, socket, "b", "1")
	publish(t, socket, "ab", "2")
	if got := fmt.Sprint(all.hear(), all.hear()); got != "[b 1] [ab 2]" {
		t.Errorf("the subscriber to all heard %s", got)
	}
	if got := fmt.Sprint(a.hear()); got != "[ab 2]" {
		t.Errorf("the subscriber to a heard %s", got)
	}
	// Twice subscribed, once unsubscribed: still subscribed.
	a.say("\x01c")
	a.hear()
	a.say("\x01c")
	a.say("\x00c")
	a.send(command("\x09SUBSCRIBEd")) // as ZMTP 3.1 has it
	a.hear()
	a.send(command("\x06CANCELa"))
	a.send(command("\x04PING\x00\x00"))
	a.frame()
	deadline := time.Now().Add(patience)
	for {
		publish(t, socket, "a", "gone")
		publish(t, socket, "c", "3")
		if got := a.hear(); got[0] == "c" {
			break
		}
		if a.hear(); time.Now().After(deadline) {
			t.Fatal("still subscribed to a")
		}
	}
	publish(t, socket, "d", "4")
	if got := fmt.Sprint(a.hear()); got != "[d 4]" {
		t.Errorf("heard %s", got)
	}
}

// What a SUB says beside subscriptions is skipped, and its topics are bounded.
func TestSubscribersThatMisbehave(t *testing.T) {
	l, socket := listen(t, welcoming(Limits{}))
	witness := subscriber(t, l, "")
	p := join(t, l, "SUB", "")
	for range 100 {
		p.say("garbage")
		p.say("\x01of", "two frames")
		p.say("")
		p.say("\x01" + strings.Repeat("x", maxTopic+1))
		p.say("\x00never subscribed")
	}
	p.say("\x01t")
	if got := p.hear(); got[0] != "welcome" {
		t.Errorf("heard %q", got)
	}
	for i := range maxTopics + 1 {
		p.say(fmt.Sprintf("\x01topic %d", i))
	}
	if !p.isCutOff() {
		t.Errorf("a peer with more than %d topics was not cut off", maxTopics)
	}
	publish(t, socket, "t", "still here")
	if got := witness.hear(); got[1] != "still here" {
		t.Errorf("heard %q", got)
	}
}

// A subscription's answer is the first message, whatever is published while the subscription is
// made.
func TestWelcomeComesFirst(t *testing.T) {
	l, socket := listen(t, welcoming(Limits{}))
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				publish(t, socket, "x", "noise")
			}
		}
	}()
	for range 50 {
		p := subscriber(t, l, "")
		p.hear()
		p.Close()
	}
	close(stop)
	<-stopped
}

// A subscriber that does not read is waited for once and then cut off; those who read get
// everything.
func TestStalledSubscriber(t *testing.T) {
	l, socket := listen(t, welcoming(Limits{Queue: 1 << 20, Stall: 200 * time.Millisecond}))
	reader, stalled := subscriber(t, l, ""), subscriber(t, l, "")
	const n = 2000
	body := strings.Repeat("x", 10_000)
	go func() {
		for i := range n {
			publish(t, socket, fmt.Sprint(i), body)
			err := l.Sync(context.Background(), socket)
			if err == nil {
				err = l.WaitRoom(context.Background())
			}
			if err != nil {
				t.Error(err)
			}
		}
	}()
	for i := range n {
		if got := reader.hear(); got[0] != fmt.Sprint(i) {
			t.Fatalf("message %d came in place of %d", i, n)
		}
	}
	if !stalled.isCutOff() {
		t.Error("the stalled subscriber was not cut off")
	}
	if got := l.Stats().Stalled; got != 1 {
		t.Errorf("%d peers cut off, want 1", got)
	}
}

// A subscriber that is slow but not stalled loses nothing.
func TestSlowSubscriber(t *testing.T) {
	l, socket := listen(t, welcoming(Limits{Queue: 1 << 20, Stall: time.Second}))
	slow := subscriber(t, l, "")
	const n = 300
	body := strings.Repeat("x", 100_000)
	go func() {
		for i := range n {
			publish(t, socket, fmt.Sprint(i), body)
			err := l.Sync(context.Background(), socket)
			if err == nil {
				err = l.WaitRoom(context.Background())
			}
			if err != nil {
				t.Error(err)
			}
		}
	}()
	for i := range n {
		if i%50 == 0 {
			time.Sleep(50 * time.Millisecond) // the passing of time is meant
		}
		if got := slow.hear(); got[0] != fmt.Sprint(i) {
			t.Fatalf("message %d is %s", i, got[0])
		}
	}
	if most := l.queued.Load(); most > 8<<20 {
		t.Errorf("%d bytes queued", most)
	}
}

// Subscribers that do not read cost one time of patience together, not one each, be each of them
// full or all together (wire_silent_subscribers).
func TestStalledSubscribersHaveOneClock(t *testing.T) {
	const n = 20
	for _, test := range []struct {
		name   string
		limits Limits
		least  int64 // that are cut off
	}{
		{"each is full", Limits{Queue: 1 << 20, Total: 1 << 40}, n},
		{"all are full", Limits{Queue: 1 << 30, Total: n * 2 << 20}, n / 2}, // there may be room for some
	} {
		t.Run(test.name, func(t *testing.T) {
			test.limits.Stall = 200 * time.Millisecond
			l, socket := listen(t, welcoming(test.limits))
			for range n {
				subscriber(t, l, "")
			}
			waits := 0
			for range 10 {
				publish(t, socket, strings.Repeat("x", 2_000_000))
				publish(t, socket, "x")
				if err := l.Sync(t.Context(), socket); err != nil {
					t.Fatal(err)
				}
				for ; l.isFull(); waits++ {
					if err := l.waitFor(t.Context(), l.byFullness()); err != nil {
						t.Fatal(err)
					}
				}
			}
			// The system takes some of it at first.
			if got := l.Stats().Stalled; got < test.least || waits >= n/2 {
				t.Errorf("%d of %d subscribers cut off after %d waits", got, n, waits)
			}
		})
	}
}

// fill publishes more than peers that do not read can take.
func fill(t *testing.T, l *Listener, socket zmq4.Socket) {
	t.Helper()
	publish(t, socket, strings.Repeat("x", 20_000_000))
	publish(t, socket, "x")
	if err := l.Sync(t.Context(), socket); err != nil {
		t.Fatal(err)
	}
}

// Nobody waits for a subscriber from where nobody has signed anything.
func TestUnknownSubscribersAreNotWaitedFor(t *testing.T) {
	config := welcoming(Limits{Queue: 1 << 20, Stall: time.Hour})
	config.Known = func(Origin) bool { return false }
	l, socket := listen(t, config)
	p := subscriber(t, l, "")
	fill(t, l, socket)
	if err := l.WaitRoom(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := l.Stats().Stalled; got != 1 || !p.isCutOff() {
		t.Errorf("%d subscribers cut off, want 1", got)
	}
}

// A subscriber that subscribes for ever and reads nothing is not answered for ever.
func TestAnswersToSubscriptionsAreBounded(t *testing.T) {
	l, _ := listen(t, welcoming(Limits{}))
	p := join(t, l, "SUB", "")
	long := strings.Repeat("t", maxTopic)
	again := append(appendFrame(nil, 0, []byte("\x01"+long)), appendFrame(nil, 0, []byte("\x00"+long))...)
	if err := p.SetWriteDeadline(time.Now().Add(8 * patience)); err != nil {
		t.Fatal(err)
	}
	// The answers would be 20 MB, more than what the system keeps of them.
	for range 200 {
		if _, err := p.Write(bytes.Repeat(again, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if waiting := l.queued.Load(); waiting > 2*maxAnswers {
		t.Errorf("%d bytes of answers wait", waiting)
	}
}

func TestWaitRoomHeedsItsContext(t *testing.T) {
	l, socket := listen(t, welcoming(Limits{Queue: 1, Stall: time.Hour}))
	subscriber(t, l, "")
	fill(t, l, socket)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := l.WaitRoom(ctx); err == nil {
		t.Error("there is room in a full queue")
	}
}

// After Sync and Shutdown nothing that was published before is missing.
func TestPublishedIsDelivered(t *testing.T) {
	l, socket := listen(t, welcoming(Limits{}))
	p := subscriber(t, l, "")
	const n = 20_000
	for i := range n {
		publish(t, socket, fmt.Sprint(i))
	}
	if err := l.Sync(t.Context(), socket); err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := l.Shutdown(time.Now().Add(patience)); err != nil {
			t.Error(err)
		}
	}()
	for i := range n {
		if got := p.hear(); got[0] != fmt.Sprint(i) {
			t.Fatalf("message %d is %q", i, got)
		}
	}
	if !p.isCutOff() {
		t.Error("the peer is still connected")
	}
}
