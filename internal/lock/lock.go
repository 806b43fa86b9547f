// Package lock has locks between processes: on files, and gone with the process that holds them,
// however it ends. What a lock is for is left to its callers.
package lock

import (
	"context"
	"errors"
	"os"
	"time"
)

// A Lock is one that this process holds.
type Lock struct{ file *os.File }

// Alone takes the lock of the file at path, which it makes where it is missing, for this process
// alone. It returns nil if others have it.
func Alone(path string) (*Lock, error) { return acquire(path, os.O_CREATE, true) }

// Shared takes the lock as one of many, unless one has it alone.
func Shared(path string) (*Lock, error) { return acquire(path, os.O_CREATE, false) }

// Existing takes the lock of a file alone, which it does not make.
func Existing(path string) (*Lock, error) { return acquire(path, 0, true) }

// pause is how long [Wait] waits until it asks again.
const pause = 50 * time.Millisecond

// Wait is Alone that waits until others have released the lock, or the context has ended. It calls
// waits once, if that is not nil, when others have it.
func Wait(ctx context.Context, path string, waits func()) (*Lock, error) {
	for {
		l, err := Alone(path)
		if l != nil || err != nil {
			return l, err
		}
		if waits != nil {
			waits()
			waits = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// acquire goes on until the file that it has locked is the one at path: another process may have
// removed it between the opening and the locking.
func acquire(path string, flag int, alone bool) (*Lock, error) {
	for {
		f, err := open(path, flag)
		if err != nil {
			return nil, err
		}
		held, err := f.Stat()
		if err == nil && !held.Mode().IsRegular() {
			err = errors.New(path + " is no file")
		}
		var got bool
		if err == nil {
			got, err = File(f, alone)
		}
		if err != nil || !got {
			return nil, errors.Join(err, f.Close())
		}
		if there, err := os.Lstat(path); err == nil && os.SameFile(held, there) {
			return &Lock{f}, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// Release ends the lock. The file stays.
func (l *Lock) Release() error { return l.file.Close() }

// Write puts a text for those who want the lock, to be read by [Holder], in place of what is in the
// file.
func (l *Lock) Write(text string) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(text), 0)
	return err
}

// Holder returns what the process that has the lock of a file has written into it.
func Holder(path string) (string, error) {
	text, err := os.ReadFile(path)
	return string(text), err
}
