package toolchain

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/hierml/notebook/internal/testfault"
)

const replacedVariable = "HIERML_TEST_REPLACED"

// runReplaced returns the build of the program that a kit is looked for, or why there can be none,
// once the program's file is another one.
func runReplaced() (id string, err error) {
	if err := testfault.Replace(); err != nil {
		return "", err
	}
	p, _, k, err := find(Settings{})
	if k == nil {
		return "", err
	}
	return p.id, nil // that there is no kit is well
}

// TestReplacedProgram is a part of the finding worker_program_replaced: after an upgrade, a kernel
// that runs has the kit of its own build.
func TestReplacedProgram(t *testing.T) {
	own, cannot := readProgram(os.Args[0]) // a test is mostly built without what programs need that load cells
	cmd := exec.Command(testfault.Copy(t))
	cmd.Env = append(os.Environ(), replacedVariable+"=1", "XDG_CACHE_HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintln(own.id, cannot); err != nil || string(out) != want {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
}
