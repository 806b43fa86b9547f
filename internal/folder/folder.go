// Package folder reads and writes the content of a folder that may be untrusted, such as that of a
// study in an archive. The user chooses the folder, and its path may contain links, but anyone may
// have made its content. So nothing in it is read, written or removed through a link, neither a
// file nor a folder on the way to it, and special files such as pipes are not opened.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hierml/notebook/internal/lock"
	"github.com/hierml/notebook/internal/replace"
)

// A Folder is the path of a folder. Its methods take names in it and in its subfolders: relative
// paths. Errors contain the whole path.
type Folder string

// Make creates the folder and its parents where they are missing.
func (f Folder) Make() error { return os.MkdirAll(string(f), 0o777) }

// path returns the whole path of a name.
func (f Folder) path(name string) string { return filepath.Join(string(f), name) }

// pathError returns an error of package os with the whole path of a name.
func (f Folder) pathError(err error, name string) error {
	if of, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: strings.TrimSuffix(of.Op, "at"), Path: f.path(name), Err: of.Err}
	}
	return err
}

// foreign returns an error unless an entry has the type want: a regular file, 0, or a folder,
// fs.ModeDir.
func (f Folder) foreign(name string, info fs.FileInfo, want fs.FileMode) error {
	is, path := info.Mode().Type(), f.path(name)
	switch {
	case is == want:
		return nil
	case is&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link, and links in this folder are not followed. Replace it with its target, or remove it", path)
	case want == fs.ModeDir:
		return fmt.Errorf("%s is not a folder. Remove it", path)
	case is == fs.ModeDir:
		return fmt.Errorf("%s is a folder, not a file. Remove it", path)
	}
	return fmt.Errorf("%s is not a regular file. Remove it", path)
}

// local returns an error for a name outside the folder.
func (f Folder) local(name string) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%q leads out of the folder %s", name, string(f))
	}
	return nil
}

// openParent opens the parent folder of a name; the caller closes it. With create it creates
// missing folders.
func (f Folder) openParent(name string, create bool) (*os.Root, error) {
	if err := f.local(name); err != nil {
		return nil, err
	}
	if info, err := os.Stat(string(f)); err == nil && !info.IsDir() { // opening a pipe would block
		return nil, fmt.Errorf("%s is not a folder", string(f))
	}
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	at := "."
	for _, part := range strings.Split(filepath.Clean(name), string(filepath.Separator)) {
		if part == "." {
			continue
		}
		at = filepath.Join(at, part)
		next, err := f.step(root, part, at, create)
		if err = errors.Join(err, root.Close()); err != nil {
			return nil, err
		}
		root = next
	}
	return root, nil
}

// step opens the next folder of a path.
func (f Folder) step(root *os.Root, part, at string, create bool) (*os.Root, error) {
	if create {
		if err := root.Mkdir(part, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, f.pathError(err, at)
		}
	}
	info, err := root.Lstat(part)
	if err == nil {
		err = f.foreign(at, info, fs.ModeDir)
	}
	if err != nil {
		return nil, f.pathError(err, at)
	}
	next, err := root.OpenRoot(part)
	return next, f.pathError(err, at)
}

// parent opens the parent folder of a name; the caller closes it.
func (f Folder) parent(name string) (root *os.Root, base string, err error) {
	if err := f.local(name); err != nil {
		return nil, "", err
	}
	root, err = f.openParent(filepath.Dir(name), false)
	return root, filepath.Base(name), err
}

// Mkdir creates a subfolder and its parents where they are missing.
func (f Folder) Mkdir(name string) error {
	root, err := f.openParent(name, true)
	if err != nil {
		return err
	}
	return root.Close()
}

