// Package temporary makes temporary files and folders. All of a process are in one folder that is
// locked as long as the process lives, so that what a process leaves that was killed is found out,
// and cleared by the next one. What the files are for is left to the callers.
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
	// prefix begins the name of the folder of a process.
	prefix   = "hierml-process-"
	lockFile = "lock"
	// Memory is where there is a folder in memory.
	Memory = "/dev/shm"
)

// pattern is that of the names of such folders.
var pattern = regexp.MustCompile(`^` + prefix + `[0-9]+$`)

// own are the folders of this process, by where they are.
var own = struct {
	sync.Mutex
	folders map[string]*folder
}{folders: map[string]*folder{}}

type folder struct {
	path string
	lock *lock.Lock
}

// Folder makes a folder, whose name begins with kind, in parent; in that of the system if parent is
// empty. Nobody but the user can look into it.
func Folder(parent, kind string) (path string, err error) {
	err = inProcessFolder(parent, func(dir string) error {
		path, err = os.MkdirTemp(dir, kind+"-")
		return err
	})
	return path, err
}

// File makes a file, whose name begins with kind and ends with extension, likewise.
func File(kind, extension string) (f *os.File, err error) {
	err = inProcessFolder("", func(dir string) error {
		f, err = os.CreateTemp(dir, kind+"-*"+extension)
		return err
	})
	return f, err
}

// Remove removes what [Folder] or [File] has made.
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

// inProcessFolder calls do with the folder of this process in parent. Those who clean folders for
// temporary files may have taken it away.
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
		_ = f.lock.Release() // of a file that is gone
	}
	f, err := newFolder(parent)
	if err != nil {
		return err
	}
	own.folders[parent] = f
	return do(f.path)
}

// newFolder makes the folder of this process. Until it has a lock, another process may take it for
// a forgotten one, and removes it if it is empty.
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

// remove removes the folder, and the lock last, so that one of a process that is killed meanwhile
// is found again. The file of the lock goes while it is held: were it there when the lock ends, a
// process that has made the folder and waits could take it, and lose the folder.
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

// gone takes it for success that another process was faster.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Clear removes what processes of this user have left that have ended, where files are made by this
// package. What is in folders of others is neither opened nor removed, nor what is behind a link.
// What cannot be removed is left to the next process that clears.
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
		_ = os.Remove(path) // it is being made or removed; one that is not empty stays
	case err == nil && l != nil:
		_ = (&folder{path, l}).remove()
	}
}
