package session

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

// sendComm sends a message of a comm, with buffers, and returns what is published for it.
func sendComm(c *wiretest.Client, kind string, content map[string]any, buffers ...[]byte) []*wiretest.Message {
	id, frames := c.Build("comm_"+kind, content, nil)
	c.SendFrames("shell", append(frames, buffers...))
	return c.UntilIdle(id)
}

// openComms is what comm_info says of a target.
func openComms(c *wiretest.Client, target string) string {
	content := map[string]any{}
	if target != "" {
		content["target_name"] = target
	}
	m := c.Ask("shell", "comm_info_request", content)
	c.UntilIdle(m.ParentID())
	return fmt.Sprint(m.Content["comms"])
}

func TestCommsOfTheFrontEnd(t *testing.T) {
	c := connected(t)
	tests := []struct {
		name, kind string
		content    map[string]any
		iopub      string
		open       string
	}{
		{"nobody listens", "open", map[string]any{"comm_id": "a", "target_name": "nope"}, "busy comm_close idle", "map[]"},
		{"opened", "open", map[string]any{"comm_id": "b", "target_name": "echo", "data": nil}, "busy idle", "map[b:map[target_name:echo]]"},
		{"opened twice", "open", map[string]any{"comm_id": "b", "target_name": "nope"}, "busy idle", "map[b:map[target_name:echo]]"},
		{"message", "msg", map[string]any{"comm_id": "b", "data": map[string]any{"x": 1}}, "busy comm_msg idle", "map[b:map[target_name:echo]]"},
		{"of no comm", "msg", map[string]any{"comm_id": "a"}, "busy idle", "map[b:map[target_name:echo]]"},
		{"of no object", "msg", map[string]any{"comm_id": "b", "data": 5}, "busy idle", "map[b:map[target_name:echo]]"},
		{"without id", "open", map[string]any{"target_name": "echo"}, "busy idle", "map[b:map[target_name:echo]]"},
		{"close of no comm", "close", map[string]any{"comm_id": "a"}, "busy idle", "map[b:map[target_name:echo]]"},
		{"closed", "close", map[string]any{"comm_id": "b", "data": map[string]any{}}, "busy stream idle", "map[]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			published := sendComm(c, test.kind, test.content)
			if got := strings.Join(briefs(published), " "); got != test.iopub {
				t.Errorf("iopub: %s, want %s", got, test.iopub)
			}
			if m := published[1]; strings.HasPrefix(m.Type(), "comm_") && m.Content["comm_id"] != test.content["comm_id"] {
				t.Errorf("%s %v", m.Type(), m.Content)
			}
			if got := openComms(c, ""); got != test.open {
				t.Errorf("open: %s, want %s", got, test.open)
			}
		})
	}
	c.Ask("shell", "kernel_info_request", nil) // is the next message: comms have no replies
}

// A message of a comm is delivered while a cell runs, in its order, whether it comes before the
// cell has begun or after, and on the shell's own queue: not every front end has subshells.
func TestCommsWhileACellRuns(t *testing.T) {
	c, evaluator := connectedTo(t)
	sendComm(c, "open", map[string]any{"comm_id": "b", "target_name": "cell", "data": map[string]any{}})
	for _, channel := range []string{"shell", "control"} {
		begun, ended := "begun "+channel, "ended "+channel
		cell := c.Send("shell", "execute_request", code("print stdout "+begun+"\nawait "+channel))
		var sent []string
		for i := range 20 {
			sent = append(sent, c.Send(channel, "comm_msg", map[string]any{"comm_id": "b", "data": map[string]any{"code": fmt.Sprint("print stdout ", i)}}))
		}
		last := c.Send(channel, "comm_msg", map[string]any{"comm_id": "b", "data": map[string]any{"code": "print stdout " + ended}})
		var got, want []string
		for parents := append(sent, last); len(got) < len(parents); {
			if m := c.Recv("iopub"); m.Type() == "stream" && m.ParentID() != cell {
				got = append(got, m.ParentID()+" "+fmt.Sprint(m.Content["text"]))
			}
		}
		for i, id := range sent {
			want = append(want, fmt.Sprint(id, " ", i, "\n"))
		}
		if want = append(want, last+" "+ended+"\n"); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", channel, got, want)
		}
		close(evaluator.gate(channel))
		if m := c.Recv("shell"); m.ParentID() != cell || m.Content["status"] != "ok" {
			t.Errorf("%s: the cell: %v", channel, m.Content)
		}
		c.UntilIdle(cell)
	}
	// Behind a cell that waits they don't come while the one before it runs.
	first := c.Send("shell", "execute_request", code("await gate"))
	second := c.Send("shell", "execute_request", code("print stdout second"))
	sent := c.Send("shell", "comm_msg", map[string]any{"comm_id": "b", "data": map[string]any{"code": "print stdout message"}})
	close(evaluator.gate("gate"))
	var order []string
	for len(order) < 3 {
		switch m := c.Recv("iopub"); {
		case m.Type() == "stream":
			order = append(order, fmt.Sprint(m.Content["text"]))
		case m.ParentID() == first && m.Content["execution_state"] == "idle":
			order = append(order, "idle")
		}
	}
	// The message may come while the second cell runs, and even before that prints.
	if order[0] != "idle" {
		t.Errorf("got %q for %s, %s, %s", order, first, second, sent)
	}
}

