//go:build unix

package testfault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// foreignKinds are the things that may replace a file, or a folder, in an untrusted folder. Links
// lead to like, which is a copy of the original, or to nothing.
var foreignKinds = map[string]func(path, like string) error{
	"link": func(path, like string) error { return os.Symlink(like, path) },
	"link within": func(path, like string) error { // the folder
		target, err := filepath.Rel(filepath.Dir(path), like)
		return errors.Join(err, os.Symlink(target, path))
	},
	"dangling link": func(path, like string) error { return os.Symlink(like+" is not there", path) },
	"hard link":     func(path, like string) error { return os.Link(like, path) },
	"pipe":          func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
	"socket":        func(path, _ string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) },
	"folder":        func(path, _ string) error { return os.Mkdir(path, 0o700) },
	"file":          func(path, _ string) error { return os.WriteFile(path, nil, 0o600) },
}

// Foreign replaces each file and each folder in copies of a folder by each of foreignKinds, and
// calls functions with the copy: all of them with a copy that has a link in it, and few for other
// kinds. Nothing behind a link may change. Each call must return an error that names the replaced
// file, except for the quiet ones.
func Foreign(t *testing.T, template string, calls map[string]func(directory string) error, few []string, quiet func(kind, path string) bool) {
	t.Helper()
	for call, do := range calls { // without changes all of them work
		if err := do(CopyFolder(t, template)); err != nil {
			t.Fatalf("%s: %v", call, err)
		}
	}
	other := CopyFolder(t, template)
	for kind, replace := range foreignKinds {
		t.Run(kind, func(t *testing.T) {
			for path, content := range contents(t, template) {
				if dir := content == isFolder; path == "." || dir && (kind == "hard link" || kind == "folder") || !dir && kind == "file" {
					continue
				}
				refused := 0
				for call, do := range calls {
					if kind != "link" && !slices.Contains(few, call) {
						continue
					}
					directory, outside := CopyFolder(t, template), other
					if kind == "link within" {
						outside = filepath.Join(directory, "within")
						if err := os.CopyFS(outside, os.DirFS(other)); err != nil {
							t.Fatal(err)
						}
					}
					before, at := fmt.Sprint(contents(t, outside)), filepath.Join(directory, path)
					if err := errors.Join(os.RemoveAll(at), replace(at, filepath.Join(outside, path))); err != nil {
						t.Fatal(err)
					}
					err := do(directory)
					if after := fmt.Sprint(contents(t, outside)); after != before {
						t.Fatalf("%s as a %s: %s says %v, and changes what is outside to %s", path, kind, call, err, after)
					}
					if err != nil {
						if refused++; !strings.Contains(err.Error(), at) {
							t.Errorf("%s as a %s: %s says %v", path, kind, call, err)
						}
					}
				}
				if refused == 0 && !quiet(kind, path) {
					t.Errorf("%s as a %s: nothing refuses it", path, kind)
				}
			}
		})
	}
}

// CopyFolder copies a folder into one with the same name, so that paths in its files stay valid.
func CopyFolder(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for path, content := range contents(t, to) {
		if changed := strings.ReplaceAll(content, from, to); changed != content {
			if err := os.WriteFile(filepath.Join(to, path), []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return to
}

// isFolder marks a folder among the contents.
const isFolder = "a folder"

// contents returns the entries of a folder, with the contents of files.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(dir, path)
		if err = errors.Join(err, relErr); err != nil || e.IsDir() {
			all[name] = isFolder
			return err
		}
		content, err := os.ReadFile(path)
		all[name] = string(content)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
