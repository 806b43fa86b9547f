package worker

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The child leads a process group of its own, so that it and what it starts
// can be ended together, and learns of the death of the thread that started it.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// fionread asks for the number of bytes in a pipe, at either end.
const fionread = unix.TIOCINQ

// A moment is a time since the machine has started, in the hundredths of
// seconds in which Linux tells when a process did.
type moment int64

func now() moment {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return 0
	}
	return moment(t.Nano() / 1e7)
}

// signalProcesses sends the signal to the processes that this one, directly or
// not, has started since. Older ones get it first, so that a shell which is
// killed does not report that what it has started was.
func signalProcesses(since moment, signal unix.Signal) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return // then there is no way to know them
	}
	self, group := os.Getpid(), unix.Getpgrp()
	processes := map[int]process{}
	for _, name := range names {
		if pid, err := strconv.Atoi(name.Name()); err == nil {
			if p, ok := readProcess(pid); ok {
				processes[pid] = p
			}
		}
	}
	byAge := slices.SortedFunc(maps.Keys(processes), func(a, b int) int {
		return cmp.Or(cmp.Compare(processes[a].started, processes[b].started), cmp.Compare(a, b))
	})
	for _, pid := range byAge {
		p := processes[pid]
		if pid == self || p.started < since {
			continue
		}
		ours := p.group == group
		for parent := p.parent; !ours && parent != 0; parent = processes[parent].parent {
			ours = parent == self
		}
		if ours {
			_ = unix.Kill(pid, signal) // fails if it has ended meanwhile
		}
	}
}

// A process is what /proc tells of one.
type process struct {
	parent, group int
	started       moment
}

func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	// The name, in parentheses, may have any characters in it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return process{}, false
	}
	number := func(field int) int64 {
		n, parseErr := strconv.ParseInt(string(fields[field]), 10, 64)
		if parseErr != nil {
			err = parseErr
		}
		return n
	}
	p := process{parent: int(number(1)), group: int(number(2)), started: moment(number(19))}
	return p, err == nil
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

// workingFolder returns the folder that a process works in; empty if it has
// ended.
func workingFolder(pid int) string {
	folder, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return ""
	}
	return folder
}

// systemKillings returns how many processes the system has killed since it
// started because there was no memory left, -1 if that is not known.
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
