package child

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// end ends the process. The processes that it has started are in a job, which the parent ends, or
// the system if the parent is gone.
func end() {
	_ = windows.TerminateProcess(windows.CurrentProcess(), 1) // does not return
	os.Exit(1)
}

// canSignal says whether signalSelf can send this process the signal of an interrupt.
const canSignal = false

func signalSelf() {}

// duplicate opens the same file again.
func duplicate(file *os.File, name string) (*os.File, error) {
	var h windows.Handle
	self := windows.CurrentProcess()
	if err := windows.DuplicateHandle(self, windows.Handle(file.Fd()), self, &h, 0, false, windows.DUPLICATE_SAME_ACCESS); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), name), nil
}

// awaitEmpty waits until the parent has emptied a pipe.
func awaitEmpty(file *os.File) {
	_ = windows.FlushFileBuffers(windows.Handle(file.Fd())) // fails if the parent is gone, or the cell has closed it
}

// setName is not needed here.
func setName() {}

// A moment is a time in units of 100 nanoseconds, in which the system records start times of
// processes.
type moment int64

func momentOf(t windows.Filetime) moment {
	return moment(int64(t.HighDateTime)<<32 | int64(t.LowDateTime))
}

func now() moment {
	var t windows.Filetime
	windows.GetSystemTimePreciseAsFileTime(&t)
	return momentOf(t)
}

// signalProcesses ends the processes that this one has started since then, directly or not,
// whatever the signal: Windows has no signal that only asks them to end.
func signalProcesses(since moment, _ syscall.Signal) {
	parents, err := parents()
	if err != nil {
		return // then they cannot be found
	}
	self := uint32(os.Getpid())
	began := map[uint32]moment{self: 0}
	for more := true; more; {
		more = false
		for pid, parent := range parents {
			from, ours := began[parent]
			if _, seen := began[pid]; !ours || seen {
				continue
			}
			// Process ids are reused: a process older than its parent is the child of another
			// process.
			delete(parents, pid)
			started, err := endStarted(pid, max(since, from))
			if err == nil && started >= from {
				began[pid], more = started, true
			}
		}
	}
}

// parents returns the parents of all processes.
func parents() (map[uint32]uint32, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(snapshot)
	parents := map[uint32]uint32{}
	var e windows.ProcessEntry32
	e.Size = uint32(unsafe.Sizeof(e))
	for err = windows.Process32First(snapshot, &e); err == nil; err = windows.Process32Next(snapshot, &e) {
		parents[e.ProcessID] = e.ParentProcessID
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, err
	}
	return parents, nil
}

// endStarted ends a process if it was started since then, and returns its start time.
func endStarted(pid uint32, since moment) (started moment, err error) {
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return 0, err
	}
	defer windows.CloseHandle(h)
	var creation, exit, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &creation, &exit, &kernel, &user); err != nil {
		return 0, err
	}
	if started = momentOf(creation); started >= since {
		err = windows.TerminateProcess(h, 1)
	}
	return started, err
}
