//go:build unix

package worker

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// interrupted runs a program, interrupts it once it has shown "a", and returns how long it then
// takes to end.
func interrupted(t *testing.T, p *Process, lines ...string) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := begin(ctx, p, cellOf(7, lines...))
	r.out.has(t, "stdout: a")
	cancelled := time.Now()
	cancel()
	r.wait(t, "stdout: a")
	return time.Since(cancelled)
}

func TestInterruptOfProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes that ignore interrupts are found in /proc")
	}
	p := start(t)
	before := number(t, strings.TrimPrefix(mustRun(t, p, cellOf(1, "set x=1", "start sleep 1000")), "stdout: "))
	// The passing of time is meant: processes are told apart by the hundredths of seconds at which
	// they have started.
	time.Sleep(50 * time.Millisecond)
	for _, command := range []string{
		"printf a; exec sleep 100",
		"printf a; sleep 100",
		"(printf a; sleep 100) | cat",
		"trap '' INT; printf a; sleep 100",
		"setsid sh -c 'printf a; exec sleep 100'",
		"sh -c 'sh -c \"printf a; sleep 100; true\"; true'; true",
	} {
		if took := interrupted(t, p, "sh "+command); took > 30*time.Second {
			t.Errorf("%s took %v to be interrupted", command, took)
		}
	}
	if err := unix.Kill(before, 0); err != nil {
		t.Errorf("a process of an earlier cell: %v", err)
	}
	shown, err := p.Run(t.Context(), cellOf(8, "get x"), &recorder{})
	if err != nil || shown.Data["text/plain"] != "1" {
		t.Errorf("got %v, %v", shown, err)
	}
}

func TestInterruptOfProcessesIsSwift(t *testing.T) {
	p := start(t)
	if took := interrupted(t, p, "sh printf a; exec sleep 100"); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestInterruptBeforeTheBeginning(t *testing.T) {
	p := start(t)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	var out recorder
	if _, err := p.Run(ctx, cellOf(1, "out a"), &out); !errors.Is(err, cause) || out.String() != "" {
		t.Errorf("got %v, %s", err, out.String())
	}
}
