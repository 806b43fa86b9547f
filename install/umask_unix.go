//go:build unix

package main

import "syscall"

// restrict keeps other users from writing to the files and folders that this process, and those
// that it starts, make from now on, whatever the umask was: some of them are executed.
func restrict() {
	before := syscall.Umask(0o022)
	syscall.Umask(before | 0o022)
}
