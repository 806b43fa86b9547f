package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// repository makes a clone with one commit, and returns what runs git in it.
func repository(t *testing.T) (root string, run func(args ...string)) {
	t.Helper()
	root = t.TempDir()
	run = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	run("commit", "-q", "--allow-empty", "-m", "first")
	return root, run
}

func TestVersion(t *testing.T) {
	root, run := repository(t)
	check := func(what, wantGo, wantText, wantPython, wantDebian string) {
		t.Helper()
		v, err := FindVersion(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		python, err := v.Python()
		if short := v.Commit[:12]; err != nil || v.Go != wantGo+map[bool]string{true: short}[wantText == ""] {
			t.Errorf("%s: %s, %v", what, v.Go, err)
		} else if wantText != "" && v.String() != wantText+" ("+short+")" || wantText == "" && v.String() != v.Go {
			t.Errorf("%s: %s", what, v)
		} else if got, want := python, wantPython+map[bool]string{true: short}[wantText == ""]; got != want {
			t.Errorf("%s: %s for Python, want %s", what, got, want)
		} else if got, want := v.Debian(), wantDebian+map[bool]string{true: short}[wantText == ""]; got != want {
			t.Errorf("%s: %s for Debian, want %s", what, got, want)
		}
		if !v.Time.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
			t.Errorf("%s: the commit was made at %s", what, v.Time)
		}
	}
	check("no tag", "v0.0.0-20260102030405-", "", "0.0.0.dev20260102030405+", "0.0.0~20260102030405.")
	run("tag", "v1.2.3-rc.1")
	run("tag", "nightly")
	check("a tag before a release", "v1.2.3-rc.1", "v1.2.3-rc.1", "1.2.3rc1", "1.2.3~rc.1")
	run("tag", "v1.2.3")
	check("two tags", "v1.2.3", "v1.2.3", "1.2.3", "1.2.3")
	run("commit", "-q", "--allow-empty", "-m", "second")
	check("after a tag", "v1.2.4-0.20260102030405-", "", "1.2.4.dev20260102030405+", "1.2.4~20260102030405.")
	run("tag", "v1.3.0-odd")
	v, err := FindVersion(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Python(); err == nil {
		t.Errorf("%s is %s for Python", v.Go, got)
	}
	if _, err := FindVersion(t.Context(), filepath.Join(root, "none")); err == nil {
		t.Error("a folder that is not there has a version")
	}
}
