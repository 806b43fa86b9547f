package script

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
	nbdisplay "github.com/hierml/notebook/stdlib/display"
)

func bundle(s string) *program.Bundle { return &program.Bundle{Data: map[string]any{"text/plain": s}} }

func TestOutput(t *testing.T) {
	for _, test := range []struct {
		name           string
		show           func(o *Output)
		file, terminal string
	}{
		{"streams", func(o *Output) {
			o.Stream("stdout", "a")
			o.Stream("stderr", "b")
			o.Stream("stdout", "c\n")
		}, "a<b>c\n", "a<b>c\n"},
		{"displays", func(o *Output) {
			o.Display(bundle("one\n"), "1", false)
			o.Display(bundle("two"), "2", false)
			o.Display(nil, "", false)
			o.Stream("stdout", "three\n")
		}, "one\ntwo\nthree\n", "one\ntwo\nthree\n"},
		{"progress", func(o *Output) {
			o.Display(bundle("10 %"), "bar", false)
			o.Display(bundle("20 %"), "bar", true)
			o.Display(bundle("30 %"), "bar", true)
			o.Stream("stdout", "x")
			o.Display(bundle("40 %"), "bar", true)
		}, "30 %\nx40 %\n", "10 %\r\x1b[K20 %\r\x1b[K30 %\nx40 %\n"},
		{"update of many lines", func(o *Output) {
			o.Display(bundle("a\nb"), "1", false)
			o.Display(bundle("c"), "1", true)
		}, "c\n", "a\nb\nc\n"},
		// The finding html_terminal: what is displayed may be of data.
		{"orders to the terminal", func(o *Output) {
			o.Display(bundle("a\x1b]52;c;eA==\x07\u202eb"), "1", false)
			o.Stream("stdout", "\x1b[1mown\n")
		}, "a\\x1b]52;c;eA==\\x07\\u202eb\n\x1b[1mown\n", "a\\x1b]52;c;eA==\\x07\\u202eb\n\x1b[1mown\n"},
		{"no text", func(o *Output) {
			o.Display(&program.Bundle{Data: map[string]any{"image/png": []byte{1}}}, "", false)
			o.Clear(false)
		}, "(1 representations, none of them text)\n", "(1 representations, none of them text)\n"},
		{"no data", func(o *Output) {
			o.Display(&program.Bundle{}, "", false)
			o.Stream("stdout", "a\n")
		}, "a\n", "a\n"},
		{"question", func(o *Output) {
			o.Display(bundle("shown"), "1", false)
			line, err := o.Input(context.Background(), "name? ", false)
			o.Stream("stdout", line)
			if err != nil {
				o.Stream("stdout", err.Error())
			}
		}, "shown\n<name? >answer", "shown\n<name? >answer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for terminal, want := range map[bool]string{false: test.file, true: test.terminal} {
				var both bytes.Buffer
				o := NewOutput(strings.NewReader("answer\nmore\n"), &both, marked{&both})
				o.terminal = terminal
				test.show(o)
				if err := o.Close(); err != nil {
					t.Fatal(err)
				}
				if both.String() != want {
					t.Errorf("terminal %t: wrote %q, want %q", terminal, &both, want)
				}
			}
		})
	}
}

// marked puts what is written to it between < and >.
type marked struct{ w io.Writer }

func (m marked) Write(p []byte) (int, error) {
	_, err := io.WriteString(m.w, "<"+string(p)+">")
	return len(p), err
}

func TestInputEnds(t *testing.T) {
	o := NewOutput(strings.NewReader("last"), io.Discard, io.Discard)
	if line, err := o.Input(t.Context(), "", false); line != "last" || err != nil {
		t.Errorf("a last line without an end: %q, %v", line, err)
	}
	if _, err := o.Input(t.Context(), "", true); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last line: %v", err)
	}
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewOutput(r, io.Discard, io.Discard).Input(ctx, "", false); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted question: %v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestOutputFails(t *testing.T) {
	o := NewOutput(strings.NewReader(""), broken{}, io.Discard)
	o.Stream("stdout", "x")
	if err := o.Close(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Close returned %v", err)
	}
}

// TestBarsAreNotWrittenToFiles shows what is shown for a while only: a file has nothing of it.
func TestBarsAreNotWrittenToFiles(t *testing.T) {
	var out strings.Builder
	o := NewOutput(strings.NewReader(""), &out, &out)
	metadata := map[string]any{nbdisplay.Transient: true}
	o.Display(&program.Bundle{Data: map[string]any{"text/plain": "training [█···]"}, Metadata: metadata}, "bar", false)
	o.Stream("stdout", "a line\n")
	o.Display(&program.Bundle{Data: map[string]any{}, Metadata: metadata}, "bar", true)
	if err := o.Close(); err != nil || out.String() != "a line\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	// A terminal has it until it is removed.
	out.Reset()
	o.terminal = true
	o.Display(&program.Bundle{Data: map[string]any{"text/plain": "training"}, Metadata: metadata}, "bar", false)
	o.Display(&program.Bundle{Data: map[string]any{}, Metadata: metadata}, "bar", true)
	if err := o.Close(); err != nil || out.String() != "training\r\x1b[K" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}
