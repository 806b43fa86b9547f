package session

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

// start runs the fake kernel as a process of its own.
func start(t *testing.T, info wiretest.Info) *exec.Cmd {
	t.Helper()
	return startWith(t, info, nil, os.Stderr)
}

// startWith is start with files for what the kernel writes.
func startWith(t *testing.T, info wiretest.Info, stdout, stderr io.Writer) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "-f", info.File(t))
	// The race detector would sleep for a second at the end.
	command.Env = append(os.Environ(), "HIERML_FAKE_KERNEL=1", "GORACE=atexit_sleep_ms=0")
	command.Stdout, command.Stderr = stdout, stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() }) // it may have ended
	listening(t, info)
	return command
}

// listening waits until the kernel can be dialled.
func listening(t *testing.T, info wiretest.Info) {
	t.Helper()
	testrun.Await(t, "the kernel listens", info.Listening)
}

func TestProcessEndsAsAsked(t *testing.T) {
	for name, transport := range map[string]func(testing.TB) wiretest.Info{"tcp": wiretest.TCP, "ipc": wiretest.IPC} {
		t.Run(name, func(t *testing.T) {
			// After SIGKILL the next kernel starts on the same addresses.
			info := transport(t)
			killed := start(t, info)
			if err := killed.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = killed.Wait() // says that it was killed
			for _, how := range []string{"request", "SIGTERM"} {
				command := start(t, info)
				c := wiretest.Dial(t, info)
				begin := time.Now()
				if how == "request" {
					c.Ask("control", "shutdown_request", nil)
				} else if err := command.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				if err := command.Wait(); err != nil {
					t.Errorf("after a %s: %v", how, err)
				}
				if d := time.Since(begin); d > 10*time.Second {
					t.Errorf("after a %s it took %v to end", how, d)
				}
			}
		})
	}
}

// A line of the log that nobody can read any more does not end the kernel (session_stderr_gone).
func TestKernelOutlivesItsLog(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	info := wiretest.TCP(t)
	command := startWith(t, info, writer, writer)
	for _, end := range []*os.File{reader, writer} {
		if err := end.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c := wiretest.Dial(t, info)
	_, frames := c.Build("kernel_info_request", nil, nil)
	frames[1] = []byte("no signature, of which the log tells")
	c.SendFrames("shell", frames)
	if m := c.Ask("shell", "kernel_info_request", nil); m.Content["status"] != "ok" {
		t.Errorf("kernel_info_reply is %v", m.Content)
	}
	c.Ask("control", "shutdown_request", nil)
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}

func TestKernelEndsWithItsStarter(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info := wiretest.TCP(t)
	starter := exec.Command(shell, "-c", `JPY_PARENT_PID=$$ "$0" -f "$1" 2>&1 & echo $!; wait`, program, info.File(t))
	starter.Env = append(os.Environ(), "HIERML_FAKE_KERNEL=1")
	out, err := starter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if kernel, err := os.FindProcess(pid); err == nil {
			_ = kernel.Kill() // it should have ended
		}
	})
	listening(t, info)
	if err := starter.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = lines.WriteTo(new(strings.Builder)) // to its end, with the kernel's
	}()
	select {
	case <-ended:
	case <-time.After(wiretest.Patience):
		t.Error("the kernel outlives the process that started it")
	}
	_ = starter.Wait() // says that it was killed
}
