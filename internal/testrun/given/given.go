// Package given gives tests the folders of data sets, drivers and programs that are not in a clone
// and that no test run can provide. Environment variables name them. The names of tests that need a
// folder begin with TestGiven, so that -run can select them.
package given

import (
	"os"
	"testing"
)

// These environment variables name folders.
const (
	Data     = "HIERML_DATA"     // of data sets, as collection.Open reads them
	Drivers  = "HIERML_DRIVERS"  // of programs that load a kernel
	Programs = "HIERML_PROGRAMS" // of Go programs that are run as cells
)

// Folder returns the folder that an environment variable names, and skips the test if there is
// none.
func Folder(t testing.TB, variable string) string {
	t.Helper()
	folder := os.Getenv(variable)
	if folder == "" {
		t.Skipf("needs a folder that %s names", variable)
	}
	return folder
}
