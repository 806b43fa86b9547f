package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-zeromq/zmq4"
)

// What had arrived when Drain was called has been given to zmq4 when it returns, whatever comes
// meanwhile.
func TestDrain(t *testing.T) {
	// What is written to a socket of a file has arrived.
	l, socket := listenOn(t, "unix", socketPath(t), Config{Type: zmq4.Router})
	p, silent := join(t, l, "DEALER", ""), join(t, l, "DEALER", "")
	silent.send(append(header(0, 1000), "half a message of a stranger"...))
	p.say("first")
	msg, err := socket.Recv()
	if err != nil {
		t.Fatal(err)
	}
	l.Done(msg.Frames[0], true)
	if n, err := l.Drain(t.Context()); n != 1 || err != nil {
		t.Errorf("nothing but the first had come: %d, %v", n, err)
	}
	want := int64(1)
	for round := range 50 {
		for i := range 40 {
			p.say(fmt.Sprint(round, i), strings.Repeat("x", 100*i))
		}
		want += 40
		var taken sync.WaitGroup
		taken.Go(func() {
			for range 40 {
				if _, err := socket.Recv(); err != nil {
					t.Error(err)
				}
			}
		})
		if got, err := l.Drain(t.Context()); got != want || err != nil {
			t.Fatalf("round %d: %d messages, %v; want %d", round, got, err, want)
		}
		taken.Wait()
	}
	// Half a message is none, and is nothing to wait for.
	p.send(append(header(0, 1000), "half a message"...))
	if got, err := l.Drain(t.Context()); got != want || err != nil {
		t.Errorf("with half a message: %d, %v", got, err)
	}
	p.send([]byte(strings.Repeat("x", 1000-len("half a message"))))
	if msg, err = socket.Recv(); err != nil || len(msg.Frames[1]) != 1000 {
		t.Errorf("the other half: %d frames, %v", len(msg.Frames), err)
	}
	// Twenty messages that nobody takes are more than zmq4 keeps.
	for range 20 {
		p.say("x")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no more"))
	if _, err := l.Drain(ctx); err == nil || err.Error() != "no more" {
		t.Errorf("a call that was given up: %v", err)
	}
	drained := make(chan error)
	go func() {
		_, err := l.Drain(t.Context())
		drained <- err
	}()
	p.Close()
	for range 20 {
		if _, err := socket.Recv(); err != nil {
			t.Error(err)
		}
	}
	if err := <-drained; err != nil {
		t.Errorf("after the peer has left: %v", err)
	}
}
