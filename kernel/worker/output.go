package worker

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// outlets are the child's ends of the pipes to the parent. Whatever goes
// through its methods keeps its order across pipes.
type outlets struct {
	mu             sync.Mutex
	frames         *os.File
	stdout, stderr *os.File
	runtime        *os.File // descriptor 2
}

// A stream is a writer to one of the outlets.
type stream struct {
	outlets *outlets
	file    *os.File
}

func (s stream) Write(p []byte) (int, error) {
	s.outlets.mu.Lock()
	defer s.outlets.mu.Unlock()
	s.outlets.drain(s.file)
	return s.file.Write(p)
}

// send sends a frame after everything that was written before it.
func (o *outlets) send(f *frame) error {
	data, err := encodeFrame(f)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drain(nil)
	_, err = o.frames.Write(data)
	return err
}

// patience is how long drain waits for a pipe that somebody else keeps filling.
const patience = 250 * time.Millisecond

// drain waits until the parent has emptied all streams except the given one.
// A pipe that is not read at all is waited for: the parent is busy. One that is
// read and filled again belongs to a writer that does not keep the order, so
// there is no order to wait for.
func (o *outlets) drain(except *os.File) {
	for _, file := range [...]*os.File{o.stdout, o.stderr, o.runtime} {
		if file == except {
			continue
		}
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
}

// unread returns the number of bytes that the parent has not yet read from
// the pipe.
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
