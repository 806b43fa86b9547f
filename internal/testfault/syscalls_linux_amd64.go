package testfault

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A Fault is the fate of a system call.
type Fault int

const (
	// Fails makes the call do nothing and return an input/output error.
	Fails Fault = iota
	// Kills kills the process instead of making the call.
	Kills
)

// String implements fmt.Stringer.
func (f Fault) String() string { return [...]string{"fails", "kills"}[f] }

// A Run is a process that had a fault.
type Run struct {
	Fault  Fault
	Call   string // the call with the fault; empty if it made fewer calls
	Output string
	Status syscall.WaitStatus
}

// AtEachCall starts processes of the test binary, each with an empty folder, and an environment
// variable, which prepare returns. In the first process, the first system call that changes a file
// below the folder has a fault, in the second process the second, until a process makes no more
// such calls; this is repeated for each kind of fault. After each process it calls check.
//
// It traces the processes like a debugger. If the system does not allow that, the test is skipped.
func AtEachCall(t *testing.T, prepare func(dir string) (variable string), check func(t *testing.T, dir string, r Run)) {
	t.Helper()
	for _, fault := range []Fault{Fails, Kills} {
		atEachCall(t, fault, prepare, check)
	}
}

func atEachCall(t *testing.T, fault Fault, prepare func(dir string) string, check func(t *testing.T, dir string, r Run)) {
	t.Helper()
	for n := 1; ; n++ {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		run, err := traced(t, dir, n, fault, prepare(dir))
		if errors.Is(err, syscall.EPERM) && n == 1 {
			t.Skip("the system lets no process trace another: ", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s %d %s", fault, n, cmp.Or(run.Call, "none"))
		t.Run(name, func(t *testing.T) { check(t, dir, run) })
		if run.Call == "" {
			return
		}
	}
}

// traced starts a process whose nth call has a fault.
func traced(t *testing.T, dir string, n int, fault Fault, variable string) (Run, error) {
	out, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		return Run{}, err
	}
	defer out.Close()
	cmd := Process(t.Context(), variable)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	runtime.LockOSThread() // only this thread may trace its child
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return Run{}, err
	}
	tracer := tracer{Run: Run{Fault: fault}, pid: cmd.Process.Pid, dir: dir, left: n, threads: map[int]*thread{}}
	err = tracer.run()
	if err != nil {
		_ = cmd.Process.Kill() // the error of the tracer is reported
	}
	text, readErr := os.ReadFile(out.Name())
	tracer.Output = string(text)
	return tracer.Run, cmp.Or(err, readErr)
}

// A tracer stops at each system call of a process twice: before and after it.
type tracer struct {
	Run
	pid     int
	dir     string
	left    int // calls until the fault
	threads map[int]*thread
}

type thread struct {
	within bool // inside a call
	fails  bool // the call
}

func (t *tracer) run() error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(t.pid, &status, 0, nil); err != nil {
		return err
	}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(t.pid, options); err != nil {
		return err
	}
	t.threads[t.pid] = &thread{}
	if err := syscall.PtraceSyscall(t.pid, 0); err != nil {
		return err
	}
	for {
		id, err := syscall.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return err
		case (status.Exited() || status.Signaled()) && id == t.pid:
			t.Status = status
			return nil
		case !status.Stopped():
			continue
		}
		pass := status.StopSignal()
		switch known := t.threads[id]; {
		case known == nil: // it begins with a stop
			t.threads[id] = &thread{}
			pass = 0
		case pass == syscall.SIGTRAP|0x80:
			pass = 0
			if err := t.call(id, known); err != nil && err != syscall.ESRCH { // the thread may have been killed
				return err
			}
		case pass == syscall.SIGTRAP: // a thread was started
			pass = 0
		}
		if err := syscall.PtraceSyscall(id, int(pass)); err != nil && err != syscall.ESRCH {
			return err
		}
	}
}

// call is called before and after each call of a thread.
func (t *tracer) call(id int, th *thread) error {
	th.within = !th.within
	if !th.within && !th.fails || th.within && t.left == 0 {
		return nil
	}
	var registers syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(id, &registers); err != nil {
		return err
	}
	if !th.within {
		th.fails = false
		failed := -int64(syscall.EIO)
		registers.Rax = uint64(failed)
		return syscall.PtraceSetRegs(id, &registers)
	}
	name, file := t.change(id, &registers)
	if file != t.dir && !strings.HasPrefix(file, t.dir+"/") {
		return nil
	}
	if t.left--; t.left > 0 {
		return nil
	}
	t.Call = name
	if t.Fault == Kills {
		return syscall.Kill(t.pid, syscall.SIGKILL)
	}
	th.fails = true
	registers.Orig_rax = ^uint64(0) // no call
	return syscall.PtraceSetRegs(id, &registers)
}

// change returns the name of a call and the file that it would change, or empty strings.
func (t *tracer) change(id int, r *syscall.PtraceRegs) (name, file string) {
	descriptor := func(name string) (string, string) {
		file, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", id, int32(r.Rdi))) // without a descriptor there is no file
		return name, file
	}
	switch r.Orig_rax {
	case unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_PWRITEV:
		return descriptor("write")
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		return descriptor("sync")
	case unix.SYS_FTRUNCATE:
		return descriptor("truncate")
	case unix.SYS_FCHMOD:
		return descriptor("chmod")
	case unix.SYS_OPENAT:
		if r.Rdx&(unix.O_CREAT|unix.O_WRONLY|unix.O_RDWR|unix.O_TRUNC) != 0 {
			return "open", text(id, r.Rsi)
		}
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		return "rename", text(id, r.R10)
	case unix.SYS_RENAME:
		return "rename", text(id, r.Rsi)
	case unix.SYS_UNLINKAT:
		return "unlink", text(id, r.Rsi)
	case unix.SYS_MKDIRAT:
		return "mkdir", text(id, r.Rsi)
	}
	return "", ""
}

// text reads a zero-terminated string of the process.
func text(id int, at uint64) string {
	var text []byte
	for len(text) < unix.PathMax {
		var word [8]byte
		n, err := syscall.PtracePeekData(id, uintptr(at)+uintptr(len(text)), word[:])
		if err != nil {
			return ""
		}
		if end := bytes.IndexByte(word[:n], 0); end >= 0 {
			return string(append(text, word[:end]...))
		}
		text = append(text, word[:n]...)
	}
	return ""
}
