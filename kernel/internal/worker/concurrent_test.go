//go:build unix

package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A run is a program that runs beside the test.
type run struct {
	out  recorder
	err  error
	done chan struct{}
}

func begin(ctx context.Context, p *Process, prog *program.Program) *run {
	r := &run{done: make(chan struct{})}
	go func() {
		_, r.err = p.Run(ctx, prog, &r.out)
		close(r.done)
	}()
	return r
}

// wait waits for the end of the run and checks what it has shown.
func (r *run) wait(t *testing.T, want string) {
	t.Helper()
	select {
	case <-r.done:
	case <-time.After(30 * time.Second):
		t.Fatalf("does not end; has shown %s", r.out.String())
	}
	if r.out.String() != want {
		t.Errorf("showed %q, want %q", r.out.String(), want)
	}
}

func mustRun(t *testing.T, p *Process, prog *program.Program) string {
	t.Helper()
	var out recorder
	if _, err := p.Run(t.Context(), prog, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestProgramsAtTheSameTime(t *testing.T) {
	p := start(t)
	main := begin(t.Context(), p, cellOf(1, "out a", "await go", "out b", "show c", "err d", "out e"))
	main.out.has(t, "stdout: a")
	for i := range 20 {
		want := "stdout: x|stderr: y|show: z|stdout: v"
		if got := mustRun(t, p, cellOf(2+i, "out x", "err y", "show z", "out v")); got != want {
			t.Errorf("beside another: %q, want %q", got, want)
		}
	}
	// What bears no label goes to the main cell.
	if got := mustRun(t, p, cellOf(30, `sh "echo raw"`)); got != "" {
		t.Errorf("a process beside the main cell wrote %q to its own cell", got)
	}
	mustRun(t, p, cellOf(31, "open go"))
	main.wait(t, "stdout: araw\nb|show: c|stderr: d|stdout: e")
	if got := mustRun(t, p, cellOf(32, `sh "echo raw"`)); got != "stdout: raw\n" {
		t.Errorf("a process of the next main cell: %q", got)
	}
}

func TestCellThatRunsAlready(t *testing.T) {
	p := start(t)
	main := begin(t.Context(), p, cellOf(1, "out a", "await go"))
	main.out.has(t, "stdout: a")
	if _, err := p.Run(t.Context(), cellOf(1, "out b"), &recorder{}); err == nil || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("got %v", err)
	}
	mustRun(t, p, cellOf(2, "open go"))
	main.wait(t, "stdout: a")
}

func TestOutputBelongsToItsCell(t *testing.T) {
	p := start(t)
	first, second, third := &recorder{}, &recorder{}, &recorder{}
	everything := `go gate go ; out s ; err e ; show d ; page p ; next n ; comm c ; clear ; bytes "é世🙂" ; out z ; set done=1 ; open done`
	want := "stdout: a|stdout: s|stderr: e|show: d|page: p|next: n|comm: msg c|clear: false|stdout: é世🙂z"
	if _, err := p.Run(t.Context(), cellOf(1, "out a", "show x", everything), first); err != nil {
		t.Fatal(err)
	}
	want = strings.Replace(want, "stdout: a|", "stdout: a|show: x|", 1)
	// While the second is the main one, and has half a character out.
	if _, err := p.Run(t.Context(), cellOf(2, `out "b\xe4\xb8"`, "open go", "await done", `out "\x96"`, "go gate again ; show d2"), second); err != nil {
		t.Fatal(err)
	}
	first.has(t, want)
	second.has(t, "stdout: b世")
	// Also of a cell before the last one.
	if _, err := p.Run(t.Context(), cellOf(3, "out c", "open again", "go ask q"), third); err != nil {
		t.Fatal(err)
	}
	second.has(t, "stdout: b世|show: d2")
	third.has(t, "stdout: c|stderr: the cell that asks has ended")
	first.has(t, want)
}

func TestInterruptNamesItsCell(t *testing.T) {
	p := start(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	main := begin(t.Context(), p, cellOf(1, "out a", "await go", "out b"))
	main.out.has(t, "stdout: a")
	second := begin(ctx, p, cellOf(2, "out c", "context"))
	second.out.has(t, "stdout: c")
	cause := errors.New("enough")
	cancel(cause)
	second.wait(t, "stdout: c")
	if !errors.Is(second.err, cause) {
		t.Errorf("got %v", second.err)
	}
	mustRun(t, p, cellOf(3, "open go"))
	main.wait(t, "stdout: ab")
	if main.err != nil {
		t.Error(main.err)
	}
}

func TestDeathEndsAllCells(t *testing.T) {
	p := start(t)
	main := begin(t.Context(), p, cellOf(1, "out a", "await go"))
	main.out.has(t, "stdout: a")
	second := begin(t.Context(), p, cellOf(2, "out b", "await go"))
	second.out.has(t, "stdout: b")
	third := begin(t.Context(), p, cellOf(3, "exit 3"))
	third.wait(t, "")
	main.wait(t, "stdout: a")
	second.wait(t, "stdout: b")
	for i, r := range []*run{main, second, third} {
		var death *program.DeathError
		if !errors.As(r.err, &death) || death.Cause != "exit status 3" || death.Process != 1 || !slices.Equal(death.Frames, []program.Frame{{Cell: i + 1}}) {
			t.Errorf("cell %d: got %#v", i+1, r.err)
		}
	}
	if got := mustRun(t, p, cellOf(4, "out x")); got != "stdout: x" {
		t.Errorf("got %s", got)
	}
}

func TestQuestionsOfTwoCells(t *testing.T) {
	p := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := make(chan bool)
	first := &recorder{answer: func(ctx context.Context, _ string) (string, error) {
		close(asked)
		<-ctx.Done()
		return "", context.Cause(ctx)
	}}
	done := make(chan error)
	go func() {
		_, err := p.Run(ctx, cellOf(1, "go gate go ; show beside ; open shown", "ask a?"), first)
		done <- err
	}()
	<-asked
	// Others show what they like meanwhile, and wait for their turn to ask.
	mustRun(t, p, cellOf(2, "open go", "await shown"))
	first.has(t, "show: beside")
	second := &run{out: recorder{answer: func(context.Context, string) (string, error) { return "yes", nil }}, done: make(chan struct{})}
	go func() {
		_, second.err = p.Run(t.Context(), cellOf(3, "out x", "ask b?"), &second.out)
		close(second.done)
	}()
	second.out.has(t, "stdout: x")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	second.wait(t, "stdout: x<yes>")
}

// What a cell leaves behind may go on with the cell's context, and its questions end with the cell.
func TestContextAfterTheEnd(t *testing.T) {
	p := start(t)
	asked := make(chan bool)
	out := &recorder{answer: func(ctx context.Context, _ string) (string, error) {
		close(asked)
		<-ctx.Done()
		return "", context.Cause(ctx)
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := p.Run(ctx, cellOf(1, "go ask q", "go await go ; show d", "await end"), out)
		done <- err
	}()
	<-asked
	mustRun(t, p, cellOf(2, "open end"))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	out.has(t, "stderr: the cell that asks has ended")
	mustRun(t, p, cellOf(3, "open go"))
	out.has(t, "stderr: the cell that asks has ended|show: d")
}

func TestMessages(t *testing.T) {
	p := start(t)
	message := func(number int, m *program.CommMessage) *recorder {
		t.Helper()
		var out recorder
		if err := p.Deliver(t.Context(), number, m, &out); err != nil {
			t.Fatal(err)
		}
		return &out
	}
	if got := message(1, &program.CommMessage{Kind: "open", ID: "u"}).String(); got != "comm: close u" {
		t.Errorf("an open that nobody wants: %q", got)
	}
	if got := message(2, &program.CommMessage{Kind: "msg", ID: "u"}).String(); got != "" {
		t.Errorf("a message that nobody wants: %q", got)
	}
	main := begin(t.Context(), p, cellOf(3, "listen out heard ; show it", "out a", "await go", "out b"))
	main.out.has(t, "stdout: a")
	sent := &program.CommMessage{Kind: "msg", ID: "c", Target: "t", Data: []byte(`{"a":[1,"é"]}`), Metadata: []byte(`{}`), Buffers: [][]byte{{0, 255}, {}, []byte("x")}}
	out := message(4, sent)
	if got, want := out.String(), "stdout: heard|show: it|comm: msg c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := out.messages[0]; fmt.Sprintf("%q", *got) != fmt.Sprintf("%q", *sent) {
		t.Errorf("got  %q\nwant %q", *got, *sent)
	}
	mustRun(t, p, cellOf(5, "open go"))
	main.wait(t, "stdout: ab")
}

// What has been there before the cells is all that is there after them, on both sides.
func TestNothingPilesUp(t *testing.T) {
	p := start(t)
	cells := 2000
	if raceEnabled || testing.Short() {
		cells = 300
	}
	mustRun(t, p, cellOf(1, "listen out heard", "set pid=1"))
	before := mustRun(t, p, cellOf(2, "goroutines"))
	goroutines, files, childFiles := runtime.NumGoroutine(), descriptors(t, "self"), descriptors(t, strconv.Itoa(p.conn.cmd.Process.Pid))
	number := 2
	for range cells / 2 {
		number++
		mustRun(t, p, cellOf(number, "out a", "go out b ; show c"))
		number++
		if err := p.Deliver(t.Context(), number, &program.CommMessage{Kind: "msg"}, &recorder{}); err != nil {
			t.Fatal(err)
		}
	}
	jobs := func() int {
		p.conn.mu.Lock()
		defer p.conn.mu.Unlock()
		return len(p.conn.jobs)
	}
	var after string
	testrun.Await(t, "the child has as many goroutines as before", func() bool {
		number++
		after = mustRun(t, p, cellOf(number, "goroutines"))
		return after == before && jobs() <= 3
	})
	// A watch of the memory and the run time's own descriptors may have come.
	if n := runtime.NumGoroutine(); n > goroutines+2 {
		t.Errorf("%d goroutines, were %d", n, goroutines)
	}
	if n := descriptors(t, "self"); n > files+3 {
		t.Errorf("%d descriptors, were %d", n, files)
	}
	if n := descriptors(t, strconv.Itoa(p.conn.cmd.Process.Pid)); n > childFiles+3 {
		t.Errorf("the child has %d descriptors, had %d", n, childFiles)
	}
}

func BenchmarkMessageOf10MB(b *testing.B) {
	p := start(b)
	if _, err := p.Run(b.Context(), cellOf(1, "listen"), &recorder{}); err != nil {
		b.Fatal(err)
	}
	m := &program.CommMessage{Kind: "msg", ID: "c", Buffers: [][]byte{make([]byte, 10<<20)}}
	for i := 2; b.Loop(); i++ {
		var out recorder
		if err := p.Deliver(b.Context(), i, m, &out); err != nil {
			b.Fatal(err)
		}
		if len(out.messages) != 1 || len(out.messages[0].Buffers[0]) != 10<<20 {
			b.Fatal("the message is not whole")
		}
	}
}
