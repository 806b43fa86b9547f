package guard

import "encoding/binary"

// keepFrom is the size from which a piece of a frame is queued without copying it. zmq4 promises
// its callers nothing about the frames they send, so package wire never changes a frame after
// sending it.
const keepFrom = 16 << 10

// An assembler reassembles the messages that zmq4 writes in small parts: a greeting and a READY
// command, which it drops since the peer has already received ours, and then header and body of
// each frame.
type assembler struct {
	greeted int // bytes of the greeting seen

	header [9]byte
	have   int    // bytes of the header seen
	left   uint64 // bytes of the body to come
	body   bool   // the header is complete

	tail   []byte   // small parts, joined
	pieces [][]byte // what comes before tail
}

// add takes the bytes that zmq4 wrote, and returns the message that they complete, if any, and the
// bytes after it.
func (a *assembler) add(p []byte) (message [][]byte, rest []byte) {
	if a.greeted < greetingSize {
		n := min(greetingSize-a.greeted, len(p))
		a.greeted += n
		p = p[n:]
	}
	for len(p) > 0 {
		if !a.body {
			p = a.addHeader(p)
		}
		if !a.body {
			break
		}
		n := min(a.left, uint64(len(p)))
		a.addBody(p[:n])
		a.left -= n
		p = p[n:]
		if a.left > 0 {
			break
		}
		a.body, a.have = false, 0
		if a.header[0]&(flagMore|flagCommand) == 0 {
			return a.take(), p
		}
	}
	return nil, p
}

func (a *assembler) addHeader(p []byte) []byte {
	for !a.body && len(p) > 0 {
		a.header[a.have] = p[0]
		a.have++
		p = p[1:]
		switch long := a.header[0]&flagLong != 0; {
		case !long && a.have == 2:
			a.left, a.body = uint64(a.header[1]), true
		case long && a.have == 9:
			a.left, a.body = binary.BigEndian.Uint64(a.header[1:]), true
		}
	}
	if a.body && a.header[0]&flagCommand == 0 {
		a.tail = append(a.tail, a.header[:a.have]...)
	}
	return p
}

func (a *assembler) addBody(p []byte) {
	switch {
	case a.header[0]&flagCommand != 0:
	case len(p) < keepFrom:
		a.tail = append(a.tail, p...)
	default:
		if len(a.tail) > 0 {
			a.pieces = append(a.pieces, a.tail)
			a.tail = nil
		}
		a.pieces = append(a.pieces, p)
	}
}

func (a *assembler) take() [][]byte {
	message := a.pieces
	if len(a.tail) > 0 {
		message = append(message, a.tail)
	}
	a.pieces, a.tail = nil, nil
	return message
}
