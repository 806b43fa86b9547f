package acceptance

import (
	"os"
	"os/exec"
	"testing"

	"github.com/hierml/notebook/install/internal/debian"
	"github.com/hierml/notebook/internal/testrun"
)

// TestArm64 holds that the library computes on arm64 what an independent solver has computed, and that
// interpreted cells behave there as notebooks' cells should: their tests, built for Linux on arm64,
// run in an emulator of its processor. That processor adds products without rounding between, so that
// numbers differ in their last digits.
func TestArm64(t *testing.T) {
	testrun.LeaveToLong(t, "tests are run by an emulated processor")
	const emulator = "qemu-aarch64"
	if _, err := exec.LookPath(emulator); err != nil {
		testrun.Need(t, emulator, debian.Install(t.Context(), "qemu-user"))
	}
	for _, tt := range []struct{ tests, packages string }{
		{"Golden", "./hierml/..."},
		{"^TestBehaviours$", "./kernel/internal/engine"},
	} {
		cmd := exec.Command("go", "test", "-timeout", "0", "-exec", emulator, "-run", tt.tests, tt.packages)
		cmd.Dir = root()
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", testrun.LongVariable+"=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s of %s: %v\n%s", tt.tests, tt.packages, err, out)
		}
	}
}
