//go:build unix && !linux

package worker

import "syscall"

// The child leads its own process group, so that it can be ended together with its own children.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// resident is not known here.
func resident(int) int64 { return 0 }

// workingFolder is not known here.
func workingFolder(int) string { return "" }

// systemKillings is not known here.
func systemKillings() int64 { return -1 }
