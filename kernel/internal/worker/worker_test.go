//go:build unix

package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/child"
)

func TestOrder(t *testing.T) {
	p := start(t)
	var lines, want []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("out o%d;", i), fmt.Sprintf("err e%d;", i), fmt.Sprintf("show d%d", i))
		want = append(want, fmt.Sprintf("stdout: o%d;", i), fmt.Sprintf("stderr: e%d;", i), fmt.Sprintf("show: d%d", i))
	}
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"streams and displays", lines, strings.Join(want, "|")},
		{"a process the cell starts", []string{"out a", `sh "echo b"`, "show c", `sh "echo d >&2"`, "out e"}, "stdout: ab\n|show: c|stderr: d\n|stdout: e"},
		{"code that writes to os.Stderr itself, before others", []string{"raw a", "out b", "raw c", "show d"}, "stderr: a|stdout: b|stderr: c|show: d"},
		{"what the run time prints", []string{"words a", "out b"}, "stdout: b|stderr: a\n"},
		{"a flood from a process", []string{`sh "yes | head -c 1000000 >&2"`, "out x"}, "stderr: " + strings.Repeat("y\n", 500000) + "|stdout: x"},
	} {
		var out recorder
		if _, err := p.Run(t.Context(), script(tt.lines...), &out); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := out.String(); got != tt.want {
			t.Errorf("%s:\n%.2000s\nwant\n%.2000s", tt.name, got, tt.want)
		}
	}
}

func TestManyLines(t *testing.T) {
	p := start(t)
	n := 1_000_000
	if testing.Short() || raceEnabled {
		n = 100_000
	}
	out := recorder{keep: true}
	if _, err := p.Run(t.Context(), script("lines "+strconv.Itoa(n)), &out); err != nil {
		t.Fatal(err)
	}
	i := 0
	for line := range strings.Lines(out.text.String()) {
		if want := fmt.Sprintf("line %d\n", i); line != want {
			t.Fatalf("got %q, want %q", line, want)
		}
		i++
	}
	if i != n {
		t.Fatalf("%d lines, want %d", i, n)
	}
}

// A reader that does not keep up holds the cell up; nothing is kept for it.
func TestSlowReader(t *testing.T) {
	p := start(t)
	out := &slow{}
	if _, err := p.Run(t.Context(), script("lines 100000"), out); err != nil {
		t.Fatal(err)
	}
	if want := 1_088_890; out.bytes != want {
		t.Errorf("%d bytes, want %d", out.bytes, want)
	}
	if out.longest > 64<<10 {
		t.Errorf("a piece has %d bytes", out.longest)
	}
}

type slow struct {
	recorder
	longest int
}

func (s *slow) Stream(name, text string) {
	time.Sleep(time.Millisecond) // the passing of time is meant
	s.bytes += len(text)
	s.longest = max(s.longest, len(text))
}

