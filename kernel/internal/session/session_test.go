package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"log/slog"

	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
	"github.com/hierml/notebook/kernel/internal/wire/zmq"
)

// serve runs a session with a fake evaluator until the test ends.
func serve(t *testing.T, info wiretest.Info) (evaluator *fake, ended chan error) {
	t.Helper()
	evaluator = &fake{}
	ended = make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	file := info.File(t)
	go func() {
		ended <- Serve(ctx, file, evaluator.open, Config{Version: "1.2.3", Log: slog.New(slog.DiscardHandler)})
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(wiretest.Patience):
			t.Error("Serve does not end")
		}
	})
	return evaluator, ended
}

func connected(t *testing.T) *wiretest.Client {
	t.Helper()
	c, _ := connectedTo(t)
	return c
}

// connectedTo is connected, and returns the evaluator besides.
func connectedTo(t *testing.T) (*wiretest.Client, *fake) {
	t.Helper()
	info := wiretest.TCP(t)
	evaluator, _ := serve(t, info)
	return wiretest.Dial(t, info), evaluator
}

func code(source string) map[string]any { return map[string]any{"code": source} }

func briefs(messages []*wiretest.Message) []string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Brief())
	}
	return all
}

func TestExecuteMessages(t *testing.T) {
	c := connected(t)
	tests := []struct {
		name    string
		content map[string]any
		iopub   string
		status  string
		count   float64
	}{
		{"value", code("hello"), "busy execute_input execute_result idle", "ok", 1},
		{"no value", code(""), "busy execute_input idle", "ok", 2},
		{"streams", code("print stdout a\nprint stdout b\nprint stderr c\nprint stdout d"), "busy execute_input stream stream stream idle", "ok", 3},
		{"stream before display", code("print stdout a\ndisplay 3\nprint stdout b"), "busy execute_input stream display_data stream idle", "ok", 4},
		{"display twice", code("display 1 a\ndisplay 2 a update"), "busy execute_input display_data update_display_data idle", "ok", 5},
		{"clear", code("clear"), "busy execute_input clear_output idle", "ok", 6},
		{"error", code("raise"), "busy execute_input error idle", "error", 7},
		{"crash", code("crash"), "busy execute_input error idle", "error", 8},
		{"silent", map[string]any{"code": "print stdout a\ndisplay 1\nhello", "silent": true}, "busy idle", "ok", 9},
		{"silent error", map[string]any{"code": "raise", "silent": true}, "busy idle", "error", 9},
		{"not stored", map[string]any{"code": "hello", "store_history": false}, "busy execute_input execute_result idle", "ok", 9},
		{"stored again", code("hello"), "busy execute_input execute_result idle", "ok", 9},
		{"unencodable", code("nan"), "busy execute_input stream execute_result idle", "ok", 10},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reply, published := c.Execute(test.content)
			if got := strings.Join(briefs(published), " "); got != test.iopub {
				t.Errorf("iopub: %s, want %s", got, test.iopub)
			}
			if reply.Content["status"] != test.status {
				t.Errorf("status %v, want %s", reply.Content["status"], test.status)
			}
			if reply.Content["execution_count"] != test.count {
				t.Errorf("execution_count %v, want %v", reply.Content["execution_count"], test.count)
			}
			for _, m := range published {
				if n, ok := m.Content["execution_count"]; ok && n != test.count {
					t.Errorf("execution_count %v in %s, want %v", n, m.Type(), test.count)
				}
			}
		})
	}
}

func TestExecuteErrorIsComplete(t *testing.T) {
	c := connected(t)
	reply, published := c.Execute(code("raise"))
	for _, content := range []map[string]any{reply.Content, published[2].Content} {
		if content["ename"] != "panic" || content["evalue"] != "raised" || fmt.Sprint(content["traceback"]) != "[\x1b[31mpanic: raised\x1b[0m]" {
			t.Errorf("error is %v", content)
		}
	}
	if reply.Content["user_expressions"] == nil || reply.Content["payload"] == nil {
		t.Errorf("reply without user_expressions or payload: %v", reply.Content)
	}
}

