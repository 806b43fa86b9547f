package process

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// startsVariable has the test's program start another and wait for it.
const startsVariable = "HIERML_TEST_STARTS"

func TestMain(m *testing.M) {
	if os.Getenv(startsVariable) != "" {
		cmd := Bind(exec.Command("cat"))
		cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
		wait, err := Start(cmd)
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString("started\n")
		_ = wait()
		return
	}
	os.Exit(m.Run())
}

// TestEndsWithParent is the attacks module_silent_proxy and uninstall (the installer killed): what
// a killed process has started ends.
func TestEndsWithParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell of the death of parents")
	}
	// The input of cat does not end before this process, and its output ends with it.
	stdin, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), startsVariable+"=1")
	cmd.Stdin, cmd.Stderr = stdin, os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(cmd.Start(), stdin.Close()); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "started\n" {
		t.Fatal(line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, stdout); err != nil { // until cat has ended, too
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process was not killed")
	}
}

// TestEndsWithContext holds that the end of a context ends what the program has started, too.
func TestEndsWithContext(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no groups of processes")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdin, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	cmd := Bind(exec.CommandContext(ctx, "sh", "-c", "echo started; cat; echo never"))
	cmd.Stdin = stdin
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	wait, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(stdout)
	if line, err := reader.ReadString('\n'); line != "started\n" {
		t.Fatal(line, err)
	}
	cancel()
	if rest, err := io.ReadAll(reader); len(rest) > 0 {
		t.Errorf("it went on: %q, %v", rest, err)
	}
	if err := wait(); err == nil {
		t.Error("it ended well")
	}
}

func TestRun(t *testing.T) {
	var out strings.Builder
	cmd := Bind(exec.Command("go", "env", "GOOS"))
	cmd.Stdout = &out
	if err := Run(cmd); err != nil || strings.TrimSpace(out.String()) != runtime.GOOS {
		t.Errorf("%q, %v", &out, err)
	}
	if err := Run(Bind(exec.Command("hierml-there-is-no-such-program"))); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestAgain holds that the command is that of this program alone.
func TestAgain(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		command []string
		ok      bool
	}{{[]string{self, "run", "a b.go"}, true}, {[]string{self}, true}, {[]string{"/bin/other"}, false}, {nil, false}} {
		t.Setenv(againVariable, "")
		if err := SetAgain(test.command...); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := Again(); ok != test.ok || err != nil || ok && !slices.Equal(got, test.command) {
			t.Errorf("%q: %q, %t, %v", test.command, got, ok, err)
		}
	}
	t.Setenv(againVariable, "run")
	if _, _, err := Again(); err == nil {
		t.Error("no list, and no error")
	}
	t.Setenv(againVariable, "")
	if _, ok, err := Again(); ok || err != nil {
		t.Errorf("not set: %t, %v", ok, err)
	}
}
