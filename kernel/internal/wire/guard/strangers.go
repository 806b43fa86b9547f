package guard

import (
	"bytes"
	"cmp"
	"slices"
)

// Strangers are the peers that have signed nothing yet. The listener's mu guards their accounts.
type strangers struct {
	number   int              // of the strangers among the peers
	received int64            // bytes of their messages, unfinished and unjudged
	unjudged map[string]int64 // bytes of complete messages before Done, by route
}

// perMessage is added to the bytes of a stranger's message, and perFrame to those of a frame.
const (
	perMessage = 4096
	perFrame   = 64
)

// Done reports that a message from a ROUTER was processed, by its route, and whether it was signed
// with the key. Call it for each message. A stranger that has signed is no longer a stranger. One
// that has not may send its next message.
func (l *Listener) Done(route []byte, signed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	cost, waits := l.strangers.unjudged[string(route)]
	if waits {
		delete(l.strangers.unjudged, string(route))
		l.strangers.received -= cost
	}
	c := l.peers[string(route)]
	if c != nil && signed && !c.signed {
		c.signed = true
		l.strangers.number--
	}
	if waits {
		l.judged.Broadcast()
	}
}

// awaitVerdict returns when all messages of the peer were processed, with the size limit for the
// next one. The limits for strangers do not apply to peers that have signed.
func (c *conn) awaitVerdict() (limit uint64, signed bool) {
	l := c.l
	l.mu.Lock()
	defer l.mu.Unlock()
	for !c.signed && l.isPeer(c) {
		if _, waits := l.strangers.unjudged[string(c.route)]; !waits {
			break
		}
		l.judged.Wait()
	}
	if c.signed {
		return l.limits.Message, true
	}
	return l.limits.Unsigned, false
}

// reserve accounts for bytes that a stranger is about to send. If strangers have too many in total,
// the one with the largest unfinished message is cut off. If that is not enough, reserve waits for
// messages to be processed.
func (c *conn) reserve(n int64) error {
	l := c.l
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.isPeer(c) && l.strangers.received+n > l.limits.Received {
		switch largest := l.largest(c, n); {
		case largest != c:
			l.cutOff(largest)
		case len(l.strangers.unjudged) == 0:
			return errBroken
		default:
			l.judged.Wait()
		}
	}
	if !l.isPeer(c) {
		return errLeft // the peer was cut off meanwhile
	}
	c.unfinished += n
	l.strangers.received += n
	return nil
}

// completed accounts for a stranger's complete message. Its cost stays until Done is called for it,
// even if the peer has left.
func (c *conn) completed() {
	l := c.l
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strangers.unjudged[string(c.route)] = c.unfinished
	c.unfinished = 0
	c.spoke = true
}

// heard records that a stranger has sent something other than a message.
func (l *Listener) heard(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.spoke = true
}

// largest returns the stranger with the most bytes of an unfinished message, if c had n more. It
// prefers strangers from unknown origins.
func (l *Listener) largest(c *conn, n int64) *conn {
	size := func(p *conn) int64 {
		if p == c {
			return p.unfinished + n
		}
		return p.unfinished
	}
	largest := c
	for _, p := range l.peers {
		if p.unfinished == 0 {
			continue
		}
		if order := cmp.Or(cmpBool(l.knows(largest), l.knows(p)), cmp.Compare(size(p), size(largest))); order > 0 {
			largest = p
		}
	}
	return largest
}

// makeRoom cuts off strangers until one more may come. First go those from unknown origins, among
// these the silent ones, among these the oldest.
func (l *Listener) makeRoom() {
	for l.strangers.number >= l.limits.Strangers {
		var first *conn
		for _, p := range l.peers {
			if !p.signed && (first == nil || l.goesBefore(p, first)) {
				first = p
			}
		}
		l.evicted.Add(1)
		l.cutOff(first)
	}
}

func (l *Listener) goesBefore(a, b *conn) bool {
	return cmp.Or(
		cmpBool(l.knows(a), l.knows(b)),
		cmpBool(a.spoke || a.unfinished > 0, b.spoke || b.unfinished > 0),
		bytes.Compare(a.route, b.route), // by age
	) < 0
}

func (l *Listener) knows(c *conn) bool { return l.isKnown(Source(c.route)) }

func (l *Listener) isKnown(o Origin) bool { return l.config.Known == nil || l.config.Known(o) }

// cmpBool orders false before true.
func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// cutOff ends a peer. mu is held.
func (l *Listener) cutOff(c *conn) {
	l.forget(c)
	// The peer's lock must be taken without this one: see [conn.close].
	go c.close(errEvicted)
}

// forget removes a peer from the accounts, once.
func (l *Listener) forget(c *conn) {
	if !l.isPeer(c) {
		return
	}
	delete(l.peers, string(c.route))
	if !c.signed {
		l.strangers.number--
	}
	l.strangers.received -= c.unfinished
	c.unfinished = 0
	if identity := string(Identity(c.route)); identity != "" {
		same := slices.DeleteFunc(l.identities[identity], func(other *conn) bool { return other == c })
		if len(same) == 0 {
			delete(l.identities, identity)
		} else {
			l.identities[identity] = same
		}
	}
	l.judged.Broadcast()
}

func (l *Listener) isPeer(c *conn) bool { return l.peers[string(c.route)] == c }
