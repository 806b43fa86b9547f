package wiretest

import (
	"runtime"
	"syscall"
	"testing"
)

// AsUser calls f in a thread of another user, to whom the files and the connections belong that it
// makes. Where this process is not root's, it skips the test.
func AsUser(t *testing.T, uid int, f func()) {
	t.Helper()
	if syscall.Geteuid() != 0 {
		t.Skip("not run: only root can be another user")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	become := func(uid int) {
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), uintptr(uid), ^uintptr(0)); errno != 0 {
			t.Fatal(errno)
		}
	}
	become(uid)
	defer become(0)
	f()
}
