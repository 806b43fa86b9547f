// Package lock implements locks between processes: on files, and released when the process that
// holds them ends, in whatever way.
package lock

import (
	"context"
	"errors"
	"os"
	"time"
)

// A Lock is held by this process.
type Lock struct{ file *os.File }

// Alone acquires an exclusive lock on the file at path, which it creates if necessary. It returns
// nil if another process has locked the file.
func Alone(path string) (*Lock, error) { return acquire(path, os.O_CREATE, true) }

// Shared acquires a shared lock, unless another process has an exclusive one.
func Shared(path string) (*Lock, error) { return acquire(path, os.O_CREATE, false) }

// Existing acquires an exclusive lock on a file, without creating it.
func Existing(path string) (*Lock, error) { return acquire(path, 0, true) }

// pause is the interval between the attempts of [Wait].
const pause = 50 * time.Millisecond

// Wait is like Alone, but waits until others have released the lock, or ctx is done. If others have
// the lock, it calls waits once, if that is not nil.
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

// acquire retries until the locked file is the one at path: another process may have removed it
// between opening and locking.
func acquire(path string, flag int, alone bool) (*Lock, error) {
	for {
		f, err := open(path, flag)
		if err != nil {
			return nil, err
		}
		held, err := f.Stat()
		if err == nil && !held.Mode().IsRegular() {
			err = errors.New(path + " is not a file")
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

// Release releases the lock. The file stays.
func (l *Lock) Release() error { return l.file.Close() }

// Write replaces the content of the file with a text for processes that wait for the lock; see
// [Holder].
func (l *Lock) Write(text string) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(text), 0)
	return err
}

// Holder returns the text that the process with the lock on a file has written.
func Holder(path string) (string, error) {
	text, err := os.ReadFile(path)
	return string(text), err
}