// stat returns the type of a name, or nil if it does not exist.
func (f Folder) stat(root *os.Root, base, name string) (fs.FileInfo, error) {
	info, err := root.Lstat(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return info, f.pathError(err, name)
}

// Has reports whether a name exists, whatever its type.
func (f Folder) Has(name string) (bool, error) {
	root, base, err := f.parent(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	info, err := f.stat(root, base, name)
	return info != nil, errors.Join(err, root.Close())
}

// open opens a file with flags of os.OpenFile. If the file is replaced meanwhile, it opens either
// version.
func (f Folder) open(name string, flag int) (file *os.File, err error) {
	root, base, err := f.parent(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for {
		info, err := f.stat(root, base, name)
		if err != nil {
			return nil, err
		}
		how := flag
		switch {
		case info != nil:
			if err := f.foreign(name, info, 0); err != nil {
				return nil, err
			}
			how &^= os.O_CREATE
		case flag&os.O_CREATE != 0:
			how |= os.O_EXCL
		}
		file, err := root.OpenFile(base, how|lock.Direct, 0o666)
		if info != nil && errors.Is(err, fs.ErrNotExist) || info == nil && how&os.O_EXCL != 0 && errors.Is(err, fs.ErrExist) {
			continue // it was removed, or created, meanwhile
		}
		if err != nil {
			return nil, f.pathError(err, name)
		}
		if info == nil {
			return file, nil
		}
		opened, err := file.Stat()
		if err == nil && os.SameFile(info, opened) {
			return file, nil
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
	}
}

// Open opens a file for reading.
func (f Folder) Open(name string) (*os.File, error) { return f.open(name, os.O_RDONLY) }

// Read returns the content of a file.
func (f Folder) Read(name string) (content []byte, err error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return io.ReadAll(file)
}

// Update opens a file for changes in place, and creates it if it is missing. It returns an error if
// the file has a second name (a hard link), which may be outside the folder.
func (f Folder) Update(name string) (*os.File, error) {
	file, err := f.open(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	n, err := names(file)
	if err == nil && n > 1 {
		err = fmt.Errorf("%s is a hard link, and the file would also change under its other name. Replace it with a copy", f.path(name))
	}
	if err != nil {
		return nil, errors.Join(f.pathError(err, name), file.Close())
	}
	return file, nil
}

// Lock opens a file as Update does and locks it until it is closed. It returns nil if another
// process has locked it.
func (f Folder) Lock(name string) (*os.File, error) {
	file, err := f.Update(name)
	if err != nil {
		return nil, err
	}
	if got, err := lock.File(file, true); err != nil || !got {
		return nil, errors.Join(f.pathError(err, name), file.Close())
	}
	return file, nil
}

// New creates a file. The error is an fs.ErrExist if the name exists, whatever its type.
func (f Folder) New(name string) (*os.File, error) {
	root, base, err := f.parent(name)
	if err != nil {
		return nil, err
	}
	file, err := root.OpenFile(base, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	return file, errors.Join(f.pathError(err, name), root.Close())
}

// MkdirNew creates a folder in an existing folder. The error is an fs.ErrExist if the name exists.
func (f Folder) MkdirNew(name string) error {
	root, base, err := f.parent(name)
	if err != nil {
		return err
	}
	return errors.Join(f.pathError(root.Mkdir(base, 0o777), name), root.Close())
}

// Create begins a file that replaces another one when it is complete.
func (f Folder) Create(name string) (*replace.File, error) {
	root, base, err := f.parent(name)
	if err != nil {
		return nil, err
	}
	old, err := f.stat(root, base, name)
	if err == nil && old != nil {
		err = f.foreign(name, old, 0)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return replace.CreateIn(root, base, f.path(name), old)
}

// With replaces a file with the output of write.
func (f Folder) With(name string, write func(io.Writer) error) error {
	file, err := f.Create(name)
	if err != nil {
		return err
	}
	return file.Complete(write)
}

// Replace replaces a file with one with a content.
func (f Folder) Replace(name string, content []byte) error {
	return f.With(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// List returns the entries of a subfolder, or of the folder itself, ".", sorted by name; nothing if
// it does not exist.
func (f Folder) List(name string) ([]fs.DirEntry, error) {
	root, err := f.openParent(name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	dir, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(f.pathError(err, name), root.Close())
	}
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, errors.Join(f.pathError(err, name), dir.Close(), root.Close())
}

// Remove removes a file, or a link, if it exists.
func (f Folder) Remove(name string) error {
	root, base, err := f.parent(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err = root.Remove(base); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(f.pathError(err, name), root.Close())
}

// Clear removes temporary files that killed processes have left in a subfolder, of replacements for
// files whose names satisfy own.
func (f Folder) Clear(name string, own func(name string) bool) error {
	root, err := f.openParent(name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	replace.ClearIn(root, own)
	return root.Close()
}

// Check returns an error if a name, or a folder on the way to it, exists and is not a real folder.
func (f Folder) Check(name string) error {
	root, err := f.openParent(name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return root.Close()
}
