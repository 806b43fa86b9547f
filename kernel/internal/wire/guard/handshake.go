package guard

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/go-zeromq/zmq4"
)

// Bits of a frame's first byte.
const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

const (
	greetingSize = 64
	maxReady     = 4096 // bytes of a READY command
	maxIdentity  = 255
)

// greeting is this side's greeting: version 3.0, mechanism NULL, not as-server. In version 3.0
// subscriptions are messages, which zmq4 understands.
var greeting = func() []byte {
	g := make([]byte, greetingSize)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:], "NULL")
	return g
}()

// compatible lists the peer types that a ROUTER and a PUB accept.
var compatible = map[zmq4.SocketType][]string{
	zmq4.Router: {"REQ", "DEALER", "ROUTER"},
	zmq4.Pub:    {"SUB", "XSUB"},
}

// ready encodes a READY command as a frame.
func ready(socketType string, identity []byte) []byte {
	body := []byte("\x05READY")
	body = appendProperty(body, "Socket-Type", []byte(socketType))
	body = appendProperty(body, "Identity", identity)
	return appendFrame(nil, flagCommand, body)
}

func appendProperty(b []byte, name string, value []byte) []byte {
	b = append(b, byte(len(name)))
	b = append(b, name...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	return append(b, value...)
}

func appendHeader(b []byte, flags byte, size int) []byte {
	if size > 255 {
		return binary.BigEndian.AppendUint64(append(b, flags|flagLong), uint64(size))
	}
	return append(b, flags, byte(size))
}

func appendFrame(b []byte, flags byte, body []byte) []byte {
	return append(appendHeader(b, flags, len(body)), body...)
}

// handshake introduces the listener's socket to the peer and returns the peer's type and identity.
func handshake(c net.Conn, r *bufio.Reader, own zmq4.SocketType) (peerType string, identity []byte, err error) {
	if _, err := c.Write(greeting); err != nil {
		return "", nil, err
	}
	var theirs [greetingSize]byte
	// The signature and the version decide whether more follows.
	if _, err := io.ReadFull(r, theirs[:12]); err != nil {
		return "", nil, err
	}
	if theirs[0] != 0xff || theirs[9] != 0x7f {
		return "", nil, errors.New("no ZMTP signature")
	}
	if theirs[10] < 3 {
		return "", nil, fmt.Errorf("ZMTP version %d, expected 3", theirs[10])
	}
	if _, err := io.ReadFull(r, theirs[12:]); err != nil {
		return "", nil, err
	}
	if mechanism := strings.TrimRight(string(theirs[12:32]), "\x00"); mechanism != "NULL" {
		return "", nil, fmt.Errorf("mechanism %q, expected NULL", mechanism)
	}
	if _, err := c.Write(ready(string(own), nil)); err != nil {
		return "", nil, err
	}
	flags, size, err := readHeader(r)
	if err != nil {
		return "", nil, err
	}
	if flags&^flagLong != flagCommand || size > maxReady {
		return "", nil, fmt.Errorf("a frame with flags %d and %d bytes in place of READY", flags, size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return "", nil, err
	}
	peerType, identity, err = parseReady(body)
	if err != nil {
		return "", nil, err
	}
	if !slices.Contains(compatible[own], peerType) {
		return "", nil, fmt.Errorf("a %.20q peer for a %s", peerType, own)
	}
	return peerType, identity, nil
}

// readHeader reads the header of a frame.
func readHeader(r *bufio.Reader) (flags byte, size uint64, err error) {
	flags, err = r.ReadByte()
	if err != nil {
		return 0, 0, err
	}
	if flags > flagMore|flagLong|flagCommand {
		return 0, 0, &headerError{flags}
	}
	if flags&flagLong == 0 {
		b, err := r.ReadByte()
		return flags, uint64(b), err
	}
	var long [8]byte
	if _, err := io.ReadFull(r, long[:]); err != nil {
		return 0, 0, err
	}
	return flags, binary.BigEndian.Uint64(long[:]), nil
}

// A headerError says that a frame's first byte is not valid in ZMTP.
type headerError struct{ flags byte }

func (e *headerError) Error() string { return fmt.Sprintf("a frame with unknown flags %#x", e.flags) }

// parseReady parses a READY command.
func parseReady(body []byte) (socketType string, identity []byte, err error) {
	rest, ok := bytes.CutPrefix(body, []byte("\x05READY"))
	if !ok {
		return "", nil, errors.New("a command in place of READY")
	}
	for len(rest) > 0 {
		n := int(rest[0])
		if len(rest) < 1+n+4 {
			return "", nil, errors.New("READY is cut off in a property's name")
		}
		name := string(rest[1 : 1+n])
		size := uint64(binary.BigEndian.Uint32(rest[1+n:]))
		rest = rest[1+n+4:]
		if size > uint64(len(rest)) {
			return "", nil, errors.New("READY is cut off in a property's value")
		}
		value := rest[:size]
		rest = rest[size:]
		switch strings.ToLower(name) {
		case "socket-type":
			socketType = string(value)
		case "identity":
			if len(value) > maxIdentity {
				return "", nil, fmt.Errorf("an identity of %d bytes, at most %d are allowed", len(value), maxIdentity)
			}
			identity = bytes.Clone(value)
		}
	}
	return socketType, identity, nil
}
