package doc

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
)

// TestSystems holds that all packages and their tests compile for the systems that ways.md names, where no test of
// this run can try them: in the long form all of them.
func TestSystems(t *testing.T) {
	page, err := os.ReadFile("ways.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"windows/amd64", "windows/arm64", "darwin/arm64", "linux/arm64"} {
		if !strings.Contains(string(page), "`"+system+"`") {
			t.Errorf("ways.md does not name %s", system)
		}
		if strings.HasSuffix(system, "/arm64") && system != "darwin/arm64" && !testrun.Long() {
			continue
		}
		goos, goarch, _ := strings.Cut(system, "/")
		cmd := exec.Command("go", "vet", "./...")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", system, err, out)
		}
	}
}
