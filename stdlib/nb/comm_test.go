package nb

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/hierml/notebook/stdlib/host"
)

// sent returns what was sent, one line a message, with the id left out.
func (n *notebook) sent() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var lines []string
	for _, m := range n.comms {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s %s %s %s %s", m.Kind, m.Target, m.Data, m.Metadata, m.Buffers), " "))
	}
	return lines
}

// receive gives a message to who listens, as the worker does.
func receive(m *host.CommMessage) bool {
	run, received := host.Receive(m)
	if run != nil {
		run()
	}
	return received
}

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCommOpenedByACell(t *testing.T) {
	n := open(t)
	var heard []string
	hear := func(what string) func(*Comm, Message) {
		return func(_ *Comm, m Message) {
			var v struct{ A int }
			if err := m.Decode(&v); err != nil {
				t.Error(err)
			}
			heard = append(heard, fmt.Sprintf("%s %d %s %s", what, v.A, m.Metadata, m.Buffers))
		}
	}
	c, err := OpenComm("widget", map[string]int{"a": 1}, &CommOptions{
		Metadata:  json.RawMessage(`{"version":"2.1.0"}`),
		Buffers:   [][]byte{[]byte("x")},
		OnMessage: hear("message"),
		OnClose:   hear("close"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.Target() != "widget" || c.ID() == "" || c.ID() != n.comms[0].ID {
		t.Errorf("target %s, id %q", c.Target(), c.ID())
	}
	if err := c.Send(struct {
		B string `json:"b"`
	}{"é"}, []byte("y"), nil); err != nil {
		t.Error(err)
	}
	receive(&host.CommMessage{Kind: "msg", ID: c.ID(), Data: json.RawMessage(`{"a": 2}`), Metadata: json.RawMessage(`{}`), Buffers: [][]byte{[]byte("z")}})
	receive(&host.CommMessage{Kind: "msg", ID: "another", Data: json.RawMessage(`{"a": 3}`)})
	c.OnMessage(nil)
	receive(&host.CommMessage{Kind: "msg", ID: c.ID(), Data: json.RawMessage(`{"a": 4}`)})
	c.OnMessage(hear("again"))
	receive(&host.CommMessage{Kind: "msg", ID: c.ID()})
	for range 2 {
		receive(&host.CommMessage{Kind: "close", ID: c.ID(), Data: json.RawMessage(`{"a": 5}`)})
	}
	receive(&host.CommMessage{Kind: "msg", ID: c.ID()})
	if err := c.Send(nil); err != ErrCommClosed {
		t.Errorf("sending after the close: %v", err)
	}
	if err := c.Close(nil); err != ErrCommClosed {
		t.Errorf("closing after the close: %v", err)
	}
	check(t, heard, "message 2 {} [z]", "again 0  []", "close 5  []")
	check(t, n.sent(), `open widget {"a":1} {"version":"2.1.0"} [x]`, `msg  {"b":"é"}  [y ]`)
}

func TestCommOpenedByTheFrontEnd(t *testing.T) {
	n := open(t)
	HandleComm("echo", func(c *Comm, m Message) {
		c.OnMessage(func(c *Comm, m Message) {
			if err := c.Send(m.Data, m.Buffers...); err != nil {
				t.Error(err)
			}
		})
		c.OnClose(func(c *Comm, _ Message) {
			if err := c.Send(nil); err != ErrCommClosed {
				t.Errorf("sending while it closes: %v", err)
			}
		})
		if err := c.Send(m.Data); err != nil {
			t.Error(err)
		}
	})
	deliver := func(kind, id, data string) {
		if !receive(&host.CommMessage{Kind: kind, ID: id, Target: "echo", Data: json.RawMessage(data), Buffers: [][]byte{[]byte("b")}}) {
			t.Error("nobody listens")
		}
	}
	deliver("open", "1", `{"a":1}`)
	deliver("msg", "1", `{"a":2}`)
	deliver("close", "1", `{}`)
	HandleComm("echo", nil)
	deliver("open", "2", `{}`)
	check(t, n.sent(), `msg  {"a":1}  []`, `msg  {"a":2}  [b]`, "close    []")
	if n.comms[2].ID != "2" {
		t.Errorf("closed %s", n.comms[2].ID)
	}
}

func TestCommWhoseHandlerPanics(t *testing.T) {
	open(t)
	var c *Comm
	HandleComm("broken", func(opened *Comm, _ Message) {
		c = opened
		panic("oh")
	})
	defer HandleComm("broken", nil)
	func() {
		defer func() {
			if r := recover(); r != "oh" {
				t.Errorf("panicked with %v", r)
			}
		}()
		receive(&host.CommMessage{Kind: "open", ID: "broken", Target: "broken"})
	}()
	if err := c.Send(nil); err != ErrCommClosed {
		t.Errorf("the comm is open: %v", err)
	}
}

func TestCommRefusals(t *testing.T) {
	n := open(t)
	c, err := OpenComm("t", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		data any
		want string
	}{
		{1, "the data of a comm must be a JSON object, not int"},
		{"{}", "the data of a comm must be a JSON object, not string"},
		{[]byte("{}"), "the data of a comm must be a JSON object, not []uint8"},
		{(*struct{})(nil), "the data of a comm must be a JSON object, not *struct {}"},
		{func() {}, "the data of a comm: json: unsupported type: func()"},
	} {
		_, opening := OpenComm("t", test.data, nil)
		for _, err := range []error{opening, c.Send(test.data), c.Close(test.data)} {
			if err == nil || err.Error() != test.want {
				t.Errorf("%T: got %v, want %s", test.data, err, test.want)
			}
		}
	}
	if _, err := OpenComm("", nil, nil); err == nil {
		t.Error("opened without a target")
	}
	if _, err := OpenComm("t", nil, &CommOptions{Metadata: 1}); err == nil {
		t.Error("opened with a number as metadata")
	}
	n.gone = host.ErrNoFrontEnd
	if _, err := OpenComm("t", nil, nil); !errors.Is(err, ErrNoFrontEnd) {
		t.Errorf("got %v without a front end", err)
	}
	n.gone = nil
	if err := c.Close(nil); err != nil {
		t.Error(err)
	}
	check(t, n.sent(), "open t {}  []", "close  {}  []")
}

// TestCommAtTheSameTime is for the race detector, and sees that nothing is sent after the close.
func TestCommAtTheSameTime(t *testing.T) {
	n := open(t)
	c, err := OpenComm("t", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 100 {
				c.OnMessage(func(*Comm, Message) {})
				receive(&host.CommMessage{Kind: "msg", ID: c.ID()})
				if err := c.Send(nil); err != nil && err != ErrCommClosed {
					t.Error(err)
				}
				HandleComm(fmt.Sprint(i), nil)
			}
			if err := c.Close(nil); err != nil && err != ErrCommClosed {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	kinds := n.sent()
	closes := 0
	for _, k := range kinds {
		if strings.HasPrefix(k, "close") {
			closes++
		}
	}
	if last := kinds[len(kinds)-1]; closes != 1 || !strings.HasPrefix(last, "close") {
		t.Errorf("%d closes, at the end %s", closes, last)
	}
}

// A cell offers a comm that JavaScript in the page can open by its name.
func ExampleHandleComm() {
	HandleComm("length", func(c *Comm, _ Message) {
		c.OnMessage(func(c *Comm, m Message) {
			var question struct{ Text string }
			if err := m.Decode(&question); err != nil {
				panic(err)
			}
			if err := c.Send(map[string]int{"length": len(question.Text)}); err != nil {
				panic(err)
			}
		})
	})
}

func ExampleOpenComm() {
	c, err := OpenComm("my_extension", map[string]string{"title": "loss"}, nil)
	if errors.Is(err, ErrNoFrontEnd) {
		fmt.Println(err)
		return
	}
	c.OnMessage(func(_ *Comm, m Message) { fmt.Println(string(m.Data)) })
	// Output: no front end: comms need a notebook
}
