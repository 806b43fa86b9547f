package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/assist"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
)

// open returns the fake where Serve makes an evaluator.
func (f *fake) open() (Evaluator, error) { return f, nil }

// TestMain makes a kernel of the test binary when it is asked for one, so that drivers in other
// languages can be run against the session alone:
//
//	go test -c -o kernel.test ./kernel/internal/session
//	HIERML_FAKE_KERNEL=1 ./kernel.test -f CONNECTION_FILE
func TestMain(m *testing.M) {
	if os.Getenv("HIERML_FAKE_KERNEL") != "" && len(os.Args) == 3 && os.Args[1] == "-f" {
		if err := Serve(context.Background(), os.Args[2], new(fake).open, Config{Version: "0"}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var _ Evaluator = (*engine.Engine)(nil)

// A fake evaluator obeys commands of one line in place of Go.
type fake struct {
	mu      sync.Mutex
	seen    map[int]bool      // numbers of cells and messages
	targets map[string]string // of comms, by id
	later   map[string]string // what calls run
	closed  bool
	kill    context.CancelFunc // of the cell that only Kill ends
	// insisted counts the calls of Insist.
	insisted atomic.Int32
	gates    map[string]chan struct{}
	flooded  atomic.Int64 // pieces that a flood has written
}

// gate returns a gate that commands wait for. A test opens it by closing the channel.
func (f *fake) gate(name string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gates[name] == nil {
		if f.gates == nil {
			f.gates = make(map[string]chan struct{})
		}
		f.gates[name] = make(chan struct{})
	}
	return f.gates[name]
}

func (f *fake) Insist() { f.insisted.Add(1) }

func (f *fake) Kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kill()
}

func (f *fake) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}

func (f *fake) IsComplete(source string) (status, indent string) {
	switch {
	case strings.HasSuffix(source, "{"):
		return "incomplete", "\t"
	case strings.HasPrefix(source, "!"):
		return "invalid", ""
	}
	return "complete", ""
}

// see takes note of a number, which has to be new.
func (f *fake) see(number int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen[number] {
		return fmt.Errorf("number %d was used before", number)
	}
	if f.seen == nil {
		f.seen, f.targets, f.later = make(map[int]bool), make(map[string]string), make(map[string]string)
	}
	f.seen[number] = true
	return nil
}

func (f *fake) Run(ctx context.Context, cell program.Cell, out program.Output) (*program.Bundle, error) {
	if err := f.see(cell.Number); err != nil {
		return nil, err
	}
	var result *program.Bundle
	for line := range strings.Lines(cell.Source) {
		bundle, err := f.command(ctx, cell, strings.Fields(line), out)
		if err != nil {
			return nil, err
		}
		result = bundle
	}
	return result, nil
}

func (f *fake) command(ctx context.Context, cell program.Cell, words []string, out program.Output) (*program.Bundle, error) {
	if len(words) == 0 {
		return nil, nil
	}
	var n, size int
	number := func(i int, v *int) {
		if i < len(words) {
			fmt.Sscan(words[i], v)
		}
	}
	number(1, &n)
	number(2, &size)
	switch words[0] {
	case "stream": // stream COUNT SIZE
		text := strings.Repeat("x", size)
		for range n {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			out.Stream("stdout", text)
		}
	case "print": // print STREAM TEXT
		out.Stream(words[1], strings.Join(words[2:], " ")+"\n")
	case "late": // late GATE TEXT, which opens the gate TEXT
		go func() {
			<-f.gate(words[1])
			out.Stream("stdout", words[2])
			close(f.gate(words[2]))
		}()
	case "open": // open GATE
		close(f.gate(words[1]))
	case "await": // await GATE
		select {
		case <-f.gate(words[1]):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	case "flood": // until it is interrupted
		for ctx.Err() == nil {
			out.Stream("stdout", strings.Repeat("y\n", 2048))
			f.flooded.Add(1)
		}
		for range 1024 { // what was on its way
			out.Stream("stdout", strings.Repeat("z\n", 2048))
		}
		return nil, context.Cause(ctx)
	case "displays": // displays COUNT SIZE
		bundle := text(strings.Repeat("x", size))
		for range n {
			out.Display(bundle, "", false)
		}
	case "display": // display SIZE [ID [update]]
		id := ""
		if len(words) > 2 {
			id = words[2]
		}
		out.Display(text(strings.Repeat("x", n)), id, len(words) > 3)
	case "clear":
		out.Clear(len(words) > 1)
	case "sleep": // sleep SECONDS
		var seconds float64
		fmt.Sscan(words[1], &seconds)
		select {
		case <-time.After(time.Duration(seconds * float64(time.Second))):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	case "stubborn": // until it is killed
		alive, kill := context.WithCancel(context.Background())
		f.mu.Lock()
		f.kill = kill
		f.mu.Unlock()
		<-alive.Done()
		return nil, died("killed")
	case "input", "password": // input PROMPT
		line, err := out.Input(ctx, words[1], words[0] == "password")
		if err != nil {
			return nil, err
		}
		return text(line), nil
	case "count":
		return text(fmt.Sprint(cell.Count, cell.Aside)), nil
	case "raise":
		return nil, &program.Error{Name: "panic", Message: "raised", Traceback: []string{"\x1b[31mpanic: raised\x1b[0m"}}
	case "crash":
		panic("the evaluator is broken")
	case "die":
		return nil, died("asked to")
	case "comm": // comm KIND ID [TARGET [BYTES]]
		m := &program.CommMessage{Kind: words[1], ID: words[2], Data: []byte(`{"n":1}`), Metadata: []byte(`{"version":"2.1.0"}`)}
		if len(words) > 3 {
			m.Target = words[3]
		}
		if len(words) > 4 {
			number(4, &size)
			m.Buffers = [][]byte{{}, bytes.Repeat([]byte{0xfe}, size)}
		}
		return nil, out.Comm(m)
	case "page": // page TEXT
		out.Page(text(words[1]))
	case "next": // next TEXT [replace]
		out.NextInput(words[1], len(words) > 2)
	case "latepage": // latepage GATE
		go func() {
			<-f.gate(words[1])
			out.NextInput("too late", false)
			out.Page(text("late"))
		}()
	case "nan":
		return &program.Bundle{Data: map[string]any{"text/plain": "NaN", "application/json": func() {}}}, nil
	default:
		return text(strings.Join(words, " ")), nil
	}
	return nil, nil
}

func text(s string) *program.Bundle {
	return &program.Bundle{Data: map[string]any{"text/plain": s}}
}

func died(why string) error {
	return &program.Error{Name: "WorkerDied", Message: why, Cause: &program.DeathError{Cause: why}}
}

// Deliver listens for the targets "echo", which sends everything back, and "cell", which runs its
// messages' data.code, and their last data.later when it is called. It writes how a call has
// failed.
func (f *fake) Deliver(ctx context.Context, number int, m *program.CommMessage, out program.Output) error {
	if err := f.see(number); err != nil {
		return err
	}
	f.mu.Lock()
	if m.Kind == "open" {
		f.targets[m.ID] = m.Target
	}
	target := f.targets[m.ID]
	f.mu.Unlock()
	switch {
	case m.Kind == "failed":
		out.Stream("stdout", string(m.Data))
	case target == "cell":
		var data struct{ Code, Later string }
		if m.Kind == "call" {
			f.mu.Lock()
			data.Code = f.later[m.ID]
			f.mu.Unlock()
		} else if err := json.Unmarshal(m.Data, &data); err != nil {
			return err
		}
		if data.Later != "" {
			f.mu.Lock()
			f.later[m.ID] = data.Later
			f.mu.Unlock()
		}
		for line := range strings.Lines(data.Code) {
			if _, err := f.command(ctx, program.Cell{}, strings.Fields(line), out); err != nil {
				return err
			}
		}
	case target != "echo":
		return out.Comm(&program.CommMessage{Kind: "close", ID: m.ID})
	case m.Kind == "msg":
		return out.Comm(m)
	case m.Kind == "close":
		out.Stream("stdout", "closed")
	}
	return nil
}

func (*fake) Complete(source string, cursor int) assist.Completion {
	return assist.Completion{Start: cursor, End: cursor}
}

func (*fake) Inspect(string, int, int) *program.Bundle { return nil }
