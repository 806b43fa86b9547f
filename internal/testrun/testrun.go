// Package testrun tells tests which form of the test run they are in, and what a test does whose
// needs are missing. The run itself is `go run ./install test`.
package testrun

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"testing"
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

// LeaveToLong skips a test that shows little that others do not, but in the long form.
func LeaveToLong(t testing.TB, why string) {
	t.Helper()
	if !Long() {
		t.Skipf("left to the long form of the run: %s", why)
	}
}

// LeaveOutShort skips a test that takes long where -short is asked for.
func LeaveOutShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long; leave out -short")
	}
}

// Need skips the test if missing, which says why the test lacks something that the run provides, is not
// nil. Where CI is true it fails the test. See package given for what the run cannot provide.
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

// NumPy returns a Python that has numpy: the one that the environment names, or python3. Where there
// is none it does what Need does.
func NumPy(t testing.TB) string {
	t.Helper()
	python := cmp.Or(os.Getenv(PythonVariable), "python3")
	out, err := exec.CommandContext(t.Context(), python, "-c", "import numpy").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s has none (%s names another Python): %w\n%s", python, PythonVariable, err, out)
	}
	Need(t, "numpy", err)
	return python
}
