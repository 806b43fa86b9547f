//go:build !linux

package toolchain

import (
	"errors"
	"os/exec"
)

// Open refuses these systems before anything here is called.

func ownGroup(*exec.Cmd) {}

type lock struct{}

func tryLock(string, bool) (*lock, error) { return nil, errors.ErrUnsupported }

func tryLockThere(string) (*lock, error) { return nil, errors.ErrUnsupported }

func (l *lock) release() error { return nil }

func (l *lock) is(string) bool { return false }

func trust(string) error { return errors.ErrUnsupported }

func usableForCode(string, uint64) bool { return false }
