//go:build unix

package temporary

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// livesVariable has the test's program make files and live until its input ends.
const livesVariable = "HIERML_TEST_LIVES"

func TestMain(m *testing.M) {
	if os.Getenv(livesVariable) != "" {
		live()
		return
	}
	os.Exit(m.Run())
}

func live() {
	dir, err := Folder("", "modules")
	if err != nil {
		panic(err)
	}
	f, err := File("output", ".txt")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module session\n"), 0o600); err != nil {
		panic(err)
	}
	os.Stdout.WriteString(filepath.Dir(f.Name()) + "\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// A living process is one that has made files. Its end is its death by SIGKILL.
type living struct {
	folder string
	end    func()
}

func newLiving(t *testing.T) living {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), livesVariable+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // says that it was killed
		_ = stdin.Close()
	})
	t.Cleanup(end)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return living{strings.TrimSpace(line), end}
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestClear is the attack worker_temp_left: what a killed process leaves is gone after the next one
// has cleared, and nothing else is.
func TestClear(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	killed, alive := newLiving(t), newLiving(t)
	mine, err := Folder("", "cells")
	if err != nil {
		t.Fatal(err)
	}
	Clear()
	for _, path := range []string{killed.folder, alive.folder, mine} {
		if !there(path) {
			t.Errorf("%s of a living process was cleared", path)
		}
	}
	killed.end()
	Clear()
	if there(killed.folder) {
		t.Errorf("%s of a killed process is still there", killed.folder)
	}
	for _, path := range []string{alive.folder, mine} {
		if !there(path) {
			t.Errorf("%s of a living process was cleared", path)
		}
	}
	alive.end()
	Clear()
	if err := Remove(mine); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestClearHalfRemoved holds that a process may be killed while it makes or removes its folder.
func TestClearHalfRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	empty, unlocked := filepath.Join(os.TempDir(), prefix+"1"), filepath.Join(os.TempDir(), prefix+"2")
	for _, dir := range []string{empty, unlocked, filepath.Join(unlocked, "cells-1")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(unlocked, lockFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	Clear()
	for _, dir := range []string{empty, unlocked} {
		if there(dir) {
			t.Errorf("%s is still there", dir)
		}
	}
}

// TestClearLeavesOthers is the attack module_planted_lock: neither are folders of other users
// opened, nor such as they can write to, nor what a link leads to.
func TestClearLeavesOthers(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folder := func(name string, mode fs.FileMode) string {
		t.Helper()
		dir := filepath.Join(os.TempDir(), name)
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, lockFile), nil, 0o600), os.Chmod(dir, mode)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	kept := []string{
		folder(prefix+"1", 0o777), folder(prefix+"2", 0o770),
		folder("precious", 0o700), folder("hierml-mine", 0o700), folder(prefix+"x", 0o700),
	}
	link := filepath.Join(os.TempDir(), prefix+"3")
	if err := os.Symlink(filepath.Join(os.TempDir(), "precious"), link); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		other := folder(prefix+"4", 0o700)
		if err := os.Chown(other, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, other)
	}
	precious := folder(prefix+"5", 0o700) // whose lock is a link
	lockPath := filepath.Join(precious, lockFile)
	if err := errors.Join(os.Remove(lockPath), os.Symlink(filepath.Join(kept[2], lockFile), lockPath)); err != nil {
		t.Fatal(err)
	}
	Clear()
	for _, dir := range append(kept, link, precious) {
		if !there(dir) || !there(filepath.Join(dir, lockFile)) {
			t.Errorf("%s was cleared", dir)
		}
	}
}

// TestAtTheSameTime is the attack install_cell_folders_race: processes that make their folders
// while others clear keep them.
func TestAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 150 {
				Clear()
				f, err := newFolder(dir)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(f.path, "0.go"), nil, 0o600); err != nil {
					t.Error(err)
				}
				if err := f.remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// TestFolderTakenAway holds that a process goes on whose folder was removed by those who clean up.
func TestFolderTakenAway(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first, err := Folder("", "cells")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(first)); err != nil {
		t.Fatal(err)
	}
	f, err := File("output", ".txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if name := filepath.Base(f.Name()); !strings.HasPrefix(name, "output-") || !strings.HasSuffix(name, ".txt") {
		t.Errorf("the file is %s", name)
	}
	if err := errors.Join(Remove(first), Remove(f.Name())); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
