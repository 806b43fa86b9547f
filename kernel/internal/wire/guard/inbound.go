package guard

import (
	"bufio"
	"bytes"
	"io"

	"github.com/go-zeromq/zmq4"
)

const (
	readBuffer = 4 << 10
	chunkSize  = 256 << 10 // a large frame is read in chunks of this size
	maxCommand = 4096      // bytes of a command
	maxTopic   = 1024      // bytes of a topic
	maxTopics  = 128       // topics of one peer
	maxAnswers = 64 << 10  // bytes queued above which neither a PING nor a subscription is answered
)

// Names of the commands that a peer may send after the handshake.
const (
	commandPing      = "\x04PING"
	commandPong      = "\x04PONG"
	commandSubscribe = "\x09SUBSCRIBE"
	commandCancel    = "\x06CANCEL"
)

// inbound is the state of a peer's reading side: a filter between the peer's bytes and zmq4.
type inbound struct {
	source *source
	r      *bufio.Reader // of source
	ready  []byte        // what zmq4 may read now
	chunks [][]byte      // what follows
	frame  []byte        // memory for frames of ordinary size

	frames int    // of the current message
	size   uint64 // of the current message
	signed bool   // the peer is not a stranger

	topics     map[string]int // subscriptions of a SUB, counted
	subscribed []byte         // to report once zmq4 knows of it
	report     bool
	mark       int // length of the queue when the subscription came
}

// Read gives zmq4 checked frames. It reports the end of a peer only between two frames.
func (c *conn) Read(p []byte) (int, error) {
	in := &c.in
	for len(in.ready) == 0 {
		if len(in.chunks) > 0 {
			in.ready, in.chunks = in.chunks[0], in.chunks[1:]
			continue
		}
		// zmq4 asks for more, so it has handled everything before: the first time, the handshake.
		c.routable.Store(true)
		c.reportSubscription()
		if err := c.nextFrame(); err != nil {
			if err == errBroken {
				c.l.broken.Add(1)
				c.close(errBroken)
				return 0, errBroken
			}
			return 0, errLeft
		}
	}
	n := copy(p, in.ready)
	in.ready = in.ready[n:]
	return n, nil
}

// nextFrame reads a frame and passes it to zmq4, or handles it.
func (c *conn) nextFrame() error {
	in := &c.in
	limit := c.l.limits.Unsigned
	if in.signed {
		limit = c.l.limits.Message
	} else if in.frames == 0 {
		limit, in.signed = c.awaitVerdict()
	}
	flags, size, err := readHeader(in.r)
	if err != nil {
		return frameError(err)
	}
	if flags&flagCommand != 0 {
		return c.command(flags, size)
	}
	in.frames++
	if in.frames > c.l.limits.Frames || size > limit-in.size {
		return errBroken
	}
	in.size += size
	first, last := in.frames == 1, flags&flagMore == 0
	if last {
		in.frames, in.size = 0, 0
	}
	if c.l.config.Type == zmq4.Pub {
		return c.subscription(first && last, size)
	}
	if err := c.body(first, flags&flagMore, size); err != nil {
		return err
	}
	if last {
		c.l.messages.Add(1)
	}
	if last && !in.signed {
		c.completed()
	}
	return nil
}

// body reads the body of a frame of a message.
func (c *conn) body(first bool, flags byte, size uint64) error {
	in := &c.in
	book := c.reserve
	if in.signed {
		book = func(int64) error { return nil }
	}
	cost := int64(perFrame)
	if first {
		cost += perMessage
	}
	if err := book(cost); err != nil {
		return err
	}
	header := appendHeader(in.frame[:0], flags, int(size))
	if size <= chunkSize {
		if err := book(int64(size)); err != nil {
			return err
		}
		n := len(header)
		in.ready = append(header, make([]byte, size)...)
		if in.signed {
			in.frame = in.ready
		}
		_, err := io.ReadFull(in.r, in.ready[n:])
		if err != nil {
			in.ready = nil
		}
		return err
	}
	// zmq4 allocates the whole frame as soon as it sees the header, so it gets the header only when
	// the whole frame has arrived.
	var chunks [][]byte
	for size > 0 {
		n := min(size, chunkSize)
		if err := book(int64(n)); err != nil {
			return err
		}
		chunk := make([]byte, n)
		if _, err := io.ReadFull(in.r, chunk); err != nil {
			return err
		}
		chunks = append(chunks, chunk)
		size -= n
	}
	in.frame = header
	in.ready, in.chunks = header, chunks
	return nil
}

