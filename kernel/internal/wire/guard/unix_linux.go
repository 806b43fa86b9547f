package guard

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// isOurs reports whether a peer of a socket in the file system is a process of this user, or of
// root. The mode of the socket does not guarantee that for peers that connected before it was set,
// nor on all file systems.
func isOurs(c net.Conn) bool {
	file, ok := c.(*net.UnixConn)
	if !ok {
		return true
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return false
	}
	ours := false
	err = raw.Control(func(fd uintptr) {
		peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		ours = err == nil && (peer.Uid == 0 || peer.Uid == uint32(os.Geteuid()))
	})
	return err == nil && ours
}
