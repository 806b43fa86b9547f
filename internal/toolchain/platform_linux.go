package toolchain

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// usableForCode reports whether this process may write to dir and load programs from it, and
// whether there are at least free bytes of room.
func usableForCode(dir string, free uint64) bool {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil || unix.Access(dir, unix.W_OK|unix.X_OK) != nil {
		return false
	}
	return s.Flags&unix.ST_NOEXEC == 0 && s.Bavail*uint64(s.Bsize) >= free
}

// trust returns an error unless a folder is such that nobody but the user and root can have put
// something there.
func trust(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	return trustworthy(dir, info, os.Geteuid())
}

func trustworthy(dir string, info fs.FileInfo, user int) error {
	stat, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !known:
		return fmt.Errorf("the owner of %s is unknown", dir)
	case stat.Uid != 0 && int(stat.Uid) != user:
		return fmt.Errorf("%s belongs to another user, whose programs are not run; name a folder of your own by XDG_CACHE_HOME", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("other users can write to %s, and their programs are not run; remove it, or name another folder by XDG_CACHE_HOME", dir)
	}
	return nil
}
