// Package wiretest is a front end for tests: it makes connection files and talks to a kernel over
// zmq4 as a Jupyter client does, or to one in this process. It signs and parses messages by itself,
// so that it does not share its faults with package wire.
package wiretest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/google/uuid"
)

// Patience is how long a message is waited for.
const Patience = 10 * time.Second

// An Info is the content of a connection file.
type Info map[string]any

// TCP returns an Info with free ports of the loopback device.
func TCP(t testing.TB) Info {
	t.Helper()
	info := Info{"transport": "tcp", "ip": "127.0.0.1", "key": "secret", "signature_scheme": "hmac-sha256"}
	for _, name := range []string{"shell", "control", "stdin", "iopub", "hb"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		// Closed only when all ports have been found, so that they differ.
		defer l.Close()
		info[name+"_port"] = l.Addr().(*net.TCPAddr).Port
	}
	return info
}

// IPC returns an Info with sockets in a folder of the test.
func IPC(t testing.TB) Info {
	t.Helper()
	folder, err := os.MkdirTemp("", "wire")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	info := Info{"transport": "ipc", "ip": filepath.Join(folder, "s"), "key": "secret", "signature_scheme": "hmac-sha256"}
	for i, name := range []string{"shell", "control", "stdin", "iopub", "hb"} {
		info[name+"_port"] = i + 1
	}
	return info
}

// File writes the connection file and returns its path.
func (i Info) File(t testing.TB) string {
	t.Helper()
	data, err := json.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "connection.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Endpoint returns the address of a channel, as ZeroMQ writes it.
func (i Info) Endpoint(channel string) string {
	if i["transport"] == "ipc" {
		return fmt.Sprintf("ipc://%s-%d", i["ip"], i[channel+"_port"])
	}
	return fmt.Sprintf("tcp://%s:%d", i["ip"], i[channel+"_port"])
}

// Listening reports whether somebody answers on the last channel that a kernel opens.
func (i Info) Listening() bool {
	network, address, _ := strings.Cut(i.Endpoint("hb"), "://")
	if network == "ipc" {
		network = "unix"
	}
	c, err := net.Dial(network, address)
	if err != nil {
		return false
	}
	return c.Close() == nil
}

// A Message is one that the kernel sent.
type Message struct {
	Identities [][]byte
	Header     map[string]any
	Parent     map[string]any
	Metadata   map[string]any
	Content    map[string]any
	Buffers    [][]byte
}

// Type returns the type of the message.
func (m *Message) Type() string { return fmt.Sprint(m.Header["msg_type"]) }

// ParentID returns the identifier of the message that this one answers.
func (m *Message) ParentID() string {
	id, _ := m.Parent["msg_id"].(string)
	return id
}

// Brief returns the type of the message, or for a status the state.
func (m *Message) Brief() string {
	if m.Type() == "status" {
		return fmt.Sprint(m.Content["execution_state"])
	}
	return m.Type()
}

// A Client is a front end that is connected to a kernel.
type Client struct {
	t       testing.TB
	key     []byte // to sign with
	right   []byte // the kernel's
	Session string
	// Subshell is the subshell that messages are for; empty for none.
	Subshell string
	sockets  map[string]socket
	queues   map[string]chan *Message
	serial   int
}

// A socket is the client's end of a channel.
type socket interface {
	Send(zmq4.Msg) error
	Close() error
}

// Dial connects a client to all channels and waits until it is subscribed to iopub. It is closed
// with the test.
func Dial(t testing.TB, info Info) *Client {
	t.Helper()
	return DialAs(t, info, uuid.NewString(), info["key"].(string))
}

// DialAs is Dial for a client of a session, which others may have too, with a key, which may be
// wrong.
func DialAs(t testing.TB, info Info, session, key string) *Client {
	t.Helper()
	c := newClient(t, session)
	c.key, c.right = []byte(key), []byte(info["key"].(string))
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		for _, s := range c.sockets {
			s.Close()
		}
	})
	for _, channel := range []string{"shell", "control", "stdin", "iopub"} {
		var s zmq4.Socket
		if channel == "iopub" {
			s = zmq4.NewSub(ctx)
		} else {
			s = zmq4.NewDealer(ctx, zmq4.WithID(zmq4.SocketIdentity(c.Session)))
		}
		if err := s.Dial(info.Endpoint(channel)); err != nil {
			t.Fatal(err)
		}
		if channel == "iopub" {
			if err := s.SetOption(zmq4.OptionSubscribe, ""); err != nil {
				t.Fatal(err)
			}
		}
		c.sockets[channel] = s
		go c.read(ctx, channel, s)
	}
	if m := c.Recv("iopub"); m.Type() != "iopub_welcome" {
		t.Fatalf("the first message on iopub is %s, want iopub_welcome", m.Brief())
	}
	return c
}

func newClient(t testing.TB, session string) *Client {
	c := &Client{t: t, Session: session, sockets: make(map[string]socket), queues: make(map[string]chan *Message)}
	for _, channel := range []string{"shell", "control", "stdin", "iopub"} {
		c.queues[channel] = make(chan *Message, 1<<20)
	}
	return c
}