func TestExecuteOfBadContent(t *testing.T) {
	c := connected(t)
	for _, content := range []string{`[]`, `nonsense`, `{"code": 7}`, `{"code": "1", "silent": "yes"}`, ``} {
		reply := c.Ask("shell", "execute_request", []byte(content))
		if reply.Content["status"] != "error" || reply.Content["execution_count"] != 0.0 {
			t.Errorf("%s: reply %v", content, reply.Content)
		}
		if got := briefs(c.UntilIdle(reply.ParentID())); !slices.Equal(got, []string{"busy", "idle"}) {
			t.Errorf("%s: iopub %v", content, got)
		}
	}
}

func TestUserExpressions(t *testing.T) {
	c := connected(t)
	reply, published := c.Execute(map[string]any{"code": "", "user_expressions": map[string]string{"a": "hello", "b": "raise", "c": ""}})
	if got := briefs(published); !slices.Equal(got, []string{"busy", "execute_input", "idle"}) {
		t.Errorf("iopub %v", got)
	}
	expressions := reply.Content["user_expressions"].(map[string]any)
	a, b, none := expressions["a"].(map[string]any), expressions["b"].(map[string]any), expressions["c"].(map[string]any)
	if a["status"] != "ok" || a["data"].(map[string]any)["text/plain"] != "hello" || a["metadata"] == nil {
		t.Errorf("a = %v", a)
	}
	if b["status"] != "error" || b["ename"] != "panic" {
		t.Errorf("b = %v", b)
	}
	if none["status"] != "error" {
		t.Errorf("c = %v", none)
	}
}

// TestCounts looks at the counts of cells, and at which of them others may know.
func TestCounts(t *testing.T) {
	c := connected(t)
	for _, test := range []struct {
		content map[string]any
		want    string
	}{
		{map[string]any{"code": "count"}, "1 false"},
		{map[string]any{"code": "count", "store_history": false}, "2 true"},
		{map[string]any{"code": "", "silent": true, "user_expressions": map[string]string{"a": "count"}}, "0 true"},
		{map[string]any{"code": "count"}, "2 false"},
	} {
		reply, published := c.Execute(test.content)
		got := ""
		for _, m := range published {
			if m.Type() == "execute_result" {
				got, _ = m.Content["data"].(map[string]any)["text/plain"].(string)
			}
		}
		if a, ok := reply.Content["user_expressions"].(map[string]any)["a"].(map[string]any); ok {
			got, _ = a["data"].(map[string]any)["text/plain"].(string)
		}
		if got != test.want {
			t.Errorf("%v: %q, want %q", test.content, got, test.want)
		}
	}
}

func TestStopOnErrorAbortsTheQueue(t *testing.T) {
	c, evaluator := connectedTo(t)
	for _, stop := range []bool{true, false} {
		var ids []string
		sent := fmt.Sprint("sent", stop)
		for i, source := range []string{"await " + sent + "\nraise", "hello", "hello"} {
			ids = append(ids, c.Send("shell", "execute_request", map[string]any{"code": source, "stop_on_error": stop}))
			if i == 0 {
				waitFor(t, c, ids[0], "execute_input")
			}
		}
		info := c.Send("shell", "kernel_info_request", nil)
		// This is answered while the cell runs, and so when all before it have come.
		c.Ask("shell", "is_complete_request", map[string]any{"code": "x"})
		close(evaluator.gate(sent))
		want := []string{"error", "ok", "ok"}
		if stop {
			want = []string{"error", "error", "error"}
		}
		for i, id := range ids {
			m := c.Recv("shell")
			if m.ParentID() != id || m.Content["status"] != want[i] {
				t.Errorf("stop_on_error %v: reply %d is %v, want %s", stop, i, m.Content, want[i])
			}
			if m.Content["execution_count"] == nil {
				t.Errorf("stop_on_error %v: reply %d has no execution_count", stop, i)
			}
		}
		if m := c.Recv("shell"); m.ParentID() != info || m.Type() != "kernel_info_reply" {
			t.Errorf("stop_on_error %v: kernel_info was answered by %s", stop, m.Type())
		}
		c.UntilIdle(info)
	}
}

