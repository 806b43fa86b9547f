package child

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// fionread asks for the number of bytes in a pipe, at either end.
const fionread = unix.TIOCINQ

// setName gives this process the name of its program in lists of processes. Otherwise they would
// show the link in /proc through which it was started.
func setName() {
	if program, err := os.Executable(); err == nil {
		_ = os.WriteFile("/proc/self/comm", []byte(filepath.Base(program)), 0) // nothing depends on it
	}
}

// A moment is a time since the boot of the machine, in the hundredths of seconds in which Linux
// records start times of processes.
type moment int64

func now() moment {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return 0
	}
	return moment(t.Nano() / 1e7)
}

// signalProcesses sends the signal to the processes that this one has started since then, directly
// or not. Older ones get it first, so that a shell that is killed does not report the deaths of its
// children.
func signalProcesses(since moment, signal syscall.Signal) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return // then they cannot be found
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

// A process is an entry of /proc.
type process struct {
	parent, group int
	started       moment
}

func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	// The name, in parentheses, may contain any character.
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