func (c *Client) read(ctx context.Context, channel string, s zmq4.Socket) {
	for {
		msg, err := s.Recv()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			return
		}
		c.receive(channel, msg.Frames)
	}
}

// receive takes a message that the kernel has sent on a channel.
func (c *Client) receive(channel string, frames [][]byte) {
	m, err := c.parse(frames)
	if err != nil {
		c.t.Errorf("on %s: %v", channel, err)
		return
	}
	c.queues[channel] <- m
}

// Close ends the connection of a channel.
func (c *Client) Close(channel string) {
	c.t.Helper()
	if err := c.sockets[channel].Close(); err != nil {
		c.t.Fatal(err)
	}
}

// sign returns the signature of a message, which without a key is none.
func sign(key []byte, parts [][]byte) []byte {
	if len(key) == 0 {
		return nil
	}
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		mac.Write(p)
	}
	return []byte(hex.EncodeToString(mac.Sum(nil)))
}

func (c *Client) parse(frames [][]byte) (*Message, error) {
	for i, frame := range frames {
		if string(frame) != "<IDS|MSG>" {
			continue
		}
		if len(frames) < i+6 {
			return nil, fmt.Errorf("%d frames after the delimiter", len(frames)-i-1)
		}
		if !bytes.Equal(sign(c.right, frames[i+2:i+6]), frames[i+1]) {
			return nil, fmt.Errorf("wrong signature")
		}
		m := &Message{Identities: frames[:i], Buffers: frames[i+6:]}
		for j, part := range []*map[string]any{&m.Header, &m.Parent, &m.Metadata, &m.Content} {
			if err := json.Unmarshal(frames[i+2+j], part); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	return nil, fmt.Errorf("no delimiter in %q", frames)
}

// Build returns the frames of a message, and its identifier. The content is encoded as JSON unless
// it is []byte.
func (c *Client) Build(msgType string, content any, parent map[string]any) (id string, frames [][]byte) {
	c.serial++
	id = fmt.Sprintf("%s_%d", c.Session, c.serial)
	header := map[string]any{
		"msg_id": id, "session": c.Session, "username": "test", "version": "5.3", "msg_type": msgType,
		"date": time.Now().UTC().Format(time.RFC3339Nano),
	}
	if c.Subshell != "" {
		header["subshell_id"] = c.Subshell
	}
	if parent == nil {
		parent = map[string]any{}
	}
	parts := [][]byte{encode(header), encode(parent), []byte("{}"), encode(content)}
	return id, append([][]byte{[]byte("<IDS|MSG>"), sign(c.key, parts)}, parts...)
}

func encode(v any) []byte {
	switch v := v.(type) {
	case nil:
		return []byte("{}")
	case []byte:
		return v
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a mistake in the test
	}
	return data
}

// Send sends a message and returns its identifier.
func (c *Client) Send(channel, msgType string, content any) string {
	c.t.Helper()
	id, frames := c.Build(msgType, content, nil)
	c.SendFrames(channel, frames)
	return id
}

// SendFrames sends whatever it is given.
func (c *Client) SendFrames(channel string, frames [][]byte) {
	c.t.Helper()
	if err := c.sockets[channel].Send(zmq4.NewMsgFrom(frames...)); err != nil {
		c.t.Fatal(err)
	}
}

// Poll returns the next message on a channel, or nil if none comes in time.
func (c *Client) Poll(channel string, wait time.Duration) *Message {
	select {
	case m := <-c.queues[channel]:
		return m
	case <-time.After(wait):
		return nil
	}
}

// Recv returns the next message on a channel.
func (c *Client) Recv(channel string) *Message {
	c.t.Helper()
	m := c.Poll(channel, Patience)
	if m == nil {
		c.t.Fatalf("nothing on %s within %v", channel, Patience)
	}
	return m
}

// Ask sends a request and returns its reply, which has to be the next message on the channel.
func (c *Client) Ask(channel, msgType string, content any) *Message {
	c.t.Helper()
	id := c.Send(channel, msgType, content)
	m := c.Recv(channel)
	if m.ParentID() != id {
		c.t.Fatalf("%s answers %s, want %s", m.Type(), m.ParentID(), id)
	}
	return m
}

// UntilIdle returns the messages on iopub that answer to a request, up to its idle, and forgets
// others.
func (c *Client) UntilIdle(id string) []*Message {
	c.t.Helper()
	var all []*Message
	for {
		m := c.Recv("iopub")
		if m.ParentID() != id {
			continue
		}
		all = append(all, m)
		if m.Brief() == "idle" {
			return all
		}
	}
}

// Execute runs a cell and returns its reply and what was published for it.
func (c *Client) Execute(content map[string]any) (*Message, []*Message) {
	c.t.Helper()
	reply := c.Ask("shell", "execute_request", content)
	return reply, c.UntilIdle(reply.ParentID())
}