func TestInterrupt(t *testing.T) {
	c := connected(t)
	by := map[string]func(){
		"message": func() {
			if m := c.Ask("control", "interrupt_request", nil); m.Content["status"] != "ok" {
				t.Errorf("interrupt_reply is %v", m.Content)
			}
		},
		"signal": func() {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Signal(os.Interrupt)
			}
			if err != nil {
				t.Error(err)
			}
		},
	}
	for name, interrupt := range by {
		t.Run(name, func(t *testing.T) {
			interrupt() // while idle: nothing happens
			first := c.Send("shell", "execute_request", map[string]any{"code": "sleep 60", "stop_on_error": false})
			second := c.Send("shell", "execute_request", code("hello"))
			waitFor(t, c, first, "execute_input")
			interrupt()
			m := c.Recv("shell")
			if m.ParentID() != first || m.Content["ename"] != "Interrupted" {
				t.Errorf("reply %v", m.Content)
			}
			if m := c.Recv("shell"); m.ParentID() != second || m.Content["ename"] != "Aborted" {
				t.Errorf("the cell behind it: %v", m.Content)
			}
			if reply, _ := c.Execute(code("hello")); reply.Content["status"] != "ok" {
				t.Errorf("afterwards: %v", reply.Content)
			}
		})
	}
}

// Of cells that were sent before an interrupt none runs, however many there are
// (session_flood_interrupt).
func TestInterruptAbortsAllThatWait(t *testing.T) {
	c := connected(t)
	const n = 5000
	first := c.Send("shell", "execute_request", code("sleep 60"))
	var waiting []string
	for range n {
		waiting = append(waiting, c.Send("shell", "execute_request", code("hello")))
	}
	waitFor(t, c, first, "execute_input")
	// This is answered while the cell runs, and so when all before it have come.
	c.Ask("shell", "is_complete_request", map[string]any{"code": "x"})
	c.Ask("control", "interrupt_request", nil)
	if m := c.Recv("shell"); m.ParentID() != first || m.Content["ename"] != "Interrupted" {
		t.Errorf("reply %v", m.Content)
	}
	for i, id := range waiting {
		if m := c.Recv("shell"); m.ParentID() != id || m.Content["ename"] != "Aborted" {
			t.Fatalf("the answer to cell %d of %d is %v", i, n, m.Content)
		}
	}
	if reply, _ := c.Execute(code("hello")); reply.Content["status"] != "ok" {
		t.Errorf("afterwards: %v", reply.Content)
	}
}

