//go:build unix

// Package testfault lets tests check the effects of faults on files and programs: in processes of
// the test binary whose disk is full, that are killed, or whose program file is replaced. The
// tested code itself is not replaced by fakes.
package testfault

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const limitVariable = "HIERML_TEST_LIMIT"

// A process started by Limited limits itself first.
func init() {
	text, ok := os.LookupEnv(limitVariable)
	if !ok {
		return
	}
	most, err := strconv.ParseUint(text, 10, 64)
	if err == nil {
		err = Limit(most)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// Limit makes writes of this process fail that would make a file longer than most bytes, as on a
// full disk: the part that fits is written.
func Limit(most uint64) error {
	signal.Ignore(syscall.SIGXFSZ) // the write fails instead
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: math.MaxUint64})
}

// Process is a process of the test binary with a variable in its environment.
func Process(ctx context.Context, variable string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), variable)
	return cmd
}

// Limited is Process with Limit.
func Limited(ctx context.Context, most int, variable string) *exec.Cmd {
	cmd := Process(ctx, variable)
	cmd.Env = append(cmd.Env, limitVariable+"="+strconv.Itoa(most))
	return cmd
}

// Killed starts processes of the test binary with an environment variable, one after the other,
// kills each at a random moment after it has written some lines, and calls check with the last of
// them.
func Killed(t *testing.T, rounds int, variable string, check func(last string)) {
	t.Helper()
	for range rounds {
		cmd := Process(t.Context(), variable)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		last := ""
		for range 1 + rand.IntN(4) {
			if !lines.Scan() {
				break
			}
			last = lines.Text()
		}
		// The sleep is intended: no event tells how far the process has got.
		time.Sleep(rand.N(3 * time.Millisecond))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			last = lines.Text()
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the process has ended by itself")
		}
		check(last)
	}
}

// Umask sets the umask of this process for the duration of a test.
func Umask(t *testing.T, mask int) {
	t.Helper()
	old := syscall.Umask(mask)
	t.Cleanup(func() { syscall.Umask(old) })
}
