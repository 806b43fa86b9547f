//go:build unix

package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// inlets are the ends of pipes that the parent reads. One goroutine uses them.
type inlets struct {
	files [pipes]*os.File
	fds   [pipes]int
	ended [pipes]bool
}

// openInlets makes the pipes; outlets are their other ends.
func openInlets() (in *inlets, outlets [pipes]*os.File, err error) {
	in = new(inlets)
	for i := range in.files {
		if in.files[i], outlets[i], err = os.Pipe(); err != nil {
			closeAll(outlets[:i]...)
			closeAll(in.files[:i]...)
			return nil, outlets, err
		}
		in.fds[i] = int(in.files[i].Fd())
	}
	return in, outlets, nil
}

// look tells which pipes have data or have ended. If wait is true, it waits until there is one.
func (in *inlets) look(wait bool) (ready [pipes]bool) {
	timeout := 0
	if wait {
		timeout = -1
	}
	var fds [pipes]unix.PollFd
	for {
		for i := range fds {
			fds[i] = unix.PollFd{Fd: int32(in.fds[i]), Events: unix.POLLIN}
			if in.ended[i] {
				fds[i].Fd = -1
			}
		}
		if _, err := unix.Poll(fds[:], timeout); err == nil {
			break
		} // otherwise a signal interrupted it
	}
	for i := range fds {
		ready[i] = fds[i].Revents != 0
	}
	return ready
}

// has is look for a single pipe that has not ended.
func (in *inlets) has(i int) bool {
	fds := []unix.PollFd{{Fd: int32(in.fds[i]), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err != nil || n > 0
}

// read reads from a pipe that is ready. It reads nothing if the pipe has ended.
func (in *inlets) read(i int, buffer []byte) int {
	n, err := unix.Read(in.fds[i], buffer)
	for err == unix.EINTR {
		n, err = unix.Read(in.fds[i], buffer)
	}
	if err != nil || n == 0 {
		in.ended[i] = true
		return 0
	}
	return n
}

func (in *inlets) close() { closeAll(in.files[:]...) }
