// Package given gives tests the folders of data sets, drivers and programs that a clone does not have and
// that no run can provide: environment variables name them. `go run ./install test --given` runs the
// tests of the packages whose tests import this one, and only those whose names begin with TestGiven.
package given

import (
	"os"
	"strings"
	"testing"
)

// These environment variables name folders.
const (
	Data     = "HIERML_DATA"     // of data sets, as collection.Open reads them
	Drivers  = "HIERML_DRIVERS"  // of programs that load a kernel
	Programs = "HIERML_PROGRAMS" // of Go programs that are run as cells
)

// Package is the import path of this package.
const Package = "github.com/hierml/notebook/internal/testrun/given"

// Prefix begins the names of tests that need a folder.
const Prefix = "TestGiven"

// Folder returns the folder that a variable names, and skips the test if there is none. A test with
// another prefix fails: the run of these tests would miss it.
func Folder(t testing.TB, variable string) string {
	t.Helper()
	if name := t.Name(); strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, Prefix) {
		t.Fatalf("%s needs %s; begin its name with %s", name, variable, Prefix)
	}
	folder := os.Getenv(variable)
	if folder == "" {
		t.Skipf("needs a folder that %s names", variable)
	}
	return folder
}
