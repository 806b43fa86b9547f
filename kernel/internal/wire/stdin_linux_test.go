package wire_test

import (
	"context"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

// Another user's process that announces a front end's identity does not hear what that is asked
// (session_stdin_identity_theft).
func TestInputIsNotHeardByOtherUsers(t *testing.T) {
	if syscall.Geteuid() != 0 {
		t.Skip("not run: only root can be another user")
	}
	info := wiretest.TCP(t)
	server := open(t, info)
	const session = "the-session"
	thief := asUser(t, 54321, func() *wiretest.Client { return wiretest.DialAs(t, info, session, "wrong key") })
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

// asUser calls f in a thread of another user, to whom the connections belong that it makes.
func asUser(t *testing.T, uid int, f func() *wiretest.Client) *wiretest.Client {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	become := func(uid int) {
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), uintptr(uid), ^uintptr(0)); errno != 0 {
			t.Fatal(errno)
		}
	}
	become(uid)
	defer become(0)
	return f()
}
