package wire

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// Config holds the settings of a server.
type Config struct {
	// Log receives notes on dropped messages. The default discards them.
	Log *slog.Logger
}

// A Server is a kernel's end of its five channels. It answers the heartbeat itself.
type Server struct {
	info    *ConnectionInfo
	log     *slog.Logger
	signer  *signer
	session string
	serial  atomic.Uint64

	ctx    context.Context
	cancel context.CancelFunc

	transport Transport
	finished  map[Channel]*progress // processing of received messages
	iopub     *IOPub
	stdin     stdin

	dropped atomic.Int64
	logged  atomic.Int64 // time of the last line about a dropped message, in Unix nanoseconds
}

// Open opens a server on a transport, which uses the addresses in info. The server closes the
// transport at the end, or when opening fails.
func Open(t Transport, info *ConnectionInfo, config Config) (*Server, error) {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	signer, err := newSigner(info.SignatureScheme, info.Key)
	if err != nil {
		return nil, err
	}
	s := &Server{
		info:      info,
		log:       config.Log,
		signer:    signer,
		session:   uuid.NewString(),
		transport: t,
		finished:  map[Channel]*progress{Shell: {}, Control: {}, Stdin: {}},
		stdin:     stdin{asking: make(chan struct{}, 1)},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.iopub = newIOPub(s)
	if err := t.Open(s.iopub.subscribed); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	go s.beat()
	go s.readStdin()
	return s, nil
}

// Info returns the connection info of the server.
func (s *Server) Info() *ConnectionInfo { return s.info }

// IOPub returns the channel on which all clients learn what the kernel does.
func (s *Server) IOPub() *IOPub { return s.iopub }

// Dropped returns how many messages were dropped so far.
func (s *Server) Dropped() int64 { return s.dropped.Load() }

// ErrClosed is returned when the server has been closed.
var ErrClosed = errors.New("wire: the server is closed")

// Receive returns the next request on a channel, shell or control. It drops and counts messages
// without a correct signature. The error is ErrClosed. Each call means that the caller, of which
// there is one per channel, has finished the previous request.
func (s *Server) Receive(channel Channel) (*Request, error) {
	finished := s.finished[channel]
	for {
		finished.step()
		frames, err := s.transport.Receive(channel)
		if errors.Is(err, ErrClosed) {
			return nil, ErrClosed
		}
		if err != nil {
			continue
		}
		finished.begin()
		m, err := s.signer.decode(frames)
		s.transport.Done(channel, frames[0], isSigned(err))
		if err != nil {
			s.drop(channel, err)
			continue
		}
		return &Request{Message: *m, Channel: channel, server: s}, nil
	}
}

// drop counts a message that is not answered, and logs that at most once a second.
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
	for {
		frames, err := s.transport.Receive(Heartbeat)
		if errors.Is(err, ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		// A peer that has left needs no answer.
		_ = s.transport.Send(Heartbeat, frames)
		s.transport.Done(Heartbeat, frames[0], false)
	}
}

// encode builds the frames of an outgoing message, from the delimiter on.
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

// Close sends pending messages for at most two seconds, and closes the transport.
func (s *Server) Close() error {
	const patience = 2 * time.Second
	deadline := time.Now().Add(patience)
	s.iopub.close(deadline)
	defer s.cancel()
	return s.transport.Close(deadline)
}
