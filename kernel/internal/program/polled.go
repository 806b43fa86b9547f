package program

import (
	"os"
	"time"
)

// Polled calls f, which reads or writes a file and blocks until the deadline that setDeadline
// (SetReadDeadline or SetWriteDeadline) has set. It makes f return when done is closed, and reports
// whether it did. It does nothing for files that never block indefinitely.
func Polled(file *os.File, setDeadline func(*os.File, time.Time) error, done <-chan struct{}, f func()) (stopped bool) {
	info, err := file.Stat()
	if done == nil || err != nil || info.Mode().IsRegular() {
		f()
		return false
	}
	returned, watched := make(chan struct{}), make(chan bool)
	go func() {
		select {
		case <-done:
			if setDeadline(file, time.Unix(1, 0)) == nil {
				<-returned
				_ = setDeadline(file, time.Time{}) // setting it has worked before
				watched <- true
				return
			}
		case <-returned:
		}
		<-returned
		watched <- false
	}()
	defer func() {
		close(returned)
		stopped = <-watched
	}()
	f()
	return false
}

// StopFollows reports whether a cell stops after an interrupt that has ended its question to the
// user. It does not if the cell's own code gets the interrupt as a signal.
func StopFollows(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	case <-time.After(time.Second):
		return false
	}
}
