package beside

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestFile(t *testing.T) {
	prefix, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, link := filepath.Join(prefix, "bin", "hierml"), filepath.Join(t.TempDir(), "hierml")
	want := filepath.Join(prefix, "share", "hierml", Source)
	for _, path := range []string{program, want} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(program, link); err != nil {
		t.Skipf("no links here, so nothing was tried: %v", err)
	}
	for _, path := range []string{program, link} {
		if got, err := File(path, Source); err != nil || got != want {
			t.Errorf("File(%s) = %s, %v, want %s", path, got, err, want)
		}
		if _, err := File(path, Documentation); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that is not there: %v", err)
		}
	}
	// The test program came with nothing.
	if _, err := File("", Source); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("beside the test: %v", err)
	}
}
