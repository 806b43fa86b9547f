package toolchain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes the end of cmd's context kill what cmd started, too.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return nil
		}
		return err
	}
}

// lock is a lock on a file, which ends with its process.
type lock struct{ file *os.File }

// tryLock takes the lock of the file at path, which it makes where it is missing: alone, or as one
// of many. It returns nil if others have it.
func tryLock(path string, alone bool) (*lock, error) {
	return tryLockOf(path, os.O_RDWR|os.O_CREATE, alone)
}

// tryLockThere takes the lock of a file alone, which it does not make.
func tryLockThere(path string) (*lock, error) {
	return tryLockOf(path, os.O_RDWR, true)
}

func tryLockOf(path string, flag int, alone bool) (*lock, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if err == nil {
		return &lock{f}, nil
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = nil
	}
	return nil, errors.Join(err, f.Close())
}

func (l *lock) release() error { return l.file.Close() }

// is reports whether the lock is that of the file which is at path now.
func (l *lock) is(path string) bool {
	held, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(held, there)
}

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
