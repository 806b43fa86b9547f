package guard

import (
	"encoding/binary"
	"errors"
	"net/netip"

	"golang.org/x/sys/unix"
)

// ownerOf asks the system which user has the other end of a connection on this machine. It uses
// sock_diag(7), which lets each user ask about all sockets of the network namespace. Able says that
// the system would answer for every such end.
func ownerOf(theirs, ours netip.AddrPort) (uid uint32, found, able bool) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0, false, false
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, diagRequest(theirs, ours), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, false, false
	}
	// The answer is available when Sendto returns.
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, unix.MSG_DONTWAIT)
	if err != nil {
		return 0, false, false
	}
	return diagAnswer(answer[:n])
}

// Sizes and places in the messages of linux/inet_diag.h.
const (
	headerSize  = 16 // struct nlmsghdr
	requestSize = 56 // struct inet_diag_req_v2
	answerSize  = 72 // struct inet_diag_msg
	uidAt       = 64
	inodeAt     = 68

	sockDiagByFamily = 20 // SOCK_DIAG_BY_FAMILY
	allStates        = 0xffffffff
	noCookie         = 0xffffffff // INET_DIAG_NOCOOKIE
)

func diagRequest(theirs, ours netip.AddrPort) []byte {
	b := make([]byte, headerSize, headerSize+requestSize)
	native := binary.NativeEndian
	native.PutUint32(b[0:], headerSize+requestSize)
	native.PutUint16(b[4:], sockDiagByFamily)
	native.PutUint16(b[6:], unix.NLM_F_REQUEST)
	from, to := theirs.Addr().Unmap(), ours.Addr().Unmap()
	family := byte(unix.AF_INET6)
	if from.Is4() {
		family = unix.AF_INET
	}
	b = append(b, family, unix.IPPROTO_TCP, 0, 0)
	b = native.AppendUint32(b, allStates)
	b = binary.BigEndian.AppendUint16(b, theirs.Port())
	b = binary.BigEndian.AppendUint16(b, ours.Port())
	for _, a := range []netip.Addr{from, to} {
		var whole [16]byte
		copy(whole[:], a.AsSlice())
		b = append(b, whole[:]...)
	}
	b = native.AppendUint32(b, 0) // any interface
	b = native.AppendUint32(b, noCookie)
	return native.AppendUint32(b, noCookie)
}

// diagAnswer parses an answer. An end that its process has closed has no owner, and no inode.
func diagAnswer(b []byte) (uid uint32, found, able bool) {
	if len(b) < headerSize {
		return 0, false, false
	}
	native := binary.NativeEndian
	switch body := b[headerSize:]; native.Uint16(b[4:]) {
	case unix.NLMSG_ERROR:
		if len(body) < 4 {
			return 0, false, false
		}
		return 0, false, errors.Is(unix.Errno(-int32(native.Uint32(body))), unix.ENOENT)
	case sockDiagByFamily:
		if len(body) < answerSize {
			return 0, false, false
		}
		return native.Uint32(body[uidAt:]), native.Uint32(body[inodeAt:]) != 0, true
	}
	return 0, false, false
}
