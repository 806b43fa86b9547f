// Package replace writes files that are there as a whole or not at all: a new file is written beside
// the old one and takes its place when it is complete and on disk. Whatever happens before, the old
// file stays as it was.
//
// A new file has the permissions that the user's umask leaves, and one that replaces another has
// those of the other.
package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A File is one that is being written. It ends by Commit or by Discard.
type File struct {
	*os.File
	path  string // the name that it is to have
	aside string // the one that it has until then; "" for a device, which is written to itself
	done  bool
}

// Create begins a file that is to have a name. What a link names is replaced, not the link; what is
// no regular file, such as /dev/stdout, is written to.
func Create(path string) (*File, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, err := os.Stat(path)
	if err == nil && !old.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &File{File: f, path: path}, err
	}
	for {
		aside := fmt.Sprintf("%s.%08x.tmp", path, rand.Uint32())
		file, err := os.OpenFile(aside, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		f := &File{File: file, path: path, aside: aside}
		if err != nil {
			return nil, f.named(err)
		}
		if old != nil {
			if err := f.Chmod(old.Mode().Perm()); err != nil {
				return nil, errors.Join(f.named(err), f.Close(), os.Remove(aside))
			}
		}
		return f, nil
	}
}

// named returns an error of package os with the name that the user knows.
func (f *File) named(err error) error {
	if of, ok := err.(*fs.PathError); ok && of.Path == f.aside {
		of.Path = f.path
	}
	return err
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, f.named(err)
}

// Commit puts the file in its place. If it cannot, the file is discarded.
func (f *File) Commit() (err error) {
	if f.aside == "" {
		f.done = true
		return f.Close()
	}
	defer f.Discard()
	if err := errors.Join(f.named(f.Sync()), f.named(f.Close())); err != nil {
		return err
	}
	if err := os.Rename(f.aside, f.path); err != nil {
		return err
	}
	f.done = true
	return nil
}

// Discard removes a file that was not committed.
func (f *File) Discard() {
	if f.done {
		return
	}
	f.done = true
	_ = f.Close() // what is in it is not wanted
	if f.aside != "" {
		_ = os.Remove(f.aside)
	}
}

// Content replaces the file of a name by what content has.
func Content(path string, content []byte) error {
	return With(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// With replaces the file of a name by what write writes.
func With(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}
