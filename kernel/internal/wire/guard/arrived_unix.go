//go:build unix

package guard

import "golang.org/x/sys/unix"

// toRead returns how many bytes of a socket can be read without blocking.
func toRead(fd uintptr) (int, error) { return unix.IoctlGetInt(int(fd), bytesToRead) }
