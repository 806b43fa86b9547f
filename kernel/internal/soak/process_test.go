package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A footprint is what a process holds.
type footprint struct {
	pid                  int
	resident             int // KiB
	threads, descriptors int
}

// look returns the footprint of a process.
func look(pid int) (footprint, error) {
	f := footprint{pid: pid}
	folder := filepath.Join("/proc", strconv.Itoa(pid))
	open, err := os.ReadDir(filepath.Join(folder, "fd"))
	if err != nil {
		return f, err
	}
	f.descriptors = len(open)
	status, err := os.ReadFile(filepath.Join(folder, "status"))
	if err != nil {
		return f, err
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		var into *int
		switch name {
		case "VmRSS":
			into = &f.resident
		case "Threads":
			into = &f.threads
		default:
			continue
		}
		if *into, err = strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB")); err != nil {
			return f, fmt.Errorf("%s of process %d: %w", name, pid, err)
		}
	}
	return f, nil
}

// children returns the processes that a process has started and that are there, dead ones that
// nobody waited for among them.
func children(pid int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var found []int
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may hold anything; the parent is the second field after it.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 2 || fields[1] != strconv.Itoa(pid) {
			continue
		}
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, err
		}
		found = append(found, child)
	}
	slices.Sort(found)
	return found, nil
}