// What waits outside of a full queue is aborted with what waits in it.
func TestAbortBeyondAFullQueue(t *testing.T) {
	// What is written to a socket of a file has arrived.
	info := wiretest.IPC(t)
	connection, err := wire.ReadConnectionFile(info.File(t))
	if err != nil {
		t.Fatal(err)
	}
	server, err := zmq.Listen(connection, wire.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(server, &fake{}, Config{Log: slog.New(slog.DiscardHandler)})
	sh := s.shells[0]
	cell := wire.Request{Message: wire.Message{Header: wire.Header{Type: "execute_request"}, Content: make([]byte, maxQueued)}}
	if !sh.queue.offer(task{request: &cell}) {
		t.Fatal("the queue has no room")
	}
	s.setRunning(sh, wire.Parent{})
	go s.readShell()
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	c := wiretest.Dial(t, info)
	c.Ask("shell", "is_complete_request", code("x"))
	const n = 20
	for range n {
		c.Send("shell", "execute_request", code("hello"))
	}
	if got := len(s.takeBehind(sh)); got != n+1 {
		t.Errorf("%d cells aborted, want %d", got, n+1)
	}
	if sh.queue.isAboutToRun() {
		t.Error("a cell still waits")
	}
}

// An interrupt that comes between two cells is the second one's, and one that comes when no cell is
// about to run is nobody's.
func TestInterruptBetweenCells(t *testing.T) {
	sh := newShell("")
	s := &session{ctx: t.Context(), shells: []*shell{sh}}
	cell := task{request: &wire.Request{Message: wire.Message{Header: wire.Header{Type: "execute_request"}}}}
	interrupted := func() bool {
		ctx, done := s.interruptible(sh, new(output))
		defer done()
		return isInterrupted(ctx)
	}
	for _, test := range []struct {
		name   string
		before func()
		want   bool
	}{
		{"none", func() {}, false},
		{"one waits", func() { sh.queue.offer(cell) }, true},
		{"one has its turn", func() { sh.queue.take() }, true},
		{"one has run", func() {}, false},
		{"another request has its turn", func() { sh.queue.offer(task{request: new(wire.Request)}); sh.queue.take() }, false},
	} {
		test.before()
		s.interrupt()
		if got := interrupted(); got != test.want {
			t.Errorf("%s: the next run is interrupted: %v", test.name, got)
		}
	}
}

// waitFor waits for a message on iopub.
func waitFor(t *testing.T, c *wiretest.Client, parent, msgType string) {
	t.Helper()
	for {
		if m := c.Recv("iopub"); m.ParentID() == parent && m.Type() == msgType {
			return
		}
	}
}

func TestControlWhileACellRuns(t *testing.T) {
	c := connected(t)
	cell := c.Send("shell", "execute_request", code("sleep 60"))
	waitFor(t, c, cell, "execute_input")
	for _, request := range []struct{ channel, msgType string }{
		{"control", "kernel_info_request"},
		{"shell", "complete_request"},
		{"shell", "inspect_request"},
		{"shell", "is_complete_request"},
	} {
		m := c.Ask(request.channel, request.msgType, map[string]any{"code": "x"})
		c.UntilIdle(m.ParentID())
		// Front ends are reminded that the cell still runs.
		if m := c.Recv("iopub"); m.Brief() != "busy" || m.ParentID() != cell {
			t.Errorf("after %s: %s for %s", request.msgType, m.Brief(), m.ParentID())
		}
	}
	c.Ask("control", "interrupt_request", nil)
}

func TestExecuteOnControlTakesItsTurn(t *testing.T) {
	c, evaluator := connectedTo(t)
	first := c.Send("shell", "execute_request", code("await sent"))
	waitFor(t, c, first, "execute_input")
	second := c.Send("control", "execute_request", code("hello"))
	c.Ask("control", "kernel_info_request", nil) // is answered before the cell, which waits
	close(evaluator.gate("sent"))
	if m := c.Recv("control"); m.ParentID() != second || m.Content["execution_count"] != 2.0 {
		t.Errorf("reply %v", m.Content)
	}
	if m := c.Recv("shell"); m.ParentID() != first {
		t.Error("the cell on control did not wait for the one on shell")
	}
}

func TestInput(t *testing.T) {
	c := connected(t)
	for _, test := range []struct {
		command  string
		password bool
		parent   bool
	}{{"input", false, true}, {"password", true, false}} {
		cell := c.Send("shell", "execute_request", code("print stdout before\n"+test.command+" name?"))
		m := c.Recv("stdin")
		if m.Type() != "input_request" || m.ParentID() != cell || m.Content["prompt"] != "name?" || m.Content["password"] != test.password {
			t.Errorf("%s: %s %v", test.command, m.Type(), m.Content)
		}
		var parent map[string]any
		if test.parent {
			parent = m.Header
			_, stale := c.Build("input_reply", map[string]string{"value": "stale"}, map[string]any{"msg_id": "other"})
			c.SendFrames("stdin", stale)
		}
		_, answer := c.Build("input_reply", map[string]string{"value": "Gödel"}, parent)
		c.SendFrames("stdin", answer)
		if reply := c.Recv("shell"); reply.Content["status"] != "ok" {
			t.Errorf("%s: reply %v", test.command, reply.Content)
		}
		published := c.UntilIdle(cell)
		if got := briefs(published); !slices.Equal(got, []string{"busy", "execute_input", "stream", "execute_result", "idle"}) {
			t.Fatalf("%s: iopub %v", test.command, got)
		}
		if got := published[3].Content["data"].(map[string]any)["text/plain"]; got != "Gödel" {
			t.Errorf("%s: the cell read %v", test.command, got)
		}
	}
}

func TestInputRefused(t *testing.T) {
	c := connected(t)
	reply, _ := c.Execute(map[string]any{"code": "input x", "allow_stdin": false})
	if reply.Content["status"] != "error" || !strings.Contains(fmt.Sprint(reply.Content["evalue"]), "allow_stdin") {
		t.Errorf("reply %v", reply.Content)
	}
}

func TestSecondInterruptKills(t *testing.T) {
	c, f := connectedTo(t)
	cell := c.Send("shell", "execute_request", code("stubborn"))
	waitFor(t, c, cell, "execute_input")
	c.Ask("control", "interrupt_request", nil)
	c.Ask("control", "interrupt_request", nil) // at once: a key pressed twice, unless the first was only a signal
	if m := c.Poll("shell", patience+100*time.Millisecond); m != nil {
		t.Fatalf("a second interrupt at once ended the cell: %v", m.Content)
	}
	if n := f.insisted.Load(); n != 1 {
		t.Errorf("a second interrupt was passed on %d times", n)
	}
	c.Ask("control", "interrupt_request", nil)
	if m := c.Recv("shell"); m.ParentID() != cell || m.Content["ename"] != "WorkerDied" {
		t.Errorf("reply %v", m.Content)
	}
	if reply, _ := c.Execute(code("hello")); reply.Content["status"] != "ok" {
		t.Errorf("afterwards: %v", reply.Content)
	}
}

func TestInputInterrupted(t *testing.T) {
	c := connected(t)
	cell := c.Send("shell", "execute_request", code("input x"))
	c.Recv("stdin")
	c.Ask("control", "interrupt_request", nil)
	if m := c.Recv("shell"); m.ParentID() != cell || m.Content["ename"] != "Interrupted" {
		t.Errorf("reply %v", m.Content)
	}
}

func TestLateOutputKeepsItsCell(t *testing.T) {
	c := connected(t)
	first, _ := c.Execute(code("late second afterwards"))
	second := c.Send("shell", "execute_request", code("open second\nawait afterwards\nhello"))
	for seen, idle := false, false; !seen || !idle; {
		m := c.Recv("iopub")
		if m.Type() == "stream" {
			seen = true
			if m.ParentID() != first.ParentID() || m.Content["text"] != "afterwards" {
				t.Errorf("late output %v of %s", m.Content, m.ParentID())
			}
		}
		idle = idle || m.ParentID() == second && m.Brief() == "idle"
	}
}

func TestStreamsAreMerged(t *testing.T) {
	c := connected(t)
	const lines = 100_000
	_, published := c.Execute(code(fmt.Sprintf("stream %d 10", lines)))
	var messages, size int
	for _, m := range published {
		if m.Type() == "stream" {
			messages++
			size += len(m.Content["text"].(string))
		}
	}
	if size != 10*lines {
		t.Errorf("%d bytes arrived, want %d", size, 10*lines)
	}
	if messages > 100 {
		t.Errorf("%d writes came as %d messages", lines, messages)
	}
}

func TestOtherRequests(t *testing.T) {
	c := connected(t)
	tests := []struct {
		channel, msgType string
		content          any
		want             map[string]any
	}{
		{"shell", "kernel_info_request", nil, map[string]any{"status": "ok", "protocol_version": "5.5", "implementation": "hierml", "implementation_version": "1.2.3"}},
		{"control", "kernel_info_request", nil, map[string]any{"status": "ok"}},
		{"shell", "is_complete_request", code("f {"), map[string]any{"status": "incomplete", "indent": "\t"}},
		{"shell", "is_complete_request", code("f"), map[string]any{"status": "complete", "indent": nil}},
		{"shell", "is_complete_request", code("!"), map[string]any{"status": "invalid", "indent": nil}},
		{"shell", "complete_request", map[string]any{"code": "a😀b", "cursor_pos": 2}, map[string]any{"status": "ok", "cursor_start": 2.0, "cursor_end": 2.0}},
		{"shell", "complete_request", code("a😀b"), map[string]any{"status": "ok", "cursor_start": 3.0}},
		{"shell", "complete_request", map[string]any{"code": "a", "cursor_pos": -5}, map[string]any{"cursor_start": 0.0}},
		{"shell", "complete_request", map[string]any{"code": 5}, map[string]any{"status": "error"}},
		{"shell", "inspect_request", code("x"), map[string]any{"status": "ok", "found": false}},
		{"shell", "connect_request", nil, map[string]any{"status": "ok"}},
		{"shell", "comm_info_request", nil, map[string]any{"status": "ok"}},
		{"shell", "history_request", map[string]any{"hist_access_type": "all"}, map[string]any{"status": "error"}},
	}
	for _, test := range tests {
		m := c.Ask(test.channel, test.msgType, test.content)
		if want := strings.TrimSuffix(test.msgType, "request") + "reply"; m.Type() != want {
			t.Errorf("%s is answered by %s", test.msgType, m.Type())
		}
		for key, value := range test.want {
			if m.Content[key] != value {
				t.Errorf("%s %v: %s is %v, want %v", test.msgType, test.content, key, m.Content[key], value)
			}
		}
		if got := briefs(c.UntilIdle(m.ParentID())); !slices.Equal(got, []string{"busy", "idle"}) {
			t.Errorf("%s: iopub %v", test.msgType, got)
		}
	}
}

func TestUnknownRequestIsNotAnswered(t *testing.T) {
	c := connected(t)
	for _, channel := range []string{"shell", "control"} {
		c.Send(channel, "no_such_request", nil)
		c.Ask(channel, "kernel_info_request", nil) // is the next message
	}
}

func TestShutdown(t *testing.T) {
	for _, channel := range []string{"shell", "control"} {
		for _, transport := range []func(testing.TB) wiretest.Info{wiretest.TCP, wiretest.IPC} {
			info := transport(t)
			evaluator, ended := serve(t, info)
			c := wiretest.Dial(t, info)
			if channel == "control" {
				cell := c.Send("shell", "execute_request", code("sleep 60"))
				waitFor(t, c, cell, "execute_input")
			}
			m := c.Ask(channel, "shutdown_request", map[string]any{"restart": true})
			if m.Content["status"] != "ok" || m.Content["restart"] != true {
				t.Errorf("%s: reply %v", channel, m.Content)
			}
			if got := briefs(c.UntilIdle(m.ParentID())); !slices.Contains(got, "shutdown_reply") {
				t.Errorf("%s: iopub %v", channel, got)
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
				ended <- nil
			case <-time.After(2 * time.Second):
				t.Fatal("the kernel does not end")
			}
			if !evaluator.closed {
				t.Error("the evaluator was not closed")
			}
		}
	}
}

func TestServeSaysWhatIsWrong(t *testing.T) {
	info := wiretest.TCP(t)
	info["curve_publickey"] = "x"
	err := Serve(context.Background(), info.File(t), new(fake).open, Config{})
	if err == nil || !strings.Contains(err.Error(), "CurveZMQ") {
		t.Errorf("Serve with CurveZMQ keys: %v", err)
	}
	info = wiretest.TCP(t)
	failing := func() (Evaluator, error) { return nil, errors.New("no evaluator today") }
	err = Serve(context.Background(), info.File(t), failing, Config{})
	if err == nil || !strings.Contains(err.Error(), "no evaluator today") || info.Listening() {
		t.Errorf("Serve without an evaluator: %v, listening %t", err, info.Listening())
	}
}

func TestLateFrontEndSeesIdle(t *testing.T) {
	info := wiretest.TCP(t)
	serve(t, info)
	first := wiretest.Dial(t, info)
	id := first.Ask("shell", "kernel_info_request", nil).ParentID()
	first.UntilIdle(id)
	second := wiretest.Dial(t, info)
	if m := second.Recv("iopub"); m.Brief() != "idle" || m.ParentID() != id {
		t.Errorf("a late front end sees %s for %s", m.Brief(), m.ParentID())
	}
}

func BenchmarkExecute(b *testing.B) {
	info := wiretest.TCP(b)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	file := info.File(b)
	go func() { ended <- Serve(ctx, file, new(fake).open, Config{}) }()
	c := wiretest.Dial(b, info)
	for b.Loop() {
		c.Execute(code("hello"))
	}
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
}
