package toolchain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A damagedError is about a kit that was changed: programs that clean caches remove single files.
type damagedError struct{ dir, what string }

func (e *damagedError) Error() string {
	return fmt.Sprintf("the files for compiling cells in %s are damaged: %s; restart hierml, or run `hierml doctor` to make them again", e.dir, e.what)
}

// toBeMade reports whether an error of reading a kit means that the kit must be made.
func toBeMade(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*damagedError))
}

// inventory returns the sizes of all files in dir, by relative path. It makes the files writable
// only for the user.
func inventory(dir string) (map[string]int64, error) {
	files := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[name] = info.Size()
		if trustworthy(path, info, false) != nil {
			return os.Chmod(path, info.Mode().Perm()&^0o022)
		}
		return nil
	})
	return files, err
}

// check returns a *damagedError if files of the kit are missing, have another size, or may have
// been written by others. It does not read the files, which would take too long at each start.
func (k *Kit) check() error {
	for name, size := range k.info.Files {
		path := filepath.Join(k.dir, name)
		info, err := os.Lstat(path)
		what := ""
		switch {
		case errors.Is(err, fs.ErrNotExist):
			what = "is gone"
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			what = "is not a file"
		case info.Size() != size:
			what = fmt.Sprintf("has %d bytes and not %d", info.Size(), size)
		case trustworthy(path, info, false) != nil:
			what = "can be written to by others"
		default:
			continue
		}
		return &damagedError{k.dir, name + " " + what}
	}
	return nil
}

// blame returns the error of a build, unless the kit is damaged or where no programs can be run,
// which is why then.
func (k *Kit) blame(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return cmp.Or(k.check(), k.tryRunning(), err)
}
