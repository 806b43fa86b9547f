package toolchain

import (
	"errors"
	"os"
	"path/filepath"
)

// folder is a private folder that is removed at the latest by the next process that makes one, if
// this process dies.
type folder struct {
	path string
	own  *lock
}

const (
	folderPattern = "hierml-cells-"
	// room is what a folder needs to be chosen. A plugin has 1 to 20 MB.
	room = 256 << 20
)

// newFolder makes a folder: in memory where that can be, else where temporary files belong.
func newFolder() (*folder, error) {
	parent := os.TempDir()
	if usableForCode("/dev/shm", room) {
		parent = "/dev/shm"
	}
	removeForgotten(parent)
	for {
		path, err := os.MkdirTemp(parent, folderPattern)
		if err != nil {
			return nil, plainly(err, parent, "TMPDIR")
		}
		own, err := tryLock(filepath.Join(path, "lock"), true)
		switch {
		case errors.Is(err, os.ErrNotExist): // removed, see below
		case err != nil:
			return nil, errors.Join(err, os.RemoveAll(path))
		case own != nil && own.is(filepath.Join(path, "lock")):
			return &folder{path, own}, nil
		case own != nil:
			if err := own.release(); err != nil {
				return nil, err
			}
		}
		// Between the making of the lock and the taking of it another process has taken the folder
		// for a forgotten one. It removes it.
	}
}

func (f *folder) remove() error {
	return errors.Join(os.RemoveAll(f.path), f.own.release())
}

// removeForgotten removes folders in parent whose processes have ended. Those of other users are
// left, and nothing in them is opened.
func removeForgotten(parent string) {
	paths, _ := filepath.Glob(filepath.Join(parent, folderPattern+"*"))
	for _, path := range paths {
		if trust(path) != nil {
			continue
		}
		// A folder that has no lock yet is being made, or removed.
		own, err := tryLockThere(filepath.Join(path, "lock"))
		if err != nil || own == nil {
			continue
		}
		_ = os.RemoveAll(path)
		_ = own.release()
	}
}
