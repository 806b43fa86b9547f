//go:build unix

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/process"
	"github.com/hierml/notebook/internal/testfault"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/worker/pipe"
)

// forged returns a frame as a line for a fake executor that writes it to the pipe.
func forged(t *testing.T, cell int, m pipe.Message) string {
	t.Helper()
	data, err := pipe.Encode(&pipe.Frame{Cell: cell, Message: m})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("forge %x", data)
}

// TestForgedFrames is the finding worker_forged_frames: what code in a cell writes to the pipe, in
// whole frames, ends no kernel, and the cells after it run.
func TestForgedFrames(t *testing.T) {
	p := start(t)
	done := forged(t, 1, &pipe.Shown{})
	for name, lines := range map[string][]string{
		"done twice":          {done, done},
		"done of no cell":     {forged(t, 99, &pipe.Shown{})},
		"declared after done": {done, forged(t, 1, &pipe.Declared{})},
		"another's answer":    {forged(t, 1, &pipe.Seen{})},
		"a request":           {forged(t, 1, &pipe.Run{})},
		"forgotten":           {forged(t, 1, &pipe.Forget{}), done, forged(t, 1, &pipe.Forget{})},
		"without a bundle":    {forged(t, 1, &pipe.Display{}), forged(t, 1, &pipe.Page{})},
		"begins twice":        {forged(t, 7, &pipe.Begin{Main: true}), forged(t, 1, &pipe.Begin{Main: true})},
	} {
		prog := cellOf(1, lines...)
		declared := 0
		prog.Declared = func() { declared++ }
		_, err := p.Run(t.Context(), prog, &recorder{})
		var death *program.DeathError
		if errors.As(err, &death) {
			t.Errorf("%s: %v", name, err)
		}
		var out recorder
		if _, err := p.Run(t.Context(), cellOf(2, "out a"), &out); err != nil || out.String() != "stdout: a" {
			t.Errorf("%s: the next cell shows %q, %v", name, out.String(), err)
		}
		if declared > 0 {
			t.Errorf("%s: a cell that was done has declared something", name)
		}
	}
}

func TestManyForgedQuestions(t *testing.T) {
	p := start(t)
	var lines []string
	for range maxQuestions + 2 {
		lines = append(lines, forged(t, 1, &pipe.Question{}))
	}
	out := &recorder{answer: func(ctx context.Context, _ string) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}}
	_, err := p.Run(t.Context(), cellOf(1, append(lines, "wait")...), out)
	var death *program.DeathError
	if !errors.As(err, &death) || !strings.Contains(death.Cause, "questions at a time") {
		t.Errorf("got %v", err)
	}
}

// TestReplacedPipe is the finding worker_pipe_replaced: a child that cannot be heard any more, or
// cannot hear, is ended without an interrupt.
func TestReplacedPipe(t *testing.T) {
	p := start(t)
	_, err := p.Run(t.Context(), cellOf(1, "replace 4", "wait"), &recorder{})
	var death *program.DeathError
	if !errors.As(err, &death) || death.Cause != "a cell closed its pipe to the kernel" {
		t.Errorf("got %v", err)
	}
	if _, err := p.Run(t.Context(), cellOf(2, "out a", "replace 3"), &recorder{}); err != nil {
		t.Errorf("the next cell: %v", err)
	}
	for cell := 3; ; cell++ { // the child hears what it waits for already
		_, err := p.Run(t.Context(), cellOf(cell, "out a"), &recorder{})
		if errors.As(err, &death) {
			break
		}
		if err != nil || cell > 5 {
			t.Fatalf("cell %d: %v", cell, err)
		}
	}
	if _, err := p.Run(t.Context(), cellOf(9, "out a"), &recorder{}); err != nil {
		t.Errorf("the next cell: %v", err)
	}
}

