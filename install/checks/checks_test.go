// Package checks runs the tools that check the sources as a whole.
package checks

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// run returns what a command prints in the root of the module, and fails the test where it fails.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestFormat(t *testing.T) {
	gofmt := filepath.Join(run(t, "go", "env", "GOROOT"), "bin", "gofmt")
	if files := run(t, gofmt, "-l", "."); files != "" {
		t.Errorf("run gofmt -w on these files:\n%s", files)
	}
}

func TestStaticcheck(t *testing.T) {
	run(t, "go", "tool", "staticcheck", "./...")
}

// TestWorkflows checks .github/workflows. It uses no other linters, which not every machine has.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(root + "/.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows: %v", len(files), err)
	}
	args := []string{"tool", "actionlint", "-shellcheck=", "-pyflakes="}
	for _, file := range files {
		args = append(args, strings.TrimPrefix(file, root+"/"))
	}
	run(t, "go", args...)
}
