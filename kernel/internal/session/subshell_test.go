package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

// prompt is how soon a kernel answers that has nothing to wait for: far below the minute for which
// cells sleep meanwhile, and far above what a busy machine takes.
const prompt = 20 * time.Second

// ask asks on control and wants the answer at once.
func ask(t *testing.T, c *wiretest.Client, msgType string, content any) map[string]any {
	t.Helper()
	start := time.Now()
	m := c.Ask("control", msgType, content)
	if d := time.Since(start); d > prompt {
		t.Errorf("%s took %v", msgType, d)
	}
	return m.Content
}

// subshell creates a subshell and returns its id.
func subshell(t *testing.T, c *wiretest.Client) string {
	t.Helper()
	reply := ask(t, c, "create_subshell_request", nil)
	id, _ := reply["subshell_id"].(string)
	if reply["status"] != "ok" || id == "" {
		t.Fatalf("create_subshell_reply is %v", reply)
	}
	return id
}

func TestSubshells(t *testing.T) {
	c := connected(t)
	m := c.Ask("shell", "kernel_info_request", nil)
	if got := fmt.Sprint(m.Content["supported_features"]); got != "[kernel subshells]" {
		t.Errorf("supported_features is %s", got)
	}
	main := c.Send("shell", "execute_request", code("sleep 60"))
	waitFor(t, c, main, "execute_input")
	a, b := subshell(t, c), subshell(t, c)
	if got := ask(t, c, "list_subshell_request", nil); fmt.Sprint(got["subshell_id"]) != fmt.Sprintf("[%s %s]", a, b) {
		t.Errorf("list_subshell_reply is %v", got)
	}
	for i, id := range []string{a, b, a} {
		c.Subshell = id
		reply, published := c.Execute(code("print stdout in\nhello"))
		if reply.Content["status"] != "ok" || reply.Content["execution_count"] != float64(i+2) {
			t.Errorf("in a subshell: %v", reply.Content)
		}
		if got := briefs(published); !slices.Equal(got, []string{"busy", "execute_input", "stream", "execute_result", "idle"}) {
			t.Errorf("in a subshell: iopub %v", got)
		}
		// Front ends are reminded that the other cell still runs.
		if m := c.Recv("iopub"); m.Brief() != "busy" || m.ParentID() != main {
			t.Errorf("after a subshell's cell: %s for %s", m.Brief(), m.ParentID())
		}
	}
	c.Subshell = ""
	if got := ask(t, c, "delete_subshell_request", map[string]any{"subshell_id": a}); got["status"] != "ok" {
		t.Errorf("delete_subshell_reply is %v", got)
	}
	for _, id := range []any{a, "", "nonsense", nil, 5} {
		if got := ask(t, c, "delete_subshell_request", map[string]any{"subshell_id": id}); got["status"] != "error" {
			t.Errorf("deletion of %v: %v", id, got)
		}
	}
	if got := ask(t, c, "list_subshell_request", nil); fmt.Sprint(got["subshell_id"]) != fmt.Sprintf("[%s]", b) {
		t.Errorf("list_subshell_reply is %v", got)
	}
	c.Ask("control", "interrupt_request", nil)
	if m := c.Recv("shell"); m.ParentID() != main || m.Content["ename"] != "Interrupted" {
		t.Errorf("the main shell's cell: %v", m.Content)
	}
}

func TestUnknownSubshell(t *testing.T) {
	c := connected(t)
	c.Subshell = "nonsense"
	for _, channel := range []string{"shell", "control"} {
		m := c.Ask(channel, "execute_request", code("hello"))
		if m.Content["ename"] != "UnknownSubshell" || m.Content["execution_count"] != 0.0 || !strings.Contains(fmt.Sprint(m.Content["evalue"]), "nonsense") {
			t.Errorf("%s: reply %v", channel, m.Content)
		}
		if got := briefs(c.UntilIdle(m.ParentID())); !slices.Equal(got, []string{"busy", "idle"}) {
			t.Errorf("%s: iopub %v", channel, got)
		}
	}
	if m := c.Ask("shell", "kernel_info_request", nil); m.Content["status"] != "error" || m.Type() != "kernel_info_reply" {
		t.Errorf("%s: %v", m.Type(), m.Content)
	}
	// What has no reply has none here either.
	id := c.Send("shell", "comm_open", map[string]any{"comm_id": "c", "target_name": "echo"})
	if got := briefs(c.UntilIdle(id)); !slices.Equal(got, []string{"busy", "idle"}) {
		t.Errorf("comm_open: iopub %v", got)
	}
	c.Subshell = ""
	c.Ask("shell", "kernel_info_request", nil) // is the next message
}

func TestSubshellsAreBounded(t *testing.T) {
	c := connected(t)
	ids := make([]string, maxSubshells)
	for i := range ids {
		ids[i] = subshell(t, c)
	}
	if got := ask(t, c, "create_subshell_request", nil); got["status"] != "error" {
		t.Errorf("one subshell too many: %v", got)
	}
	for _, id := range ids {
		ask(t, c, "delete_subshell_request", map[string]any{"subshell_id": id})
	}
	for deadline := time.Now().Add(wiretest.Patience); ; {
		if ask(t, c, "create_subshell_request", nil)["status"] == "ok" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no subshell after all were deleted")
		}
	}
}

