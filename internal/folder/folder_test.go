//go:build unix

package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// calls are the methods that are given a name, with what they do to a regular file.
var calls = map[string]func(f Folder, name string) error{
	"Read":    func(f Folder, name string) error { _, err := f.Read(name); return err },
	"Replace": func(f Folder, name string) error { return f.Replace(name, []byte("new")) },
	"Update": func(f Folder, name string) error {
		file, err := f.Update(name)
		if err == nil {
			err = errors.Join(file.Truncate(0), file.Close())
		}
		return err
	},
	"Lock": func(f Folder, name string) error {
		file, err := f.Lock(name)
		if err == nil {
			err = file.Close()
		}
		return err
	},
	"New": func(f Folder, name string) error {
		file, err := f.New(name)
		if err == nil {
			err = file.Close()
		}
		return err
	},
	"MkdirNew": func(f Folder, name string) error { return f.MkdirNew(name) },
	"Mkdir":    func(f Folder, name string) error { return f.Mkdir(name) },
	"List":     func(f Folder, name string) error { _, err := f.List(name); return err },
	"Clear":    func(f Folder, name string) error { return f.Clear(name, func(string) bool { return true }) },
	"Check":    func(f Folder, name string) error { return f.Check(name) },
	"Remove":   func(f Folder, name string) error { return f.Remove(name) },
	"Has":      func(f Folder, name string) error { _, err := f.Has(name); return err },
}

// TestForeign puts, in the place of a file, of a folder and of a folder on the way, all that is
// neither, and calls every method: none changes or reads anything outside, waits, or takes it for
// what it is not.
func TestForeign(t *testing.T) {
	for _, kind := range []string{"link to a file", "link to a folder", "link within", "dangling link", "link to itself", "pipe", "socket", "folder", "hard link", "link to a pipe"} {
		for _, name := range []string{"it", "sub/it", "it/file"} {
			for _, call := range slices.Sorted(keys(calls)) {
				t.Run(fmt.Sprint(kind, ", ", name, ", ", call), func(t *testing.T) {
					outside, dir := t.TempDir(), t.TempDir()
					at := func(names ...string) string { return filepath.Join(append([]string{outside}, names...)...) }
					it := filepath.Join(dir, strings.TrimSuffix(name, "/file"))
					err := errors.Join(os.Mkdir(at("folder"), 0o700), os.WriteFile(at("folder", "file"), []byte("kept"), 0o600), os.WriteFile(at("folder", "file.0123abcd.tmp"), nil, 0o600),
						os.WriteFile(at("victim"), []byte("kept"), 0o600), syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(filepath.Join(dir, "sub"), 0o700),
						os.WriteFile(filepath.Join(dir, "within"), []byte("kept"), 0o600))
					target := map[string]string{"link to a file": at("victim"), "link to a folder": at("folder"), "link within": filepath.Join(dir, "within"), "dangling link": at("none"), "link to itself": it, "link to a pipe": at("pipe")}[kind]
					switch {
					case target != "":
						err = errors.Join(err, os.Symlink(target, it))
					case kind == "pipe":
						err = errors.Join(err, syscall.Mkfifo(it, 0o600))
					case kind == "socket":
						l, listenErr := net.ListenUnix("unix", &net.UnixAddr{Name: it, Net: "unix"})
						if listenErr == nil {
							l.SetUnlinkOnClose(false)
							listenErr = l.Close()
						}
						err = errors.Join(err, listenErr)
					case kind == "folder":
						err = errors.Join(err, os.Mkdir(it, 0o700), os.WriteFile(filepath.Join(it, "file"), []byte("own"), 0o600))
					case kind == "hard link":
						err = errors.Join(err, os.Link(at("victim"), it))
					}
					if err != nil {
						t.Fatal(err)
					}
					before, own := tree(t, outside), tree(t, dir)
					err = calls[call](Folder(dir), name)
					if got := tree(t, outside); got != before {
						t.Errorf("outside there was\n%s\nand now is\n%s", before, got)
					}
					folders := slices.Contains([]string{"Mkdir", "List", "Clear", "Check"}, call)
					var fine bool // what there is is what the method is for
					switch onTheWay := strings.HasSuffix(name, "/file"); {
					case kind == "folder" && onTheWay:
						fine = !folders && call != "New" && call != "MkdirNew"
					case onTheWay:
					case kind == "folder":
						fine = folders || call == "Has"
					case kind == "hard link":
						fine = slices.Contains([]string{"Read", "Replace", "Remove", "Has"}, call)
					default:
						fine = slices.Contains([]string{"Remove", "Has"}, call)
					}
					if fine != (err == nil) {
						t.Errorf("%s gives %v", call, err)
					}
					if err != nil && (!strings.Contains(err.Error(), it) || tree(t, dir) != own) {
						t.Errorf("%s says %v, and there is\n%s", call, err, tree(t, dir))
					}
				})
			}
		}
	}
}

func keys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// tree is all that is in a folder, as text.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		content := ""
		if e.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(text)
		}
		fmt.Fprintf(&b, "%s %s %q\n", e.Type(), path, content)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOwn holds that what is the folder's own is read and written, also where the path of the
// folder has links, and that no name leads out of it.
func TestOwn(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	f := Folder(filepath.Join(link, "a", "b"))
	if entries, err := f.List("."); err != nil || entries != nil {
		t.Errorf("a folder that is not there has %v, %v", entries, err)
	}
	if has, err := f.Has("x"); err != nil || has {
		t.Errorf("%v, %v", has, err)
	}
	if _, err := f.Read("x"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), string(f)) {
		t.Error(err)
	}
	if err := errors.Join(f.Make(), f.Mkdir("c/d"), f.Mkdir("c/d"), f.Replace("c/d/x", []byte("one")), f.Replace("c/d/x", []byte("two"))); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a", "b", "c", "d", "x")); string(got) != "two" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := f.New("c/d/x"); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	held, err := f.Lock("lock")
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	if other, err := f.Lock("lock"); other != nil || err != nil {
		t.Errorf("two have the lock: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	entries, err := f.List(".")
	if err != nil || len(entries) != 2 || entries[0].Name() != "c" || entries[1].Name() != "lock" {
		t.Fatalf("%v, %v", entries, err)
	}
	if info, err := entries[1].Info(); err != nil || info.Size() != 0 {
		t.Error(info, err)
	}
	if err := errors.Join(f.Remove("c/d/x"), f.Remove("c/d/x"), f.Remove("none/x")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"..", "../b/lock", "/etc/passwd", "c/../../x", ""} {
		for call, do := range calls {
			if err := do(f, name); err == nil {
				t.Errorf("%s(%q) gives no error", call, name)
			}
		}
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Folder(pipe).Read("x"); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a pipe as the folder: %v", err)
	}
}

// TestReplacedWhileRead reads a file while it is replaced: there is always the one or the other.
func TestReplacedWhileRead(t *testing.T) {
	f := Folder(t.TempDir())
	if err := f.Replace("x", []byte("a text")); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		var err error
		for range 200 {
			err = errors.Join(err, f.Replace("x", []byte("a text")))
		}
		done <- err
	}()
	for {
		if text, err := f.Read("x"); err != nil || string(text) != "a text" {
			t.Errorf("%q, %v", text, err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
	}
}
