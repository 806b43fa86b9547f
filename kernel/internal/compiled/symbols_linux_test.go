package compiled

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestVariablesOfReplacedProgram looks for variables of the run time in a process under whose name
// there is another program by now, as after an upgrade.
func TestVariablesOfReplacedProgram(t *testing.T) {
	const replaced = "HIERML_TEST_REPLACED"
	if os.Getenv(replaced) != "" {
		file, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("another program"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := runtimeVariables("runtime.allglen"); err != nil {
			t.Error(err)
		}
		return
	}
	content, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, content, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(file, "-test.run=^TestVariablesOfReplacedProgram$", "-test.v")
	cmd.Env = append(os.Environ(), replaced+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
