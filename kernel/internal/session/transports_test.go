package session

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

// A client hears the same over each transport.
func TestTransportsCarryTheSame(t *testing.T) {
	info := wiretest.TCP(t)
	serve(t, info)
	over := record(t, wiretest.Dial(t, info))

	hub := wiretest.NewHub()
	server, err := hub.Transport.Listen(wire.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := hub.Dial(t)
	ended := make(chan error, 1)
	evaluator := &fake{}
	go func() {
		ended <- Run(context.Background(), server, evaluator, Config{Version: "1.2.3", Log: slog.New(slog.DiscardHandler)})
	}()
	if m := c.Recv("iopub"); m.Brief() != "starting" {
		t.Errorf("the first message is %s", m.Brief())
	}
	within := record(t, c)
	if !slices.Equal(over, within) {
		t.Errorf("over sockets:\n%s\nby calls:\n%s", strings.Join(over, "\n"), strings.Join(within, "\n"))
	}
	c.Ask("control", "shutdown_request", map[string]any{"restart": false})
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !evaluator.closed {
		t.Error("the evaluator was not closed")
	}
}

// record has a conversation with a kernel and returns what the client hears, in which the
// identifier of a message is the order of the request.
func record(t *testing.T, c *wiretest.Client) (heard []string) {
	note := func(channel string, m *wiretest.Message) {
		delete(m.Content, "banner")
		content, err := json.Marshal(m.Content)
		if err != nil {
			t.Fatal(err)
		}
		parent := strings.TrimPrefix(m.ParentID(), c.Session)
		heard = append(heard, fmt.Sprintf("%s %s %s %v %s %q", channel, parent, m.Type(), m.Metadata, content, m.Buffers))
	}
	published := func(id string) {
		for _, m := range c.UntilIdle(id) {
			note("iopub", m)
		}
	}
	request := func(channel, msgType string, content any) {
		reply := c.Ask(channel, msgType, content)
		note(channel, reply)
		published(reply.ParentID())
	}
	request("shell", "kernel_info_request", nil)
	request("control", "kernel_info_request", nil)
	for _, source := range []string{
		"hello", "print stdout a\nprint stderr b\ndisplay 3 id\ndisplay 4 id update", "raise", "crash", "nan", "clear wait",
		"comm open x target 9", "page text\nnext text", "count",
	} {
		request("shell", "execute_request", code(source))
	}
	request("shell", "execute_request", []byte(`[]`))
	request("shell", "is_complete_request", code("x {"))
	request("shell", "complete_request", map[string]any{"code": "x", "cursor_pos": 1})
	request("shell", "history_request", map[string]any{"hist_access_type": "tail", "n": 3})
	request("shell", "comm_info_request", nil)
	request("control", "interrupt_request", nil)

	asked := c.Send("shell", "execute_request", code("input name"))
	note("stdin", c.Recv("stdin"))
	c.Send("stdin", "input_reply", map[string]string{"value": "somebody"})
	note("shell", c.Recv("shell"))
	published(asked)

	c.Send("shell", "execute_request", code("await never"))
	for c.Recv("iopub").Type() != "execute_input" {
	}
	request("control", "interrupt_request", nil)
	note("shell", c.Recv("shell"))
	return heard
}
