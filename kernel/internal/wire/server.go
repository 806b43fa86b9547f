package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/google/uuid"

	"github.com/hierml/notebook/kernel/internal/wire/guard"
)

// Config holds the settings of a server.
type Config struct {
	// Log hears of what is dropped. The default is to say nothing.
	Log *slog.Logger
}

// A Server is a kernel's end of its five channels. It answers the heartbeat by itself.
type Server struct {
	info    *ConnectionInfo
	log     *slog.Logger
	signer  *signer
	session string
	serial  atomic.Uint64

	ctx    context.Context
	cancel context.CancelFunc

	sockets map[Channel]*socket
	iopub   *IOPub
	stdin   stdin
	known   origins

	dropped atomic.Int64
	logged  atomic.Int64 // time of the last line about a dropped message, in Unix nanoseconds
}

// A socket is one channel: zmq4's socket behind a guard.
type socket struct {
	zmq4.Socket
	guard    *guard.Listener
	finished progress // with messages that were received
}

// Stats count what a server refused.
type Stats struct {
	Dropped int64 // messages
	guard.Stats
}

// Listen opens the channels that info names.
func Listen(info *ConnectionInfo, config Config) (*Server, error) {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	signer, err := newSigner(info.SignatureScheme, info.Key)
	if err != nil {
		return nil, err
	}
	s := &Server{
		info:    info,
		log:     config.Log,
		signer:  signer,
		session: uuid.NewString(),
		sockets: make(map[Channel]*socket),
		stdin:   stdin{asking: make(chan struct{}, 1)},
	}
	if info.Key == "" {
		config.Log.Warn("messages are not signed, since the key in the connection file is empty: " +
			"who can connect to the kernel can run code as you, and on 127.0.0.1 every user of this machine can")
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.iopub = newIOPub(s)
	for _, channel := range []Channel{Shell, Control, Stdin, IOPubChannel, Heartbeat} {
		if err := s.open(channel); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot open the %s channel: %w", channel, err), s.Close())
		}
	}
	go s.beat()
	go s.readStdin()
	return s, nil
}

// bounds are what peers may cost on the channels, where they are not those of package guard. Queue
// is what a peer may leave unread. Whoever sends heartbeats need not even be a client, nor ever
// sign.
var bounds = map[Channel]guard.Limits{
	Shell:     {Queue: 16 << 20},
	Control:   {Queue: 16 << 20},
	Stdin:     {Queue: 4 << 20},
	Heartbeat: {Queue: 1 << 20, Total: 8 << 20, Message: 64 << 10, Received: 4 << 20},
}

// open listens for one channel. The heartbeat is a ROUTER too: it echoes whole messages, envelope
// included, which zmq4's REP gets wrong.
func (s *Server) open(channel Channel) error {
	config := guard.Config{Type: zmq4.Router, Limits: bounds[channel], Known: s.known.has}
	quiet := zmq4.WithLogger(log.New(io.Discard, "", 0))
	var z zmq4.Socket
	switch channel {
	case IOPubChannel:
		config.Type = zmq4.Pub
		config.Subscribed = s.iopub.subscribed
		z = zmq4.NewPub(s.ctx, quiet)
	default:
		z = zmq4.NewRouter(s.ctx, quiet)
	}
	network, address := s.info.address(channel)
	listener, err := guard.Listen(network, address, config)
	if err != nil {
		return err
	}
	s.sockets[channel] = &socket{Socket: z, guard: listener}
	return listener.Attach(z)
}

// Info returns what the server was opened with.
func (s *Server) Info() *ConnectionInfo { return s.info }

// IOPub returns the channel on which all clients hear what the kernel does.
func (s *Server) IOPub() *IOPub { return s.iopub }

// Stats returns what was refused so far.
func (s *Server) Stats() Stats {
	stats := Stats{Dropped: s.dropped.Load()}
	for _, socket := range s.sockets {
		one := socket.guard.Stats()
		stats.Refused += one.Refused
		stats.Evicted += one.Evicted
		stats.Broken += one.Broken
		stats.Stalled += one.Stalled
	}
	return stats
}

