package modules

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// On a machine that has built nothing yet, a module that this one requires is fetched.
func TestFetchWhereNothingIs(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	const module = "golang.org/x/mod"
	// What has been downloaded here stands for the proxy.
	if _, err := Fetch(t.Context(), root, module); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	downloaded := filepath.Join(strings.TrimSpace(string(out)), "cache", "download")
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(downloaded))
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOMODCACHE", t.TempDir())
	dir, err := Fetch(t.Context(), root, module)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "modfile", "read.go")); err != nil {
		t.Error(err)
	}
}

func TestFetchNames(t *testing.T) {
	if _, err := Fetch(t.Context(), t.TempDir(), "no module"); err == nil || !strings.Contains(err.Error(), "no module") {
		t.Errorf("the error is %v", err)
	}
}
