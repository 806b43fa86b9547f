package release

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A Version is that of a commit.
type Version struct {
	// Go is the version as Go has it, such as v1.2.3: the tag of the commit, or a pseudo-version
	// after the last tag before it, as the go command gives it.
	Go string
	// Commit is the full name of the commit, and Time when it was made.
	Commit string
	Time   time.Time
}

// FindVersion returns the version of the commit that is checked out in the clone at root.
func FindVersion(ctx context.Context, root string) (Version, error) {
	out, err := git(ctx, root, "log", "-1", "--format=%H %ct")
	if err != nil {
		return Version{}, err
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return Version{}, fmt.Errorf("the time of the commit %s: %w", commit, err)
	}
	v := Version{Commit: commit, Time: time.Unix(unix, 0).UTC()}
	here, err := git(ctx, root, "tag", "--points-at", "HEAD")
	if err != nil {
		return Version{}, err
	}
	if v.Go = newest(here); v.Go != "" {
		return v, nil
	}
	before, err := git(ctx, root, "tag", "--merged", "HEAD")
	if err != nil {
		return Version{}, err
	}
	older := newest(before)
	v.Go = module.PseudoVersion(semver.Major(older), older, v.Time, commit[:12])
	return v, nil
}

// newest returns the highest version among the lines; empty if there is none.
func newest(lines []byte) (found string) {
	for line := range strings.Lines(string(lines)) {
		if tag := strings.TrimSpace(line); semver.IsValid(tag) && semver.Canonical(tag) == tag && semver.Compare(tag, found) > 0 {
			found = tag
		}
	}
	return found
}

// tagged reports whether the commit has a tag with the version.
func (v Version) tagged() bool { return !module.IsPseudoVersion(v.Go) }

// String is the version with the commit, as the program prints it.
func (v Version) String() string {
	if !v.tagged() {
		return v.Go // it ends with the commit
	}
	return v.Go + " (" + v.Commit[:12] + ")"
}

// Python returns the version in the form of PEP 440: v1.2.3-rc.1 is 1.2.3rc1, and a commit between
// two tags comes before the second, as 1.2.4.dev20260102030405+0123456789ab.
func (v Version) Python() (string, error) {
	number, pre, _ := strings.Cut(strings.TrimPrefix(v.Go, "v"), "-")
	if !v.tagged() {
		return number + ".dev" + v.Time.Format("20060102150405") + "+" + v.Commit[:12], nil
	}
	if pre == "" {
		return number, nil
	}
	for name, short := range map[string]string{"alpha": "a", "beta": "b", "rc": "rc"} {
		n, ok := strings.CutPrefix(pre, name+".")
		if _, err := strconv.ParseUint(n, 10, 32); ok && err == nil {
			return number + short + n, nil
		}
	}
	return "", fmt.Errorf("the tag %s cannot be a version in Python; after the number, write -alpha.N, -beta.N or -rc.N", v.Go)
}

// Debian is the version as Debian has it: one before a release has a tilde.
func (v Version) Debian() string {
	number, pre, found := strings.Cut(strings.TrimPrefix(v.Go, "v"), "-")
	switch {
	case !v.tagged():
		return number + "~" + v.Time.Format("20060102150405") + "." + v.Commit[:12]
	case found:
		return number + "~" + strings.ReplaceAll(pre, "-", ".")
	}
	return number
}

// git returns what git prints in the clone.
func git(ctx context.Context, root string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return nil, fmt.Errorf("run git, to find the commit: %w", err)
	}
	return out, nil
}
