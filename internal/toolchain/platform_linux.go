package toolchain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeIn returns the free space in dir in bytes, and whether it is known: a folder in memory may
// have no limit.
func freeIn(dir string) (free uint64, known bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil || s.Blocks == 0 {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}

// loadable returns nil if this process can load code from a file. The error is the rest of a
// sentence that begins with its folder.
func loadable(f *os.File) error {
	page, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	if err == nil {
		return unix.Munmap(page)
	}
	var s unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &s) == nil && s.Flags&unix.ST_NOEXEC != 0 {
		return errors.New("is mounted noexec")
	}
	return fmt.Errorf("does not allow programs to load code from its files (%w)", err)
}

// trust returns an error unless only the user and root can have put anything into a folder.
func trust(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder. Remove it", dir)
	}
	return trustworthy(dir, info, false)
}

// trustPath is trust for a folder and all above it, and for the targets of links on the way: a user
// who can write to one of them can replace the folder at any time.
func trustPath(path string) error { return trustPathFor(path, myself()) }

// trustees are those who may write to a file, besides root.
type trustees struct {
	users []int
	group int  // that has nobody else
	admin bool // root's files may also be written to by the group that root has given them to
}

func myself() trustees { return trustees{users: []int{os.Geteuid()}, group: os.Getegid()} }

// TrustProgram returns an error with a remedy if anyone except the user, the owner of a program and
// root can write to it or replace it, and so decide what the user runs.
func TrustProgram(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return nil
	}
	err = trustPathFor(path, trustees{[]int{os.Geteuid(), int(stat.Uid)}, os.Getegid(), true})
	open := (*openError)(nil)
	switch {
	case !errors.As(err, &open):
		return err
	case open.foreign:
		return fmt.Errorf("%s belongs to another user, who can replace %s; install hierml in a folder of yours", open.path, path)
	}
	so := ""
	if open.path != path {
		so = ", and so replace " + path
	}
	return fmt.Errorf("other users can write to %s%s; run `chmod go-w %[1]s`", open.path, so)
}

func trustPathFor(path string, trusted trustees) error {
	at, rest := "/", names(path)
	for links := 0; ; {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if err := trustworthyFor(at, info, len(rest) > 0, trusted); err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(at)
			if err != nil {
				return err
			}
			if links++; links > 40 { // as in Linux
				return &fs.PathError{Op: "follow", Path: path, Err: syscall.ELOOP}
			}
			at = filepath.Dir(at)
			if filepath.IsAbs(target) {
				at = "/"
			}
			rest = append(names(target), rest...)
			continue
		}
		if len(rest) == 0 {
			return nil
		}
		at, rest = filepath.Join(at, rest[0]), rest[1:]
	}
}

// names are the elements of a path.
func names(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// An openError says that a path belongs to another user, or that others can write to it.
type openError struct {
	path    string
	foreign bool
}

// Error says it of what compiles cells.
func (e *openError) Error() string {
	if e.foreign {
		return e.path + " belongs to another user, so hierml does not run programs from it; set XDG_CACHE_HOME to a folder of your own"
	}
	return "other users can write to " + e.path + ", so hierml does not run programs from it; remove it, or set XDG_CACHE_HOME to another folder"
}

// trustworthy returns an error unless only the user and root can change a file, a link, or the
// content of a folder at path. For a folder above the path it is enough that others cannot rename
// its entries.
func trustworthy(path string, info fs.FileInfo, above bool) error {
	return trustworthyFor(path, info, above, myself())
}

func trustworthyFor(path string, info fs.FileInfo, above bool, trusted trustees) error {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return fmt.Errorf("the owner of %s is unknown", path)
	}
	if stat.Uid != 0 && !slices.Contains(trusted.users, int(stat.Uid)) {
		return &openError{path, true}
	}
	mode := info.Mode()
	switch {
	case mode&fs.ModeSymlink != 0: // nobody writes to a link
	case above && mode&fs.ModeSticky != 0:
	// The user's own group is the user alone, as most systems have it.
	case mode.Perm()&0o002 != 0, mode.Perm()&0o020 != 0 && int(stat.Gid) != trusted.group && (stat.Uid != 0 || !trusted.admin):
		return &openError{path, false}
	}
	return nil
}