// A failing cell aborts the queue of its own shell only, and an interrupt ends the cells of all
// shells.
func TestShellsHaveTheirOwnQueues(t *testing.T) {
	c, evaluator := connectedTo(t)
	id := subshell(t, c)
	send := func(shell, source string) string {
		c.Subshell = shell
		defer func() { c.Subshell = "" }()
		return c.Send("shell", "execute_request", code(source))
	}
	names := func(n int) map[string]any {
		found := make(map[string]any)
		for range n {
			m := c.Recv("shell")
			found[m.ParentID()] = m.Content["ename"]
		}
		return found
	}
	failing, aborted := send("", "await sent\nraise"), send("", "hello")
	waitFor(t, c, failing, "execute_input")
	sleeping, waiting := send(id, "await failed"), send(id, "hello")
	c.Ask("shell", "is_complete_request", map[string]any{"code": "x"}) // is answered while a cell runs, when all have come
	close(evaluator.gate("sent"))
	got := names(2)
	close(evaluator.gate("failed"))
	maps.Copy(got, names(2))
	for cell, want := range map[string]any{failing: "panic", aborted: "Aborted", sleeping: nil, waiting: nil} {
		if got[cell] != want {
			t.Errorf("%s: ename %v, want %v", cell, got[cell], want)
		}
	}
	a, behindA := send("", "sleep 60"), send("", "hello")
	waitFor(t, c, a, "execute_input")
	b, behindB := send(id, "sleep 60"), send(id, "hello")
	waitFor(t, c, b, "execute_input")
	ask(t, c, "interrupt_request", nil)
	got = names(4)
	for cell, want := range map[string]any{a: "Interrupted", b: "Interrupted", behindA: "Aborted", behindB: "Aborted"} {
		if got[cell] != want {
			t.Errorf("%s: ename %v, want %v", cell, got[cell], want)
		}
	}
}

func TestDeletedSubshellEndsItsCells(t *testing.T) {
	c := connected(t)
	c.Subshell = subshell(t, c)
	id := c.Subshell
	first := c.Send("shell", "execute_request", code("sleep 60"))
	waitFor(t, c, first, "execute_input")
	second := c.Send("shell", "execute_request", code("hello"))
	third := c.Send("shell", "connect_request", nil)
	c.Subshell = ""
	main := c.Ask("shell", "kernel_info_request", nil) // so that those before it are queued
	c.UntilIdle(main.ParentID())
	ask(t, c, "delete_subshell_request", map[string]any{"subshell_id": id})
	got := make(map[string]any)
	for range 3 {
		m := c.Recv("shell")
		got[m.ParentID()] = m.Content["ename"]
	}
	for cell, want := range map[string]any{first: "Interrupted", second: "Aborted", third: "Aborted"} {
		if got[cell] != want {
			t.Errorf("%s: ename %v, want %v", cell, got[cell], want)
		}
	}
}

// What needs nothing of the cell is answered while it runs, in a subshell too.
func TestQuickRequestsInABusySubshell(t *testing.T) {
	c := connected(t)
	c.Subshell = subshell(t, c)
	cell := c.Send("shell", "execute_request", code("sleep 60"))
	waitFor(t, c, cell, "execute_input")
	for msgType, handler := range handlers {
		if !handler.concurrent {
			continue
		}
		start := time.Now()
		m := c.Ask("shell", msgType, map[string]any{"code": "x", "hist_access_type": "tail"})
		refused := msgType == "debug_request" // the evaluator of these tests knows no debugger
		if d := time.Since(start); d > prompt || (m.Content["status"] == "error") != refused {
			t.Errorf("%s: %v after %v", msgType, m.Content, d)
		}
	}
	ask(t, c, "interrupt_request", nil)
}

// Questions of two cells are asked one after the other, and the one that waits can be interrupted.
func TestQuestionsTakeTurns(t *testing.T) {
	c := connected(t)
	id := subshell(t, c)
	first := c.Send("shell", "execute_request", code("input first"))
	if m := c.Recv("stdin"); m.ParentID() != first {
		t.Fatalf("%v asks", m.Content)
	}
	c.Subshell = id
	second := c.Send("shell", "execute_request", code("input second"))
	if m := c.Poll("stdin", 100*time.Millisecond); m != nil {
		t.Errorf("%v is asked meanwhile", m.Content["prompt"])
	}
	c.Send("stdin", "input_reply", map[string]string{"value": "one"})
	if m := c.Recv("stdin"); m.ParentID() != second || m.Content["prompt"] != "second" {
		t.Errorf("%v is asked next", m.Content)
	}
	if m := c.Recv("shell"); m.ParentID() != first || m.Content["status"] != "ok" {
		t.Errorf("the first cell: %v", m.Content)
	}
	c.Subshell = ""
	third := c.Send("shell", "execute_request", code("input third"))
	waitFor(t, c, third, "execute_input")
	ask(t, c, "interrupt_request", nil)
	for range 2 {
		if m := c.Recv("shell"); m.Content["ename"] != "Interrupted" {
			t.Errorf("after an interrupt: %v", m.Content)
		}
	}
}

func TestShutdownEndsSubshells(t *testing.T) {
	info := wiretest.TCP(t)
	_, ended := serve(t, info)
	c := wiretest.Dial(t, info)
	for _, id := range []string{subshell(t, c), subshell(t, c), ""} {
		c.Subshell = id
		cell := c.Send("shell", "execute_request", code("sleep 60"))
		waitFor(t, c, cell, "execute_input")
	}
	c.Subshell = ""
	c.Ask("control", "shutdown_request", nil)
	for range 3 {
		if m := c.Recv("shell"); m.Content["ename"] != "Interrupted" {
			t.Errorf("reply %v", m.Content)
		}
	}
	select {
	case err := <-ended:
		ended <- err
	case <-time.After(wiretest.Patience):
		t.Fatal("the kernel does not end")
	}
}
