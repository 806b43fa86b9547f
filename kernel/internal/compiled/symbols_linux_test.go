package compiled

import (
	"os"
	"os/exec"
	"testing"

	"github.com/hierml/notebook/internal/testfault"
)

// TestVariablesOfReplacedProgram looks for variables of the run time in a process under whose name
// there is another program by now, as after an upgrade.
func TestVariablesOfReplacedProgram(t *testing.T) {
	const replaced = "HIERML_TEST_REPLACED"
	if os.Getenv(replaced) != "" {
		if err := testfault.Replace(); err != nil {
			t.Fatal(err)
		}
		if _, err := runtimeVariables("runtime.allglen"); err != nil {
			t.Error(err)
		}
		return
	}
	cmd := exec.Command(testfault.Copy(t), "-test.run=^TestVariablesOfReplacedProgram$", "-test.v")
	cmd.Env = append(os.Environ(), replaced+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
