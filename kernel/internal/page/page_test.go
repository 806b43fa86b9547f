package page

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

// connected returns a client of a kernel in this process, which has the declarations of cells
// before.
func connected(t *testing.T, before ...string) (*Kernel, *wiretest.Client) {
	t.Helper()
	hub := wiretest.NewHub()
	k, err := New(hub.Transport, func() { t.Error("the kernel is to be killed") }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	k.Declare(t.Context(), before)
	c := hub.Dial(t)
	ended := make(chan error, 1)
	// The context of a test ends before what it cleans up, and the kernel would not answer.
	go func() { ended <- k.Serve(context.WithoutCancel(t.Context())) }()
	t.Cleanup(func() {
		c.Ask("control", "shutdown_request", map[string]any{"restart": false})
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return k, c
}

func code(source string) map[string]any { return map[string]any{"code": source} }

// text returns what messages show as text.
func text(messages []*wiretest.Message) string {
	var all []string
	for _, m := range messages {
		switch {
		case m.Type() == "stream":
			all = append(all, m.Content["name"].(string)+" "+m.Content["text"].(string))
		case m.Content["data"] != nil:
			all = append(all, m.Content["data"].(map[string]any)["text/plain"].(string))
		case m.Type() == "error":
			all = append(all, m.Content["ename"].(string)+": "+m.Content["evalue"].(string))
		case m.Brief() != "busy" && m.Brief() != "idle" && m.Type() != "execute_input":
			all = append(all, m.Brief())
		}
	}
	return strings.Join(all, "|")
}

// TestOneShell holds that clients hear of no subshells: in a page the worker that had them may end,
// and another take its place.
func TestOneShell(t *testing.T) {
	_, c := connected(t)
	if info := c.Ask("shell", "kernel_info_request", nil); fmt.Sprint(info.Content["supported_features"]) != "[]" {
		t.Errorf("the features are %v", info.Content["supported_features"])
	}
	if reply := c.Ask("control", "create_subshell_request", nil); reply.Content["status"] != "error" {
		t.Errorf("create_subshell_reply is %v", reply.Content)
	}
}

func TestCells(t *testing.T) {
	k, c := connected(t)
	for _, test := range []struct{ source, want string }{
		{"1+2", "3"},
		{`fmt.Println("a"); fmt.Fprintln(os.Stderr, "b"); "c"`, "stdout a\n|stderr b\n|c"},
		{"x := []int{1, 2}", ""},
		{"x[2]", "panic: runtime error: index out of range [2] with length 2"},
		{"x", "[1 2]"},
		{"y := undefinedName", "CompileError: Cell [6]:1:6: undefined: undefinedName"},
		{`nb.Display("shown"); nb.Clear()`, "shown|clear_output"},
		{"panic(errors.New(\"broken\"))", "panic: broken"},
		{`done := make(chan bool); go func() { fmt.Print("from a goroutine"); done <- true }(); <-done`, "stdout from a goroutine|true"},
		{"%reset", "stdout The session is new: 2 names are forgotten.\n"},
		{"x", "CompileError: Cell [11]:1:1: undefined: x"},
		{`import "golang.org/x/exp/rand"`, `CompileError: Cell [12]:1:8: package golang.org/x/exp/rand is not available: ` +
			`cells import the standard library, gonum, gonum/plot and hierml; did you mean "math/rand/v2"?; ` +
			"compiled cells import packages of all modules, but cells cannot be compiled: " + errNoCompiler.Error()},
		{"%engine compiled", "Refused: Cell [13]: cells cannot be compiled: " + errNoCompiler.Error()},
	} {
		_, published := c.Execute(code(test.source))
		if got := text(published); got != test.want {
			t.Errorf("%s\nshows %q,\nwant  %q", test.source, got, test.want)
		}
	}
	go func() {
		if _, err := k.Write("stdout", []byte("written to a file")); err != nil {
			t.Error(err)
		}
	}()
	for {
		if m := c.Recv("iopub"); m.Type() == "stream" {
			if m.Content["text"] != "written to a file" {
				t.Errorf("what was written is shown as %v", m.Content)
			}
			break
		}
	}
}

// What cells of an earlier kernel had declared is there, and they are not run.
func TestDeclare(t *testing.T) {
	_, c := connected(t, "import \"math/cmplx\"\ntype point struct{ x int }\nfmt.Println(\"again\")\np := point{1}",
		"func (p point) twice() int { return factor * p.x }",
		"const factor = 2\nfunc uses() int { return p.x }\n",
		"func (p point) twice() int { return factor * p.x }",
		"func broken( {",
		"package main\nfunc main() { os.Setenv(\"DECLARED\", \"run\") }",
	)
	for _, test := range []struct{ source, want string }{
		{"point{21}.twice()", "42"},
		{"cmplx.Abs(3+4i)", "5"},
		{"p", "CompileError: Cell [3]:1:1: undefined: p"},
		{"uses()", "CompileError: Cell [4]:1:1: undefined: uses (an earlier cell, which would declare it, did not run)"},
		{"_, run := os.LookupEnv(\"DECLARED\")\nrun", "false"},
	} {
		if _, published := c.Execute(code(test.source)); text(published) != test.want {
			t.Errorf("%s shows %q, want %q", test.source, text(published), test.want)
		}
	}
}

func TestInputAndInterrupt(t *testing.T) {
	_, c := connected(t)
	c.Send("shell", "execute_request", code(`name := nb.Input("name?"); "hello " + name`))
	if m := c.Recv("stdin"); m.Content["prompt"] != "name?" {
		t.Errorf("the question is %v", m.Content)
	}
	c.Send("stdin", "input_reply", map[string]any{"value": "you"})
	if got := text(c.UntilIdle(c.Recv("shell").ParentID())); got != "hello you" {
		t.Errorf("the answer is %q", got)
	}
	for _, source := range []string{"fmt.Print(1); for {}", "fmt.Print(1); select {}", `fmt.Print(1); nb.Input("")`} {
		id := c.Send("shell", "execute_request", code(source))
		for c.Recv("iopub").Type() != "stream" {
		}
		c.Ask("control", "interrupt_request", nil)
		if m := c.Recv("shell"); m.ParentID() != id || m.Content["ename"] != "Interrupted" {
			t.Errorf("%s: %v", source, m.Content)
		}
	}
	if _, published := c.Execute(code("name")); text(published) != "you" {
		t.Errorf("after the interrupts name is %q", text(published))
	}
}

func TestStopDeep(t *testing.T) {
	k, c := connected(t)
	c.Execute(code("kept := 1"))
	c.Send("shell", "execute_request", code("fmt.Print(1); select {}"))
	for c.Recv("iopub").Type() != "stream" {
	}
	k.StopDeep()
	if m := c.Recv("shell"); m.Content["ename"] != "StackOverflow" {
		t.Errorf("the cell ended by %v", m.Content)
	}
	if _, published := c.Execute(code("kept")); text(published) != "1" {
		t.Errorf("kept is %q", text(published))
	}
}

func TestWidgets(t *testing.T) {
	_, c := connected(t)
	_, published := c.Execute(code(`s := nb.IntSlider(0, 10, 3); nb.Display(s)`))
	opened := 0
	for _, m := range published {
		if m.Type() == "comm_open" {
			opened++
		}
	}
	if opened == 0 {
		t.Errorf("no model was opened: %s", text(published))
	}
}
