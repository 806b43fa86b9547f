package toolchain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// owned is a file with an owner, a group and permissions.
type owned struct {
	user, group int
	mode        fs.FileMode
}

func (owned) Name() string        { return "" }
func (owned) Size() int64         { return 0 }
func (o owned) Mode() fs.FileMode { return o.mode }
func (owned) ModTime() time.Time  { return time.Time{} }
func (o owned) IsDir() bool       { return o.mode.IsDir() }
func (o owned) Sys() any          { return &syscall.Stat_t{Uid: uint32(o.user), Gid: uint32(o.group)} }

// TestTrustworthy is the attack module_foreign_kit.
func TestTrustworthy(t *testing.T) {
	const user, group = 1000, 100
	const others, writable = "belongs to another user", "other users can write"
	for _, test := range []struct {
		file        owned
		want, above string
	}{
		{owned{user, group, fs.ModeDir | 0o700}, "", ""},
		{owned{user, group, fs.ModeDir | 0o755}, "", ""},
		{owned{0, 0, fs.ModeDir | 0o755}, "", ""},
		{owned{user, group, 0o600}, "", ""},
		{owned{user + 1, group, fs.ModeDir | 0o755}, others, others},
		{owned{user + 1, group, fs.ModeDir | 0o700}, others, others},
		{owned{user + 1, group, 0o644}, others, others},
		{owned{user + 1, group, fs.ModeSymlink | 0o777}, others, others},
		{owned{user, group, fs.ModeSymlink | 0o777}, "", ""},
		{owned{user, group, fs.ModeDir | 0o775}, "", ""}, // of the user's own group
		{owned{user, group + 1, fs.ModeDir | 0o775}, writable, writable},
		{owned{user, group + 1, 0o664}, writable, writable},
		{owned{user, group, 0o666}, writable, writable},
		{owned{0, 0, fs.ModeDir | 0o777}, writable, writable},
		{owned{0, group + 1, fs.ModeDir | 0o775}, writable, writable},
		{owned{0, 0, fs.ModeDir | 0o777 | fs.ModeSticky}, writable, ""}, // such as /tmp
	} {
		for above, want := range map[bool]string{false: test.want, true: test.above} {
			err := trustworthyFor("/kit", test.file, above, trustees{users: []int{user}, group: group})
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%v of user %d, group %d (above: %v): %v, want %q", test.file.mode, test.file.user, test.file.group, above, err, want)
			}
		}
	}
}

// TestTrustProgram holds that a program is told of that others can write to, or put another in the
// place of.
func TestTrustProgram(t *testing.T) {
	for _, c := range []struct {
		name         string
		folder, file fs.FileMode
		want         string
	}{
		{"mine", 0o755, 0o755, ""},
		{"written to by all", 0o755, 0o757, "other users can write to DIR/hierml; run `chmod go-w DIR/hierml`"},
		{"in a folder that all write to", 0o777, 0o755, "other users can write to DIR, and so replace DIR/hierml; run `chmod go-w DIR`"},
		{"in a folder like /tmp", 0o777 | fs.ModeSticky, 0o755, ""},
	} {
		dir := filepath.Join(t.TempDir(), "bin")
		program := filepath.Join(dir, "hierml")
		if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(program, nil, 0o755), os.Chmod(program, c.file), os.Chmod(dir, c.folder)); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(t.TempDir(), "hierml")
		if err := os.Symlink(program, link); err != nil {
			t.Fatal(err)
		}
		said := ""
		if err := TrustProgram(program); err != nil {
			said = strings.ReplaceAll(err.Error(), dir, "DIR")
		}
		if said != c.want {
			t.Errorf("%s: %q, want %q", c.name, said, c.want)
		}
		if err := TrustProgram(link); (err == nil) != (c.want == "") {
			t.Errorf("%s, by a link: %v", c.name, err)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	// Of another user, who is trusted with his own program, and of a third, who has the folder.
	dir := filepath.Join(t.TempDir(), "bin")
	program := filepath.Join(dir, "hierml")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(program, nil, 0o755), os.Chown(program, 12345, 12345), os.Chown(dir, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	if err := TrustProgram(program); err != nil {
		t.Error(err)
	}
	// Root may have given a folder to those who install programs, as /usr/local/bin to the group
	// staff.
	if err := errors.Join(os.Chown(dir, 0, 50), os.Chmod(dir, 0o775), TrustProgram(program), os.Chmod(dir, 0o755)); err != nil {
		t.Error(err)
	}
	if err := os.Chown(dir, 54321, 54321); err != nil {
		t.Fatal(err)
	}
	if err := TrustProgram(program); err == nil || !strings.Contains(err.Error(), dir+" belongs to another user, who can replace "+program) {
		t.Errorf("in the folder of a third: %v", err)
	}
}

// TestTrustPath holds that it does not help to own a folder that others can put another in place
// of.
func TestTrustPath(t *testing.T) {
	dir := t.TempDir()
	mkdir := func(path string, mode fs.FileMode) string {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(path, 0o700), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(target, path string) string {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mine := mkdir("mine/kits", 0o700)
	mkdir("shared", 0o777)
	inShared := mkdir("shared/kits", 0o700)
	mkdir("sticky", 0o777|fs.ModeSticky)
	inSticky := mkdir("sticky/kits", 0o700)
	for _, test := range []struct{ path, want string }{
		{mine, ""},
		{inSticky, ""},
		{inShared, "other users can write to " + filepath.Dir(inShared)},
		{filepath.Join(dir, "sticky"), "other users can write to "},
		{filepath.Join(link("mine", "link"), "kits"), ""},
		{filepath.Join(link("shared/../mine", "relative"), "kits"), "other users can write to "},
		{link(inShared, "absolute"), "other users can write to "},
		{link("loop", "loop"), "too many levels of symbolic links"},
		{filepath.Join(dir, "missing"), "no such file"},
	} {
		err := trustPath(test.path)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.path, err, test.want)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Lchown(filepath.Join(dir, "link"), 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if err := trustPath(filepath.Join(dir, "link", "kits")); err == nil || !strings.Contains(err.Error(), "link belongs to another user") {
		t.Errorf("a link of another user: %v", err)
	}
}
