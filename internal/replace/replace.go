// Package replace writes files completely or not at all: it writes a new file beside the old one,
// and replaces the old one when the new one is complete and on disk. Until then, the old file stays
// unchanged.
//
// A new file has the permissions that the user's umask allows, and one that replaces another has
// those of the other. Files that a killed process has left beside a file are removed by the next
// process that replaces it.
package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/hierml/notebook/internal/lock"
)

// A File is a file that is being written. End it with Commit or Discard.
type File struct {
	*os.File
	in     files
	folder *os.Root // closed at the end; nil if names are paths
	shown  string   // the path in errors
	name   string   // its final name
	aside  string   // its temporary name; "" for a device, which is written directly
	done   bool
}

// files are the files of a folder, like an [os.Root], or those of all folders.
type files interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Lstat(name string) (fs.FileInfo, error)
	Rename(from, to string) error
	Remove(name string) error
}

// byPath are the files of all folders; their names are paths.
type byPath struct{}

func (byPath) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
func (byPath) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
func (byPath) Rename(from, to string) error           { return os.Rename(from, to) }
func (byPath) Remove(name string) error               { return os.Remove(name) }

// Create begins a file with the name path. If path is a link, it replaces the target, not the link;
// if it is not a regular file, such as /dev/stdout, it writes to it directly.
func Create(path string) (*File, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, err := os.Stat(path)
	if err == nil && !old.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &File{File: f, shown: path}, err
	}
	return begin(&File{in: byPath{}, shown: path, name: path}, old)
}

// CreateIn begins a file of a folder, which replaces anything with its name there, including a
// link. It has the permissions of old, unless that is nil. Errors name it as shown. The folder is
// closed when the file ends, or cannot be created.
func CreateIn(folder *os.Root, name, shown string, old fs.FileInfo) (*File, error) {
	return begin(&File{in: folder, folder: folder, shown: shown, name: name}, old)
}

// begin creates the temporary file, and locks it, so that others see that it is being written.
func begin(f *File, old fs.FileInfo) (*File, error) {
	base := filepath.Base(f.name)
	clearIn(f.in, filepath.Dir(f.name), func(name string) bool { return name == base })
	for {
		aside := fmt.Sprintf("%s.%08x.tmp", f.name, rand.Uint32())
		file, err := f.in.OpenFile(aside, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			f.leave()
			return nil, f.pathError(err)
		}
		// Without locks, nobody removes files either. A browser has none, and there a new file has
		// no name before it is written.
		if got, err := lock.File(file, true); lock.Available && err == nil && (!got || !has(f.in, aside, file)) {
			_ = file.Close() // another process takes it for a leftover file, and removes it
			continue
		}
		f.File, f.aside = file, aside
		if old != nil {
			if err := f.Chmod(old.Mode().Perm()); err != nil {
				f.Discard()
				return nil, f.pathError(err)
			}
		}
		return f, nil
	}
}

// has reports whether the name is that of the open file.
func has(in files, name string, file *os.File) bool {
	there, err := in.Lstat(name)
	if err != nil {
		return false
	}
	open, err := file.Stat()
	return err == nil && os.SameFile(there, open)
}

// leave closes the folder.
func (f *File) leave() {
	f.done = true
	if f.folder != nil {
		_ = f.folder.Close() // it was only searched
	}
}

// pathError returns an error of package os with the path that the user knows.
func (f *File) pathError(err error) error {
	switch of := err.(type) {
	case *fs.PathError:
		return &fs.PathError{Op: strings.TrimSuffix(of.Op, "at"), Path: f.shown, Err: of.Err}
	case *os.LinkError:
		return &fs.PathError{Op: strings.TrimSuffix(of.Op, "at"), Path: f.shown, Err: of.Err}
	}
	return err
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, f.pathError(err)
}

// Commit moves the file to its final name. If that fails, the file is discarded.
func (f *File) Commit() (err error) {
	if f.aside == "" {
		f.done = true
		return f.Close()
	}
	defer f.Discard()
	if err := f.Sync(); err != nil {
		return f.pathError(err)
	}
	if runtime.GOOS == "windows" { // an open file cannot be renamed there; elsewhere it stays locked
		if err := f.Close(); err != nil {
			return f.pathError(err)
		}
	}
	if err := f.in.Rename(f.aside, f.name); err != nil {
		return f.pathError(err)
	}
	_ = f.Close() // its content is on disk
	f.leave()
	return nil
}

// Discard removes a file that was not committed.
func (f *File) Discard() {
	if f.done {
		return
	}
	_ = f.Close() // its content is not wanted
	if f.aside != "" {
		_ = f.in.Remove(f.aside)
	}
	f.leave()
}

// aside matches the names of temporary files.
var aside = regexp.MustCompile(`^(.+)\.[0-9a-f]{8}\.tmp$`)

// ClearIn removes temporary files that killed processes have left in a folder, of files whose names
// satisfy own. It removes no file that is being written, and follows no link. It ignores files that
// cannot be removed.
func ClearIn(folder *os.Root, own func(name string) bool) { clearIn(folder, ".", own) }

func clearIn(in files, folder string, own func(name string) bool) {
	if !lock.Available {
		return
	}
	f, err := in.OpenFile(folder, os.O_RDONLY, 0)
	if err != nil {
		return
	}
	names, _ := f.Readdirnames(-1)
	_ = f.Close() // it was only read
	for _, name := range names {
		if of := aside.FindStringSubmatch(name); of != nil && own(of[1]) {
			removeLeft(in, filepath.Join(folder, name))
		}
	}
}

// removeLeft removes a file that no process is writing.
func removeLeft(in files, name string) {
	if info, err := in.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := in.OpenFile(name, os.O_RDWR|lock.Direct, 0)
	if err != nil {
		return
	}
	defer f.Close() // it was only locked
	if got, err := lock.File(f, true); err == nil && got && has(in, name, f) {
		_ = in.Remove(name)
	}
}

// Content replaces the content of the file at path.
func Content(path string, content []byte) error {
	return With(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// With replaces the file at path with the output of write.
func With(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	return f.Complete(write)
}

// Complete writes a file and commits it. If that fails, the file is discarded.
func (f *File) Complete(write func(io.Writer) error) error {
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}
