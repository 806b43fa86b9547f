package notebook

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// ReplaceFile writes a file beside the one of that name, and puts it in its place when it is
// complete. What is not a regular file is written to.
func ReplaceFile(path string, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, err := os.Stat(path)
	if err == nil && !old.Mode().IsRegular() {
		// A device, such as /dev/stdout, is written to.
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error counts
		}
	}()
	mode := os.FileMode(0o644)
	if old != nil {
		mode = old.Mode().Perm()
	}
	if err := errors.Join(f.Chmod(mode), write(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
