// Package testrun tells tests which form of the test run they are in, and handles missing
// requirements. The run itself is `go run ./install test`.
package testrun

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// These environment variables say how tests run.
const (
	// LongVariable is set in the long form of the run.
	LongVariable = "HIERML_TEST_LONG"
	// PythonVariable names a Python that has numpy. The run sets it to that of its own environment.
	PythonVariable = "HIERML_PYTHON"
)

// Long reports whether the tests run in their long form.
func Long() bool { return os.Getenv(LongVariable) != "" }

// LeaveToLong skips a test, except in the long form, that shows little beyond others.
func LeaveToLong(t testing.TB, why string) {
	t.Helper()
	if !Long() {
		t.Skipf("left to the long form of the run: %s", why)
	}
}

// LeaveOutShort skips a slow test with -short.
func LeaveOutShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long; leave out -short")
	}
}

// Need skips the test if missing is not nil: the reason why the test lacks something that the run
// provides. If CI is true it fails the test. See package given for things that the run cannot
// provide.
func Need(t testing.TB, need string, missing error) {
	t.Helper()
	switch {
	case missing == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("needs %s: %v", need, missing)
	default:
		t.Skipf("needs %s: %v", need, missing)
	}
}

// Await waits until done returns true. It is for events that a test cannot receive: about a file,
// another process, a counter. It fails the test after five minutes, which is enough even on a busy
// machine.
func Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited five minutes in vain until %s", what)
		}
	}
}

// NumPy returns a Python with numpy: the one in the environment variable, or python3. If there is
// none it calls Need.
func NumPy(t testing.TB) string {
	t.Helper()
	return Python(t, "numpy")
}

// Python is NumPy for other modules.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	python := cmp.Or(os.Getenv(PythonVariable), "python3")
	names := strings.Join(modules, ", ")
	out, err := exec.CommandContext(t.Context(), python, "-c", "import "+names).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s lacks one of them (%s names another Python): %w\n%s", python, PythonVariable, err, out)
	}
	Need(t, names, err)
	return python
}
