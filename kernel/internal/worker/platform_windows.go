package worker

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The child has its own console, without a window, so that a terminal's interrupt does not reach
// it.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW}
}

// A tree is the child and the processes that it has started: a job. The system ends the job when
// its last handle is closed, and so when this process ends.
type tree struct{ job windows.Handle }

// treeOf makes the tree of a child that has started but not received anything yet.
func treeOf(cmd *exec.Cmd) (t tree, err error) {
	if t.job, err = windows.CreateJobObject(nil, nil); err != nil {
		return t, os.NewSyscallError("CreateJobObject", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(t.job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		handleErr := cmd.Process.WithHandle(func(h uintptr) { err = windows.AssignProcessToJobObject(t.job, windows.Handle(h)) })
		err = errors.Join(handleErr, err)
	}
	if err != nil {
		return t, errors.Join(fmt.Errorf("tie the worker's life to the kernel: %w", err), windows.CloseHandle(t.job))
	}
	return t, nil
}

// kill ends all processes of the tree.
func (t tree) kill() {
	_ = windows.TerminateJobObject(t.job, 1) // it fails for processes that are gone
}

func (t tree) close() { _ = windows.CloseHandle(t.job) }

// fate says in words what ended a process that did not exit by itself; otherwise it is empty.
func fate(state *os.ProcessState) string {
	const exceptions = 0xc0000000
	if code := uint32(state.ExitCode()); code >= exceptions {
		return fmt.Sprintf("exception 0x%x", code)
	}
	return ""
}

// killed would report whether another process has ended this one. An exit code does not tell that
// here.
func killed(*os.ProcessState) bool { return false }

var getProcessMemoryInfo = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// memoryCounters is PROCESS_MEMORY_COUNTERS_EX of psapi.h.
type memoryCounters struct {
	size, pageFaults                                         uint32
	peakWorkingSet, workingSet                               uintptr
	peakPagedPool, pagedPool, peakNonPagedPool, nonPagedPool uintptr
	pagefileUsage, peakPagefileUsage, private                uintptr
}

// resident returns the memory of a process, in bytes; 0 if it has ended. It includes memory in the
// page file.
func resident(pid int) int64 {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(h)
	var counters memoryCounters
	counters.size = uint32(unsafe.Sizeof(counters))
	if ok, _, _ := getProcessMemoryInfo.Call(uintptr(h), uintptr(unsafe.Pointer(&counters)), uintptr(counters.size)); ok == 0 {
		return 0
	}
	return int64(counters.private)
}

// workingFolder is not known here.
func workingFolder(int) string { return "" }

// systemKillings is not known here: the system refuses memory instead of killing processes.
func systemKillings() int64 { return -1 }