func TestUTF8IsNotCut(t *testing.T) {
	p := start(t)
	out := &whole{t: t}
	if _, err := p.Run(t.Context(), script(`bytes "aé世🙂\xff世z"`, "show x", `bytes "世"`), out); err != nil {
		t.Fatal(err)
	}
	if want := "stdout: aé世🙂\xff世z|show: x|stdout: 世"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// whole checks that no piece ends within a sequence.
type whole struct {
	recorder
	t *testing.T
}

func (w *whole) Stream(name, text string) {
	if strings.ContainsRune(strings.ReplaceAll(text, "\xff", ""), '\uFFFD') {
		w.t.Errorf("piece %q", text)
	}
	w.recorder.Stream(name, text)
}

func TestPartialSequenceAtTheEnd(t *testing.T) {
	p := start(t)
	var out recorder
	if _, err := p.Run(t.Context(), script(`out "a\xe4\xb8"`), &out); err != nil {
		t.Fatal(err)
	}
	if want := "stdout: a\xe4\xb8"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestValuesAndErrorsCross(t *testing.T) {
	p := start(t)
	shown, err := p.Run(t.Context(), script("image x"), &recorder{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%v %q %v", shown.Data["text/plain"], shown.Data["image/png"], shown.Data["application/json"]); got != `x "\x89PNG" map[a:1.5]` {
		t.Errorf("got %s", got)
	}
	_, err = p.Run(t.Context(), script("panic nil map"), &recorder{})
	var failure *program.RuntimeError
	if !errors.As(err, &failure) || failure.Message != "nil map" || len(failure.Frames) != 1 || failure.Frames[0] != (program.Frame{Function: "f", Cell: 3, Line: 7}) {
		t.Errorf("got %#v", err)
	}
	if _, err = p.Run(t.Context(), script("fail no luck"), &recorder{}); err == nil || err.Error() != "no luck" {
		t.Errorf("got %v", err)
	}
}

func TestInterruptKeepsVariables(t *testing.T) {
	p := start(t)
	if _, err := p.Run(t.Context(), script("set x=1"), &recorder{}); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the user's wish")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(30*time.Millisecond, func() { cancel(cause) })
	if _, err := p.Run(ctx, script("wait"), &recorder{}); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	shown, err := p.Run(t.Context(), script("get x"), &recorder{})
	if err != nil || shown.Data["text/plain"] != "1" {
		t.Errorf("got %v, %v", shown, err)
	}
}

func TestCellThatCannotBeInterrupted(t *testing.T) {
	p := startWith(t, Config{Grace: 100 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	hanging := begin(ctx, p, cellOf(1, "out a", "hang"))
	hanging.out.has(t, "stdout: a")
	cancel()
	const said = "stdout: a|notes: interrupted, but the cell has not ended yet; " +
		"interrupt again to end it and lose all variables\n"
	hanging.out.has(t, said)
	p.Kill()
	hanging.wait(t, said)
	var death *program.DeathError
	if !errors.As(hanging.err, &death) || death.Cause != "stopped by the user" {
		t.Errorf("got %v", hanging.err)
	}
	if _, err := p.Run(t.Context(), script("out a"), &recorder{}); err != nil {
		t.Errorf("the next cell: %v", err)
	}
}

func TestDeath(t *testing.T) {
	p := start(t)
	for _, tt := range []struct{ line, cause, out string }{
		{"overflow", "stack overflow", ""},
		{"maps", "concurrent map", ""},
		{"crash at last", "panic in a goroutine: at last", ""},
		{"memory", outOfMemory, ""},
		{"exit 3", "exit status 3", ""},
		{`sh "kill -KILL $PPID"`, killedBySignal, ""},
		{`sh "kill -SEGV $PPID; sleep 10"`, "SIGSEGV", ""},
		{"out before\nexit 4", "exit status 4", "stdout: before"},
		{"raw before\ncrash x", "panic in a goroutine: x", "stderr: before"},
	} {
		if raceEnabled && tt.line == "maps" {
			continue // the child's race is meant, and the detector may end it first
		}
		var out recorder
		_, err := p.Run(t.Context(), script(tt.line), &out)
		var death *program.DeathError
		if !errors.As(err, &death) || !strings.HasPrefix(death.Cause, tt.cause) {
			t.Errorf("%s: got %v, want %s", tt.line, err, tt.cause)
		}
		if out.String() != tt.out {
			t.Errorf("%s: showed %.300q, want %q", tt.line, out.String(), tt.out)
		}
		out = recorder{}
		if _, err := p.Run(t.Context(), script("out again"), &out); err != nil || out.String() != "stdout: again" {
			t.Errorf("%s: the next cell: %v, %s", tt.line, err, out.String())
		}
	}
}

var killedBySignal = func() string {
	if systemKillings() < 0 {
		return "killed (perhaps out of memory)"
	}
	return "killed by a signal (SIGKILL)"
}()

func TestWhyKilled(t *testing.T) {
	now := systemKillings()
	if now < 0 {
		t.Skip("this system does not count the processes that it kills for want of memory")
	}
	for killings, want := range map[int64]string{now: " by a signal (SIGKILL)", now - 1: " by the system, which was out of memory"} {
		if got := (&connection{killings: killings}).whyKilled(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDeathBetweenCells(t *testing.T) {
	p := start(t)
	var out recorder
	if _, err := p.Run(t.Context(), script("pid"), &out); err != nil {
		t.Fatal(err)
	}
	pid := number(t, out.String())
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitGone(t, pid)
	// The engine must learn that the variables are gone before anything runs.
	out = recorder{}
	_, err := p.Run(t.Context(), script("out a"), &out)
	var death *program.DeathError
	if !errors.As(err, &death) || out.String() != "" || len(death.Frames) > 0 {
		t.Errorf("got %#v, %s", err, out.String())
	}
	if _, err := p.Run(t.Context(), script("out a"), &out); err != nil {
		t.Error(err)
	}
}

func TestNoProcessIsLeft(t *testing.T) {
	p := start(t)
	var out recorder
	if _, err := p.Run(t.Context(), script("pid", "start sleep 1000"), &out); err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(strings.TrimPrefix(out.String(), "stdout: "))
	for _, end := range []func(){p.Kill, func() { p.Close() }} {
		end()
		for _, f := range fields {
			waitGone(t, number(t, f))
		}
		out = recorder{}
		_, _ = p.Run(t.Context(), script("out x"), &recorder{}) // learns of the death
		if _, err := p.Run(t.Context(), script("pid", "start sleep 1000"), &out); err == nil {
			fields = strings.Fields(strings.TrimPrefix(out.String(), "stdout: "))
		}
	}
}

func TestNoDescriptorIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("counts descriptors in /proc")
	}
	// What this process has inherited, its children inherit, too.
	inherited, err := exec.Command("sh", "-c", "ls /proc/self/fd").Output()
	if err != nil {
		t.Fatal(err)
	}
	before, goroutines := descriptors(t, "self"), runtime.NumGoroutine()
	for range 20 {
		p, err := Start(Config{Command: []string{os.Args[0], "fake-worker"}})
		if err != nil {
			t.Fatal(err)
		}
		var out recorder
		// Descriptors of the protocol must not reach the cell's processes.
		if _, err := p.Run(t.Context(), script(`sh "ls /proc/self/fd"`), &out); err != nil || out.String() != "stdout: "+string(inherited) {
			t.Fatalf("%v: a process of the cell has the descriptors %q", err, out.String())
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	testrun.Await(t, fmt.Sprintf("%d descriptors and %d goroutines are left", before, goroutines), func() bool {
		return descriptors(t, "self") <= before && runtime.NumGoroutine() <= goroutines
	})
}

func TestChildEndsWithItsParent(t *testing.T) {
	p := start(t)
	var out recorder
	if _, err := p.Run(t.Context(), script("pid", "start sleep 1000"), &out); err != nil {
		t.Fatal(err)
	}
	p.conn.commands.Close() // what the death of the parent does
	for f := range strings.FieldsSeq(strings.TrimPrefix(out.String(), "stdout: ")) {
		waitGone(t, number(t, f))
	}
}

func TestEndOfInput(t *testing.T) {
	lines := []string{"a", "b"}
	out := recorder{answer: func(context.Context, string) (string, error) {
		if len(lines) == 0 {
			return "", io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		return line, nil
	}}
	s := newSession(t)
	_, err := s.runTo(t.Context(), `in := bufio.NewScanner(os.Stdin); for in.Scan() { fmt.Print(in.Text(), ";") }; fmt.Print(in.Err())`, &out)
	if err != nil || out.String() != "stdout: a;b;<nil>" {
		t.Errorf("got %s, %v", out.String(), err)
	}
	if _, err := s.runTo(t.Context(), `nb.Input("more? ")`, &out); err == nil || !strings.Contains(err.Error(), "the input has ended") {
		t.Errorf("error %v", err)
	}
}

func TestInput(t *testing.T) {
	p := start(t)
	answers := []string{"Ada", "1", "2"}
	out := recorder{answer: func(_ context.Context, prompt string) (string, error) {
		a := answers[0]
		answers = answers[1:]
		return a, nil
	}}
	if _, err := p.Run(t.Context(), script("ask name?", "scan"), &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != "stdout: <Ada>3" {
		t.Errorf("got %s", out.String())
	}
	if _, err := p.Run(t.Context(), script("ask name?"), &recorder{}); err == nil || err.Error() != "nobody can be asked" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := recorder{answer: func(ctx context.Context, _ string) (string, error) {
		cancel()
		<-ctx.Done()
		return "", context.Cause(ctx)
	}}
	if _, err := p.Run(ctx, script("ask name?"), &waiting); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestOutputBetweenCellsBelongsToTheLast(t *testing.T) {
	p := start(t)
	var first, second recorder
	ended := fifo(t)
	if _, err := p.Run(t.Context(), script("go fifo "+ended.path+" ; out late"), &first); err != nil {
		t.Fatal(err)
	}
	ended.tell(t)
	first.has(t, "stdout: late")
	if _, err := p.Run(t.Context(), script("out now"), &second); err != nil {
		t.Fatal(err)
	}
	if first.String() != "stdout: late" || second.String() != "stdout: now" {
		t.Errorf("got %s and %s", first.String(), second.String())
	}
}

func TestQuestionBetweenCells(t *testing.T) {
	p := start(t)
	var out recorder
	ended := fifo(t)
	if _, err := p.Run(t.Context(), script("go fifo "+ended.path+" ; ask name?", "out a"), &out); err != nil {
		t.Fatal(err)
	}
	ended.tell(t)
	out.has(t, "stdout: a|stderr: the cell that asks has ended")
}

// A namedPipe tells the child, or the test, that something has come to pass, without the messages
// that are tested.
type namedPipe struct{ path string }

func fifo(t *testing.T) namedPipe {
	t.Helper()
	pipe := namedPipe{filepath.Join(t.TempDir(), "fifo")}
	if err := unix.Mkfifo(pipe.path, 0o600); err != nil {
		t.Fatal(err)
	}
	return pipe
}

// hear waits until the child has written something.
func (f namedPipe) hear(t *testing.T) {
	t.Helper()
	if _, err := os.ReadFile(f.path); err != nil {
		t.Fatal(err)
	}
}

// tell ends the word "fifo", for which it waits.
func (f namedPipe) tell(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(f.path, []byte("now"), 0); err != nil {
		t.Fatal(err)
	}
}

func TestWorkerByHand(t *testing.T) {
	if err := child.Serve(newFake); err == nil || !strings.Contains(err.Error(), "the kernel starts it") {
		t.Errorf("got %v", err)
	}
}

func TestNothingIsShownAfterClose(t *testing.T) {
	p := start(t)
	var out recorder
	begun := fifo(t)
	if _, err := p.Run(t.Context(), cellOf(1, "out a", "go gate go ; out b ; show c", "start read begun <"+begun.path+"; while echo d; do :; done"), &out); err != nil {
		t.Fatal(err)
	}
	_, pid, _ := strings.Cut(out.String(), "stdout: a")
	main := begin(t.Context(), p, cellOf(2, "out e", "open go", "lines 10000000"))
	testrun.Await(t, "the cell prints", func() bool { return main.out.String() != "" })
	begun.tell(t)
	p.Close()
	first, second := out.String(), main.out.String()
	waitGone(t, number(t, pid)) // it writes for as long as somebody could read
	if out.String() != first || main.out.String() != second {
		t.Error("something was shown after Close")
	}
	if <-main.done; !errors.Is(main.err, errClosed) {
		t.Errorf("got %v", main.err)
	}
}

func TestClosed(t *testing.T) {
	p := start(t)
	hanging := begin(t.Context(), p, script("out a", "hang"))
	hanging.out.has(t, "stdout: a")
	p.Close()
	if hanging.wait(t, "stdout: a"); !errors.Is(hanging.err, errClosed) {
		t.Errorf("got %v", hanging.err)
	}
	if _, err := p.Run(t.Context(), script("out a"), &recorder{}); !errors.Is(err, errClosed) {
		t.Errorf("got %v", err)
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(s, "stdout: ")))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// waitGone waits until the process has ended. An orphan may stay as a zombie where nobody adopts
// it.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	testrun.Await(t, fmt.Sprintf("process %d ends", pid), func() bool {
		if unix.Kill(pid, 0) != nil {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && strings.Contains(string(stat), ") Z ")
	})
}

// descriptors counts those of a process, none where there is no /proc.
func descriptors(t *testing.T, pid string) int {
	t.Helper()
	names, err := filepath.Glob("/proc/" + pid + "/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

func BenchmarkRun(b *testing.B) {
	p := start(b)
	for b.Loop() {
		if _, err := p.Run(b.Context(), script("set x=1"), &recorder{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p, err := Start(Config{Command: []string{os.Args[0], "fake-worker"}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Run(b.Context(), script("set x=1"), &recorder{}); err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}
