package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "fake-worker" {
		fmt.Fprintln(os.Stderr, serve(newFake))
		os.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == "real-worker" {
		fmt.Fprintln(os.Stderr, Main())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A fake is an executor for scripts: each line of a program's source is a word
// that says what to do and an argument.
type fake struct {
	stdio Stdio
	vars  map[string]string
}

func newFake(s Stdio) (runner, error) { return &fake{s, map[string]string{}}, nil }

func (f *fake) Do(_ context.Context, _ int, do func()) error {
	do()
	return nil
}

func (f *fake) Run(ctx context.Context, p *engine.Program) (*engine.Bundle, error) {
	var last *engine.Bundle
	for _, line := range strings.Split(strings.Join(p.Source, "\n"), "\n") {
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
				time.Sleep(time.Millisecond)
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
			f.vars[name] = value
		case "get":
			last = &engine.Bundle{Data: map[string]any{"text/plain": f.vars[arg]}}
		case "image":
			last = &engine.Bundle{Data: map[string]any{"text/plain": arg, "image/png": []byte("\x89PNG"), "application/json": map[string]any{"a": 1.5}}}
		case "wait":
			<-ctx.Done()
			return nil, context.Cause(ctx)
		case "hang":
			time.Sleep(time.Hour)
		case "ask":
			line, err := host.Current().Input(arg, false)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(f.stdio.Out, "<%s>", line)
		case "ask-later":
			go func() {
				time.Sleep(20 * time.Millisecond)
				_, err := host.Current().Input(arg, false)
				fmt.Fprint(f.stdio.Out, err)
			}()
		case "scan":
			var a, b int
			if _, err := fmt.Fscan(f.stdio.In, &a, &b); err != nil {
				return nil, err
			}
			fmt.Fprint(f.stdio.Out, a+b)
		case "fail":
			return nil, errors.New(arg)
		case "panic":
			return nil, &engine.RuntimeError{Name: "panic", Message: arg, Frames: []engine.Frame{{Function: "f", Cell: 3, Line: 7}}}
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
			time.Sleep(time.Minute)
		case "crash":
			go func() { panic(arg) }()
			time.Sleep(time.Minute)
		case "memory":
			_ = make([]byte, 1<<46-n)
		case "exit":
			os.Exit(n)
		case "background":
			go func() {
				time.Sleep(20 * time.Millisecond)
				fmt.Fprint(f.stdio.Out, arg)
			}()
		}
	}
	return last, nil
}

func recurse(n int) int {
	if n < 0 {
		return 0
	}
	var block [1 << 10]int
	block[n%len(block)] = n
	return recurse(n+1) + block[0]
}

// A recorder notes in a line each what a cell shows. Neighbouring pieces of
// the same stream are joined.
type recorder struct {
	mu     sync.Mutex
	events []string
	last   string
	pieces int
	bytes  int
	answer func(ctx context.Context, prompt string) (string, error)
	keep   bool
	text   strings.Builder
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

func (r *recorder) Display(b *engine.Bundle, id string, update bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprint("show: ", b.Data["text/plain"]))
	r.last = ""
}

func (r *recorder) Clear(wait bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprint("clear: ", wait))
	r.last = ""
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

func script(lines ...string) *engine.Program {
	return &engine.Program{Cell: 1, Source: lines}
}

func start(t testing.TB) *Process {
	t.Helper()
	p, err := Start(Config{Command: []string{os.Args[0], "fake-worker"}, Grace: 100 * time.Millisecond})
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

func (r *recorder) Comm(*engine.CommMessage) error { return host.ErrNoFrontEnd }

func (r *recorder) Page(*engine.Bundle) {}

func (r *recorder) NextInput(string, bool) {}
