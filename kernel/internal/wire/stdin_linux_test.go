package wire_test

import (
	"context"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

// Another user's process that announces a front end's identity does not hear what that is asked
// (session_stdin_identity_theft).
func TestInputIsNotHeardByOtherUsers(t *testing.T) {
	info := wiretest.TCP(t)
	server := open(t, info)
	const session = "the-session"
	var thief *wiretest.Client
	wiretest.AsUser(t, 54321, func() { thief = wiretest.DialAs(t, info, session, "wrong key") })
	asker := wiretest.DialAs(t, info, session, "secret")
	asker.Send("shell", "execute_request", nil)
	r := receive(t, server, wire.Shell)
	answered := make(chan error)
	go func() {
		_, err := r.Input(context.Background(), "?", false)
		answered <- err
	}()
	asker.Recv("stdin")
	asker.Send("stdin", "input_reply", map[string]string{"value": "an answer"})
	if err := <-answered; err != nil {
		t.Error(err)
	}
	// Nothing was sent to the thief: it is connected still, and would have heard of it.
	if m := thief.Poll("stdin", 50*time.Millisecond); m != nil {
		t.Errorf("the thief was asked %v", m.Content)
	}
}
