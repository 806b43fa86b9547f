//go:build unix

package replace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hierml/notebook/internal/testfault"
)

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// holds reports what is wrong with a folder that is to have one file with a text and permissions.
func holds(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil || string(content) != text {
		t.Errorf("got %.40q, %v, want %.40q", content, err, text)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != mode {
		t.Errorf("it has the permissions %v, want %v", info.Mode().Perm(), mode)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// TestPermissions is the finding env_umask: a new file has what the umask leaves, and one that
// replaces another what that had.
func TestPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	testfault.Umask(t, 0o077)
	if err := With(path, write("one")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "one", 0o600)
	for _, mode := range []fs.FileMode{0o644, 0o600, 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := With(path, write("two")); err != nil {
			t.Fatal(err)
		}
		holds(t, path, "two", mode)
	}
}

func TestFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more")
	if err := With(path, func(w io.Writer) error {
		return errors.Join(write("a part")(w), failure)
	}); !errors.Is(err, failure) {
		t.Error(err)
	}
	holds(t, path, "old", 0o640)
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil { // which makes Commit fail
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil {
		t.Error("a closed file is committed")
	}
	f.Discard()
	holds(t, path, "old", 0o640)
	none := filepath.Join(path, "none")
	if err := With(none, write("x")); err == nil || !strings.HasPrefix(err.Error(), "open "+none+": ") {
		t.Errorf("a file as a folder: %v", err)
	}
}

func TestLinksAndDevices(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "a", "real"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(filepath.Dir(real), 0o777), os.WriteFile(real, []byte("old"), 0o604), os.Symlink(real, link)); err != nil {
		t.Fatal(err)
	}
	if err := With(link, write("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, real, "new", 0o604)
	if target, err := os.Readlink(link); err != nil || target != real {
		t.Errorf("the link names %s, %v", target, err)
	}
	if err := With(os.DevNull, write("new")); err != nil {
		t.Error(err)
	}
}

// The texts that processes write which do not live long.
var texts = [][]byte{bytes.Repeat([]byte("old "), 1<<16), bytes.Repeat([]byte("new, and longer "), 1<<16)}

// TestMain makes processes of the test binary that replace a file once, or for ever, or until that
// fails.
func TestMain(m *testing.M) {
	if path := os.Getenv("HIERML_TEST_REPLACE"); path != "" {
		for i := 1; ; i++ {
			replaceOrExit(path, texts[i%2])
			fmt.Println(i)
		}
	}
	if path := os.Getenv("HIERML_TEST_REPLACE_ONCE"); path != "" {
		replaceOrExit(path, texts[1])
		fmt.Println("replaced")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// replaceOrExit replaces a file by a text that it writes in parts.
func replaceOrExit(path string, text []byte) {
	err := With(path, func(w io.Writer) error {
		for part := range slices.Chunk(text, 1<<18) {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// TestFullDisk has processes whose files cannot become longer than so many bytes, as on a disk that
// is full: the old file stays, and nothing else does.
func TestFullDisk(t *testing.T) {
	for _, most := range []int{0, 1, 1 << 14, len(texts[0]) + 1, len(texts[1]) - 1} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, texts[0], 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := testfault.Limited(t.Context(), most, "HIERML_TEST_REPLACE="+path).CombinedOutput()
		if err == nil || bytes.Contains(out, []byte("1\n")) || bytes.Contains(out, []byte(".tmp")) {
			t.Errorf("a limit of %d bytes: %s, %v", most, out, err)
		}
		holds(t, path, string(texts[0]), 0o600)
	}
}

// TestKilled has processes that are killed at any moment: the file is the old one or the new one.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, texts[0], 0o600); err != nil {
		t.Fatal(err)
	}
	left := 0
	testfault.Killed(t, 20, "HIERML_TEST_REPLACE="+path, func(string) {
		content, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(content, texts[0]) && !bytes.Equal(content, texts[1]) {
			t.Fatalf("the file has %d bytes, neither of the old nor of the new one, %v", len(content), err)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(entries) > 2 {
			t.Fatalf("one process cannot have left %v, %v", entries, err)
		}
		left += len(entries) - 1
	})
	if left == 0 {
		t.Error("no process was killed while it wrote")
	}
	if err := Content(path, texts[0]); err != nil {
		t.Fatal(err)
	}
	holds(t, path, string(texts[0]), 0o600)
}

// TestClearsLeft holds that what was left of a file goes with the next replacement, whether by path
// or in a folder, and nothing else: no file of another name, nothing that is being written, and
// nothing that a link leads to.
func TestClearsLeft(t *testing.T) {
	for _, how := range []string{"by path", "in a folder"} {
		t.Run(how, func(t *testing.T) {
			dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
			at := func(name string) string { return filepath.Join(dir, name) }
			kept := []string{"file.0123abcd", "file.0123ABCD.tmp", "file.0123abcde.tmp", "file.tmp", "other.0123abcd.tmp", "a.file.0123abcd.tmp"}
			for _, name := range append(kept, "file.0123abcd.tmp", "file.ffffffff.tmp") {
				if err := os.WriteFile(at(name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			kept = append(kept, "file.00000001.tmp", "file.00000002.tmp", "file.00000003.tmp")
			if err := errors.Join(os.WriteFile(outside, nil, 0o600), os.Symlink(outside, at("file.00000001.tmp")),
				syscall.Mkfifo(at("file.00000002.tmp"), 0o600), os.Mkdir(at("file.00000003.tmp"), 0o700)); err != nil {
				t.Fatal(err)
			}
			create := func() *File {
				t.Helper()
				if how == "by path" {
					f, err := Create(at("file"))
					if err != nil {
						t.Fatal(err)
					}
					return f
				}
				root, err := os.OpenRoot(dir)
				if err != nil {
					t.Fatal(err)
				}
				f, err := CreateIn(root, "file", at("file"), nil)
				if err != nil {
					t.Fatal(err)
				}
				return f
			}
			first := create()
			second := create()
			for _, f := range []*File{second, first} {
				if err := f.Complete(write("new")); err != nil {
					t.Error(err)
				}
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, e := range entries {
				names = append(names, e.Name())
			}
			if want := slices.Sorted(slices.Values(append(kept, "file"))); !slices.Equal(names, want) {
				t.Errorf("there are %q, want %q", names, want)
			}
			if _, err := os.Stat(outside); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAtTheSameTime has several replace one file: none takes what another writes for left.
func TestAtTheSameTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if err := With(path, write("new")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	holds(t, path, "new", 0o666&^umask(t))
}

// umask returns that of this process.
func umask(t *testing.T) fs.FileMode {
	t.Helper()
	mask := syscall.Umask(0)
	syscall.Umask(mask)
	return fs.FileMode(mask)
}
