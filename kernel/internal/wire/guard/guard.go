// Package guard protects zmq4's sockets from their peers.
//
// zmq4 trusts its peers: a connection that says nothing blocks its accept loop, a frame header can
// end the process, a peer that does not read stops all others, and queued messages are lost on
// close. Package guard is a zmq4 transport that prevents all of this. It does the ZMTP handshake
// itself and replays a clean one to zmq4, checks every frame header before zmq4 sees it, answers
// PING, reports subscriptions, gives each peer its own bounded queue and writer, and delivers
// queued messages before it closes.
//
// # Strangers
//
// Any process that can connect can open any number of connections and send any number of bytes, but
// only one that has the kernel's key can sign. A peer is a stranger until package wire has reported
// with [Listener.Done] that a message of it was signed. The total cost of strangers is bounded:
// their number, the size of a message, of which each may have one in transit, and the bytes of
// these messages. A peer that has signed has its own limits, and never makes room for another.
//
// No newcomer is refused; an earlier stranger makes room for it. First go strangers from unknown
// origins, among these the silent ones, among these the oldest. So a front end always gets in, and
// may stay silent until the number of later peers reaches the limit for strangers. The origin of a
// peer is the user who runs it, or its address if the system does not tell the user. An origin is
// known when a peer from there has signed something. This protects the connections of front ends
// that never sign, those of the heartbeat and of a PUB: processes of other users cannot cut them
// off. If the system does not distinguish users of one address, they can, with as many connections
// that imitate a front end.
//
// The bytes in transit are bounded in the same way: a message that would exceed the sum causes the
// largest unfinished message to be cut off, which may be itself.
//
// It knows ZMTP 3.0 with the NULL mechanism (https://rfc.zeromq.org/spec:23/) and the server side
// of ROUTER and PUB. Package wire handles the meaning of messages and their signatures.
package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/transport"

	"github.com/hierml/notebook/kernel/internal/wire/early"
)

// Limits bound the cost of peers. A zero field means the value in its comment.
type Limits struct {
	// Handshake is the time a peer has to introduce itself: 10 s.
	Handshake time.Duration
	// Pending is the number of peers that may be in their handshake at once: 256, or fewer if the
	// process may open few files. One more evicts the one with the longest handshake.
	Pending int
	// Strangers is the number of peers that have signed nothing: twice Pending.
	Strangers int
	// Message is the largest message accepted, in bytes over all its frames: 512 MiB.
	Message uint64
	// Unsigned is the same for strangers: 16 MiB.
	Unsigned uint64
	// Received is the number of bytes of unprocessed messages that all strangers together may have
	// sent: twice Unsigned.
	Received int64
	// Frames is the largest accepted number of frames of a message: 4096.
	Frames int
	// Queue is the number of waiting bytes above which a peer counts as full: 64 MiB. A full peer
	// of a ROUTER is cut off by the next message for it; [Listener.WaitRoom] waits for a full peer
	// of a PUB.
	Queue int64
	// Total is the same bound for the sum over all peers of the listener: 4 times Queue. Beyond it
	// the fullest peers count as full.
	Total int64
	// Stall is how long WaitRoom waits for full peers that take nothing, before it cuts them off: 1
	// s.
	Stall time.Duration
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.Handshake, 10*time.Second)
	// Five listeners leave more than a third of the files to others.
	setDefault(&l.Pending, min(256, max(4, maxFiles()/24)))
	setDefault(&l.Strangers, 2*l.Pending)
	setDefault(&l.Message, 512<<20)
	setDefault(&l.Unsigned, min(16<<20, l.Message))
	setDefault(&l.Received, 2*int64(l.Unsigned))
	setDefault(&l.Frames, 4096)
	setDefault(&l.Queue, 64<<20)
	setDefault(&l.Total, 4*l.Queue)
	setDefault(&l.Stall, time.Second)
	return l
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Config configures a listener.
type Config struct {
	// Type is the type of the socket that will be attached: zmq4.Router or zmq4.Pub.
	Type   zmq4.SocketType
	Limits Limits
	// Subscribed, if set, is called when a peer of a PUB has subscribed to a topic and zmq4 knows
	// of it. The returned frames, if any, go to that peer alone, before other messages for the
	// subscription. It is not called for a peer with a long queue.
	Subscribed func(topic []byte, from Origin) [][]byte
	// Known, if set, reports whether a peer from an origin has signed something. The listener may
	// be locked. If it is nil, all origins are known.
	Known func(Origin) bool
}

// Stats count what a listener has refused.
type Stats struct {
	Refused int64 // handshakes that failed, timed out or were evicted
	Evicted int64 // strangers that made room for others
	Broken  int64 // peers cut off for what they sent
	Stalled int64 // peers cut off because they did not read
}

// Listen listens on a network, "tcp" or "unix". For tcp the address is host:port, and it listens on
// nothing else. For unix it is the path of a socket, which gets mode 0600 and replaces a stale one.
func Listen(network, address string, config Config) (*Listener, error) {
	if config.Type != zmq4.Router && config.Type != zmq4.Pub {
		return nil, fmt.Errorf("guard: a socket of type %s is not supported (supported: ROUTER and PUB)", config.Type)
	}
	var ln net.Listener
	var err error
	switch network {
	case "tcp":
		if ln, err = early.Listener(address); ln == nil && err == nil {
			ln, err = net.Listen("tcp", address)
		}
	case "unix":
		ln, err = listenUnix(address)
	default:
		err = fmt.Errorf("guard: unknown network %q, expected tcp or unix", network)
	}
	if err != nil {
		return nil, err
	}
	l := &Listener{
		config:   config,
		limits:   config.Limits.withDefaults(),
		ln:       ln,
		accepted: make(chan net.Conn),
		done:     make(chan struct{}),
	}
	l.init()
	if config.Type == zmq4.Pub {
		l.sentinel = newSentinel()
	}
	go l.serve()
	return l, nil
}

// Attach makes socket listen on l. Call it once.
func (l *Listener) Attach(socket zmq4.Socket) error {
	if err := registerOnce(); err != nil {
		return err
	}
	handle := strconv.FormatUint(handles.Add(1), 10)
	waiting.Store(handle, l)
	defer waiting.Delete(handle)
	return socket.Listen(scheme + "://" + handle)
}

// zmq4 finds transports by the scheme of an endpoint, in a table of the whole process. This scheme
// is registered once; the rest of the endpoint is a handle to the listener that is to be attached.
const scheme = "guarded"

var (
	registerOnce = sync.OnceValue(func() error { return zmq4.RegisterTransport(scheme, guarded{}) })
	handles      atomic.Uint64
	waiting      sync.Map // handle -> *Listener
)

type guarded struct{}

var _ transport.Transport = guarded{}

func (guarded) Addr(endpoint string) (string, error) { return endpoint, nil }

func (guarded) Listen(_ context.Context, handle string) (net.Listener, error) {
	l, ok := waiting.Load(handle)
	if !ok {
		return nil, fmt.Errorf("guard: no listener is registered as %q", handle)
	}
	return l.(*Listener), nil
}

func (guarded) Dial(context.Context, transport.Dialer, string) (net.Conn, error) {
	return nil, errors.New("guard: the guarded transport only listens")
}
