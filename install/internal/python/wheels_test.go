package python

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What sites are made of is pinned, by hashes and without hosts, and has the widgets of the private
// JupyterLab.
func TestLiteLock(t *testing.T) {
	lock := string(Lite().content)
	if strings.Contains(lock, "://") || strings.Contains(lock, "--index") {
		t.Error("the lock names a host")
	}
	if n := Lite().Len(); n != 2 || strings.Count(lock, "--hash=sha256:") < n {
		t.Errorf("%d requirements", n)
	}
	widgets := regexp.MustCompile(`(?m)^jupyterlab-widgets==\S+`)
	if here, there := widgets.FindString(lock), widgets.FindString(string(Jupyter().content)); here != there || here == "" {
		t.Errorf("the widgets are %q, those of JupyterLab %q; run go generate", here, there)
	}
}

func TestWheel(t *testing.T) {
	folder := t.TempDir()
	content := []byte("a wheel")
	lock := Lock{fmt.Appendf(nil, "some-package==1 \\\n    --hash=sha256:%x\n", sha256.Sum256(content))}
	if _, err := lock.Wheel(folder, "some-package"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Wheel of an empty folder: %v", err)
	}
	path := filepath.Join(folder, "some_package-1-py3-none-any.whl")
	if err := os.WriteFile(path, []byte("another"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Wheel(folder, "some-package"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Wheel of another content: %v", err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := lock.Wheel(folder, "some-package"); got != path || err != nil {
		t.Errorf("Wheel: %q, %v, want %q", got, err, path)
	}
}