// frameError distinguishes a wrong header from the end of a connection.
func frameError(err error) error {
	if _, wrong := err.(*headerError); wrong {
		return errBroken
	}
	return err
}

// subscription handles a message of a SUB. It skips everything except subscriptions.
func (c *conn) subscription(single bool, size uint64) error {
	in := &c.in
	if !single || size == 0 || size > 1+maxTopic {
		_, err := io.CopyN(io.Discard, in.r, int64(size))
		return err
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(in.r, body); err != nil {
		return err
	}
	if body[0] > 1 {
		return nil
	}
	return c.subscribe(body[0] == 1, body[1:])
}

// subscribe passes a subscription or its end on to zmq4. Peers count subscriptions to a topic,
// while zmq4 keeps a set of topics.
func (c *conn) subscribe(on bool, topic []byte) error {
	in := &c.in
	if in.topics == nil {
		in.topics = make(map[string]int)
	}
	count := in.topics[string(topic)]
	switch {
	case on:
		if count == 0 && len(in.topics) >= maxTopics {
			return errBroken
		}
		in.topics[string(topic)] = count + 1
		if count > 0 {
			return nil
		}
		c.l.heard(c)
		c.holdFor(topic)
	case count == 0:
		return nil
	case count > 1:
		in.topics[string(topic)] = count - 1
		return nil
	default:
		delete(in.topics, string(topic))
	}
	body := append([]byte{0}, topic...)
	if on {
		body[0] = 1
	}
	in.ready = appendFrame(nil, 0, body)
	return nil
}

// holdFor stops the writer until the subscription has been reported, so that the reply to the
// report precedes messages for the subscription.
func (c *conn) holdFor(topic []byte) {
	if c.l.config.Subscribed == nil || c.waiting.Load() > maxAnswers {
		return
	}
	c.in.subscribed, c.in.report = topic, true
	c.mu.Lock()
	c.held = true
	c.in.mark = len(c.queue)
	c.mu.Unlock()
}

func (c *conn) reportSubscription() {
	if !c.in.report {
		return
	}
	c.in.report = false
	var message []byte
	frames := c.l.config.Subscribed(c.in.subscribed, Source(c.route))
	for i, frame := range frames {
		var flags byte
		if i < len(frames)-1 {
			flags = flagMore
		}
		message = appendFrame(message, flags, frame)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
	if c.reason != nil {
		return
	}
	if len(message) > 0 {
		answer := c.pieces([][]byte{message})
		c.queue = append(c.queue[:c.in.mark:c.in.mark], append(answer, c.queue[c.in.mark:]...)...)
	}
	c.work.Broadcast()
}

// command handles a command of the peer. It ignores unknown ones, as ZMTP demands.
func (c *conn) command(flags byte, size uint64) error {
	if flags&flagMore != 0 || size > maxCommand {
		return errBroken
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c.in.r, body); err != nil {
		return err
	}
	if rest, ok := bytes.CutPrefix(body, []byte(commandPing)); ok && len(rest) >= 2 {
		if c.waiting.Load() > maxAnswers {
			return nil
		}
		pong := append([]byte(commandPong), rest[2:]...) // without the time to live
		return c.send([][]byte{appendFrame(nil, flagCommand, pong)})
	}
	if c.l.config.Type != zmq4.Pub {
		return nil
	}
	if topic, ok := bytes.CutPrefix(body, []byte(commandSubscribe)); ok && len(topic) <= maxTopic {
		return c.subscribe(true, topic)
	}
	if topic, ok := bytes.CutPrefix(body, []byte(commandCancel)); ok {
		return c.subscribe(false, topic)
	}
	return nil
}
