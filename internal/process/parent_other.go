//go:build unix && !linux

package process

import "syscall"

// endWithParent does nothing: the system has no such thing.
func endWithParent(*syscall.SysProcAttr) {}
