package session

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

// start runs the fake kernel as a process of its own.
func start(t *testing.T, info wiretest.Info) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "-f", info.File(t))
	// The race detector would sleep for a second at the end.
	command.Env = append(os.Environ(), "HIERML_FAKE_KERNEL=1", "GORACE=atexit_sleep_ms=0")
	command.Stderr = os.Stderr
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
	for deadline := time.Now().Add(wiretest.Patience); ; {
		if info.Listening() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the kernel does not listen")
		}
		time.Sleep(5 * time.Millisecond)
	}
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
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) }) // it should have ended
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
