package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
)

// TestOpenConnectionFile holds that a kernel says once, in its log, that others can read the file
// which has its key, and serves all the same.
func TestOpenConnectionFile(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o644, 0o666} {
		dir, err := os.MkdirTemp("/tmp", "hierml-open-") // that others can enter
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		file, sockets := filepath.Join(dir, "kernel.json"), filepath.Join(dir, "s")
		text := fmt.Sprintf(`{"transport": "ipc", "ip": %q, "shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5, "key": "secret"}`, sockets)
		if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(file, []byte(text), 0o600), os.Chmod(file, mode)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(binary, "kernel", file)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		testrun.Await(t, "the kernel listens", func() bool {
			select {
			case err := <-ended:
				t.Fatalf("the kernel has ended: %v\n%s", err, &stderr)
			default:
			}
			_, err := os.Stat(sockets + "-5")
			return err == nil
		})
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("mode %o: %v\n%s", mode, err, &stderr)
		}
		warnings := strings.Count(stderr.String(), "the connection file "+file+", and so run code as you. ")
		if warnings != min(1, int(mode&0o066)) {
			t.Errorf("mode %o: it warns %d times:\n%s", mode, warnings, &stderr)
		}
	}
}

// TestOpenProgram holds that a program which others can write to, or replace, says so where it runs
// cells, and so does its doctor.
func TestOpenProgram(t *testing.T) {
	dir := write(t, "a.go", "fmt.Println(42)\n")
	folder := filepath.Join(dir, "bin")
	program := filepath.Join(folder, "hierml")
	if err := errors.Join(os.Mkdir(folder, 0o755), os.Link(binary, program)); err != nil {
		t.Skipf("no second name for the program: %v", err)
	}
	for mode, want := range map[os.FileMode]string{
		0o755: "",
		0o777: "other users can write to " + folder + ", and so replace " + program + "; run `chmod go-w " + folder + "`",
	} {
		if err := os.Chmod(folder, mode); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "run", "--engine", "interpreted", "a.go")
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		said := want
		if want != "" {
			said = "hierml: warning: " + want + "\n"
		}
		if out, err := cmd.Output(); err != nil || string(out) != "42\n" || stderr.String() != said {
			t.Errorf("folder of mode %o: %q, %v, %q", mode, out, err, &stderr)
		}
		doctor := exec.Command(program, "doctor")
		doctor.Env = append(os.Environ(), "PATH=", "XDG_CACHE_HOME="+t.TempDir()) // without a tool chain, for brevity
		out, _ := doctor.Output()                                                 // it finds other things, too
		if told := strings.Contains(string(out), "wrong  Other users can write to "+folder); told != (want != "") {
			t.Errorf("folder of mode %o: the doctor says\n%s", mode, out)
		}
	}
}
