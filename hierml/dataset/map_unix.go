//go:build unix

package dataset

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile returns the content of the file as memory that the system reads in when it is used.
// Changes are private.
func mapFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	size, err := statMap(file)
	var content []byte
	if err == nil {
		content, err = unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	}
	if closed := file.Close(); err == nil && closed != nil {
		return nil, closed
	}
	return content, err
}

func unmapFile(content []byte) error { return unix.Munmap(content) }
