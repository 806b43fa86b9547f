//go:build unix

package child

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// end ends the process and all processes it has started: they share its group.
func end() {
	if err := syscall.Kill(0, syscall.SIGKILL); err != nil {
		os.Exit(1)
	}
}

// canSignal says whether signalSelf can send this process the signal of an interrupt.
const canSignal = true

func signalSelf() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) } // it is allowed to

// duplicate opens the same file again.
func duplicate(file *os.File, name string) (*os.File, error) {
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 6) // above those from the parent
	return os.NewFile(uintptr(fd), name), err
}

// patience is how long awaitEmpty waits for a pipe that another process keeps filling.
const patience = 250 * time.Millisecond

// awaitEmpty waits until the parent has emptied a pipe. If the pipe is not read at all, the parent
// is busy, and awaitEmpty goes on waiting. If it is read and filled again, its writer does not keep
// the order, so waiting is pointless.
func awaitEmpty(file *os.File) {
	var moving time.Duration
	pause := time.Microsecond
	for last := unread(file); last > 0; {
		time.Sleep(pause)
		now := unread(file)
		if now != last {
			if moving += pause; moving > patience {
				break
			}
		}
		last = now
		pause = min(2*pause, time.Millisecond)
	}
}

// unread returns the number of bytes that the parent has not yet read from the pipe.
func unread(file *os.File) int {
	var n int
	conn, err := file.SyscallConn()
	if err != nil {
		return 0
	}
	if err := conn.Control(func(fd uintptr) {
		if n, err = unix.IoctlGetInt(int(fd), fionread); err != nil {
			n = 0
		}
	}); err != nil {
		return 0
	}
	return n
}