// TestReplacedProgram is the finding worker_program_replaced: a kernel whose program was upgraded
// starts workers of its own build.
func TestReplacedProgram(t *testing.T) {
	if program, err := process.Program(); err != nil || program != "/proc/self/exe" {
		t.Skip("a program that was replaced cannot be started here")
	}
	out, err := exec.Command(testfault.Copy(t), "replaced").CombinedOutput()
	if err != nil || string(out) != "stdout: a <nil>\n" {
		t.Errorf("%s, %v", out, err)
	}
}

// runReplaced runs a cell once its own program is another file.
func runReplaced() (string, error) {
	if err := testfault.Replace(); err != nil {
		return "", err
	}
	self, err := process.Program()
	if err != nil {
		return "", err
	}
	p, err := Start(Config{Command: []string{self, "fake-worker"}})
	if err != nil {
		return "", err
	}
	var out recorder
	_, err = p.Run(context.Background(), script("out a"), &out)
	return out.String(), errors.Join(err, p.Close())
}

// FuzzFrames has whole frames with any message in any order.
func FuzzFrames(f *testing.F) {
	messages := []pipe.Message{
		&pipe.Begin{Main: true}, &pipe.Begin{}, &pipe.Shown{}, &pipe.Count{Statements: -1}, &pipe.Delivered{}, &pipe.Seen{},
		&pipe.Adopted{}, &pipe.Saved{}, &pipe.Failed{}, &pipe.Declared{}, &pipe.Stream{Name: "x"},
		&pipe.Display{}, &pipe.Clear{}, &pipe.Page{}, &pipe.NextInput{}, &pipe.Comm{}, &pipe.Question{}, &pipe.Deep{}, &pipe.Signalled{},
		&pipe.Forget{}, &pipe.Run{}, &pipe.Load{}, &pipe.Interrupt{}, &pipe.Line{}, &pipe.Memory{},
		&pipe.Failed{Failure: pipe.Failure{Runtime: &program.RuntimeError{}, Canceled: true}},
		&pipe.Stream{Name: "stderr", Text: pipe.Blob{Data: []byte("\xe4")}},
		&pipe.Comm{CommMessage: program.CommMessage{Kind: "open"}, Buffers: []pipe.Blob{{}}},
	}
	f.Add([]byte{0, 2, 2, 19, 2}, []byte("{}"))
	f.Add([]byte{18, 28 + 2, 17, 57 + 8, 16}, []byte(`{"Bundle":{"data":{"text/plain":null}},"Failure":{"Runtime":{"Frames":[{}]}}}`))
	f.Fuzz(func(t *testing.T, order, text []byte) {
		if len(order) > 100 {
			return
		}
		gone := make(chan struct{})
		close(gone) // there is no child to kill
		commands, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer commands.Close()
		c := &connection{jobs: map[int]*job{}, exited: gone, gone: gone, commands: commands}
		for cell := 1; cell <= 2; cell++ {
			prog := &program.Program{Cell: cell, Declared: func() {}}
			j := newJob(t.Context(), cell, &pipe.Run{Program: prog}, &recorder{})
			defer j.cancel(nil)
			c.jobs[cell] = j
		}
		p := &pump{c: c}
		for _, b := range order {
			m := messages[int(b)%len(messages)]
			data, err := pipe.Encode(&pipe.Frame{Cell: int(b) % 4, Message: m})
			if err != nil {
				t.Fatal(err)
			}
			if b >= 128 { // with the text as its JSON
				data = withText(data, text)
			}
			p.frames.Add(data)
			for {
				f, err := p.frames.Next()
				if err != nil {
					p.frames = nil
				}
				if f == nil {
					break
				}
				p.handle(f)
			}
			p.stream("stdout", text)
		}
		for _, j := range c.running() {
			j.end(nil, nil)
		}
	})
}

// withText returns a frame with another JSON.
func withText(frame, text []byte) []byte {
	const kindAndCell = 4 + 1 + 8
	changed := append([]byte(nil), frame[:kindAndCell]...)
	changed = append(changed, byte(len(text)>>24), byte(len(text)>>16), byte(len(text)>>8), byte(len(text)))
	changed = append(changed, text...)
	size := len(changed) - 4
	copy(changed, []byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)})
	return changed
}
