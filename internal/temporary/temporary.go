// Package temporary creates temporary files and folders. All those of a process are in one folder,
// which is locked while the process lives. So the next process finds and removes the files that a
// killed process has left.
package temporary

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/hierml/notebook/internal/lock"
)

const (
	// prefix begins the name of a process's folder.
	prefix   = "hierml-process-"
	lockFile = "lock"
	// Memory is the path of a folder in memory.
	Memory = "/dev/shm"
)

// pattern matches the names of such folders.
var pattern = regexp.MustCompile(`^` + prefix + `[0-9]+$`)

// own are the folders of this process, by parent folder.
var own = struct {
	sync.Mutex
	folders map[string]*folder
}{folders: map[string]*folder{}}

type folder struct {
	path string
	lock *lock.Lock
}

// Folder creates a folder, whose name begins with kind, in parent; in the system's temporary folder
// if parent is empty. Only the user can read it.
func Folder(parent, kind string) (path string, err error) {
	err = inProcessFolder(parent, func(dir string) error {
		path, err = os.MkdirTemp(dir, kind+"-")
		return err
	})
	return path, err
}

// File creates a file in the same way. Its name begins with kind and ends with extension.
func File(kind, extension string) (f *os.File, err error) {
	err = inProcessFolder("", func(dir string) error {
		f, err = os.CreateTemp(dir, kind+"-*"+extension)
		return err
	})
	return f, err
}

// Remove removes a result of [Folder] or [File].
func Remove(path string) error {
	own.Lock()
	defer own.Unlock()
	err := os.RemoveAll(path)
	dir := filepath.Dir(path)
	for parent, f := range own.folders {
		if f.path != dir {
			continue
		}
		if left, readErr := os.ReadDir(dir); readErr == nil && len(left) == 1 { // the lock
			delete(own.folders, parent)
			err = errors.Join(err, f.remove())
		}
	}
	return err
}

// inProcessFolder calls do with the folder of this process in parent. It recreates the folder if a
// cleaning program has removed it.
func inProcessFolder(parent string, do func(dir string) error) error {
	if parent == "" {
		parent = os.TempDir()
	}
	own.Lock()
	defer own.Unlock()
	if f := own.folders[parent]; f != nil {
		err := do(f.path)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		delete(own.folders, parent)
		_ = f.lock.Release() // the file is gone
	}
	f, err := newFolder(parent)
	if err != nil {
		return err
	}
	own.folders[parent] = f
	return do(f.path)
}

// newFolder creates the folder of this process. Until it has a lock, another process may take it
// for a forgotten one, and remove it while it is empty.
func newFolder(parent string) (*folder, error) {
	for {
		path, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return nil, err
		}
		l, err := lock.Alone(filepath.Join(path, lockFile))
		switch {
		case err == nil && l != nil:
			return &folder{path, l}, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, errors.Join(err, os.RemoveAll(path))
		}
	}
}

// remove removes the folder, and the lock file last, so that the folder of a process that is killed
// meanwhile is found again. The lock file is removed while the lock is held: otherwise another
// process with a new folder could take the lock when it is released, and lose its folder.
func (f *folder) remove() error {
	entries, err := os.ReadDir(f.path)
	for _, e := range entries {
		if e.Name() != lockFile {
			err = errors.Join(err, os.RemoveAll(filepath.Join(f.path, e.Name())))
		}
	}
	if err != nil {
		return errors.Join(err, f.lock.Release())
	}
	return errors.Join(gone(os.Remove(filepath.Join(f.path, lockFile))), f.lock.Release(), gone(os.Remove(f.path)))
}

// gone ignores an error that means that another process was faster.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Clear removes the temporary files of ended processes of this user that used this package. It
// neither opens nor removes files in folders of others, and follows no link. It leaves files that
// cannot be removed to the next process.
func Clear() {
	for _, parent := range []string{os.TempDir(), Memory} {
		clearIn(parent)
	}
}

func clearIn(parent string) {
	dir, err := os.Open(parent)
	if err != nil {
		return
	}
	defer dir.Close() // it was only read
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if path := filepath.Join(parent, name); pattern.MatchString(name) && mine(path) {
			clearOne(path)
		}
	}
}

func clearOne(path string) {
	l, err := lock.Existing(filepath.Join(path, lockFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_ = os.Remove(path) // it is being created or removed; a non-empty one stays
	case err == nil && l != nil:
		_ = (&folder{path, l}).remove()
	}
}
