package acceptance

import (
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/internal/toolchain"
)

// TestOtherGo runs the tests of cells with the other supported releases of Go, and with the newest
// candidate of the next one if there is one. They build a program and a kit with each.
func TestOtherGo(t *testing.T) {
	testrun.LeaveToLong(t, "everything is compiled with another Go")
	goCommand := func(toolchain string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = root()
		cmd.Env = append(os.Environ(), testprogram.Variable(false)+"=", testprogram.Variable(true)+"=", "GOTOOLCHAIN="+toolchain)
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out)), err
	}
	behave := func(t *testing.T, version string) {
		out, err := goCommand(version, "test", "-count=1", "-timeout=60m", "-run", "^TestBehaviours$|^TestBehavioursInWorker$|^TestLaterGo", "./kernel/internal/engine")
		if err != nil {
			t.Fatal(err)
		}
		t.Log(out)
	}
	own, err := exec.CommandContext(t.Context(), "go", "env", "GOVERSION").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range toolchain.Releases {
		if version.Lang(v) == version.Lang(strings.TrimSpace(string(own))) {
			continue
		}
		t.Run(v, func(t *testing.T) {
			_, err := goCommand(v, "version")
			testrun.Need(t, "network", err)
			behave(t, v)
		})
	}
	var minor int
	if _, err := fmt.Sscanf(toolchain.Newest(), "go1.%d", &minor); err != nil {
		t.Fatal(err)
	}
	for _, candidate := range []string{".0", "rc3", "rc2", "rc1"} {
		v := fmt.Sprintf("go1.%d%s", minor+1, candidate)
		if _, err := goCommand(v, "version"); err != nil {
			t.Logf("%s is not there, or cannot be fetched: %v", v, err)
			continue
		}
		t.Run(v, func(t *testing.T) { behave(t, v) })
		return
	}
}
