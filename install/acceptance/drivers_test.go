package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/install/internal/pattern"
	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/testrun/given"
)

// drivers are the programs in the folder of HIERML_DRIVERS that load the kernel, or ask it much,
// each with what makes it short. Testdata has for each, under its name, what it must print, as
// package pattern has it.
var drivers = []struct {
	name string
	ipc  bool
	args []string
}{
	{"interop", false, []string{"interop.py", "--big", "1000000", "--msgs", "20000"}},
	{"interop_ipc", true, []string{"interop.py", "--skip-big", "--msgs", "5000"}},
	{"order", false, []string{"order.py", "--n", "50"}},
	{"order_ipc", true, []string{"order.py", "--n", "50"}},
	{"churn", false, []string{"churn.py", "--rounds", "60", "--many", "4"}},
	{"sigs", false, []string{"sigs.py"}},
	{"hb", false, []string{"hb.py", "--burst", "5000"}},
	{"iopub", false, []string{"iopub.py", "--n", "3000", "--stop-s", "3"}},
	{"noread", false, []string{"noread.py", "--n", "10000"}},
}

// hostile are the peers of hostile.py. Left out is zmq_heartbeat, in which the driver itself hangs
// with pyzmq 27; the kernel's answer to PING, which it is about, is asked for by commands.
var hostile = []string{
	"scan", "rst", "http", "http_short", "silent", "partial_greeting", "no_ready", "plain_mech", "old_zmtp",
	"wrong_type", "unknown_type", "bad_ready_klen", "bad_ready_trunc", "bad_ready_huge", "huge_frame",
	"tera_frame", "big_frames", "half_messages", "many_frames", "commands", "empty_messages",
	"same_identity", "idle_10000", "handshaken_2000", "fuzz",
}

// TestGivenDrivers runs the drivers, several at once: they mostly wait.
func TestGivenDrivers(t *testing.T) {
	folder := given.Folder(t, given.Drivers)
	if runtime.GOOS != "linux" {
		t.Skip("the drivers look at the kernel through Linux's /proc")
	}
	interpreter := jupyter(t)
	command := "'" + testprogram.Open(t, false).File + "' kernel -f {connection_file}"
	lab := func(ipc bool, args ...string) []string {
		start := []string{"lab.py", "--keep-log", kernelLog}
		if ipc {
			start = append(start, "--ipc")
		}
		return append(append(start, command), append(args, "--dialect", "go")...)
	}
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			checkLines(t, d.name, drive(t, interpreter.Path, folder, lab(d.ipc, d.args...)...))
		})
	}
	for _, channel := range []string{"shell", "iopub", "hb"} {
		for _, mode := range hostile {
			t.Run(mode+" on "+channel, func(t *testing.T) {
				t.Parallel()
				out := drive(t, interpreter.Path, folder, lab(false, "hostile.py", "--only", mode, "--channel", channel)...)
				name := "hostile_" + mode
				if _, err := os.Stat(expected(name + ".txt")); err != nil {
					name = "hostile"
				}
				checkLines(t, name, out)
			})
		}
	}
	t.Run("shutdown", func(t *testing.T) {
		t.Parallel()
		checkLines(t, "shutdown", drive(t, interpreter.Path, folder, "shutdown.py", command, "4"))
	})
	t.Run("probe", func(t *testing.T) {
		t.Parallel()
		checkProbe(t, drive(t, interpreter.Path, folder, probe, command, "go"))
	})
}

// kernelLog is the file, in the folder in which a driver runs, that has what its kernel says.
const kernelLog = "kernel.log"

// probe is the driver that asks a kernel everything. It waits for each answer as long as a quiet
// machine takes; patient is Python that runs it with ten times that patience.
const probe, patient = "probe_kernel.py", `
import os, runpy, sys
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
import bench_kernel
wait = bench_kernel.Kernel.wait
bench_kernel.Kernel.wait = lambda kernel, id, timeout, **what: wait(kernel, id, 10*timeout, **what)
runpy.run_path(sys.argv[0], run_name="__main__")
`

// drive runs a driver to its end and returns what it prints. The ports of its kernel are chosen
// before that takes them, while other drivers open connections by the thousand: if one of these got
// such a port, the driver runs again.
func drive(t *testing.T, python, folder string, args ...string) []byte {
	t.Helper()
	for range 4 {
		if out, taken := driveOnce(t, python, folder, args...); !taken {
			return out
		}
	}
	t.Fatalf("%s: the kernel's ports were taken four times", args[0])
	return nil
}

// driveOnce runs a driver to its end and returns what it prints, or that a port of its kernel was
// taken.
func driveOnce(t *testing.T, python, folder string, args ...string) (out []byte, taken bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	// t.TempDir may be too long for the name of a socket.
	private, err := os.MkdirTemp("", "driver")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(private)
	program := []string{filepath.Join(folder, args[0])}
	if args[0] == probe {
		program = append([]string{"-c", patient}, program...)
	}
	cmd := exec.CommandContext(ctx, python, append(program, args[1:]...)...)
	cmd.Dir = private
	cmd.Env = append(seeing("", private), "TMPDIR="+private, "PYTHONDONTWRITEBYTECODE=1")
	// The driver ends its kernel when it is interrupted.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err = cmd.Run()
	if args[0] == "lab.py" { // the other drivers keep no log
		log, missing := os.ReadFile(filepath.Join(private, kernelLog))
		if missing != nil {
			t.Error(missing)
		}
		if bytes.Contains(log, []byte("address already in use")) {
			t.Logf("%s runs again: its kernel said %s", args[0], log)
			return nil, true
		}
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", args[0], err, printed.Bytes())
	}
	return printed.Bytes(), false
}

// expected returns the path of what a driver must print.
func expected(name string) string { return filepath.Join("testdata", "drivers", name) }

func checkLines(t *testing.T, name string, out []byte) {
	t.Helper()
	want, err := os.ReadFile(expected(name + ".txt"))
	if err != nil {
		t.Fatal(err)
	}
	if problems := pattern.Lines(string(want), string(out)); len(problems) > 0 {
		t.Errorf("%s\nin all it printed\n%s", strings.Join(problems, "\n"), out)
	}
}

// checkProbe judges each answer that the probe got. Those to %help, to a line for the shell and to
// the debugger may be anything: there is neither. So may those to two cells behind one that fails
// at once: they are aborted if they came before that was answered, which
// TestStopOnErrorAbortsTheQueue of the session has them do.
func checkProbe(t *testing.T, out []byte) {
	t.Helper()
	content, err := os.ReadFile(expected("probe.json"))
	if err != nil {
		t.Fatal(err)
	}
	var patterns, answers map[string]any
	if err := json.Unmarshal(content, &patterns); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatalf("the probe printed %q: %v", out, err)
	}
	for name, answer := range answers {
		answers[name] = published(answer)
		if _, ok := patterns[name]; !ok {
			t.Errorf("nothing is known of what %q should be; it is %v", name, answer)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(patterns)) {
		for _, problem := range pattern.JSON(name, patterns[name], answers[name]) {
			t.Error(problem)
		}
	}
}

// published returns an answer without the replies in the order of its messages: they come by
// another socket than the rest, and so at any time.
func published(answer any) any {
	isReply := func(message any) bool {
		kind, ok := message.(string)
		return ok && strings.HasSuffix(kind, "_reply")
	}
	switch a := answer.(type) {
	case map[string]any:
		for key, value := range a {
			a[key] = published(value)
		}
	case []any:
		a = slices.DeleteFunc(a, isReply)
		for i, value := range a {
			a[i] = published(value)
		}
		return a
	}
	return answer
}
