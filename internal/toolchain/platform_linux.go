package toolchain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeIn returns how many bytes there is room for in dir, and whether that is known: a folder in memory
// may have no limit of its own.
func freeIn(dir string) (free uint64, known bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil || s.Blocks == 0 {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}

// loadable returns nil if this process may load code from a file. The error says what is in the way.
func loadable(f *os.File) error {
	page, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	if err == nil {
		return unix.Munmap(page)
	}
	var s unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &s) == nil && s.Flags&unix.ST_NOEXEC != 0 {
		return errors.New("is mounted noexec")
	}
	return fmt.Errorf("has files that no code is loaded from (%w)", err)
}

// trust returns an error unless a folder is such that nobody but the user and root can have put
// something there.
func trust(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder; remove it", dir)
	}
	return trustworthy(dir, info, false)
}

// trustPath is trust for a folder and for all above it, and behind the links on the way: who can
// write to one of them can put another folder there at any time.
func trustPath(path string) error {
	at, rest := "/", names(path)
	for links := 0; ; {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if err := trustworthy(at, info, len(rest) > 0); err != nil {
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

// trustworthy returns an error unless nobody but the user and root can change what is at path: a
// file, a link, or a folder, in which case what is in it is meant. Of a folder above it is enough
// that others cannot rename what is there.
func trustworthy(path string, info fs.FileInfo, above bool) error {
	return trustworthyFor(path, info, above, os.Geteuid(), os.Getegid())
}

func trustworthyFor(path string, info fs.FileInfo, above bool, user, group int) error {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return fmt.Errorf("the owner of %s is unknown", path)
	}
	if stat.Uid != 0 && int(stat.Uid) != user {
		return fmt.Errorf("%s belongs to another user, whose programs are not run; name a folder of your own by XDG_CACHE_HOME", path)
	}
	mode := info.Mode()
	switch {
	case mode&fs.ModeSymlink != 0: // nobody writes to a link
	case above && mode&fs.ModeSticky != 0:
	// The user's own group is the user alone, as most systems have it.
	case mode.Perm()&0o002 != 0, mode.Perm()&0o020 != 0 && int(stat.Gid) != group:
		return fmt.Errorf("other users can write to %s, and their programs are not run; remove it, or name another folder by XDG_CACHE_HOME", path)
	}
	return nil
}
