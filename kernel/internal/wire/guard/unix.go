//go:build unix

package guard

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// listenUnix listens on a socket in the file system to which only its owner may connect; see also
// [isOurs]. It removes a socket that a killed process left behind, but not a live socket or any
// other file.
func listenUnix(path string) (net.Listener, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode()&os.ModeSocket == 0:
		return nil, fmt.Errorf("guard: %s exists and is not a socket", path)
	default:
		c, err := net.DialTimeout("unix", path, time.Second)
		if err == nil {
			return nil, errors.Join(fmt.Errorf("guard: %s is in use by another process", path), c.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return ln, nil
}