func TestBuffersOfComms(t *testing.T) {
	c := connected(t)
	sendComm(c, "open", map[string]any{"comm_id": "b", "target_name": "echo"})
	large := make([]byte, 10<<20)
	for i := range large {
		large[i] = byte(i * i >> 8)
	}
	many := make([][]byte, 100)
	for i := range many {
		many[i] = bytes.Repeat([]byte{byte(i)}, i)
	}
	for name, buffers := range map[string][][]byte{"none": {}, "one": {{0, 255, 10}}, "many": many, "large": {large, {}, []byte("<IDS|MSG>")}} {
		published := sendComm(c, "msg", map[string]any{"comm_id": "b", "data": map[string]any{"name": name}}, buffers...)
		if len(published) != 3 {
			t.Fatalf("%s: iopub %v", name, briefs(published))
		}
		m := published[1]
		if m.Content["data"].(map[string]any)["name"] != name || !slices.EqualFunc(m.Buffers, buffers, bytes.Equal) {
			t.Errorf("%s: %v came back, with %d buffers", name, m.Content, len(m.Buffers))
		}
	}
}

func TestCommsOfTheKernel(t *testing.T) {
	c := connected(t)
	_, published := c.Execute(code("comm open k widget 10000000\ncomm msg k\ncomm open l other"))
	if got := strings.Join(briefs(published), " "); got != "busy execute_input comm_open comm_msg comm_open idle" {
		t.Fatalf("iopub: %s", got)
	}
	m := published[2]
	if m.Content["comm_id"] != "k" || m.Content["target_name"] != "widget" || fmt.Sprint(m.Content["data"]) != "map[n:1]" || m.Metadata["version"] != "2.1.0" {
		t.Errorf("comm_open %v, metadata %v", m.Content, m.Metadata)
	}
	if len(m.Buffers) != 2 || len(m.Buffers[0]) != 0 || !bytes.Equal(m.Buffers[1], bytes.Repeat([]byte{0xfe}, 10_000_000)) {
		t.Errorf("comm_open has %d buffers", len(m.Buffers))
	}
	for target, want := range map[string]string{
		"":       "map[k:map[target_name:widget] l:map[target_name:other]]",
		"widget": "map[k:map[target_name:widget]]",
		"nope":   "map[]",
	} {
		if got := openComms(c, target); got != want {
			t.Errorf("open of %q: %s, want %s", target, got, want)
		}
	}
	if _, published := c.Execute(code("comm close k")); published[2].Type() != "comm_close" || published[2].Content["comm_id"] != "k" {
		t.Errorf("iopub: %v", briefs(published))
	}
	for _, command := range []string{"comm msg k", "comm close k", "comm open l", "comm shout l"} {
		reply, published := c.Execute(code(command))
		if got := strings.Join(briefs(published), " "); got != "busy execute_input error idle" || reply.Content["status"] != "error" {
			t.Errorf("%s: iopub %s", command, got)
		}
	}
}

// What listens to a comm fails, is interrupted and dies as a cell does.
func TestCommHandlersFail(t *testing.T) {
	c := connected(t)
	open := func(id, source string) []*wiretest.Message {
		return sendComm(c, "open", map[string]any{"comm_id": id, "target_name": "cell", "data": map[string]any{"code": source}})
	}
	open("kept", "")
	tests := []struct{ source, iopub, ename string }{
		{"print stdout hello", "busy stream idle", ""},
		{"raise", "busy error comm_close idle", "panic"},
		{"input x", "busy error comm_close idle", "Error"},
		{"page x", "busy idle", ""},
	}
	for i, test := range tests {
		published := open(fmt.Sprint(i), test.source)
		if got := strings.Join(briefs(published), " "); got != test.iopub {
			t.Errorf("%s: iopub %s, want %s", test.source, got, test.iopub)
		}
		if ename := published[1].Content["ename"]; test.ename != "" && ename != test.ename {
			t.Errorf("%s: ename %v, want %v", test.source, ename, test.ename)
		}
	}
	id, frames := c.Build("comm_msg", map[string]any{"comm_id": "kept", "data": map[string]any{"code": "print stdout on\nsleep 60"}}, nil)
	c.SendFrames("shell", frames)
	waiting := c.Send("shell", "execute_request", code("hello"))
	waitFor(t, c, id, "stream")
	ask(t, c, "interrupt_request", nil)
	published := c.UntilIdle(id)
	if !slices.ContainsFunc(published, func(m *wiretest.Message) bool { return m.Content["ename"] == "Interrupted" }) {
		t.Errorf("after an interrupt: iopub %v", briefs(published))
	}
	if m := c.Recv("shell"); m.ParentID() != waiting || m.Content["ename"] != "Aborted" {
		t.Errorf("the cell behind it: %v", m.Content)
	}
	if got := openComms(c, ""); got != "map[0:map[target_name:cell] 3:map[target_name:cell] kept:map[target_name:cell]]" {
		t.Errorf("open: %s", got)
	}
	reply, published := c.Execute(code("die"))
	if got := strings.Join(briefs(published), " "); got != "busy execute_input comm_close comm_close comm_close error idle" || reply.Content["ename"] != "WorkerDied" {
		t.Errorf("death in a cell: iopub %s", got)
	}
	open("a", "")
	if got := strings.Join(briefs(open("b", "die")), " "); got != "busy comm_close comm_close error idle" {
		t.Errorf("death in a comm: iopub %s", got)
	}
	if got := openComms(c, ""); got != "map[]" {
		t.Errorf("open: %s", got)
	}
}
