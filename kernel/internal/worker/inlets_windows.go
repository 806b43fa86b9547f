package worker

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// inlets are the ends of pipes that the parent reads. One goroutine uses them.
//
// They are named pipes, since only those can be peeked into during a read. Waiting for data uses a
// read of zero bytes, which ends when there is some.
type inlets struct {
	handles [pipes]windows.Handle
	waiting [pipes]windows.Overlapped // reads of zero bytes
	under   [pipes]bool               // way
	reading windows.Overlapped
	ended   [pipes]bool
}

// openInlets makes the pipes; outlets are their other ends.
func openInlets() (in *inlets, outlets [pipes]*os.File, err error) {
	in = new(inlets)
	defer func() {
		if err != nil {
			for _, f := range outlets {
				if f != nil {
					closeAll(f)
				}
			}
			in.close()
		}
	}()
	if in.reading.HEvent, err = windows.CreateEvent(nil, 1, 0, nil); err != nil {
		return in, outlets, err
	}
	for i := range outlets {
		if in.waiting[i].HEvent, err = windows.CreateEvent(nil, 1, 0, nil); err != nil {
			return in, outlets, err
		}
		if in.handles[i], outlets[i], err = newPipe(); err != nil {
			return in, outlets, err
		}
	}
	return in, outlets, nil
}

// newPipe makes a pipe whose reading end can be waited for.
func newPipe() (r windows.Handle, w *os.File, err error) {
	name := fmt.Sprintf(`\\.\pipe\hierml-%d-%016x`, os.Getpid(), rand.Uint64())
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return 0, nil, err
	}
	const size = 64 << 10
	r, err = windows.CreateNamedPipe(path,
		windows.PIPE_ACCESS_INBOUND|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_READMODE_BYTE|windows.PIPE_WAIT|windows.PIPE_REJECT_REMOTE_CLIENTS,
		1, size, size, 0, nil)
	if err != nil {
		return 0, nil, os.NewSyscallError("CreateNamedPipe", err)
	}
	// The pipe has one other end: once this is open, no other process can open it.
	h, err := windows.CreateFile(path, windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		return 0, nil, errors.Join(os.NewSyscallError("CreateFile", err), windows.CloseHandle(r))
	}
	return r, os.NewFile(uintptr(h), name), nil
}

// look tells which pipes have data or have ended. If wait is true, it waits until there is one.
func (in *inlets) look(wait bool) (ready [pipes]bool) {
	for {
		some := false
		for i := range ready {
			ready[i] = !in.ended[i] && in.has(i)
			some = some || ready[i]
		}
		if some || !wait {
			return ready
		}
		in.await()
	}
}

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// has is look for a single pipe that has not ended.
func (in *inlets) has(i int) bool {
	var n uint32
	ok, _, _ := peekNamedPipe.Call(uintptr(in.handles[i]), 0, 0, 0, uintptr(unsafe.Pointer(&n)), 0)
	return ok == 0 || n > 0
}

// await returns when a pipe has data, or may have.
func (in *inlets) await() {
	var which []int
	var events []windows.Handle
	for i := range in.under {
		if in.ended[i] {
			continue
		}
		if !in.under[i] {
			err := windows.ReadFile(in.handles[i], nil, nil, &in.waiting[i])
			if !errors.Is(err, windows.ERROR_IO_PENDING) {
				return
			}
			in.under[i] = true
		}
		which, events = append(which, i), append(events, in.waiting[i].HEvent)
	}
	n, err := windows.WaitForMultipleObjects(events, false, windows.INFINITE)
	if at := int(n - windows.WAIT_OBJECT_0); err == nil && at < len(which) {
		in.under[which[at]] = false
	}
}

// read reads from a pipe that is ready. It reads nothing if the pipe has ended.
func (in *inlets) read(i int, buffer []byte) int {
	var n uint32
	err := windows.ReadFile(in.handles[i], buffer, nil, &in.reading)
	if err == nil || errors.Is(err, windows.ERROR_IO_PENDING) {
		err = windows.GetOverlappedResult(in.handles[i], &in.reading, &n, true)
	}
	in.ended[i] = err != nil
	return int(n)
}

func (in *inlets) close() {
	for i, h := range in.handles {
		if in.under[i] {
			// The system writes to the structure until the read has ended.
			var n uint32
			_ = windows.CancelIoEx(h, &in.waiting[i]) // fails if it has
			_ = windows.GetOverlappedResult(h, &in.waiting[i], &n, true)
		}
		for _, h := range []windows.Handle{h, in.waiting[i].HEvent} {
			if h != 0 {
				_ = windows.CloseHandle(h) // nothing can be lost
			}
		}
	}
	if in.reading.HEvent != 0 {
		_ = windows.CloseHandle(in.reading.HEvent)
	}
}
