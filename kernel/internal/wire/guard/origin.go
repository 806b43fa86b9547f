package guard

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
)

// An Origin identifies where a peer comes from: the user who runs it, if this machine can tell, or
// else its address. It is empty for a peer on this machine whose user should be known but is not.
type Origin string

// originSize is the number of bytes of an origin in a route. An empty one consists of zeros.
const originSize = 17

// The first byte of an origin gives the kind of the rest.
const (
	originUser    = 'u'
	originAddress = 'a'
)

// userOrigin is the origin of the processes of a user, by uid.
func userOrigin(uid uint32) Origin {
	var b [originSize]byte
	b[0] = originUser
	binary.BigEndian.PutUint32(b[1:], uid)
	return Origin(b[:])
}

// addressOrigin is the origin of an address. For IPv6 it is the first half, since the owner of one
// address owns them all.
func addressOrigin(a netip.Addr) Origin {
	var b [originSize]byte
	b[0] = originAddress
	whole := a.Unmap().As16()
	copy(b[1:], whole[:])
	if a.Is6() && !a.Is4In6() && !a.IsLoopback() {
		clear(b[9:])
	}
	return Origin(b[:])
}

// originOf returns the origin of a connection.
func originOf(c net.Conn) Origin {
	remote, isTCP := c.RemoteAddr().(*net.TCPAddr)
	local, _ := c.LocalAddr().(*net.TCPAddr)
	if !isTCP || local == nil {
		// Sockets in the file system admit only one user; see [isOurs].
		return userOrigin(uint32(os.Geteuid()))
	}
	theirs, ours := remote.AddrPort(), local.AddrPort()
	uid, found, able := ownerOf(theirs, ours)
	switch here := theirs.Addr().Unmap().IsLoopback() || theirs.Addr() == ours.Addr(); {
	case found:
		return userOrigin(uid)
	case here && able:
		return ""
	}
	return addressOrigin(theirs.Addr())
}

// Source returns the origin of a peer from its route, which zmq4 reports as the first frame of its
// messages.
func Source(route []byte) Origin {
	if len(route) < identityAt || route[originAt] == 0 {
		return ""
	}
	return Origin(route[originAt:identityAt])
}

// A route consists of a number, which makes it unique and orders peers by age, the peer's origin,
// and the identity that the peer announced.
const (
	originAt   = 8
	identityAt = originAt + originSize
)

func newRoute(serial uint64, origin Origin, identity []byte) []byte {
	route := binary.BigEndian.AppendUint64(make([]byte, 0, identityAt+len(identity)), serial)
	route = append(route, origin...)
	return append(route[:identityAt:cap(route)], identity...)
}

// Identity returns the identity that a peer announced from its route, which zmq4 reports as the
// first frame of its messages. It is empty if the peer announced none.
func Identity(route []byte) []byte {
	if len(route) < identityAt {
		return nil
	}
	return route[identityAt:]
}
