//go:build unix

package download

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock is a lock on a file, which ends with its process.
type lock struct{ file *os.File }

// tryLock takes the lock of the file at path, which it makes where it is missing, or returns nil if
// another has it. The empty file stays: were it removed, two could hold locks of the same name.
func tryLock(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return &lock{f}, nil
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = nil
	}
	return nil, errors.Join(err, f.Close())
}

func (l *lock) release() error { return l.file.Close() }
