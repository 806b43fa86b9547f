package worker

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// The child leads its own process group, so that it can be ended together with its own children. It
// learns of the death of the thread that started it.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// resident returns the memory of a process, in bytes; 0 if it has ended.
func resident(pid int) int64 {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(statm), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// workingFolder returns the working directory of a process; empty if it has ended.
func workingFolder(pid int) string {
	folder, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return ""
	}
	return folder
}

// systemKillings returns how many processes the system has killed for lack of memory since it
// started, or -1 if that is not known.
func systemKillings() int64 {
	counters, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(counters)) {
		if count, ok := strings.CutPrefix(line, "oom_kill "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(count), 10, 64)
			if err != nil {
				return -1
			}
			return n
		}
	}
	return -1
}
