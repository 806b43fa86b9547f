//go:build unix

package worker

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/cells"
	"github.com/hierml/notebook/kernel/internal/worker/child"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "fake-worker" {
		fmt.Fprintln(os.Stderr, child.Serve(newFake))
		os.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == "replaced" {
		fmt.Println(runReplaced())
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "real-worker" {
		fmt.Fprintln(os.Stderr, child.Main(nil))
		os.Exit(1)
	}
	os.Exit(testprogram.Run(m))
}

// A fake is an executor for scripts: each line of a program's source is a word that says what to do
// and an argument. The word "go" does the lines that its argument joins by " ; " in a goroutine of
// a goroutine.
type fake struct {
	child.Runner // for what is not asked
	stdio        cells.Means

	mu    sync.Mutex
	vars  map[string]string
	gates map[string]chan struct{} // that cells wait for, or open
	held  [][]byte
}

func newFake(means cells.Means) (child.Runner, error) {
	return &fake{stdio: means, vars: map[string]string{}, gates: map[string]chan struct{}{}}, nil
}

// Ended implements child.Runner: nothing here waits for the end of a cell.
func (*fake) Ended(int) {}

// SetEvents implements child.Runner: there is no debugger.
func (*fake) SetEvents(func([]byte)) {}

func (f *fake) gate(name string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gates[name] == nil {
		f.gates[name] = make(chan struct{})
	}
	return f.gates[name]
}

func (f *fake) EndDeep(uintptr, func(int)) bool { return false }

func (f *fake) Do(_ context.Context, _ int, do func()) error {
	do()
	return nil
}

func (f *fake) Run(ctx context.Context, p *program.Program) (*program.Bundle, error) {
	return f.lines(ctx, strings.Split(strings.Join(p.Source, "\n"), "\n"))
}

func (f *fake) lines(ctx context.Context, lines []string) (*program.Bundle, error) {
	var last *program.Bundle
	for _, line := range lines {
		word, arg, _ := strings.Cut(line, " ")
		if s, err := strconv.Unquote(arg); err == nil {
			arg = s
		}
		n, _ := strconv.Atoi(arg)
		switch word {
		case "out":
			fmt.Fprint(f.stdio.Out, arg)
		case "err":
			fmt.Fprint(f.stdio.Err, arg)
		case "show":
			host.Current().Display(display.Of(arg), "", false)
		case "lines":
			for i := range n {
				fmt.Fprintf(f.stdio.Out, "line %d\n", i)
			}
		case "raw":
			os.Stderr.WriteString(arg)
		case "words":
			println(arg)
		case "bytes":
			for i := range len(arg) {
				io.WriteString(f.stdio.Out, arg[i:i+1])
				time.Sleep(time.Millisecond) // so that each byte is likely to come in a piece of its own
			}
		case "sh":
			cmd := exec.Command("sh", "-c", arg)
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			if err := cmd.Run(); err != nil {
				return nil, err
			}
		case "start":
			cmd := exec.Command("sh", "-c", arg)
			cmd.Stdout = os.Stdout
			if err := cmd.Start(); err != nil {
				return nil, err
			}
			fmt.Fprintln(f.stdio.Out, cmd.Process.Pid)
		case "pid":
			fmt.Fprintln(f.stdio.Out, os.Getpid())
		case "set":
			name, value, _ := strings.Cut(arg, "=")
			f.mu.Lock()
			f.vars[name] = value
			f.mu.Unlock()
		case "get":
			f.mu.Lock()
			last = &program.Bundle{Data: map[string]any{"text/plain": f.vars[arg]}}
			f.mu.Unlock()
		case "go":
			go func() {
				go func() {
					if _, err := f.lines(host.Current().Context(), strings.Split(arg, " ; ")); err != nil {
						fmt.Fprint(f.stdio.Err, err)
					}
				}()
			}()
		case "open":
			close(f.gate(arg))
		case "await":
			select {
			case <-f.gate(arg):
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		case "gate": // as await, and never interrupted
			<-f.gate(arg)
		case "page":
			host.Current().Page(display.Of(arg))
		case "next":
			host.Current().NextInput(arg, false)
		case "clear":
			host.Current().Clear(false)
		case "comm":
			if err := host.Current().Comm(&host.CommMessage{Kind: "msg", ID: arg}); err != nil {
				return nil, err
			}
		case "listen":
			host.SetReceiver(func(m *host.CommMessage) func() { return func() { f.received(m, arg) } })
		case "context":
			<-host.Current().Context().Done()
			return nil, context.Cause(host.Current().Context())
		case "goroutines":
			runtime.GC()
			fmt.Fprintln(f.stdio.Out, runtime.NumGoroutine())
		case "hold":
			held := make([]byte, n<<20)
			for i := 0; i < len(held); i += 4096 {
				held[i] = 1
			}
			f.mu.Lock()
			f.held = append(f.held, held)
			f.mu.Unlock()
		case "release":
			f.mu.Lock()
			f.held = nil
			f.mu.Unlock()
			runtime.GC()
		case "grow":
			for ctx.Err() == nil {
				f.mu.Lock()
				f.held = append(f.held, bytes.Repeat([]byte{1}, 1<<20))
				f.mu.Unlock()
				time.Sleep(time.Duration(n) * time.Microsecond) // a pace at which the use of memory can be watched
			}
			f.mu.Lock()
			f.held = nil
			f.mu.Unlock()
			return nil, context.Cause(ctx)
		case "image":
			last = &program.Bundle{Data: map[string]any{"text/plain": arg, "image/png": []byte("\x89PNG"), "application/json": map[string]any{"a": 1.5}}}
		case "wait":
			<-ctx.Done()
			return nil, context.Cause(ctx)
		case "hang":
			select {}
		case "ask":
			line, err := host.Current().Input(arg, false)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(f.stdio.Out, "<%s>", line)
		case "fifo": // waits until something is written into a named pipe
			if _, err := os.ReadFile(arg); err != nil {
				return nil, err
			}
		case "scan":
			var a, b int
			if _, err := fmt.Fscan(f.stdio.In, &a, &b); err != nil {
				return nil, err
			}
			fmt.Fprint(f.stdio.Out, a+b)
		case "fail":
			return nil, errors.New(arg)
		case "panic":
			return nil, &program.RuntimeError{Name: "panic", Message: arg, Frames: []program.Frame{{Function: "f", Cell: 3, Line: 7}}}
		case "overflow":
			recurse(0)
		case "maps":
			m := map[int]int{}
			for range 8 {
				go func() {
					for i := range 1 << 30 {
						m[i%7] = i
					}
				}()
			}
			select {}
		case "crash":
			go func() { panic(arg) }()
			select {}
		case "memory":
			_ = make([]byte, 1<<46-n)
		case "exit":
			os.Exit(n)
		case "forge": // a frame, given in hexadecimal
			frame, err := hex.DecodeString(arg)
			if err != nil {
				return nil, err
			}
			if _, err := unix.Write(4, frame); err != nil {
				return nil, err
			}
		case "replace": // a descriptor, by standard output
			if err := unix.Dup2(1, n); err != nil {
				return nil, err
			}
		}
	}
	return last, nil
}

// received answers a message, and before does what the listener said.
func (f *fake) received(m *host.CommMessage, lines string) {
	if lines != "" {
		if _, err := f.lines(host.Current().Context(), strings.Split(lines, " ; ")); err != nil {
			fmt.Fprint(f.stdio.Err, err)
			return
		}
	}
	if err := host.Current().Comm(m); err != nil {
		fmt.Fprint(f.stdio.Err, err)
	}
}

func recurse(n int) int {
	if n < 0 {
		return 0
	}
	var block [1 << 10]int
	block[n%len(block)] = n
	return recurse(n+1) + block[0]
}

// A recorder notes in a line each what a cell shows. Neighbouring pieces of the same stream are
// joined.
type recorder struct {
	mu     sync.Mutex
	events []string
	last   string
	pieces int
	bytes  int
	answer func(ctx context.Context, prompt string) (string, error)
	keep   bool
	text   strings.Builder

	messages []*program.CommMessage
	alone    bool // there is no front end
}

func (r *recorder) Stream(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pieces++
	r.bytes += len(text)
	if r.keep {
		r.text.WriteString(text)
		return
	}
	if r.last == name {
		r.events[len(r.events)-1] += text
	} else {
		r.events = append(r.events, name+": "+text)
	}
	r.last = name
}

func (r *recorder) Display(b *program.Bundle, id string, update bool) {
	r.note(fmt.Sprint("show: ", b.Data["text/plain"]))
}

func (r *recorder) Clear(wait bool) {
	r.note(fmt.Sprint("clear: ", wait))
}

func (r *recorder) Input(ctx context.Context, prompt string, _ bool) (string, error) {
	if r.answer == nil {
		return "", errors.New("nobody can be asked")
	}
	return r.answer(ctx, prompt)
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.events, "|")
}

func script(lines ...string) *program.Program { return cellOf(1, lines...) }

func cellOf(number int, lines ...string) *program.Program {
	return &program.Program{Cell: number, Source: lines}
}

// start starts a process whose cells have the time that they need to heed an interrupt.
func start(t testing.TB) *Process { return startWith(t, Config{Grace: time.Minute}) }

func startWith(t testing.TB, config Config) *Process {
	t.Helper()
	config.Command = []string{os.Args[0], "fake-worker"}
	p, err := Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (r *recorder) note(event string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event)
	r.last = ""
}

func (r *recorder) Comm(m *program.CommMessage) error {
	r.mu.Lock()
	r.messages = append(r.messages, m)
	r.mu.Unlock()
	r.note("comm: " + m.Kind + " " + m.ID)
	if r.alone {
		return host.ErrNoFrontEnd
	}
	return nil
}

func (r *recorder) Page(b *program.Bundle) { r.note(fmt.Sprint("page: ", b.Data["text/plain"])) }

func (r *recorder) NextInput(source string, _ bool) { r.note("next: " + source) }

// has waits until the recorder has noted something.
func (r *recorder) has(t testing.TB, want string) {
	t.Helper()
	testrun.Await(t, fmt.Sprintf("%.2000q is noted", want), func() bool { return r.String() == want })
}
