//go:build unix

package farm

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// detach has a program go on when this one ends, and lead a group of its own.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// apart tells whether a process leads a group that is not that of this process.
func apart(pid int) bool {
	group, err := syscall.Getpgid(pid)
	return err == nil && group == pid && group != syscall.Getpgrp()
}

// terminate asks a process to end. Tests see what it is given.
var terminate = func(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// bootFile has a text that each start of a Linux machine has of its own.
const bootFile = "/proc/sys/kernel/random/boot_id"

// look returns what tells a process from all others.
func look(pid int) (process, error) {
	boot, err := os.ReadFile(bootFile)
	if errors.Is(err, fs.ErrNotExist) {
		return lookByPS(pid)
	}
	if err != nil {
		return process{}, err
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	// The name, in parentheses, may have any characters in it. After it there are the state, the
	// 3rd field of all, and others; the 22nd is when the process began, in ticks since the machine
	// was started.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return process{}, fmt.Errorf("/proc/%d/stat has %q; expected 52 fields", pid, stat)
	}
	state := string(fields[0])
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return process{fmt.Sprintf("%s %s", bytes.TrimSpace(boot), fields[19]), string(command), state == "Z" || state == "X"}, err
}

// The variables by which ps writes times in one form.
const psTimes = "LC_TIME=C TZ=UTC0"

// lookByPS is look where ps tells.
func lookByPS(pid int) (process, error) {
	cmd := exec.Command("ps", "-ww", "-o", "stat=", "-o", "lstart=", "-o", "command=", "-p", strconv.Itoa(pid))
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "LC_ALL=") }), strings.Fields(psTimes)...)
	out, err := cmd.Output()
	if err != nil {
		return process{}, because("ps", err)
	}
	const words = 5 // of a time, as in Mon Jan 2 15:04:05 2006
	fields := strings.Fields(string(out))
	if len(fields) < 1+words {
		return process{}, fmt.Errorf("ps printed %q; expected the state, the start and the command of process %d", out, pid)
	}
	return process{strings.Join(fields[1:1+words], " "), string(out), strings.HasPrefix(fields[0], "Z")}, nil
}

// condition is one for a shell, which holds as long as the leader, which is alive, runs.
func (l leader) condition() string {
	if boot, ticks, ok := strings.Cut(l.began, " "); ok && !strings.Contains(ticks, " ") && boot != "" { // as look has it
		return fmt.Sprintf(`s=$(cat /proc/%d/stat 2>/dev/null) && set -- ${s##*)} && [ "$1" != Z ] && [ "${20}" = %s ]`, l.pid, quote(ticks))
	}
	return fmt.Sprintf(`[ "$(echo $(unset LC_ALL; %s ps -o lstart= -p %d))" = %s ]`, psTimes, l.pid, quote(l.began))
}