// ErrClosed is returned when the server has been closed.
var ErrClosed = errors.New("wire: the server is closed")

// Receive returns the next request on a channel, shell or control. What is no rightly signed
// message is dropped and counted. The error is ErrClosed. The call says that the caller, of which
// there is one for a channel, is done with the request before.
func (s *Server) Receive(channel Channel) (*Request, error) {
	socket := s.sockets[channel]
	for {
		socket.finished.step()
		msg, err := socket.Recv()
		if s.ctx.Err() != nil {
			return nil, ErrClosed
		}
		if err != nil {
			continue
		}
		socket.finished.begin()
		m, err := s.signer.decode(msg.Frames)
		s.judge(socket, msg.Frames[0], err)
		if err != nil {
			s.drop(channel, err)
			continue
		}
		return &Request{Message: *m, Channel: channel, server: s}, nil
	}
}

// judge tells the guard of a message that was decoded, or was not, for a reason.
func (s *Server) judge(socket *socket, route []byte, reason error) {
	signed := isSigned(reason)
	if signed {
		s.known.add(guard.Source(route))
	}
	socket.guard.Done(route, signed)
}

// drop counts a message that is not answered, and says so at most once a second.
func (s *Server) drop(channel Channel, reason error) {
	n := s.dropped.Add(1)
	now, last := time.Now().UnixNano(), s.logged.Load()
	if now-last < int64(time.Second) || !s.logged.CompareAndSwap(last, now) {
		return
	}
	s.log.Warn("message dropped", "channel", channel, "reason", reason, "dropped", n)
}

// beat echoes the heartbeat.
func (s *Server) beat() {
	socket := s.sockets[Heartbeat]
	for s.ctx.Err() == nil {
		msg, err := socket.Recv()
		if err != nil {
			continue
		}
		// A peer that has left meanwhile needs no answer.
		_ = socket.Send(msg)
		socket.guard.Done(msg.Frames[0], false)
	}
}

// encode builds the frames of a message of ours, from the delimiter on.
func (s *Server) encode(msgType string, parent, metadata, content []byte, buffers [][]byte) (id string, frames [][]byte) {
	id = s.session + "_" + strconv.FormatUint(s.serial.Add(1), 10)
	header := make([]byte, 0, 256)
	header = append(header, `{"msg_id":"`...)
	header = append(header, id...)
	header = append(header, `","session":"`...)
	header = append(header, s.session...)
	header = append(header, `","username":"kernel","date":"`...)
	header = time.Now().UTC().AppendFormat(header, "2006-01-02T15:04:05.000000Z")
	header = append(header, `","msg_type":"`...)
	header = append(header, msgType...)
	header = append(header, `","version":"`+Version+`"}`...)
	if len(parent) == 0 {
		parent = []byte("{}")
	}
	if len(metadata) == 0 {
		metadata = []byte("{}")
	}
	frames = make([][]byte, 0, 6+len(buffers))
	frames = append(frames, []byte(delimiter), s.signer.sign(header, parent, metadata, content), header, parent, metadata, content)
	return id, append(frames, buffers...)
}

// Close sends what is on its way, for at most two seconds, and closes the channels.
func (s *Server) Close() error {
	const patience = 2 * time.Second
	deadline := time.Now().Add(patience)
	s.iopub.close(deadline)
	var wg sync.WaitGroup
	errs := make(chan error, 2*len(s.sockets))
	for _, socket := range s.sockets {
		wg.Go(func() { errs <- socket.guard.Shutdown(deadline) })
	}
	wg.Wait()
	s.cancel()
	for _, socket := range s.sockets {
		// The connections are closed already, which is all that zmq4 could complain about.
		_ = socket.Close()
	}
	close(errs)
	var err error
	for e := range errs {
		err = errors.Join(err, e)
	}
	return err
}
