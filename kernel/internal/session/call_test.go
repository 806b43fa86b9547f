package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

// caller is a client with a comm that runs code when it is called, and a subshell.
type caller struct {
	*wiretest.Client
	t         *testing.T
	subshell  string
	evaluator *fake
}

func newCaller(t *testing.T) caller {
	c, evaluator := connectedTo(t)
	sendComm(c, "open", map[string]any{"comm_id": "k", "target_name": "cell", "data": map[string]any{}})
	return caller{c, t, subshell(t, c), evaluator}
}

// calls has the comm ask for a call, from the subshell, that runs the code. It returns the id of
// the message.
func (c caller) calls(code string) string {
	c.Subshell = c.subshell
	defer func() { c.Subshell = "" }()
	id, frames := c.Build("comm_msg", map[string]any{"comm_id": "k", "data": map[string]any{"code": "comm call k", "later": code}}, nil)
	c.SendFrames("shell", frames)
	return id
}

// until returns the texts that are published up to one that contains the last.
func (c caller) until(last string) (texts []string) {
	c.t.Helper()
	for {
		m := c.Recv("iopub")
		if m.Type() != "stream" {
			continue
		}
		texts = append(texts, strings.Fields(fmt.Sprint(m.Content["text"]))...)
		if strings.Contains(fmt.Sprint(m.Content["text"]), last) {
			return texts
		}
	}
}

func TestCallsTakeTurnsWithCells(t *testing.T) {
	c := newCaller(t)
	c.Send("shell", "execute_request", code("print stdout begin\nawait end\nprint stdout end"))
	c.until("begin")
	c.calls("print stdout called")
	waitFor(t, c.Client, c.calls("print stdout called"), "status")
	close(c.evaluator.gate("end"))
	if got := c.until("called"); !slices.Equal(got, []string{"end", "called"}) {
		t.Errorf("with a cell that runs: %q", got)
	}
	c.until("called")
	c.calls("print stdout on\nawait off\nprint stdout off")
	c.until("on")
	c.calls("print stdout next")
	waitFor(t, c.Client, c.Send("shell", "execute_request", code("print stdout cell")), "execute_input")
	close(c.evaluator.gate("off"))
	got := append(c.until("off"), c.until("cell")...)
	if i := slices.Index(got, "next"); i < 0 {
		got = append(got, c.until("next")...)
	}
	if got[0] != "off" || len(got) != 3 {
		t.Errorf("while a call runs: %q", got)
	}
}

// TestMessagesArriveDuringACall does so on the shell that runs cells, too.
func TestMessagesArriveDuringACall(t *testing.T) {
	c := newCaller(t)
	called := c.calls("print stdout on\nsleep 60")
	c.until("on")
	published := sendComm(c.Client, "msg", map[string]any{"comm_id": "k", "data": map[string]any{"code": "print stdout meanwhile"}})
	if got := strings.Join(briefs(published), " "); got != "busy stream idle" {
		t.Errorf("iopub: %s", got)
	}
	waiting := c.Send("shell", "execute_request", code("hello"))
	waitFor(t, c.Client, waiting, "execute_input")
	ask(t, c.Client, "interrupt_request", nil)
	if got := strings.Join(c.until("ename"), " "); !strings.Contains(got, `"ename":"Interrupted"`) {
		t.Errorf("the comm is told %s", got)
	}
	if m := c.Recv("shell"); m.ParentID() != waiting || m.Content["ename"] != "Interrupted" {
		t.Errorf("the cell that waits: %v", m.Content)
	}
	if got := briefs(c.UntilIdle(called)); got[len(got)-1] != "idle" {
		t.Errorf("after the call: %q", got)
	}
}

func TestCallsThatFail(t *testing.T) {
	c := newCaller(t)
	c.calls("raise")
	if got := strings.Join(c.until("ename"), ""); got != `{"ename":"panic","evalue":"raised","traceback":["\u001b[31mpanic:raised\u001b[0m"]}` {
		t.Errorf("the comm is told %s", got)
	}
	c.calls("die")
	if got := openComms(c.Client, ""); got != "map[]" && got != "map[k:map[target_name:cell]]" {
		t.Errorf("open: %s", got)
	}
	for openComms(c.Client, "") != "map[]" {
	}
}
