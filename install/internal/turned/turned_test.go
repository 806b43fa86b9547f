package turned

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The copy of yaegi that this module requires compiles for a browser.
func TestWrite(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, err := Write(t.Context(), root, dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "yaegi", "interp", "run.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"enterCall()", "takeStep()", "calls++", "calls--"} {
		if n := strings.Count(string(text), call); n != 1 {
			t.Errorf("run.go has %s %d times", call, n)
		}
	}
	cmd := exec.Command("go", "build", "-modfile", path, yaegi+"/interp")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestChangedRefusesAnotherYaegi(t *testing.T) {
	if _, err := changed([]byte("package interp\n")); err == nil || !strings.Contains(err.Error(), "0 times") {
		t.Errorf("the error is %v", err)
	}
}
